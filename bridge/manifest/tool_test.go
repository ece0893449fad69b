package manifest

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"caddy-netbox-mcp/bridge/schema"
	"caddy-netbox-mcp/bridge/strictjson"
)

func value(t testing.TB, text string) strictjson.Value {
	t.Helper()
	v, err := strictjson.Parse([]byte(text), strictjson.Limits{})
	if err != nil {
		t.Fatalf("reading %.80q: %v", text, err)
	}
	return v
}

func oneTool(t testing.TB, replace ...member) Tool {
	t.Helper()
	m, err := Parse([]byte(manifestJSON(toolJSON(replace...))), "example")
	if err != nil {
		t.Fatal(err)
	}
	return m.Tools[0]
}

func TestToolValidates(t *testing.T) {
	tool := oneTool(t, member{"outputSchema", `{"type":"object","required":["ok"]}`})
	tests := []struct {
		name     string
		validate func(strictjson.Value) error
		instance string
		want     string
	}{
		{"input", tool.ValidateInput, `{"a":9}`, ""},
		{"input over a bound", tool.ValidateInput, `{"a":10}`, "/a: must be at most 9"},
		{"unknown argument", tool.ValidateInput, `{"b":1}`, "/b: is not a known argument; known: a"},
		{"input is no object", tool.ValidateInput, `[]`, "(root): must be an object, not a list"},
		{"output", tool.ValidateOutput, `{"ok":true,"more":1}`, ""},
		{"output misses a member", tool.ValidateOutput, `{}`, "/ok: is required"},
		{"no output schema", oneTool(t, member{"outputSchema", ""}).ValidateOutput, `[1,"x"]`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := test.validate(value(t, test.instance))
			if test.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if _, ok := errors.AsType[*schema.Error](err); !ok || err.Error() != test.want {
				t.Errorf("got %v, want a *schema.Error %q", err, test.want)
			}
		})
	}
}

func TestInstanceLimits(t *testing.T) {
	tool := oneTool(t, member{"outputSchema", ""})
	tests := []struct {
		name, instance string
		limit          strictjson.Reason
	}{
		{"bytes", `"` + strings.Repeat("x", MaxInstanceBytes-2) + `"`, ""},
		{"one byte more", `"` + strings.Repeat("x", MaxInstanceBytes-1) + `"`, strictjson.TooManyBytes},
		{"compact bytes", `[` + strings.Repeat(" ", MaxInstanceBytes) + `]`, ""},
		{"depth", strings.Repeat("[", 32) + "1" + strings.Repeat("]", 32), ""},
		{"one level more", strings.Repeat("[", 33) + "1" + strings.Repeat("]", 33), strictjson.TooDeep},
		{"nodes", `[` + strings.Repeat("1,", MaxInstanceNodes-2) + `1]`, ""},
		{"one node more", `[` + strings.Repeat("1,", MaxInstanceNodes-1) + `1]`, strictjson.TooManyNodes},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v := value(t, test.instance)
			if err := tool.ValidateOutput(v); limitOf(err) != test.limit || test.limit == "" && err != nil {
				t.Errorf("ValidateOutput = %v, want the limit %q", err, test.limit)
			}
			if test.limit == "" {
				return
			}
			if err := tool.ValidateInput(v); limitOf(err) != test.limit {
				t.Errorf("ValidateInput = %v, want the limit %q", err, test.limit)
			}
		})
	}
}

func limitOf(err error) strictjson.Reason {
	if e, ok := errors.AsType[*strictjson.Error](err); ok {
		return e.Reason
	}
	return ""
}

func TestDescriptor(t *testing.T) {
	const input = ` { "additionalProperties" : false, "type":"object", "properties": {"z":{"maximum":1.50},"a":{"description":"<é>"}} } `
	const compactInput = `{"additionalProperties":false,"type":"object","properties":{"z":{"maximum":1.50},"a":{"description":"<é>"}}}`
	tool := oneTool(t, member{"inputSchema", input}, member{"outputSchema", ""}, member{"title", `" A & B "`}, member{"method", `"post"`})
	const plain = `"name":"run","title":"A & B","description":"Runs it.","method":"POST","path":"run/","effect":"write","inputSchema":` +
		compactInput + `,"outputSchema":null,"annotations":{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":true}`
	got, err := tool.MarshalJSON()
	if err != nil || string(got) != "{"+plain+"}" {
		t.Errorf("MarshalJSON = %s, %v; want {%s}", got, err, plain)
	}
	const added = `,"plugin":"example","qualified_name":"example.run","request_path":"/api/plugins/example/run/"}`
	listed, err := tool.CompactDescriptor("example")
	if err != nil || string(listed) != "{"+plain+added {
		t.Errorf("CompactDescriptor = %s, %v; want {%s%s", listed, err, plain, added)
	}
	if tool.OutputSchema != nil || string(tool.InputSchema) != compactInput {
		t.Errorf("schemas are %s and %s", tool.InputSchema, tool.OutputSchema)
	}
	withOutput := oneTool(t)
	if b, err := json.Marshal(withOutput); err != nil || !strings.Contains(string(b), `"outputSchema":{"type":"object"}`) {
		t.Errorf("json.Marshal = %s, %v", b, err)
	}
}

func TestManifestTool(t *testing.T) {
	m, err := Parse([]byte(manifestJSON(toolJSON(), toolJSON(member{"name", `"stop"`}))), "example")
	if err != nil {
		t.Fatal(err)
	}
	if m.Plugin != "example" || m.SchemaVersion != "1" {
		t.Errorf("manifest of %q, version %q", m.Plugin, m.SchemaVersion)
	}
	if tool, ok := m.Tool("stop"); !ok || tool.Name != "stop" || tool.RequestPath("example") != "/api/plugins/example/run/" {
		t.Errorf("Tool(stop) = %+v, %v", tool, ok)
	}
	if _, ok := m.Tool("Stop"); ok {
		t.Error("Tool(Stop) was found")
	}
}
