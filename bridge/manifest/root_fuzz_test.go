package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"caddy-netbox-mcp/bridge/strictjson"
)

// pythonSpace is what Python's str.strip removes.
const pythonSpace = "\t\n\v\f\r\x1c\x1d\x1e\x1f \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"

// seedRoots are root documents around the published links.
func seedRoots(f *testing.F) {
	var cases []linkCase
	readCases(f, "links.json", &cases)
	for _, c := range cases {
		link, err := json.Marshal(c.Link)
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(`{"items":"/api/plugins/example/items/","mcp":{"schema_version":"1","manifest":` + string(link) + `}}`))
	}
	for _, doc := range []string{
		`{}`, `[]`, `null`, `{"mcp":null}`, `{"mcp":[]}`, `{"mcp":{}}`, `{"mcp":{"schema_version":1,"manifest":"/"}}`, `{"mcp":{"schema_version":"1","manifest":null}}`,
		`{"mcp":{"schema_version":"2","manifest":"/x/"}}`, `{"mcp":{"schema_version":"1","manifest":"/x/","more":0}}`, `{"mcp":null,"mcp":null}`, `{"mcp":{"manifest":"/x/"}}`,
		`{"mcp":{"schema_version":"1","manifest":"\u2003\u001c/x/\u00a0\n"}}`, `{"mcp":{"schema_version":"1","manifest":" \u3000"}}`, `{"Mcp":{}}`, "\ufeff{}",
		`{"mcp":{"schema_version":"1","manifest":"` + strings.Repeat("é", 2_048) + `"}}`, `{"mcp":{"schema_version":"1","manifest":"` + strings.Repeat("é", 2_049) + `"}}`,
	} {
		f.Add([]byte(doc))
	}
}

// advertised is a second opinion on a root document that is strict JSON, by encoding/json: the link, "" for none, and whether
// there is an advertisement that breaks the contract.
func advertised(t *testing.T, data []byte) (link string, isObject, broken bool) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber() // an integer may have more digits than a double
	var root any
	if err := d.Decode(&root); err != nil {
		t.Fatalf("%q accepted, but: %v", data, err)
	}
	members, isObject := root.(map[string]any)
	if members["mcp"] == nil {
		return "", isObject, false
	}
	mcp, _ := members["mcp"].(map[string]any)
	link, _ = mcp["manifest"].(string)
	link = strings.Trim(link, pythonSpace)
	broken = len(mcp) != 2 || mcp["schema_version"] != "1" || link == "" || utf8.RuneCountInString(link) > 2_048
	return link, isObject, broken
}

// FuzzRoot holds ParseRoot against the second opinion.
func FuzzRoot(f *testing.F) {
	seedRoots(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		adv, err := ParseRoot(data, "example")
		e, ours := errors.AsType[*Error](err)
		if err != nil && (!ours || utf8.RuneCountInString(err.Error()) > MaxProblem) {
			t.Fatalf("error %T of %d bytes", err, len(err.Error()))
		}
		if _, strict := strictjson.Parse(data, rootLimits()); strict != nil {
			if adv != nil || !ours || e.Advertisement || !errors.Is(err, e.Cause) || e.Cause == nil {
				t.Fatalf("%q is no strict JSON: %+v, %+v", data, adv, err)
			}
			return
		}
		link, isObject, broken := advertised(t, data)
		switch {
		case !isObject || broken:
			if adv != nil || !ours || e.Advertisement != isObject {
				t.Fatalf("%q: got %+v, %+v; an object: %v, a broken advertisement: %v", data, adv, err, isObject, broken)
			}
		case link == "":
			if adv != nil || err != nil {
				t.Fatalf("%q does not advertise: %+v, %v", data, adv, err)
			}
		default:
			if err != nil || adv == nil || adv.Manifest != link {
				t.Fatalf("%q advertises %q: %+v, %v", data, link, adv, err)
			}
		}
	})
}
