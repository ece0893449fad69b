package schema

import "caddy-netbox-mcp/bridge/strictjson"

// ClosedObject reports whether a schema's root has type exactly "object" and
// additionalProperties exactly false, as the bridge demands of every tool's
// input. It returns nil or an [*Error]. It does not compile doc.
func ClosedObject(doc strictjson.Value) error {
	var problems []Problem
	if t, _ := doc.Get("type"); t.Kind != strictjson.String || t.Text != "object" {
		problems = append(problems, Problem{Pointer: "/type", Rule: `must be exactly "object"`})
	}
	if a, ok := doc.Get("additionalProperties"); !ok || a.Kind != strictjson.Bool || a.Bool {
		problems = append(problems, Problem{Pointer: "/additionalProperties", Rule: "must be exactly false"})
	}
	if len(problems) > 0 {
		return &Error{Problems: problems}
	}
	return nil
}

// QueryEncodable reports whether every property of an input schema can be
// written into a query string in one way only, as the bridge demands of GET and
// HEAD tools: explicitly typed scalars, or lists of them that may be null. It
// returns nil or an [*Error]. It does not compile doc.
func QueryEncodable(doc strictjson.Value) error {
	properties, _ := doc.Get("properties")
	var problems []Problem
	for i := range properties.Members {
		m := &properties.Members[i]
		if len(problems) < maxProblems && !queryEncodable(m.Value) {
			problems = append(problems, Problem{
				Pointer: clip("/properties/" + escapeToken(m.Name)),
				Rule:    "is not query-encodable: a GET or HEAD input needs an explicit type, scalar or a list of scalars",
			})
		}
	}
	if len(problems) > 0 {
		return &Error{Problems: problems}
	}
	return nil
}

func queryEncodable(property strictjson.Value) bool {
	types := declaredTypes(property)
	switch {
	case types == 0:
		return false
	case types&^scalarTypes == 0:
		return true
	case types&^(typeArray|typeNull) != 0:
		return false
	}
	items, _ := property.Get("items")
	itemTypes := declaredTypes(items)
	return itemTypes != 0 && itemTypes&^scalarTypes == 0
}

// declaredTypes returns the types that a schema object declares; 0 if it
// declares none or is no object.
func declaredTypes(schema strictjson.Value) typeSet {
	t, _ := schema.Get("type")
	set := typeSet(0)
	if t.Kind == strictjson.String {
		set = typeNamed(t.Text)
	}
	for i := range t.Items {
		set |= typeNamed(t.Items[i].Text)
	}
	return set
}
