package manifest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"caddy-netbox-mcp/bridge/schema"
	"caddy-netbox-mcp/bridge/strictjson"
)

// TestContractLimits pins the values of bridge version 1: plugins and agents rely on them, whatever the code calls them.
func TestContractLimits(t *testing.T) {
	for _, limit := range []struct {
		name      string
		got, want int
	}{
		{"manifest bytes", MaxManifestBytes, 256 << 10},
		{"root document bytes", MaxRootBytes, 1 << 20},
		{"document depth", MaxDocumentDepth, 24},
		{"document nodes", MaxDocumentNodes, 12_000},
		{"schema bytes", schema.MaxSchemaBytes, 64 << 10},
		{"schema depth", schema.MaxSchemaDepth, 16},
		{"schema nodes", schema.MaxSchemaNodes, 2_048},
		{"instance bytes", InstanceLimits().Bytes, 256 << 10},
		{"instance depth", InstanceLimits().Depth, 32},
		{"instance nodes", InstanceLimits().Nodes, 10_000},
		{"tools", MaxTools, 64},
		{"link characters", MaxLink, 2_048},
		{"name characters", MaxName, 64},
		{"title characters", MaxTitle, 200},
		{"description characters", MaxDescription, 2_000},
		{"path characters", MaxPath, 1_024},
		{"problem characters", MaxProblem, 2_000},
		{"problems", maxProblems, 10},
	} {
		if limit.got != limit.want {
			t.Errorf("%s: %d, want %d", limit.name, limit.got, limit.want)
		}
	}
}

// dimension is one of the three measures of a JSON document. reaches writes a document of exactly n of it: frame is the
// document around a value that is as large as it takes.
type dimension struct {
	name    string
	reason  strictjson.Reason
	reaches func(frame func(value string) string, n int) string
}

func dimensions(t *testing.T) []dimension {
	return []dimension{
		{"bytes", strictjson.TooManyBytes, func(frame func(string) string, n int) string {
			return frame(`"` + strings.Repeat("x", n-len(frame(`""`))) + `"`)
		}},
		{"depth", strictjson.TooDeep, func(frame func(string) string, n int) string {
			lists := n - depthOf(value(t, frame(`"deepest"`)), 0)
			return frame(strings.Repeat("[", lists) + `"deepest"` + strings.Repeat("]", lists))
		}},
		{"nodes", strictjson.TooManyNodes, func(frame func(string) string, n int) string {
			return frame("[" + strings.TrimSuffix(strings.Repeat("1,", n-count(t, frame("[]"))), ",") + "]")
		}},
	}
}

// depthOf is the depth of the string "deepest" in v.
func depthOf(v strictjson.Value, depth int) int {
	if v.Kind == strictjson.String && v.Text == "deepest" {
		return depth
	}
	found := 0
	for _, item := range v.Items {
		found = max(found, depthOf(item, depth+1))
	}
	for _, m := range v.Members {
		found = max(found, depthOf(m.Value, depth+1))
	}
	return found
}

// wantBound checks the limit that an error names.
func wantBound(t *testing.T, err error, bound string, limit int) {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Bound != bound || e.Max != int64(limit) {
		t.Errorf("got %+v, want an *Error with the bound %q of %d", err, bound, limit)
	}
}

// TestDocumentLimits: the listing, a plugin's root and a manifest are measured alike, and say which limit they are over.
func TestDocumentLimits(t *testing.T) {
	listing := func(v string) string { return `{"a":"/api/plugins/a/","x":` + v + `}` }
	root := func(v string) string {
		return `{"x":` + v + `,"mcp":{"schema_version":"1","manifest":"/api/plugins/example/mcp/"}}`
	}
	unknown := func(v string) string { return strings.Replace(manifestJSON(toolJSON()), "{", `{"x":`+v+`,`, 1) }
	for _, doc := range []struct {
		name   string
		frame  func(string) string
		parse  func(text string) error
		bound  string // the document's part of the limit's name
		limits map[string]int
		// At the limit a manifest is refused for its unknown member: no schema in it may be as deep as the document.
		problem string
	}{
		{"listing", listing, func(text string) error { _, err := ParseListing([]byte(text)); return err },
			"root document", map[string]int{"bytes": 1_048_576, "depth": 24, "nodes": 12_000}, ""},
		{"root", root, func(text string) error { _, err := ParseRoot([]byte(text), "example"); return err },
			"root document", map[string]int{"bytes": 1_048_576, "depth": 24, "nodes": 12_000}, ""},
		{"manifest", unknown, func(text string) error { _, err := Parse([]byte(text), "example"); return err },
			"manifest", map[string]int{"bytes": 262_144, "depth": 24, "nodes": 12_000}, "has a member that is not allowed"},
	} {
		for _, d := range dimensions(t) {
			t.Run(doc.name+" "+d.name, func(t *testing.T) {
				limit := doc.limits[d.name]
				err := doc.parse(d.reaches(doc.frame, limit))
				if doc.problem == "" && err != nil {
					t.Errorf("at the limit: %v", err)
				}
				if doc.problem != "" {
					wantBound(t, err, "", 0)
					if !strings.Contains(fmt.Sprint(err), doc.problem) {
						t.Errorf("at the limit: %v, want %q", err, doc.problem)
					}
				}
				wantBound(t, doc.parse(d.reaches(doc.frame, limit+1)), doc.bound+" "+d.name, limit)
			})
		}
	}
}

