package schema

import (
	"slices"
	"strconv"
	"strings"

	"caddy-netbox-mcp/bridge/strictjson"
)

// appendKey appends a text that two values share exactly when JSON Schema calls
// them equal (Draft 2020-12 core, section 4.2.2): numbers by value, objects
// whatever the order of their members. Looking a key up replaces comparing
// with every enum member or earlier item.
func appendKey(dst []byte, v *strictjson.Value) []byte {
	switch v.Kind {
	case strictjson.Bool:
		if v.Bool {
			return append(dst, 't')
		}
		return append(dst, 'f')
	case strictjson.Number:
		dst = append(dst, '#')
		dst = parseDecimal(v.Text).appendKey(dst)
		return append(dst, ';')
	case strictjson.String:
		return appendText(dst, v.Text)
	case strictjson.Array:
		dst = append(dst, '[')
		for i := range v.Items {
			dst = appendKey(dst, &v.Items[i])
		}
		return append(dst, ']')
	case strictjson.Object:
		order := make([]int, len(v.Members))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int {
			return strings.Compare(v.Members[a].Name, v.Members[b].Name)
		})
		dst = append(dst, '{')
		for _, i := range order {
			dst = appendText(dst, v.Members[i].Name)
			dst = appendKey(dst, &v.Members[i].Value)
		}
		return append(dst, '}')
	}
	return append(dst, 'n')
}

// appendText appends a string with its length in front, so that no text can
// imitate what follows it.
func appendText(dst []byte, s string) []byte {
	dst = append(dst, '"')
	dst = strconv.AppendInt(dst, int64(len(s)), 10)
	dst = append(dst, ':')
	return append(dst, s...)
}
