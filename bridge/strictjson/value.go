package strictjson

import "encoding/json"

// Kind tells which of JSON's six kinds of value a [Value] is. The zero Kind is
// [Null], so the zero Value is the JSON null.
type Kind uint8

// The kinds of JSON values, as RFC 8259 section 3 names them.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String returns the kind's name as JSON Schema spells it.
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "boolean"
	case Number:
		return "number"
	case String:
		return "string"
	case Array:
		return "array"
	case Object:
		return "object"
	}
	return "unknown"
}

// Value is one JSON value. Values that [Parse] returns share memory with each
// other and with one copy of the document: treat them as read-only, and clone
// (strings.Clone) what must outlive a large document.
type Value struct {
	// Kind tells which of the other fields holds the content.
	Kind Kind
	// Bool is the content of a Bool.
	Bool bool
	// Text is the unescaped content of a String, or the decimal text of a
	// Number exactly as the document spelled it.
	Text string
	// Items are the elements of an Array.
	Items []Value
	// Members are the members of an Object in document order; names are unique.
	Members []Member
}

// Member is one name and value of an object.
type Member struct {
	// Name is the unescaped member name.
	Name string
	// Value is what the name stands for.
	Value Value
}

// Get returns the member called name. It reports false when v is not an object
// or has no such member. The search is linear; build a map for many look-ups.
func (v Value) Get(name string) (Value, bool) {
	for i := range v.Members {
		if v.Members[i].Name == name {
			return v.Members[i].Value, true
		}
	}
	return Value{}, false
}

// Any returns v as the generic Go values that encoding/json uses, with numbers
// as json.Number: map[string]any, []any, json.Number, string, bool or nil.
func (v Value) Any() any {
	switch v.Kind {
	case Bool:
		return v.Bool
	case Number:
		return json.Number(v.Text)
	case String:
		return v.Text
	case Array:
		items := make([]any, len(v.Items))
		for i := range v.Items {
			items[i] = v.Items[i].Any()
		}
		return items
	case Object:
		members := make(map[string]any, len(v.Members))
		for i := range v.Members {
			members[v.Members[i].Name] = v.Members[i].Value.Any()
		}
		return members
	}
	return nil
}
