package manifest

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"caddy-netbox-mcp/bridge/strictjson"
)

type queryCase struct {
	Arguments string      `json:"arguments"`
	Query     [][2]string `json:"query"`
}

// pairs splits an encoded query into its pairs in order.
func pairs(t testing.TB, query string) [][2]string {
	t.Helper()
	var out [][2]string
	if query == "" {
		return nil
	}
	for pair := range strings.SplitSeq(query, "&") {
		name, value, ok := strings.Cut(pair, "=")
		n, err1 := url.QueryUnescape(name)
		v, err2 := url.QueryUnescape(value)
		if !ok || err1 != nil || err2 != nil {
			t.Fatalf("pair %q: %v, %v", pair, err1, err2)
		}
		out = append(out, [2]string{n, v})
	}
	return out
}

func TestPublishedQueries(t *testing.T) {
	var cases []queryCase
	readCases(t, "query.json", &cases)
	if len(cases) == 0 {
		t.Fatal("no published cases")
	}
	for _, c := range cases {
		query, err := EncodeQuery(value(t, c.Arguments))
		if err != nil {
			t.Errorf("EncodeQuery(%s): %v", c.Arguments, err)
			continue
		}
		if got := pairs(t, query); !slices.Equal(got, c.Query) {
			t.Errorf("EncodeQuery(%s) = %q, want %q", c.Arguments, got, c.Query)
		}
	}
}

func TestEncodeQuery(t *testing.T) {
	tests := []struct{ name, arguments, want string }{
		{"nothing", `{}`, ""},
		{"number text stays", `{"a":7.0,"b":1E3,"c":9007199254740993,"d":-0}`, "a=7.0&b=1E3&c=9007199254740993&d=-0"},
		{"exponent sign is escaped", `{"a":1e+22}`, "a=1e%2B22"},
		{"separators are escaped", `{"a&b":"c=d&e#f"}`, "a%26b=c%3Dd%26e%23f"},
		{"plus and space", `{"a":"+ "}`, "a=%2B+"},
		{"other alphabets", `{"é":"😀"}`, "%C3%A9=%F0%9F%98%80"},
		{"control characters", `{"a":"\r\n\u0000"}`, "a=%0D%0A%00"},
		{"empty text", `{"a":""}`, "a="},
		{"empty name", `{"":"x"}`, "=x"},
		{"order in a list", `{"a":["z","y"],"b":1}`, "a=z&a=y&b=1"},
		{"null in a list", `{"a":[1,null,true]}`, "a=1&a=&a=true"},
		{"empty list between", `{"a":1,"b":[],"c":2}`, "a=1&c=2"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := EncodeQuery(value(t, test.arguments))
			if err != nil || got != test.want {
				t.Errorf("EncodeQuery(%s) = %q, %v; want %q", test.arguments, got, err, test.want)
			}
		})
	}
	for _, arguments := range []string{`{"a":{}}`, `{"a":[[]]}`, `{"a":[{"b":1}]}`, `[]`, `null`, `"a=b"`} {
		got, err := EncodeQuery(value(t, arguments))
		if _, ok := errors.AsType[*Error](err); !ok {
			t.Errorf("EncodeQuery(%s) = %q, %v; want an *Error", arguments, got, err)
		}
	}
}

func FuzzEncodeQuery(f *testing.F) {
	var cases []queryCase
	readCases(f, "query.json", &cases)
	for _, c := range cases {
		f.Add(c.Arguments)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := strictjson.Parse([]byte(text), strictjson.Limits{Depth: 8})
		if err != nil {
			return
		}
		query, err := EncodeQuery(v)
		if err != nil {
			return
		}
		var want [][2]string
		for _, m := range v.Members {
			items := m.Value.Items
			if m.Value.Kind != strictjson.Array {
				items = []strictjson.Value{m.Value}
			}
			for _, item := range items {
				text := item.Text
				if item.Kind == strictjson.Bool {
					text = string(item.AppendCompact(nil))
				}
				want = append(want, [2]string{m.Name, text})
			}
		}
		if got := pairs(t, query); !slices.Equal(got, want) {
			t.Fatalf("%q became %q, which reads as %q", text, query, got)
		}
		for _, c := range []byte(query) {
			if c <= ' ' || c >= 0x7f || c == '#' || c == '?' {
				t.Fatalf("%q became %q", text, query)
			}
		}
	})
}
