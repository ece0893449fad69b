package toolset_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"caddy-netbox-mcp/bridge/schema"
	"caddy-netbox-mcp/bridge/strictjson"
	"caddy-netbox-mcp/mcp/toolset"
)

func handle(context.Context, *toolset.Call) (any, error) { return struct{}{}, nil }

// good is a definition that NewSet accepts.
func good() toolset.Tool {
	return toolset.Tool{
		Name: "get_thing", Title: "Get a thing", Description: "Use this to get a thing.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"id":{"type":"integer","minimum":1}},"required":["id"],"additionalProperties":false}`),
		Handle:      handle,
	}
}

func TestNewSetRefuses(t *testing.T) {
	tests := []struct {
		name   string
		change func(*toolset.Tool)
		want   string
	}{
		{"no name", func(d *toolset.Tool) { d.Name = "" }, "a name is at most 30"},
		{"capital letter", func(d *toolset.Tool) { d.Name = "getThing" }, "a name is at most 30"},
		{"digit first", func(d *toolset.Tool) { d.Name = "1get" }, "a name is at most 30"},
		{"line break after the name", func(d *toolset.Tool) { d.Name = "get\n" }, "a name is at most 30"},
		{"31 characters", func(d *toolset.Tool) { d.Name = strings.Repeat("a", 31) }, "a name is at most 30"},
		{"no title", func(d *toolset.Tool) { d.Title = "" }, "a title and a description are required"},
		{"no description", func(d *toolset.Tool) { d.Description = "" }, "a title and a description are required"},
		{"1,501 characters of description", func(d *toolset.Tool) { d.Description = strings.Repeat("é", 1501) }, "longer than 1500 characters"},
		{"no handler", func(d *toolset.Tool) { d.Handle = nil }, "a handler is required"},
		{"read-only and destructive", func(d *toolset.Tool) { d.Hints = toolset.Hints{ReadOnly: true, Destructive: true} }, "cannot be destructive"},
		{"no schema", func(d *toolset.Tool) { d.InputSchema = nil }, "reading the input schema"},
		{"schema is no JSON", func(d *toolset.Tool) { d.InputSchema = json.RawMessage(`{`) }, "reading the input schema"},
		{"schema of a list", func(d *toolset.Tool) {
			d.InputSchema = json.RawMessage(`{"type":"array","additionalProperties":false}`)
		}, "closed object"},
		{"open by default", func(d *toolset.Tool) { d.InputSchema = json.RawMessage(`{"type":"object"}`) }, "closed object"},
		{"open", func(d *toolset.Tool) {
			d.InputSchema = json.RawMessage(`{"type":"object","additionalProperties":true}`)
		}, "closed object"},
		{"wrong schema", func(d *toolset.Tool) {
			d.InputSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":7}`)
		}, "compiling own schema"},
		{"reference to elsewhere", func(d *toolset.Tool) {
			d.InputSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{"a":{"$ref":"file:///etc/passwd"}}}`)
		}, "may not refer to another document"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := good()
			tt.change(&d)
			_, err := toolset.NewSet(d)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "tool ") {
				t.Errorf("error %v, want one that names the tool and has %q", err, tt.want)
			}
		})
	}
}

func TestNewSetAtTheBounds(t *testing.T) {
	d := good()
	d.Name, d.Description = strings.Repeat("a", 30), strings.Repeat("é", toolset.MaxDescription)
	if _, err := toolset.NewSet(d); err != nil {
		t.Error(err)
	}
}

func TestNewSetRefusesANameTwice(t *testing.T) {
	_, err := toolset.NewSet(good(), good())
	if err == nil || err.Error() != `tool "get_thing": the name is taken` {
		t.Errorf("error %v", err)
	}
}

func TestSetIsSortedAndFound(t *testing.T) {
	var tools []toolset.Tool
	for _, name := range []string{"zulu", "alpha", "mike"} {
		d := good()
		d.Name = name
		tools = append(tools, d)
	}
	s, err := toolset.NewSet(tools...)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range s.All() {
		names = append(names, d.Name)
	}
	if got := strings.Join(names, " "); got != "alpha mike zulu" {
		t.Errorf("All is %q", got)
	}
	s.All()[0] = nil
	if s.All()[0] == nil {
		t.Error("a caller can change the set")
	}
	if d, ok := s.Lookup("mike"); !ok || d.Name != "mike" {
		t.Errorf("Lookup(mike) = %v, %v", d, ok)
	}
	if d, ok := s.Lookup("Mike"); ok || d != nil {
		t.Errorf("Lookup(Mike) = %v, %v", d, ok)
	}
}

func TestValidateNamesTheArgument(t *testing.T) {
	s, err := toolset.NewSet(good())
	if err != nil {
		t.Fatal(err)
	}
	d, _ := s.Lookup("get_thing")
	tests := []struct{ name, arguments, want string }{
		{"accepted", `{"id":7}`, ""},
		{"exact beyond doubles", `{"id":9007199254740993}`, ""},
		{"unknown argument", `{"id":7,"surprise":1}`, "surprise"},
		{"missing argument", `{}`, "id"},
		{"text for a number", `{"id":"7"}`, "/id"},
		{"no object", `[]`, "object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := strictjson.Parse([]byte(tt.arguments), strictjson.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			err = d.Validate(v)
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if _, ok := errors.AsType[*schema.Error](err); !ok || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want a schema.Error with %q", err, tt.want)
			}
		})
	}
}
