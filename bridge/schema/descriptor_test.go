package schema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/schema"
	"caddy-netbox-mcp/bridge/strictjson"
)

// The schema of manifests is judged by a library that has no part in reading manifests. It stands here because this is the one
// package that may use it.

// inexpressible are the rules that JSON Schema cannot say, by the words in which a problem tells them, with the words in which the
// schema's $comment admits them.
var inexpressible = []struct{ rule, admitted string }{
	{"not strict, finite JSON", "strict JSON"},
	{"over the size limit of 262144 bytes", "at most 262144 bytes"},
	{"over the nesting limit of 24 levels", "24 levels of nesting"},
	{"over the limit of 12000 values", "12000 values"},
	{"over the size limit of 65536 bytes", "at most 65536 bytes as compact JSON"},
	{"over the nesting limit of 16 levels", "16 levels of nesting"},
	{"over the limit of 2048 values", "2048 values"},
	{"must be unique in the manifest", "the names of a manifest's tools are different"},
	{"must be the plugin whose API serves the manifest", "plugin is the name in /api/plugins/<plugin>/"},
}

// expressible reports whether a problem breaks a rule that the schema must enforce.
func expressible(p schema.Problem) bool {
	for _, i := range inexpressible {
		if strings.Contains(p.Rule, i.rule) {
			return false
		}
	}
	return !strings.HasPrefix(p.Rule, "may have more problems")
}

