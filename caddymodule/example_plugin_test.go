package caddymodule

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/schema"
	"caddy-netbox-mcp/bridge/strictjson"
)

const (
	exampleManifest = "examples/netbox-plugin/netbox_mcp_example/manifest.json"
	authorsGuide    = "docs/plugin-authors.md"
)

// TestExamplePlugin: the manifest of the example plugin, which the plugin serves as it is, keeps the contract.
func TestExamplePlugin(t *testing.T) {
	m, err := manifest.Parse([]byte(readDoc(t, exampleManifest)), examplePlugin)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, tool := range m.Tools {
		got = append(got, fmt.Sprintf("%s %s %s %s", tool.Effect, tool.Method, tool.Name, tool.RequestPath(m.Plugin)))
	}
	want := []string{
		"read GET site_report /api/plugins/mcp-example/sites/",
		"read HEAD site_exists /api/plugins/mcp-example/sites/exists/",
		"read GET list_journal_entries /api/plugins/mcp-example/journal/",
		"write POST add_journal_entry /api/plugins/mcp-example/journal/",
		"destructive DELETE delete_journal_entry /api/plugins/mcp-example/journal/",
	}
	if !slices.Equal(got, want) {
		t.Errorf("tools\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestExamplePluginSchema: the schema that the plugin's own tests judge its manifest by is the published one.
func TestExamplePluginSchema(t *testing.T) {
	const own, published = "examples/netbox-plugin/netbox_mcp_example/tests/bridge-v1.schema.json", "bridge/manifest/descriptor.schema.json"
	if readDoc(t, own) != readDoc(t, published) {
		t.Errorf("%s differs from %s: copy it", own, published)
	}
}

// TestAuthorsGuideExcerpts: what the guide shows of the example stands in the example.
func TestAuthorsGuideExcerpts(t *testing.T) {
	excerpts := regexp.MustCompile("(?s)```[a-z]+ ([^\n]+)\n(.*?)```").FindAllStringSubmatch(readDoc(t, authorsGuide), -1)
	if len(excerpts) < 7 {
		t.Fatalf("%d excerpts", len(excerpts))
	}
	for _, excerpt := range excerpts {
		if !strings.Contains(readDoc(t, "examples/netbox-plugin/"+excerpt[1]), excerpt[2]) {
			t.Errorf("%s does not contain\n%s", excerpt[1], excerpt[2])
		}
	}
}

// TestAuthorsGuideLinks: the files that the guide and the example's README link to exist.
func TestAuthorsGuideLinks(t *testing.T) {
	n := 0
	for _, name := range []string{authorsGuide, "examples/netbox-plugin/README.md"} {
		folder := name[:strings.LastIndex(name, "/")]
		for _, link := range regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`).FindAllStringSubmatch(readDoc(t, name), -1) {
			if _, err := os.Stat("../" + folder + "/" + link[1]); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			n++
		}
	}
	if n < 5 {
		t.Errorf("%d links", n)
	}
}

// TestAuthorsGuideKeywords: the guide's two lists of keywords are those that schemas are judged by.
func TestAuthorsGuideKeywords(t *testing.T) {
	guide := readDoc(t, authorsGuide)
	for _, tt := range []struct {
		list string
		n    int
		rule string // what is said of a keyword of the list; "" where it is known
	}{{"keywords", 28, ""}, {"refused", 18, "is refused: the bridge allows no references, patterns, or combinators"}} {
		_, text, _ := strings.Cut(guide, "<!-- "+tt.list+" -->")
		text, _, _ = strings.Cut(text, "<!-- end -->")
		words := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(text, -1)
		seen := make(map[string]bool)
		for _, word := range words {
			seen[word[1]] = true
			doc, err := strictjson.Parse(fmt.Appendf(nil, `{%q:null}`, word[1]), strictjson.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = schema.Compile(doc)
			said := fmt.Sprint(err)
			if tt.rule == "" && strings.Contains(said, "is not a keyword") || !strings.Contains(said, tt.rule) || tt.rule == "" && strings.Contains(said, "is refused") {
				t.Errorf("%s: of %s is said: %s", tt.list, word[1], said)
			}
		}
		if len(seen) != tt.n || len(words) != tt.n {
			t.Errorf("%s: %d of %d different words, want %d", tt.list, len(seen), len(words), tt.n)
		}
	}
}

// TestAuthorsGuideMistakes: each mistake of the guide's table has the message that stands beside it.
func TestAuthorsGuideMistakes(t *testing.T) {
	_, table, _ := strings.Cut(readDoc(t, authorsGuide), "| mistake | message |\n| --- | --- |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	rows := make(map[string]string)
	for row := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.ReplaceAll(row, `\|`, "¦"), "| \n"), " | ")
		if len(cells) != 2 {
			t.Fatalf("row %q", row)
		}
		rows[cells[0]] = strings.Trim(cells[1], "`")
	}
	mistakes := authorsMistakes()
	for _, mistake := range mistakes {
		t.Run(mistake.name, func(t *testing.T) {
			said := mistake.said(t)
			if want := rows[mistake.name]; want == "" || said != want {
				t.Errorf("the guide's row is %q, and what is said is\n| %s | `%s` |", want, mistake.name, said)
			}
		})
	}
	if len(rows) != len(mistakes) {
		t.Errorf("%d rows, %d mistakes", len(rows), len(mistakes))
	}
}

// authorsMistake changes the example's manifest by a replacement, at the first place where its text stands.
type authorsMistake struct{ name, old, replacement string }

func authorsMistakes() []authorsMistake {
	return []authorsMistake{
		{"`\"schema_version\": 1`", `"schema_version": "1"`, `"schema_version": 1`},
		{"the package's name instead of `base_url`", `"plugin": "mcp-example"`, `"plugin": "netbox_mcp_example"`},
		{"a member of your own in a tool", `"name": "site_report",`, `"name": "site_report", "version": 2,`},
		{"a dash in a tool's name", `"name": "site_report"`, `"name": "site-report"`},
		{"a path with a template: `sites/{id}/`", `"path": "sites/"`, `"path": "sites/{id}/"`},
		{"the whole path: `/api/plugins/mcp-example/sites/`", `"path": "sites/"`, `"path": "/api/plugins/mcp-example/sites/"`},
		{"no slash at the end: `sites`", `"path": "sites/"`, `"path": "sites"`},
		{"`GET` with effect `write`", `"effect": "read"`, `"effect": "write"`},
		{"`POST` with effect `read`", `"effect": "write"`, `"effect": "read"`},
		{"`DELETE` with effect `write`", `"effect": "destructive"`, `"effect": "write"`},
		{"a hint left out", `"idempotentHint": true,`, ``},
		{"a hint that contradicts the effect", `"readOnlyHint": false`, `"readOnlyHint": true`},
		{"no `additionalProperties`", `"required": ["slug"],
        "additionalProperties": false`, `"required": ["slug"]`},
		{"`$schema`", `"inputSchema": {`, `"inputSchema": {"$schema": "https://json-schema.org/draft/2020-12/schema",`},
		{"`pattern`", `{"slug": {"type": "string",`, `{"slug": {"type": "string", "pattern": "^[a-z]+$",`},
		{"`\"format\": \"uri\"`", `{"slug": {"type": "string",`, `{"slug": {"type": "string", "format": "uri",`},
		{"`\"nullable\": true`, as OpenAPI 3.0 has it", `{"slug": {"type": "string",`, `{"slug": {"type": "string", "nullable": true,`},
		{"a `GET` argument without a type", `"region": {
            "type": "string",`, `"region": {`},
		{"a `GET` argument that is an object", `"region": {
            "type": "string",`, `"region": {
            "type": "object",`},
		{"`uniqueItems` of objects or of two types", `"type": "array",
            "items": {"type": "string", `, `"type": "array",
            "items": {"type": ["string", "null"], `},
		{"`\"required\": true` in a property", `{"slug": {"type": "string",`, `{"slug": {"type": "string", "required": true,`},
		{"a comma too many", `"required": ["slug"],`, `"required": ["slug",],`},
		{"a member twice", `"name": "site_report",`, `"name": "site_report", "name": "site_report",`},
	}
}

// said is the message about the mistake: where it is, and the rule.
func (a authorsMistake) said(t *testing.T) string {
	t.Helper()
	text := readDoc(t, exampleManifest)
	if !strings.Contains(text, a.old) {
		t.Fatalf("the example has no %s", a.old)
	}
	report, err := manifest.Check([]byte(strings.Replace(text, a.old, a.replacement, 1)), examplePlugin)
	if failed, ok := errors.AsType[*manifest.Error](err); ok {
		report.Problems = failed.Problems
	}
	if len(report.Problems) == 0 {
		t.Fatalf("the mistake is not noticed: %v", err)
	}
	return regexp.MustCompile(`byte \d+`).ReplaceAllString(strings.ReplaceAll(problemText(report.Problems[0]), "|", "¦"), "byte …")
}

// problemText is a problem as the guide shows it.
func problemText(p schema.Problem) string {
	if p.Pointer == "" {
		return p.Rule
	}
	return p.String()
}

// TestAuthorsGuideAdvertisement: what the guide says of wrong advertisements is what is said of them.
func TestAuthorsGuideAdvertisement(t *testing.T) {
	base, err := url.Parse("https://netbox.example.com/netbox")
	if err != nil {
		t.Fatal(err)
	}
	guide := readDoc(t, authorsGuide)
	for _, tt := range []struct{ name, root string }{
		{"integer version", `{"mcp":{"schema_version":1,"manifest":"/api/plugins/mcp-example/mcp/"}}`},
		{"another place", `{"mcp":{"schema_version":"1","manifest":"/api/plugins/mcp-example/tools/"}}`},
		{"another scheme", `{"mcp":{"schema_version":"1","manifest":"http://netbox.example.com/netbox/api/plugins/mcp-example/mcp/"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			adv, err := manifest.ParseRoot([]byte(tt.root), examplePlugin)
			if err == nil {
				_, err = manifest.NewOrigins(base).ManifestPath(adv.Manifest, examplePlugin)
			}
			failed, ok := errors.AsType[*manifest.Error](err)
			if !ok {
				t.Fatalf("the mistake is not noticed: %v", err)
			}
			if said := problemText(failed.Problems[0]); !strings.Contains(guide, "`"+said+"`") {
				t.Errorf("the guide does not say `%s`", said)
			}
		})
	}
	// What the example advertises, below a prefix.
	if path, err := manifest.NewOrigins(base).ManifestPath("/netbox/api/plugins/mcp-example/mcp/", examplePlugin); err != nil || path != "/api/plugins/mcp-example/mcp/" {
		t.Errorf("the example's link leads to %q, %v", path, err)
	}
}

// TestAuthorsGuideJSON: arguments that the guide shows are JSON.
func TestAuthorsGuideJSON(t *testing.T) {
	calls := regexp.MustCompile(`caddy netbox-mcp call (\S+) '([^']*)'`).FindAllStringSubmatch(readDoc(t, authorsGuide), -1)
	m, err := manifest.Parse([]byte(readDoc(t, exampleManifest)), examplePlugin)
	if err != nil {
		t.Fatal(err)
	}
	judged := 0
	for _, c := range calls {
		if !json.Valid([]byte(c[2])) {
			t.Errorf("not JSON: %s", c[2])
		}
		name, ok := strings.CutPrefix(c[1], examplePlugin+".")
		if !ok {
			continue
		}
		tool, ok := m.Tool(name)
		if !ok {
			t.Errorf("there is no tool %s", c[1])
			continue
		}
		arguments, err := strictjson.Parse([]byte(c[2]), manifest.InstanceLimits())
		if err != nil {
			t.Fatal(err)
		}
		if err := tool.ValidateInput(arguments); err != nil {
			t.Errorf("%s: %v", c[0], err)
		}
		judged++
	}
	if judged < 3 {
		t.Errorf("%d calls of the example's tools among %d calls", judged, len(calls))
	}
}