// TestSchemaLimits: each schema of a tool is measured by itself, in its compact form.
func TestSchemaLimits(t *testing.T) {
	limits := map[string]int{"bytes": 65_536, "depth": 16, "nodes": 2_048}
	frame := func(v string) string { return `{"type":"object","additionalProperties":false,"default":` + v + `}` }
	for _, d := range dimensions(t) {
		at, over := d.reaches(frame, limits[d.name]), d.reaches(frame, limits[d.name]+1)
		for _, name := range []string{"inputSchema", "outputSchema"} {
			t.Run(d.name+" of "+name, func(t *testing.T) {
				_, err := Parse([]byte(manifestJSON(toolJSON(), toolJSON(member{"name", `"other"`}, member{name, over}))), "example")
				wantBound(t, err, "schema "+d.name, limits[d.name])
				if e, _ := errors.AsType[*Error](err); e != nil && (len(e.Problems) != 1 || e.Problems[0].Pointer != "/tools/1/"+name) {
					t.Errorf("the problems are %v", e.Problems)
				}
				if e, ok := errors.AsType[*strictjson.Error](err); !ok || e.Reason != d.reason || e.Limit != limits[d.name] {
					t.Errorf("it wraps %v", e)
				}
			})
		}
		t.Run(d.name+" of both at the limit", func(t *testing.T) {
			spaced := strings.Replace(at, ":", " : "+strings.Repeat(" ", 1000), 3)
			tool := oneTool(t, member{"inputSchema", spaced}, member{"outputSchema", at})
			if string(tool.InputSchema) != at || string(tool.OutputSchema) != at {
				t.Errorf("the schemas have %d and %d bytes, want %d", len(tool.InputSchema), len(tool.OutputSchema), len(at))
			}
		})
	}
}

// TestArgumentAndResponseLimits: they hold for arguments and for responses with a schema and without, and in the strict reading
// of either.
func TestArgumentAndResponseLimits(t *testing.T) {
	limits := map[string]int{"bytes": 262_144, "depth": 32, "nodes": 10_000}
	frame := func(v string) string { return `{"a":` + v + `}` }
	tool := oneTool(t, member{"inputSchema", `{"type":"object","properties":{"a":true},"additionalProperties":false}`}, member{"outputSchema", `{"required":["a"]}`})
	for name, judge := range map[string]func(text string) error{
		"arguments":               func(text string) error { return tool.ValidateInput(value(t, text)) },
		"response":                func(text string) error { return tool.ValidateOutput(value(t, text)) },
		"response without schema": func(text string) error { return oneTool(t, member{"outputSchema", ""}).ValidateOutput(value(t, text)) },
		"strict reading":          func(text string) error { _, err := strictjson.Parse([]byte(text), InstanceLimits()); return err },
	} {
		for _, d := range dimensions(t) {
			t.Run(name+", "+d.name, func(t *testing.T) {
				if err := judge(d.reaches(frame, limits[d.name])); err != nil {
					t.Errorf("at the limit: %v", err)
				}
				err := judge(d.reaches(frame, limits[d.name]+1))
				if e, ok := errors.AsType[*strictjson.Error](err); !ok || e.Reason != d.reason || e.Limit != limits[d.name] {
					t.Errorf("over the limit: %v, want %q of %d", err, d.reason, limits[d.name])
				}
			})
		}
	}
}

// TestLinkLimit counts characters after trimming.
func TestLinkLimit(t *testing.T) {
	advertise := func(link string) error {
		_, err := ParseRoot([]byte(`{"mcp":{"schema_version":"1","manifest":"`+link+`"}}`), "example")
		return err
	}
	normalize := func(link string) error {
		_, err := NewOrigins(nil).Normalize(strings.ReplaceAll(link, `\n`, "\n"))
		return err
	}
	plain := func(n int) string { return "/api/" + strings.Repeat("a", n-6) + "/" }
	around := strings.Repeat(` \n`, 2_000)
	for _, test := range []struct {
		name  string
		judge func(string) error
		link  func(n int) string
	}{
		{"advertised", advertise, plain},
		{"advertised with space around", advertise, func(n int) string { return around + plain(n) + around }},
		{"advertised in characters of two bytes", advertise, func(n int) string { return strings.Repeat("é", n) }},
		{"normalized", normalize, plain},
		{"normalized with space around", normalize, func(n int) string { return around + plain(n) + around }},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := test.judge(test.link(2_048)); err != nil {
				t.Errorf("at the limit: %v", err)
			}
			wantBound(t, test.judge(test.link(2_049)), "link characters", 2_048)
		})
	}
}

// TestProblemLimits: the first ten are told, in a text of 2,000 characters.
func TestProblemLimits(t *testing.T) {
	for n, want := range map[int]int{9: 9, 10: 10, 11: 10} {
		tools := make([]string, n)
		for i := range tools {
			tools[i] = toolJSON(member{"name", fmt.Sprintf(`"t%d"`, i)}, member{"title", `""`})
		}
		_, err := Parse([]byte(manifestJSON(tools...)), "example")
		e, ok := errors.AsType[*Error](err)
		if !ok || len(e.Problems) != want || e.Problems[want-1].Pointer != fmt.Sprintf("/tools/%d/title", want-1) {
			t.Errorf("%d problems: %v", n, err)
		}
	}
	for n, want := range map[int]string{1_999: strings.Repeat("é", 1_999), 2_000: strings.Repeat("é", 2_000), 2_001: strings.Repeat("é", 1_999) + "…"} {
		if got := failure(strings.Repeat("é", n), nil).Error(); got != want {
			t.Errorf("a text of %d characters became one of %d", n, len([]rune(got)))
		}
	}
}
