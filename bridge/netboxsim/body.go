package netboxsim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
)

// field is a member that a body may have, with its check.
type field struct {
	name     string
	check    check
	required bool
}

// body reads the request's JSON object and checks its members. As in REST framework
// all violations are reported at once, in the order of the body's members, then the
// required ones that are missing. A non-nil reply is the refusal.
func (c *call) body(fields ...field) (map[string]any, *reply) {
	members, refusal := c.members()
	if refusal != nil {
		return nil, refusal
	}
	var violations object
	values := map[string]any{}
	for _, m := range members {
		f := fieldNamed(fields, m.name)
		if f == nil {
			violations = append(violations, member{m.name, []string{"Unknown member."}})
			continue
		}
		value, err := f.check(m.value)
		if err != nil {
			violations = append(violations, member{m.name, []string{err.Error()}})
			continue
		}
		values[m.name] = value
	}
	for _, f := range fields {
		if f.required && !has(members, f.name) {
			violations = append(violations, member{f.name, []string{"This field is required."}})
		}
	}
	if violations != nil {
		return nil, &reply{status: http.StatusBadRequest, body: violations}
	}
	return values, nil
}

func fieldNamed(fields []field, name string) *field {
	for i := range fields {
		if fields[i].name == name {
			return &fields[i]
		}
	}
	return nil
}

func has(members object, name string) bool {
	for _, m := range members {
		if m.name == name {
			return true
		}
	}
	return false
}

// members parses the body into an object. No body at all is an empty one.
func (c *call) members() (object, *reply) {
	value, refusal := c.parse()
	if refusal != nil || value == nil {
		return nil, refusal
	}
	members, ok := value.(object)
	if !ok {
		return nil, &reply{status: http.StatusBadRequest, body: object{{"__all__", []string{"Must be an object."}}}}
	}
	return members, nil
}

// parse reads the body's JSON; without a body it is nil, and so is JSON's null.
func (c *call) parse() (any, *reply) {
	var text bytes.Buffer
	// The body is in memory already, so reading it cannot fail.
	_, _ = text.ReadFrom(c.Body)
	if text.Len() == 0 {
		return nil, nil
	}
	sent := c.Header.Get("Content-Type")
	if media, _, err := mime.ParseMediaType(sent); err != nil || media != "application/json" {
		r := detail(http.StatusUnsupportedMediaType, `Unsupported media type "`+sent+`" in request.`)
		return nil, &r
	}
	// Unmarshal looks at the whole text and at its depth before anything is decoded.
	var whole json.RawMessage
	if err := json.Unmarshal(text.Bytes(), &whole); err != nil {
		r := detail(http.StatusBadRequest, fmt.Sprintf("JSON parse error - %v", err))
		return nil, &r
	}
	decoder := json.NewDecoder(&text)
	decoder.UseNumber()
	return ordered(decoder), nil
}

// ordered decodes the next value of a text that is known to be valid, so no step can
// fail. Objects keep the order of their members; of a repeated name the first place
// and the last value count, as in Python.
func ordered(decoder *json.Decoder) any {
	token, _ := decoder.Token()
	switch token {
	case json.Delim('{'):
		members := object{}
		for decoder.More() {
			key, _ := decoder.Token()
			name, _ := key.(string)
			value := ordered(decoder)
			if has(members, name) {
				members = members.set(name, value)
				continue
			}
			members = append(members, member{name, value})
		}
		_, _ = decoder.Token()
		return members
	case json.Delim('['):
		list := []any{}
		for decoder.More() {
			list = append(list, ordered(decoder))
		}
		_, _ = decoder.Token()
		return list
	}
	return token
}
