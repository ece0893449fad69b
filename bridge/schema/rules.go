package schema

import (
	"strings"

	"caddy-netbox-mcp/bridge/strictjson"
)

// typeRule says which types a value must have. The number that is an integer by
// value but too large in float form gets its reason and remedy, because its own
// text looks right to whoever wrote it.
func typeRule(types typeSet, v *strictjson.Value) string {
	rule := "must be " + types.phrase()
	if v.Kind != strictjson.Number {
		return rule + ", not " + typeSetOf(v.Kind).phrase()
	}
	if types&typeInteger == 0 {
		return rule + ", not a number"
	}
	if parseDecimal(v.Text).integral() {
		return rule + "; with a fraction or exponent only up to " + maxSafeInteger + ", so write all digits"
	}
	return rule + ", not a fraction"
}

func typeSetOf(k strictjson.Kind) typeSet { return typeNamed(k.String()) }

// unknownRule says that a closed object does not have a member, and which it has.
func unknownRule(known []string) string {
	if len(known) == 0 {
		return "is not a known argument; there are none"
	}
	return "is not a known argument; known: " + nameList(known)
}

// nameList joins names up to maxQuoted characters.
func nameList(names []string) string {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(printable(name))
		if b.Len() > maxQuoted {
			break
		}
	}
	return clip(b.String())
}

// of joins the count with what it counts.
func (c *count) of(thing string) string {
	if c.value == 1 {
		return c.text + " " + thing
	}
	return c.text + " " + thing + "s"
}

// valueText is a schema's value for a message.
func valueText(v *strictjson.Value) string {
	return clip(printable(string(v.AppendCompact(nil))))
}

// listText joins a schema's values up to maxQuoted characters.
func listText(items []strictjson.Value) string {
	if len(items) == 0 {
		return "nothing"
	}
	var b []byte
	for i := range items {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = items[i].AppendCompact(b)
		if len(b) > maxQuoted {
			break
		}
	}
	return clip(printable(string(b)))
}
