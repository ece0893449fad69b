package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"caddy-netbox-mcp/bridge/schema"
	"caddy-netbox-mcp/bridge/strictjson"
)

func readCases(t testing.TB, file string, into any) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

type manifestCase struct {
	Manifest json.RawMessage `json:"manifest"`
	Valid    bool            `json:"valid"`
	Why      string          `json:"why"`
}

func TestPublishedManifests(t *testing.T) {
	var cases []manifestCase
	readCases(t, "manifests.json", &cases)
	if len(cases) == 0 {
		t.Fatal("no published cases")
	}
	for i, c := range cases {
		if _, err := Parse(c.Manifest, "example"); (err == nil) != c.Valid {
			t.Errorf("case %d (%s): %v, want valid %v: %s", i, c.Why, err, c.Valid, c.Manifest)
		}
	}
}

const (
	readHints  = `{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`
	writeHints = `{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":true}`
	openInput  = `{"type":"object","properties":{"a":{"type":"integer","maximum":9}},"additionalProperties":false}`
)

// member is one member of a tool under test; an empty value leaves it out.
type member struct{ name, value string }

// toolJSON is a valid POST tool with some members replaced.
func toolJSON(replace ...member) string {
	members := []member{
		{"name", `"run"`}, {"title", `"Run"`}, {"description", `"Runs it."`}, {"method", `"POST"`}, {"path", `"run/"`},
		{"effect", `"write"`}, {"inputSchema", openInput}, {"outputSchema", `{"type":"object"}`}, {"annotations", writeHints},
	}
	for _, r := range replace {
		found := false
		for i := range members {
			if members[i].name == r.name {
				members[i].value, found = r.value, true
			}
		}
		if !found {
			members = append(members, r)
		}
	}
	var parts []string
	for _, m := range members {
		if m.value != "" {
			parts = append(parts, `"`+m.name+`":`+m.value)
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func manifestJSON(tools ...string) string {
	return `{"schema_version":"1","plugin":"example","tools":[` + strings.Join(tools, ",") + `]}`
}

func TestParseTools(t *testing.T) {
	schemaOf := func(s string) []member { return []member{{"inputSchema", s}} }
	read := func(more ...member) []member {
		return append([]member{{"method", `"GET"`}, {"effect", `"read"`}, {"annotations", readHints}}, more...)
	}
	long := func(n int) string { return `"` + strings.Repeat("é", n) + `"` }
	tests := []struct {
		name    string
		replace []member
		problem string // what the error contains; "" when valid
	}{
		{"valid", nil, ""},
		{"null output", []member{{"outputSchema", "null"}}, ""},
		{"boolean output", []member{{"outputSchema", "true"}}, "/tools/0/outputSchema: must be a schema object"},
		{"no input", []member{{"inputSchema", ""}}, "/tools/0/inputSchema: is required"},
		{"snake case", []member{{"input_schema", openInput}}, "/tools/0: has a member that is not allowed"},
		{"name of 64", []member{{"name", `"` + strings.Repeat("a", 64) + `"`}}, ""},
		{"name of 65", []member{{"name", `"` + strings.Repeat("a", 65) + `"`}}, "/tools/0/name:"},
		{"name with a digit first", []member{{"name", `"1a"`}}, "/tools/0/name:"},
		{"name with an underscore first", []member{{"name", `"_a"`}}, "/tools/0/name:"},
		{"name with a newline", []member{{"name", `"a\n"`}}, "/tools/0/name:"},
		{"number as name", []member{{"name", `1`}}, "/tools/0/name: must be a string"},
		{"title of 200", []member{{"title", long(200)}}, ""},
		{"title of 201", []member{{"title", long(201)}}, "/tools/0/title: must have at most 200 characters"},
		{"title of 200 and space", []member{{"title", `" ` + strings.Repeat("a", 200) + `\n\u2003"`}}, ""},
		{"blank title", []member{{"title", `" \u00a0\u001f"`}}, "/tools/0/title: must not be empty"},
		{"description of 2000", []member{{"description", long(2000)}}, ""},
		{"description of 2001", []member{{"description", long(2001)}}, "/tools/0/description:"},
		{"null description", []member{{"description", "null"}}, "/tools/0/description: must be a string"},
		{"lower-case method", []member{{"method", `" post "`}}, ""},
		{"method of look-alike letters", []member{{"method", `"PO\u017fT"`}}, "/tools/0/method:"},
		{"TRACE", []member{{"method", `"TRACE"`}}, "/tools/0/method: must be GET, HEAD"},
		{"path of 1024", []member{{"path", `"` + strings.Repeat("a", 1023) + `/"`}}, ""},
		{"path of 1025", []member{{"path", `"` + strings.Repeat("a", 1024) + `/"`}}, "/tools/0/path:"},
		{"path with every allowed character", []member{{"path", `"aZ0.9_~-/.../..a/"`}}, ""},
		{"path with a space", []member{{"path", `"a b/"`}}, "/tools/0/path:"},
		{"path with a colon", []member{{"path", `"a:b/"`}}, "/tools/0/path:"},
		{"path of another alphabet", []member{{"path", `"é/"`}}, "/tools/0/path:"},
		{"path template", []member{{"path", `"{id}/"`}}, "/tools/0/path:"},
		{"path with NUL", []member{{"path", `"a\u0000/"`}}, "/tools/0/path:"},
		{"dot-dot first", []member{{"path", `"../"`}}, "/tools/0/path:"},
		{"dot-dot last", []member{{"path", `"a/../"`}}, "/tools/0/path:"},
		{"dot only", []member{{"path", `"./"`}}, "/tools/0/path:"},
		{"read by POST", []member{{"effect", `"read"`}, {"annotations", readHints}}, "/tools/0/effect: must be read for GET and HEAD"},
		{"write by GET", []member{{"method", `"GET"`}}, "/tools/0/effect:"},
		{"GET", read(), ""},
		{"HEAD", read(member{"method", `"HEAD"`}), ""},
		{"DELETE as a write", []member{{"method", `"DELETE"`}}, "/tools/0/effect: must be destructive for DELETE"},
		{"effect of another case", []member{{"effect", `"Write"`}}, "/tools/0/effect:"},
		{"no annotations", []member{{"annotations", ""}}, "/tools/0/annotations: is required"},
		{"null annotations", []member{{"annotations", "null"}}, "/tools/0/annotations: must be an object"},
		{"three hints", []member{{"annotations", strings.Replace(writeHints, `,"openWorldHint":true`, "", 1)}}, "/tools/0/annotations/openWorldHint: is required"},
		{"a fifth hint", []member{{"annotations", strings.Replace(writeHints, `{`, `{"title":"x",`, 1)}}, "/tools/0/annotations: has a member"},
		{"hint as a number", []member{{"annotations", strings.Replace(writeHints, `"openWorldHint":true`, `"openWorldHint":1`, 1)}}, "/tools/0/annotations/openWorldHint: must be true or false"},
		{"read-only write", []member{{"annotations", strings.Replace(writeHints, `"readOnlyHint":false`, `"readOnlyHint":true`, 1)}}, "/tools/0/annotations/readOnlyHint:"},
		{"harmless destruction", []member{{"effect", `"destructive"`}}, "/tools/0/annotations/destructiveHint:"},
		{"open input", schemaOf(`{"type":"object"}`), "/tools/0/inputSchema/additionalProperties: must be exactly false"},
		{"untyped input", schemaOf(`{"additionalProperties":false}`), "/tools/0/inputSchema/type:"},
		{"list of types", schemaOf(`{"type":["object"],"additionalProperties":false}`), "/tools/0/inputSchema/type:"},
		{"broken input", schemaOf(`{"type":"object","additionalProperties":false,"properties":{"a":{"minLength":-1}}}`), "/tools/0/inputSchema/properties/a/minLength:"},
		{"nested GET input", read(member{"inputSchema", `{"type":"object","properties":{"o":{"type":"object"}},"additionalProperties":false}`}), "/tools/0/inputSchema/properties/o: is not query-encodable"},
		{"nested POST input", schemaOf(`{"type":"object","properties":{"o":{"type":"object"}},"additionalProperties":false}`), ""},
		{"remote output reference", []member{{"outputSchema", `{"$ref":"https://example.com/s"}`}}, "/tools/0/outputSchema/$ref: is refused: the bridge allows no references"},
		{"any output root", []member{{"outputSchema", `{"type":["array","null"]}`}}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse([]byte(manifestJSON(toolJSON(test.replace...))), "example")
			if test.problem == "" {
				if err != nil {
					t.Errorf("Parse = %v", err)
				}
				return
			}
			if _, ok := errors.AsType[*Error](err); !ok || !strings.Contains(err.Error(), test.problem) {
				t.Errorf("Parse = %v, want an *Error with %q", err, test.problem)
			}
		})
	}
}

func TestParseDocuments(t *testing.T) {
	tool := toolJSON()
	many := func(n int) string {
		tools := make([]string, n)
		for i := range tools {
			tools[i] = toolJSON(member{"name", fmt.Sprintf(`"t%d"`, i)})
		}
		return manifestJSON(tools...)
	}
	padded := func(size int) string {
		doc := manifestJSON(tool)
		return doc + strings.Repeat(" ", size-len(doc))
	}
	nested := func(depth int) string { // depth of the deepest value in the document
		const frame = 5 // tools, tool, schema, default, and the scalar inside
		return manifestJSON(toolJSON(member{"inputSchema", `{"type":"object","additionalProperties":false,"default":` +
			strings.Repeat("[", depth-frame+1) + "1" + strings.Repeat("]", depth-frame+1) + "}"}))
	}
	enums := func(nodes int) string { // six schemas share the values
		tools := make([]string, 6)
		build := func(counts []int) string {
			for i := range tools {
				tools[i] = toolJSON(member{"name", fmt.Sprintf(`"t%d"`, i)}, member{"inputSchema",
					`{"type":"object","additionalProperties":false,"examples":[` + strings.TrimSuffix(strings.Repeat("1,", counts[i]), ",") + `]}`})
			}
			return manifestJSON(tools...)
		}
		base := count(t, build(make([]int, 6)))
		left, counts := nodes-base, make([]int, 6)
		for i := range counts {
			counts[i] = min(left, 2_000)
			left -= counts[i]
		}
		return build(counts)
	}
	tests := []struct {
		name, doc string
		problem   string
		limit     strictjson.Reason
	}{
		{"64 tools", many(64), "", ""},
		{"65 tools", many(65), "/tools: must have 1 to 64 tools", ""},
		{"no tools", manifestJSON(), "/tools: must have 1 to 64 tools", ""},
		{"same name twice", manifestJSON(tool, tool), "/tools/1/name: must be unique", ""},
		{"tool is no object", manifestJSON("null"), "/tools/0: must be an object", ""},
		{"tools as an object", `{"schema_version":"1","plugin":"example","tools":{}}`, "/tools: must be a list", ""},
		{"no tools member", `{"schema_version":"1","plugin":"example"}`, "/tools: is required", ""},
		{"version as a number", strings.Replace(manifestJSON(tool), `"1"`, `1`, 1), "/schema_version: must be a string", ""},
		{"another version", strings.Replace(manifestJSON(tool), `"1"`, `"99"`, 1), `/schema_version: must be "1"`, ""},
		{"another plugin", strings.Replace(manifestJSON(tool), `"example"`, `"other"`, 1), "/plugin: must be the plugin whose API", ""},
		{"no plugin name", strings.Replace(manifestJSON(tool), `"example"`, `"Example"`, 1), "/plugin: must be 1 to 64", ""},
		{"unknown member", strings.Replace(manifestJSON(tool), `{`, `{"x":1,`, 1), "has a member that is not allowed", ""},
		{"a list", `[]`, "must be an object", ""},
		{"null", `null`, "must be an object", ""},
		{"NaN", `{"schema_version":"1","plugin":"example","tools":NaN}`, "finite JSON", ""},
		{"duplicate member", strings.Replace(manifestJSON(tool), `{`, `{"plugin":"example",`, 1), "names a member twice", ""},
		{"bytes at the limit", padded(MaxManifestBytes), "", ""},
		{"one byte more", padded(MaxManifestBytes + 1), "size limit of 262144 bytes", strictjson.TooManyBytes},
		{"size before syntax", "{" + strings.Repeat("x", MaxManifestBytes), "size limit", strictjson.TooManyBytes},
		{"nodes at the limit", enums(MaxDocumentNodes), "", ""},
		{"one node more", enums(MaxDocumentNodes + 1), "12000 values", strictjson.TooManyNodes},
		{"document too deep", nested(MaxDocumentDepth + 1), "nesting limit of 24", strictjson.TooDeep},
		{"schema too deep before the document is", nested(MaxDocumentDepth), "/tools/0/inputSchema: the JSON is over the nesting limit of 16", strictjson.TooDeep},
		{"schema at its depth", nested(16 + 3), "", ""},
		{"schema one level past it", nested(16 + 4), "nesting limit of 16", strictjson.TooDeep},
		{"schema too large", manifestJSON(toolJSON(member{"inputSchema", `{"description":"` + strings.Repeat("x", 65_600) + `"}`})), "/tools/0/inputSchema: the JSON is over the size limit of 65536", strictjson.TooManyBytes},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m, err := Parse([]byte(test.doc), "example")
			if test.problem == "" {
				if err != nil || len(m.Tools) == 0 {
					t.Errorf("Parse = %v", err)
				}
				return
			}
			if _, ok := errors.AsType[*Error](err); !ok || !strings.Contains(err.Error(), test.problem) {
				t.Fatalf("Parse = %v, want an *Error with %q", err, test.problem)
			}
			e, _ := errors.AsType[*strictjson.Error](err)
			if test.limit != "" && (e == nil || e.Reason != test.limit) {
				t.Errorf("Parse wraps %v, want the limit of %s", e, test.limit)
			}
		})
	}
}