// descriptorSchema compiles the schema as an author's test would, without access to other documents.
func descriptorSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := strictjson.Parse(manifest.DescriptorSchema(), strictjson.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	if err := c.AddResource("urn:test:manifest", doc.Any()); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("urn:test:manifest")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

type nowhere struct{}

func (nowhere) Load(string) (any, error) { return nil, errors.New("there are no other documents") }

// compare judges one document by both: the schema accepts what breaks no rule that it can express.
func compare(t testing.TB, s *jsonschema.Schema, text []byte) (valid bool) {
	t.Helper()
	doc, err := strictjson.Parse(text, strictjson.Limits{})
	if err != nil {
		t.Fatalf("%v in %.300s", err, text)
	}
	report, err := manifest.Check(text, "example")
	if err != nil && expressible(schema.Problem{Rule: err.Error()}) {
		t.Fatalf("%v in %.300s", err, text)
	}
	want := !slices.ContainsFunc(report.Problems, expressible)
	if got := s.Validate(doc.Any()); (got == nil) != want {
		t.Errorf("the schema says %v, the rules %v, of %.2000s", got, report.Problems, text)
	}
	return want
}

func TestDescriptorSchemaOfPublishedManifests(t *testing.T) {
	data, err := os.ReadFile("../manifest/testdata/manifests.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Manifest json.RawMessage `json:"manifest"`
		Valid    bool            `json:"valid"`
		Why      string          `json:"why"`
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	s := descriptorSchema(t)
	var beyond []string
	valid := 0
	for _, c := range cases {
		switch accepted := compare(t, s, c.Manifest); {
		case c.Valid && !accepted:
			t.Errorf("%s: refused", c.Why)
		case c.Valid:
			valid++
		case accepted:
			beyond = append(beyond, c.Why)
		}
	}
	if want := []string{"plugin is not the slug", "names are unique"}; valid < 10 || !slices.Equal(beyond, want) {
		t.Errorf("of %d cases %d are valid, and beyond the schema are %q, want %q", len(cases), valid, beyond, want)
	}
}

func TestDescriptorSchemaAdmitsWhatItCannotSay(t *testing.T) {
	var doc struct {
		Schema  string `json:"$schema"`
		ID      string `json:"$id"`
		Comment string `json:"$comment"`
	}
	if err := json.Unmarshal(manifest.DescriptorSchema(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Schema != "https://json-schema.org/draft/2020-12/schema" || doc.ID != "" {
		t.Errorf("$schema %q, $id %q", doc.Schema, doc.ID)
	}
	for _, i := range inexpressible {
		if !strings.Contains(doc.Comment, i.admitted) {
			t.Errorf("the comment does not say %q: %s", i.admitted, doc.Comment)
		}
	}
}

// example is a manifest with one tool whose members are replaced; a value of "" leaves one out.
func example(replace ...string) []byte {
	members := []string{
		"name", `"run"`, "title", `"Run"`, "description", `"Runs it."`, "method", `"POST"`, "path", `"run/"`, "effect", `"write"`,
		"inputSchema", `{"type":"object","properties":{"a":{"type":"integer"}},"additionalProperties":false}`,
		"annotations", `{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":true}`,
	}
	var parts []string
	for i := 0; i < len(replace); i += 2 {
		if !slices.Contains(members, replace[i]) {
			members = append(members, replace[i], "")
		}
	}
	for i := 0; i < len(members); i += 2 {
		value := members[i+1]
		if at := slices.Index(replace, members[i]); at >= 0 {
			value = replace[at+1]
		}
		if value != "" {
			parts = append(parts, fmt.Sprintf("%q:%s", members[i], value))
		}
	}
	return []byte(`{"schema_version":"1","plugin":"example","tools":[{` + strings.Join(parts, ",") + `}]}`)
}

// TestDescriptorSchemaAtTheBounds tries each rule on both of its sides. Which side is which is the parser's to say; that there
// are two is checked.
func TestDescriptorSchemaAtTheBounds(t *testing.T) {
	quoted := func(s string) string { b, _ := json.Marshal(s); return string(b) }
	times := strings.Repeat
	input := func(rest string) string { return `{"type":"object","additionalProperties":false` + rest + `}` }
	read := []string{"method", `"GET"`, "effect", `"read"`, "annotations", `{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":true}`}
	query := func(property string) []string {
		return append(read[:6:6], "inputSchema", input(`,"properties":{"a":`+property+`}`))
	}
	of := func(member string, values ...string) [][]string {
		var all [][]string
		for _, v := range values {
			all = append(all, []string{member, v})
		}
		return all
	}
	schemas := func(values ...string) [][]string {
		var all [][]string
		for _, v := range values {
			all = append(all, []string{"outputSchema", v}, []string{"inputSchema", input(`,"properties":{"a":` + v + `}`)})
		}
		return all
	}
	tests := []struct {
		name          string
		good, refused [][]string
	}{
		{"name", of("name", `"a"`, `"a1_"`, quoted(times("a", manifest.MaxName))), of("name", `""`, `"A"`, `"1a"`, `"_a"`, `"a-b"`, `"a\n"`, `1`, ``, quoted(times("a", manifest.MaxName+1)))},
		{"title", of("title", `"é"`, `"\u2003a b\n"`, quoted(times("é", manifest.MaxTitle)), quoted("\x1f "+times("a", manifest.MaxTitle)+"\u0085"), `"\u200b"`, `"`+times(`\ud83d\ude00`, manifest.MaxTitle)+`"`),
			of("title", `""`, `" \u00a0\u001f\u3000"`, `null`, ``, quoted(times("é", manifest.MaxTitle+1)), quoted("a"+times(" ", manifest.MaxTitle-1)+"a"))},
		{"description", of("description", quoted(times("é", manifest.MaxDescription)), `"a\nb"`), of("description", `"\t"`, `7`, ``, quoted(times("é", manifest.MaxDescription+1)))},
		{"method", of("method", `"post"`, `" PoSt\n"`, `"PUT"`, `"Patch"`), of("method", `"TRACE"`, `"PO\u017fT"`, `"POST POST"`, `""`, `null`, ``, `"GET"`, `"DELETE"`)},
		{"path", of("path", `"a/"`, `"aZ0.9_~-/.../..a/.b/"`, quoted(times("a", manifest.MaxPath-1)+"/")),
			of("path", `""`, `"/"`, `"a"`, `"/a/"`, `"a//"`, `"./"`, `"../"`, `"a/./b/"`, `"a/../"`, `"a b/"`, `"a%2e/"`, `"a?b/"`, `"é/"`, `"a/\n"`, `"{id}/"`, `1`, ``, quoted(times("a", manifest.MaxPath)+"/"))},
		{"effect", of("effect", `"write"`), of("effect", `"read"`, `"destructive"`, `"Write"`, `null`, ``)},
		{"input", of("inputSchema", input(""), input(`,"required":["b"]`)),
			of("inputSchema", `{}`, `true`, `null`, ``, `{"type":"object"}`, `{"type":"object","additionalProperties":true}`, `{"type":["object"],"additionalProperties":false}`, `{"type":"array","additionalProperties":false}`, `{"type":"object","additionalProperties":{}}`)},
		{"output", of("outputSchema", `null`, ``, `{}`, `{"type":"array"}`), of("outputSchema", `true`, `false`, `[]`, `"x"`)},
		{"another member", nil, of("input_schema", `{}`)},
		{"annotations", nil, of("annotations", ``, `null`, `{}`, `{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false}`, `{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":0}`,
			`{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":false,"openWorldHint":true}`, `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}`,
			`{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":true,"title":"x"}`)},
		{"DELETE", [][]string{{"method", `"delete"`, "effect", `"destructive"`, "annotations", `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":false}`}},
			[][]string{{"method", `"DELETE"`, "effect", `"write"`}}},
		{"query", [][]string{read, query(`{"type":"string"}`), query(`{"type":["integer","null"]}`), query(`{"type":"array","items":{"type":"integer"}}`), query(`{"type":["null","array"],"items":{"type":["string","null"]}}`)},
			[][]string{query(`{}`), query(`true`), query(`{"enum":["a"]}`), query(`{"type":"object"}`), query(`{"type":["string","object"]}`), query(`{"type":"array"}`), query(`{"type":"array","items":true}`),
				query(`{"type":["array","string"],"items":{"type":"string"}}`), query(`{"type":"array","items":{"type":"array","items":{"type":"string"}}}`)}},
		{"keywords", schemas(`{"type":["string","null"]}`, `{"enum":[]}`, `{"enum":[{"$ref":1}]}`, `{"const":{"anyOf":[]}}`, `{"default":null,"examples":[1]}`, `{"format":"date-time"}`, `{"minLength":2.0,"maxLength":0}`, `{"multipleOf":0.01}`,
			`{"minimum":-1e2}`, `{"properties":{"$ref":{}}}`, `{"required":["a","b"]}`, `{"propertyNames":{"maxLength":3},"additionalProperties":{"type":"null"}}`, `{"title":"t","description":"","deprecated":true,"readOnly":false,"writeOnly":false}`),
			schemas(`{"$ref":"#"}`, `{"anyOf":[{}]}`, `{"pattern":"a"}`, `{"unknown":1}`, `{"items":{"if":true}}`, `{"type":"text"}`, `{"type":[]}`, `{"type":["string","string"]}`, `{"format":"email"}`, `{"format":1}`, `{"minLength":-1}`, `{"maxItems":1.5}`,
				`{"multipleOf":0}`, `{"minimum":"1"}`, `{"required":["a","a"]}`, `{"required":[1]}`, `{"properties":[]}`, `{"properties":{"a":1}}`, `{"items":[]}`, `{"enum":"a"}`, `{"title":1}`, `{"readOnly":"yes"}`, `{"examples":{}}`)},
		{"uniqueItems", schemas(`{"uniqueItems":false}`, `{"uniqueItems":true,"items":{"type":"string"}}`, `{"uniqueItems":true,"items":{"type":["number"]}}`),
			schemas(`{"uniqueItems":true}`, `{"uniqueItems":true,"items":true}`, `{"uniqueItems":true,"items":{}}`, `{"uniqueItems":true,"items":{"type":"object"}}`, `{"uniqueItems":true,"items":{"type":["string","null"]}}`, `{"uniqueItems":1}`)},
	}
	s := descriptorSchema(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, replace := range tt.good {
				if !compare(t, s, example(replace...)) {
					t.Errorf("%.300q is refused", replace)
				}
			}
			for _, replace := range tt.refused {
				if compare(t, s, example(replace...)) {
					t.Errorf("%.300q is accepted", replace)
				}
			}
		})
	}
	for _, n := range []int{0, 1, manifest.MaxTools, manifest.MaxTools + 1} {
		one := strings.TrimSuffix(strings.TrimPrefix(string(example()), `{"schema_version":"1","plugin":"example","tools":[`), "]}")
		text := `{"schema_version":"1","plugin":"example","tools":[` + strings.TrimSuffix(times(one+",", n), ",") + "]}"
		if got, want := compare(t, s, []byte(text)), n >= 1 && n <= manifest.MaxTools; got != want {
			t.Errorf("%d tools: accepted %t", n, got)
		}
	}
}
