package schema

import (
	"strings"

	"caddy-netbox-mcp/bridge/strictjson"
)

// node is one compiled schema of the bridge subset. A nil pointer or empty
// field means that the keyword is absent. Nodes are never changed after
// compilation, so any number of validations may share them.
type node struct {
	never bool // the boolean schema false

	types typeSet

	enum     *choice
	constant *choice
	dateTime bool

	maximum, minimum                   *bound
	exclusiveMaximum, exclusiveMinimum *bound
	multipleOf                         *divisor

	maxLength, minLength         *count
	maxItems, minItems           *count
	maxProperties, minProperties *count

	items  *node
	unique bool

	properties map[string]*node
	known      []string // the names of properties in document order
	required   []string
	additional *node
	names      *node
}

// choice is the content of enum or const.
type choice struct {
	keys map[string]struct{} // by appendKey
	text string              // for messages
}

// bound is a number of the schema with the text it was written in.
type bound struct {
	value decimal
	text  string
}

// count is a non-negative integer of the schema. Values past the range of an
// int bound nothing that fits in memory, so they are cut there.
type count struct {
	value int
	text  string
}

// typeSet is a set of the type names of JSON Schema; zero means no restriction.
type typeSet uint8

const (
	typeNull typeSet = 1 << iota
	typeBoolean
	typeInteger
	typeNumber
	typeString
	typeArray
	typeObject

	scalarTypes = typeNull | typeBoolean | typeInteger | typeNumber | typeString
)

// typeNamed returns the set of one type name, or 0.
func typeNamed(name string) typeSet {
	switch name {
	case "null":
		return typeNull
	case "boolean":
		return typeBoolean
	case "integer":
		return typeInteger
	case "number":
		return typeNumber
	case "string":
		return typeString
	case "array":
		return typeArray
	case "object":
		return typeObject
	}
	return 0
}

// phrase names the types as part of a sentence: "a string or null".
func (t typeSet) phrase() string {
	var parts []string
	for _, p := range []struct {
		bit  typeSet
		text string
	}{
		{typeObject, "an object"}, {typeArray, "a list"}, {typeString, "a string"}, {typeInteger, "an integer"},
		{typeNumber, "a number"}, {typeBoolean, "true or false"}, {typeNull, "null"},
	} {
		if t&p.bit != 0 {
			parts = append(parts, p.text)
		}
	}
	return strings.Join(parts, " or ")
}

// single reports whether the set holds exactly one type.
func (t typeSet) single() bool { return t != 0 && t&(t-1) == 0 }

// admits reports whether v has one of the types. Null, true, lists and so on
// are plain; a number is an integer by [integer].
func (t typeSet) admits(v *strictjson.Value) bool {
	switch v.Kind {
	case strictjson.Null:
		return t&typeNull != 0
	case strictjson.Bool:
		return t&typeBoolean != 0
	case strictjson.String:
		return t&typeString != 0
	case strictjson.Array:
		return t&typeArray != 0
	case strictjson.Object:
		return t&typeObject != 0
	case strictjson.Number:
		return t&typeNumber != 0 || t&typeInteger != 0 && integer(v.Text)
	}
	return false
}

// maxSafeInteger is the largest integer that float forms may have: 2^53-1
// (RFC 8259 section 6). Above it a reader's rounding could select another
// object's identifier.
const maxSafeInteger = "9007199254740991"

// integer reports whether a number's text is an integer for JSON Schema's type
// of that name: every integer token, and float forms that are integral and safe.
func integer(text string) bool {
	if !floatForm(text) {
		return true
	}
	d := parseDecimal(text)
	return d.integral() && d.cmpMagnitude(parseDecimal(maxSafeInteger)) <= 0
}
