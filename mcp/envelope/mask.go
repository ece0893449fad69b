package envelope

import (
	"regexp"
	"slices"
	"strings"

	"caddy-netbox-mcp/bridge/secret"
)

// masked stands where a secret was.
const masked = "[redacted]"

// minSecret keeps a configured secret of a few characters from blanking ordinary words.
const minSecret = 6

// tokenShapes match NetBox API tokens: v2 ("nbt_<key>.<secret>"), v1 (40 hexadecimal digits) and Zabbix's (64).
var tokenShapes = regexp.MustCompile(`nbt_[A-Za-z0-9]+(?:\.[A-Za-z0-9]+)?|\b(?:[0-9a-fA-F]{64}|[0-9a-fA-F]{40})\b`)

// Mask replaces the given secrets, and everything shaped like a NetBox or Zabbix API token, in plain text. Not in JSON text: an
// escape there can run into what is replaced, and what is left of it is no JSON any more.
func Mask(text string, secrets []secret.Text) string { return newMask(secrets).apply(text) }

// mask is what to replace, ready for use.
type mask struct{ values []string }

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
			m.values = append(m.values, string(encoded[1:len(encoded)-1]))
		}
	}
	slices.SortFunc(m.values, func(a, b string) int { return len(b) - len(a) })
	return m
}

func (m mask) apply(text string) string {
	for _, value := range m.values {
		text = strings.ReplaceAll(text, value, masked)
	}
	return tokenShapes.ReplaceAllString(text, masked)
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
