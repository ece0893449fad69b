package netboxsim

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// object is a JSON object whose members keep their order, as NetBox's do.
type object []member

type member struct {
	name  string
	value any
}

// link is a path below the base path that is rendered as an absolute URL of the
// request at hand.
type link string

// number is a JSON number by its text.
type number string

// get returns a member's value, nil when there is none.
func (o object) get(name string) any {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// set returns a copy of the object with the member's value replaced.
func (o object) set(name string, value any) object {
	out := make(object, len(o))
	copy(out, o)
	for i := range out {
		if out[i].name == name {
			out[i].value = value
		}
	}
	return out
}

// render is the compact JSON text that Django REST framework would send: no spaces,
// no escapes that are not needed. Absolute URLs begin with base.
func render(value any, base string) []byte {
	return appendJSON(nil, value, base)
}

func appendJSON(dst []byte, value any, base string) []byte {
	switch v := value.(type) {
	case nil:
		return append(dst, "null"...)
	case bool:
		return strconv.AppendBool(dst, v)
	case int:
		return strconv.AppendInt(dst, int64(v), 10)
	case int64:
		return strconv.AppendInt(dst, v, 10)
	case number:
		return append(dst, v...)
	case json.RawMessage:
		return append(dst, v...)
	case string:
		return appendString(dst, v)
	case link:
		return appendString(dst, base+string(v))
	case object:
		dst = append(dst, '{')
		for i, m := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, m.name), ':')
			dst = appendJSON(dst, m.value, base)
		}
		return append(dst, '}')
	case []string:
		return appendList(dst, v, base)
	case []int64:
		return appendList(dst, v, base)
	case []object:
		return appendList(dst, v, base)
	case []any:
		return appendList(dst, v, base)
	}
	panic("netboxsim: a seed holds a value that has no JSON form")
}

func appendList[T any](dst []byte, list []T, base string) []byte {
	dst = append(dst, '[')
	for i, v := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendJSON(dst, v, base)
	}
	return append(dst, ']')
}

func appendString(dst []byte, s string) []byte {
	plain := strings.IndexFunc(s, func(r rune) bool {
		return r < ' ' || r == '"' || r == '\\' || r == '\uFFFD' || r == '\u2028' || r == '\u2029'
	}) < 0
	if plain {
		dst = append(dst, '"')
		dst = append(dst, s...)
		return append(dst, '"')
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	// Encoding a string to a buffer cannot fail.
	_ = encoder.Encode(s)
	return append(dst, bytes.TrimRight(text.Bytes(), "\n")...)
}
