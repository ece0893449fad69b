package envelope

import (
	"bytes"
	"encoding/json"
	"fmt"

	"caddy-netbox-mcp/bridge/secret"
	"caddy-netbox-mcp/bridge/strictjson"
)

// Encode encodes a result as the JSON text of a tool result. Raw JSON inside it keeps its numbers to the digit, and
// non-ASCII and HTML characters stay readable for the model.
func Encode(result any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(result); err != nil {
		return nil, fmt.Errorf("encoding the result: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// EncodeMasked is Encode with the given secrets masked in every string and member name: an upstream can send back what it was
// sent. What merely looks like a token stays, since in data it may be a digest.
func EncodeMasked(result any, secrets []secret.Text) ([]byte, error) {
	text, err := Encode(result)
	if err != nil {
		return nil, err
	}
	m := newMask(secrets)
	if !m.anyIn(text) {
		return text, nil
	}
	doc, err := strictjson.Parse(text, strictjson.Limits{})
	if err != nil {
		return nil, fmt.Errorf("reading the result: %w", err)
	}
	return m.within(doc).AppendCompact(nil), nil
}

// Text is the failure as the JSON text of a failed tool result, with the given secrets and everything shaped like a
// NetBox API token masked.
func (e *Error) Text(secrets []secret.Text) []byte {
	type body struct {
		Code    Code   `json:"code"`
		Message string `json:"message"`
		Details any    `json:"details,omitempty"`
	}
	m := newMask(secrets)
	b := body{Code: e.Code, Message: m.apply(e.Message)}
	// Details that do not encode are a mistake of ours; the rest is still worth having.
	if details, err := plain(e.Details); err == nil && len(e.Details) > 0 {
		b.Details = m.inside(details)
	}
	// What is left to encode are strings and what was decoded from JSON, so it cannot fail.
	text, _ := Encode(map[string]body{"error": b})
	return text
}

// plain turns a value into the generic form of its JSON: maps, lists, strings, numbers as their text, booleans and nil.
func plain(v any) (any, error) {
	encoded, err := Encode(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(encoded))
	d.UseNumber()
	var generic any
	if err := d.Decode(&generic); err != nil {
		return nil, fmt.Errorf("reading the details: %w", err)
	}
	return generic, nil
}
