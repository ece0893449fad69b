package schema

import (
	"encoding/json"
	"slices"
)

// allowed reports whether a schema is one of the bridge's subset: an object of the 28 keywords, each with a value that the
// Draft 2020-12 meta-schema allows, the format date-time, and uniqueItems over one explicitly typed scalar. Like the
// evaluator beside it, it shares no code with the package.
func allowed(schema any) bool {
	s, ok := schema.(map[string]any)
	if !ok {
		return false
	}
	for keyword, of := range s {
		if !keywordAllowed(keyword, of) {
			return false
		}
	}
	if s["uniqueItems"] != true {
		return true
	}
	items, _ := s["items"].(map[string]any)
	types, list := items["type"].([]any)
	if !list {
		types = []any{items["type"]}
	}
	return len(types) == 1 && slices.Contains([]any{"string", "number", "integer", "boolean", "null"}, types[0])
}

// allowedInside is allowed for a schema in a schema, which may be true or false.
func allowedInside(schema any) bool {
	_, isBool := schema.(bool)
	return isBool || allowed(schema)
}

func keywordAllowed(keyword string, of any) bool {
	number, isNumber := of.(json.Number)
	list, isList := of.([]any)
	switch keyword {
	case "title", "description":
		_, ok := of.(string)
		return ok
	case "deprecated", "readOnly", "writeOnly", "uniqueItems":
		_, ok := of.(bool)
		return ok
	case "default", "const":
		return true
	case "examples", "enum":
		return isList
	case "format":
		return of == "date-time"
	case "type":
		if !isList {
			list = []any{of}
		}
		return len(list) > 0 && distinctTexts(list) && !slices.ContainsFunc(list, func(name any) bool {
			return !slices.Contains([]any{"null", "boolean", "integer", "number", "string", "array", "object"}, name)
		})
	case "required":
		return isList && distinctTexts(list)
	case "properties":
		members, ok := of.(map[string]any)
		for _, member := range members {
			ok = ok && allowedInside(member)
		}
		return ok
	case "additionalProperties", "items", "propertyNames":
		return allowedInside(of)
	case "maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum":
		return isNumber
	case "multipleOf":
		return isNumber && rational(number).Sign() > 0
	case "maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties":
		return isNumber && rational(number).Sign() >= 0 && rational(number).IsInt()
	}
	return false
}

// distinctTexts reports whether a list holds different strings only.
func distinctTexts(list []any) bool {
	for i, item := range list {
		if _, ok := item.(string); !ok || slices.Contains(list[:i], item) {
			return false
		}
	}
	return true
}
