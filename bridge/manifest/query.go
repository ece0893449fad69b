package manifest

import (
	"net/url"
	"strconv"
	"strings"

	"caddy-netbox-mcp/bridge/schema"
	"caddy-netbox-mcp/bridge/strictjson"
)

// EncodeQuery writes a GET or HEAD tool's arguments as a query string, in the
// order in which they stand: null as the empty string, booleans in lower case,
// numbers in their own digits, a list as its name once for each item, so that
// an empty list disappears. Arguments that are objects, or lists of anything
// but scalars, are an [*Error]; a valid input schema leaves none.
func EncodeQuery(args strictjson.Value) (string, error) {
	if args.Kind != strictjson.Object {
		return "", failure("arguments must be an object", nil)
	}
	var b strings.Builder
	for i := range args.Members {
		m := &args.Members[i]
		items := m.Value.Items
		if m.Value.Kind != strictjson.Array {
			items = []strictjson.Value{m.Value}
		}
		for j := range items {
			text, ok := queryText(&items[j])
			if !ok {
				return "", &Error{Problems: []schema.Problem{{
					Rule: "argument " + strconv.Itoa(i+1) + " must be a scalar or a list of scalars to be sent in a query",
				}}}
			}
			if b.Len() > 0 {
				b.WriteByte('&')
			}
			b.WriteString(url.QueryEscape(m.Name))
			b.WriteByte('=')
			b.WriteString(url.QueryEscape(text))
		}
	}
	return b.String(), nil
}

// queryText is a scalar's text in a query.
func queryText(v *strictjson.Value) (string, bool) {
	switch v.Kind {
	case strictjson.Null:
		return "", true
	case strictjson.Bool:
		if v.Bool {
			return "true", true
		}
		return "false", true
	case strictjson.Number, strictjson.String:
		return v.Text, true
	}
	return "", false
}
