package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"caddy-netbox-mcp/bridge/strictjson"
)

// lines are a report's problems as an author reads them.
func lines(r Report) []string {
	var all []string
	for _, p := range r.Problems {
		all = append(all, p.String())
	}
	return all
}

func TestCheckAgreesWithParse(t *testing.T) {
	var cases []manifestCase
	readCases(t, "manifests.json", &cases)
	for i, c := range cases {
		m, parseErr := Parse(c.Manifest, "example")
		r, err := Check(c.Manifest, "example")
		if err != nil || (r.Manifest != nil) != (parseErr == nil) || (len(r.Problems) == 0) != (parseErr == nil) {
			t.Errorf("case %d (%s): Check finds %v, %v; Parse %v", i, c.Why, r.Problems, err, parseErr)
			continue
		}
		checked, _ := json.Marshal(r.Manifest)
		parsed, _ := json.Marshal(m)
		if string(checked) != string(parsed) {
			t.Errorf("case %d: Check reads %s, Parse %s", i, checked, parsed)
		}
	}
}

func TestCheckFindsEverything(t *testing.T) {
	badName := func(n int) []string {
		tools := make([]string, n)
		for i := range tools {
			tools[i] = toolJSON(member{"name", `"A"`})
		}
		return tools
	}
	var nameProblems []string
	for i := range 30 {
		nameProblems = append(nameProblems, fmt.Sprintf("/tools/%d/name: must be 1 to 64 of a-z, 0-9 and _, beginning with a letter", i))
	}
	keywords := func(n int) string {
		var s strings.Builder
		for i := range n {
			fmt.Fprintf(&s, `"k%d":1,`, i)
		}
		return `{` + s.String() + `"type":"object","additionalProperties":false}`
	}
	keywordProblems := func(n int) []string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf("/tools/0/inputSchema/k%d: is not a keyword of the bridge", i))
		}
		return all
	}
	const allowed = "is not allowed here; allowed: name, title, description, method, path, effect, inputSchema, outputSchema, annotations"
	tests := []struct {
		name, text string
		want       []string
	}{
		{"valid", manifestJSON(toolJSON()), nil},
		{"thirty", manifestJSON(badName(30)...), nameProblems},
		{"members by name", manifestJSON(toolJSON(member{"a/b~c\u202e", `1`}, member{"second", `2`})), []string{
			"/tools/0/a~1b~0c\ufffd: " + allowed, "/tools/0/second: " + allowed,
		}},
		{"a long member name", manifestJSON(toolJSON(member{strings.Repeat("é", 300), `1`})), []string{
			"/tools/0/" + strings.Repeat("é", 199) + "…: " + allowed,
		}},
		{"nine in a schema", manifestJSON(toolJSON(member{"inputSchema", keywords(9)})), keywordProblems(9)},
		{"more in a schema than are told", manifestJSON(toolJSON(member{"inputSchema", keywords(11)}), toolJSON()), append(keywordProblems(10),
			"/tools/0/inputSchema: may have more problems than those above, which are the first 10 of this schema",
			"/tools/1/name: must be unique in the manifest")},
		{"tools beyond the bound", manifestJSON(badName(65)...), func() []string {
			all := []string{"/tools: must have 1 to 64 tools"}
			for i := range 65 {
				all = append(all, fmt.Sprintf("/tools/%d/name: must be 1 to 64 of a-z, 0-9 and _, beginning with a letter", i))
			}
			return all
		}()},
		{"no tools", manifestJSON(), []string{"/tools: must have 1 to 64 tools"}},
		{"no object", `[]`, []string{"(root): must be an object"}},
		{"another plugin", strings.Replace(manifestJSON(toolJSON()), "example", "other", 1), []string{"/plugin: must be the plugin whose API serves the manifest"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Check([]byte(tt.text), "example")
			if err != nil || r.More || !slices.Equal(lines(r), tt.want) {
				t.Errorf("%v, more %t:\n%s\nwant\n%s", err, r.More, strings.Join(lines(r), "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestCheckTakesTheDocumentsName(t *testing.T) {
	tests := []struct {
		name, plugin, want string // want is the plugin, or the problem
	}{
		{"its own", `"netbox-dns_2"`, "netbox-dns_2"},
		{"no name", `"Not A Name"`, "/plugin: must be 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or digit"},
		{"empty", `""`, "/plugin: must be 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or digit"},
		{"no string", `7`, "/plugin: must be a string"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Check([]byte(strings.Replace(manifestJSON(toolJSON()), `"example"`, tt.plugin, 1)), "")
			got := strings.Join(lines(r), "\n")
			if r.Manifest != nil {
				got = r.Manifest.Plugin
			}
			if err != nil || got != tt.want {
				t.Errorf("%q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

// A thousand problems are listed, and that there are more is said.
func TestCheckIsBounded(t *testing.T) {
	document := func(n int) string {
		var s strings.Builder
		for i := range n {
			fmt.Fprintf(&s, `,"m%d":0`, i)
		}
		return strings.Replace(manifestJSON(toolJSON()), `,"tools"`, s.String()+`,"tools"`, 1)
	}
	for _, tt := range []struct {
		problems int
		more     bool
	}{{MaxCheckProblems, false}, {MaxCheckProblems + 1, true}} {
		r, err := Check([]byte(document(tt.problems)), "example")
		if err != nil || len(r.Problems) != MaxCheckProblems || r.More != tt.more {
			t.Errorf("of %d problems %d are listed, more %t, %v", tt.problems, len(r.Problems), r.More, err)
		}
	}
}

func TestCheckOfWhatIsNoJSON(t *testing.T) {
	tests := []struct {
		name, text string
		reason     strictjson.Reason
		offset     int
	}{
		{"cut off", `{"schema_version": `, strictjson.Syntax, 19},
		{"a name twice", `{"a":1,"a":2}`, strictjson.DuplicateName, 7},
		{"too deep", strings.Repeat("[", 26), strictjson.TooDeep, 25},
		{"too large", `"` + strings.Repeat("a", MaxManifestBytes) + `"`, strictjson.TooManyBytes, MaxManifestBytes},
		{"empty", "", strictjson.Empty, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Check([]byte(tt.text), "example")
			of, ok := errors.AsType[*strictjson.Error](err)
			if !ok || of.Reason != tt.reason || of.Offset != tt.offset || r.Manifest != nil || r.Problems != nil {
				t.Errorf("%v (%+v), %+v", err, of, r)
			}
		})
	}
}
