package manifest

import (
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"caddy-netbox-mcp/bridge/schema"
	"caddy-netbox-mcp/bridge/strictjson"
)

var (
	toolName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	pathForm = regexp.MustCompile(`^(?:[A-Za-z0-9._~-]+/)+$`)
	dotsOnly = regexp.MustCompile(`(?:^|/)\.\.?/`)
	oneOfSix = regexp.MustCompile(`^(?:[gG][eE][tT]|[hH][eE][aA][dD]|[pP][oO][sS][tT]|[pP][uU][tT]|[pP][aA][tT][cC][hH]|[dD][eE][lL][eE][tT][eE])$`)
)

// hasOnly reports whether v is an object with all of the members required and no others but the optional ones.
func hasOnly(v any, required, optional []string) (map[string]any, bool) {
	o, ok := v.(map[string]any)
	for name := range o {
		ok = ok && (slices.Contains(required, name) || slices.Contains(optional, name))
	}
	for _, name := range required {
		_, there := o[name]
		ok = ok && there
	}
	return o, ok
}

// textOf reports whether a member is a text of 1 to most characters when trimmed.
func textOf(v any, most int) bool {
	s, ok := v.(string)
	n := utf8.RuneCountInString(strings.Trim(s, pythonSpace))
	return ok && n >= 1 && n <= most
}

// matching is the text of a member that matches, else "".
func matching(v any, form *regexp.Regexp) string {
	if s, _ := v.(string); form.MatchString(s) {
		return s
	}
	return ""
}

// schemasGood judges the schemas of a tool by package schema, which has its own second opinion.
func schemasGood(t *testing.T, tool map[string]any, read bool) bool {
	t.Helper()
	encode := func(v any) strictjson.Value {
		text, err := json.Marshal(v) // of what was decoded with numbers as they are written
		if err != nil {
			t.Fatal(err)
		}
		return value(t, string(text))
	}
	in := encode(tool["inputSchema"])
	_, err := schema.Compile(in)
	if err != nil || schema.ClosedObject(in) != nil || read && schema.QueryEncodable(in) != nil {
		return false
	}
	if tool["outputSchema"] == nil {
		return true
	}
	_, err = schema.Compile(encode(tool["outputSchema"]))
	return err == nil
}

// goodTool is a second opinion on a tool.
func goodTool(t *testing.T, v any) bool {
	t.Helper()
	tool, ok := hasOnly(v, []string{"name", "title", "description", "method", "path", "effect", "inputSchema", "annotations"}, []string{"outputSchema"})
	if !ok || matching(tool["name"], toolName) == "" || !textOf(tool["title"], 200) || !textOf(tool["description"], 2_000) {
		return false
	}
	path := matching(tool["path"], pathForm)
	if path == "" || len(path) > 1_024 || dotsOnly.MatchString(path) {
		return false
	}
	method, _ := tool["method"].(string)
	method = strings.ToUpper(matching(strings.Trim(method, pythonSpace), oneOfSix))
	read := method == "GET" || method == "HEAD"
	effect := tool["effect"]
	switch {
	case method == "", read != (effect == "read"), method == "DELETE" && effect != "destructive", !read && effect != "write" && effect != "destructive":
		return false
	}
	hints, ok := hasOnly(tool["annotations"], []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}, nil)
	for _, hint := range hints {
		_, isBool := hint.(bool)
		ok = ok && isBool
	}
	return ok && hints["readOnlyHint"] == read && hints["destructiveHint"] == (effect == "destructive") && schemasGood(t, tool, read)
}

// goodManifest is a second opinion on a manifest of plugin example that is strict JSON.
func goodManifest(t *testing.T, data []byte) bool {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	m, ok := hasOnly(v, []string{"schema_version", "plugin", "tools"}, nil)
	tools, _ := m["tools"].([]any)
	if !ok || m["schema_version"] != "1" || m["plugin"] != "example" || len(tools) < 1 || len(tools) > 64 {
		return false
	}
	names := map[any]bool{}
	for _, tool := range tools {
		if !goodTool(t, tool) {
			return false
		}
		names[tool.(map[string]any)["name"]] = true
	}
	return len(names) == len(tools)
}

// FuzzManifest holds Parse against the second opinion, and what it accepts against the form it is listed in.
func FuzzManifest(f *testing.F) {
	var cases []manifestCase
	readCases(f, "manifests.json", &cases)
	for _, c := range cases {
		f.Add([]byte(c.Manifest))
	}
	f.Add([]byte(manifestJSON(toolJSON(), toolJSON(member{"name", `"stop"`}, member{"method", `" delete\u001f"`}, member{"effect", `"destructive"`},
		member{"annotations", strings.Replace(writeHints, `"destructiveHint":false`, `"destructiveHint":true`, 1)}))))
	f.Add([]byte(manifestJSON(toolJSON(member{"method", `"HEAD"`}, member{"effect", `"read"`}, member{"annotations", readHints}, member{"outputSchema", "null"}))))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Parse(data, "example")
		if err != nil {
			e, ok := errors.AsType[*Error](err)
			if !ok || len(e.Problems) < 1 || len(e.Problems) > 10 || utf8.RuneCountInString(err.Error()) > 2_000 || (e.Bound == "") != (e.Max == 0) {
				t.Fatalf("error %T of %d bytes", err, len(err.Error()))
			}
		}
		if _, strict := strictjson.Parse(data, manifestLimits()); strict != nil {
			if err == nil {
				t.Fatalf("%q accepted, but: %v", data, strict)
			}
			return
		}
		if (err == nil) != goodManifest(t, data) {
			t.Fatalf("%q: %v, the second opinion is %v", data, err, err != nil)
		}
		if err != nil {
			return
		}
		// What was accepted must be accepted again in the form it is listed in, as the same.
		listed, err := json.Marshal(map[string]any{"schema_version": m.SchemaVersion, "plugin": m.Plugin, "tools": m.Tools})
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(listed, "example")
		if err != nil {
			t.Fatalf("%q listed as %q: %v", data, listed, err)
		}
		if len(again.Tools) != len(m.Tools) {
			t.Fatalf("%q listed as %q", data, listed)
		}
		for i, tool := range m.Tools {
			a, errA := tool.CompactDescriptor("example")
			b, errB := again.Tools[i].CompactDescriptor("example")
			if errA != nil || errB != nil || !reflect.DeepEqual(a, b) {
				t.Fatalf("%s, %v listed as %s, %v", a, errA, b, errB)
			}
			if !strings.HasPrefix(tool.RequestPath("example"), "/api/plugins/example/") || strings.Contains(tool.RequestPath("example"), "/../") {
				t.Fatalf("request path %q", tool.RequestPath("example"))
			}
		}
	})
}