// count returns the number of values in a document.
func count(t *testing.T, doc string) int {
	t.Helper()
	v, err := strictjson.Parse([]byte(doc), strictjson.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	n := 1
	for v.Check(strictjson.Limits{Nodes: n}) != nil {
		n++
	}
	return n
}

func TestErrorsAreShortAndSilent(t *testing.T) {
	const secret = "s3cr3t-value"
	tools := make([]string, 20)
	for i := range tools {
		tools[i] = toolJSON(member{"name", `"` + secret + `"`}, member{"effect", `"` + secret + `"`}, member{secret, `"` + secret + `"`},
			member{"outputSchema", `{"type":"` + secret + `","format":"` + secret + `","title":{"` + secret + `":1}}`})
	}
	_, err := Parse([]byte(manifestJSON(tools...)), "example")
	e, ok := errors.AsType[*Error](err)
	if !ok || len(e.Problems) != maxProblems {
		t.Fatalf("Parse = %v, want %d problems", err, maxProblems)
	}
	if strings.Contains(err.Error(), secret) {
		t.Errorf("the error quotes the manifest: %v", err)
	}
	wide := make([]schema.Problem, maxProblems)
	for i := range wide {
		wide[i] = schema.Problem{Pointer: strings.Repeat("p", 200), Rule: strings.Repeat("é", 400)}
	}
	text := (&Error{Problems: wide}).Error()
	if n := len([]rune(text)); n != MaxProblem || !strings.HasSuffix(text, "…") {
		t.Errorf("a long error has %d characters, want %d and an ellipsis", n, MaxProblem)
	}
}

func TestParseRoot(t *testing.T) {
	adv := func(mcp string) string { return `{"items":"https://x/","nested":{"a":["b"]},"mcp":` + mcp + `}` }
	link := func(n int) string { return `{"schema_version":"1","manifest":"` + strings.Repeat("a", n) + `"}` }
	tests := []struct {
		name, doc     string
		link, problem string
		advertisement bool
	}{
		{"valid", adv(`{"schema_version":"1","manifest":" /api/plugins/example/mcp/\n"}`), "/api/plugins/example/mcp/", "", false},
		{"no member", `{"items":"https://x/"}`, "", "", false},
		{"null", adv(`null`), "", "", false},
		{"empty root", `{}`, "", "", false},
		{"false", adv(`false`), "", "MCP advertisement is invalid: /mcp: must be an object", true},
		{"version as a number", adv(`{"schema_version":1,"manifest":"/x/"}`), "", "/mcp/schema_version: must be a string", true},
		{"another version", adv(`{"schema_version":"2","manifest":"/x/"}`), "", `/mcp/schema_version: must be "1"`, true},
		{"no version", adv(`{"manifest":"/x/"}`), "", "/mcp/schema_version: is required", true},
		{"no manifest", adv(`{"schema_version":"1"}`), "", "/mcp/manifest: is required", true},
		{"manifest as a list", adv(`{"schema_version":"1","manifest":[]}`), "", "/mcp/manifest: must be a string", true},
		{"unknown member", adv(`{"schema_version":"1","manifest":"/x/","x":1}`), "", "/mcp: has a member that is not allowed", true},
		{"link of 2048", adv(link(MaxLink)), strings.Repeat("a", MaxLink), "", false},
		{"link of 2049", adv(link(MaxLink + 1)), "", "/mcp/manifest: must have at most 2048 characters", true},
		{"empty link", adv(link(0)), "", "/mcp/manifest: must not be empty", true},
		{"a list", `[]`, "", "the API root of plugin example must be a JSON object", false},
		{"HTML", `<html>`, "", "not strict, finite JSON", false},
		{"duplicate", `{"mcp":null,"mcp":null}`, "", "names a member twice", false},
		{"root too large", `{}` + strings.Repeat(" ", MaxRootBytes-1), "", "size limit of 1048576", false},
		{"root at its limit", `{}` + strings.Repeat(" ", MaxRootBytes-2), "", "", false},
		{"depth at its limit", `{"a":` + strings.Repeat("[", 23) + "1" + strings.Repeat("]", 23) + `}`, "", "", false},
		{"too deep", `{"a":` + strings.Repeat("[", 24) + "1" + strings.Repeat("]", 24) + `}`, "", "nesting limit of 24", false},
		{"nodes at their limit", `{"a":[` + strings.Repeat("1,", MaxDocumentNodes-3) + `1]}`, "", "", false},
		{"too many nodes", `{"a":[` + strings.Repeat("1,", MaxDocumentNodes-2) + `1]}`, "", "12000 values", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			adv, err := ParseRoot([]byte(test.doc), "example")
			if test.problem != "" {
				e, ok := errors.AsType[*Error](err)
				if !ok || !strings.Contains(err.Error(), test.problem) || e.Advertisement != test.advertisement {
					t.Errorf("ParseRoot = %v (advertisement %v), want %q", err, ok && e.Advertisement, test.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := adv != nil; got != (test.link != "") || got && adv.Manifest != test.link {
				t.Errorf("ParseRoot = %+v, want %q", adv, test.link)
			}
		})
	}
}

func TestNames(t *testing.T) {
	tests := []struct {
		name         string
		plugin, tool bool
	}{
		{"a", true, true}, {"a1_b", true, true}, {"a-b", true, false}, {"1a", true, false}, {"", false, false},
		{"_a", false, false}, {"-a", false, false}, {"A", false, false}, {"aB", false, false}, {"a.b", false, false},
		{"a/b", false, false}, {"é", false, false}, {"a ", false, false}, {"a\n", false, false},
		{strings.Repeat("a", 64), true, true}, {strings.Repeat("a", 65), false, false},
	}
	for _, test := range tests {
		if got := PluginName(test.name); got != test.plugin {
			t.Errorf("PluginName(%q) = %v", test.name, got)
		}
		if got := ToolName(test.name); got != test.tool {
			t.Errorf("ToolName(%q) = %v", test.name, got)
		}
	}
}
