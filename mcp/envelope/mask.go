package envelope

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"caddy-netbox-mcp/bridge/secret"
	"caddy-netbox-mcp/bridge/strictjson"
)

// masked stands where a secret was.
const masked = "[redacted]"

// minSecret keeps a configured secret of a few characters from blanking ordinary words.
const minSecret = 6

// tokenShapes match NetBox API tokens, v2 ("nbt_<key>.<secret>") and v1 (40 hexadecimal digits), and tokens of 64 such digits.
var tokenShapes = regexp.MustCompile(`nbt_[A-Za-z0-9]+(?:\.[A-Za-z0-9]+)?|\b(?:[0-9a-fA-F]{64}|[0-9a-fA-F]{40})\b`)

// Mask replaces the given secrets, and everything shaped like an API token, in plain text. Not in JSON text: an
// escape there can run into what is replaced, and what is left of it is no JSON any more.
func Mask(text string, secrets []secret.Text) string { return newMask(secrets).apply(text) }

// mask is what to replace, ready for use.
type mask struct {
	values  []string
	escaped bool // one of the values is spelled differently inside JSON
}

// newMask prepares secrets. Longer ones come first, or the rest of one that begins like another would stay.
func newMask(secrets []secret.Text) mask {
	var m mask
	for _, s := range secrets {
		value := s.Reveal()
		if len(value) < minSecret {
			continue
		}
		m.values = append(m.values, value)
		// The same value as an upstream quotes it in JSON, where quotes and backslashes are escaped.
		if encoded, err := Encode(value); err == nil && len(encoded) != len(value)+2 {
			m.values, m.escaped = append(m.values, string(encoded[1:len(encoded)-1])), true
		}
	}
	slices.SortFunc(m.values, func(a, b string) int { return len(b) - len(a) })
	return m
}

func (m mask) apply(text string) string {
	return tokenShapes.ReplaceAllString(m.secrets(text), masked)
}

// secrets replaces the secrets themselves.
func (m mask) secrets(text string) string {
	for _, value := range m.values {
		text = strings.ReplaceAll(text, value, masked)
	}
	return text
}

// anyIn reports whether one of the secrets may stand in JSON text that this program wrote. There a value without quotes and
// backslashes is spelled in one way only; one with them may be escaped more than once, in JSON inside a string.
func (m mask) anyIn(text []byte) bool {
	return m.escaped || slices.ContainsFunc(m.values, func(value string) bool { return bytes.Contains(text, []byte(value)) })
}

// within replaces the secrets in every string and member name of a JSON value.
func (m mask) within(v strictjson.Value) strictjson.Value {
	switch v.Kind {
	case strictjson.String:
		v.Text = m.secrets(v.Text)
	case strictjson.Array:
		items := make([]strictjson.Value, len(v.Items))
		for i, item := range v.Items {
			items[i] = m.within(item)
		}
		v.Items = items
	case strictjson.Object:
		members := make([]strictjson.Member, len(v.Members))
		for i, member := range v.Members {
			members[i] = strictjson.Member{Name: m.secrets(member.Name), Value: m.within(member.Value)}
		}
		v.Members = members
	}
	return v
}

// inside masks every string in a generic JSON value. Names of members are our own.
func (m mask) inside(v any) any {
	switch v := v.(type) {
	case string:
		return m.apply(v)
	case []any:
		for i := range v {
			v[i] = m.inside(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = m.inside(v[name])
		}
	}
	return v
}
