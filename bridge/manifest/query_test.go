package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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

// FuzzEncodeQuery reads the query back, pair by pair and by net/url, and compares with the arguments as encoding/json reads
// them. What is refused must be no object, or hold what no query can.
func FuzzEncodeQuery(f *testing.F) {
	var cases []queryCase
	readCases(f, "query.json", &cases)
	for _, c := range cases {
		f.Add(c.Arguments)
	}
	for _, arguments := range []string{
		`{"a&b":"c=d&e#f","+ ":"%2B;","":[]}`, `{"é":["😀",null,true,1e+22,-0.0,""],"a":1}`, `{"a":{}}`, `{"a":[1,[2]]}`, `{"a":[1,{"b":2}]}`, `[]`, `{"a":"\r\n\u0000\u2028"}`,
	} {
		f.Add(arguments)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := strictjson.Parse([]byte(text), strictjson.Limits{Depth: 8})
		if err != nil {
			return
		}
		query, err := EncodeQuery(v)
		want, ok := wantedPairs(t, text)
		if (err == nil) != ok {
			t.Fatalf("%q: %v, want a query: %v", text, err, ok)
		}
		if err != nil {
			return
		}
		if got := pairs(t, query); !slices.Equal(got, want) {
			t.Fatalf("%q became %q, which reads as %q", text, query, got)
		}
		values, err := url.ParseQuery(query)
		wanted := url.Values{}
		for _, pair := range want {
			wanted.Add(pair[0], pair[1])
		}
		if err != nil || !maps.EqualFunc(values, wanted, slices.Equal) {
			t.Fatalf("%q became %q, which net/url reads as %q, %v", text, query, values, err)
		}
		for _, c := range []byte(query) {
			if c <= ' ' || c >= 0x7f || c == '#' || c == '?' {
				t.Fatalf("%q became %q", text, query)
			}
		}
	})
}

// wantedPairs are the pairs that arguments mean, and whether a query can hold them.
func wantedPairs(t *testing.T, text string) (want [][2]string, ok bool) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := d.Decode(&value); err != nil {
			t.Fatal(err)
		}
		items, isList := value.([]any)
		if !isList {
			items = []any{value}
		}
		for _, item := range items {
			switch item.(type) {
			case nil:
				item = ""
			case []any, map[string]any:
				return nil, false
			}
			want = append(want, [2]string{name.(string), fmt.Sprint(item)})
		}
	}
	return want, true
}
