package endpoint

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"caddy-netbox-mcp/mcp/toolset"
)

// A call without a protocol is the call that a client makes: same judgement, same texts, same record.
func TestCall(t *testing.T) {
	g := newRig(t, nil)
	tests := []struct {
		name, tool, arguments, want string
		failed                      bool
		outcome                     string
	}{
		{"exact numbers", "echo", `{"b":7.0,"a":[9007199254740993,1E300,-0]}`, `{"arguments":{"b":7.0,"a":[9007199254740993,1E300,-0]},"caller":"alice"}`, false, "ok"},
		{"no arguments", "echo", "", `{"arguments":{},"caller":"alice"}`, false, "ok"},
		{"an argument too many", "echo", `{"c":1}`, `{"error":{"code":"invalid_arguments","message":"invalid arguments: `, true, "invalid_arguments"},
		{"no JSON", "echo", `{"a":1,"a":2}`, `{"error":{"code":"invalid_arguments","message":"reading the arguments: `, true, "invalid_arguments"},
		{"a panic", "panics", `{}`, `{"error":{"code":"internal","message":"the tool failed unexpectedly; the server's log has the details"}}`, true, "internal"},
		{"secrets", "fails", `{}`, `{"error":{"code":"upstream_error","message":"[redacted] [redacted] [redacted]"}}`, true, "upstream_error"},
		{"secrets in a result", "leaks", `{}`, `{"a":"[redacted]","b":["[redacted]","it is [redacted]"],"[redacted]":1}`, false, "ok"},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, failed, err := g.Call(t.Context(), g.binding("alice"), tt.tool, json.RawMessage(tt.arguments))
			if err != nil || failed != tt.failed || !strings.HasPrefix(string(text), tt.want) || !json.Valid(text) {
				t.Errorf("%s, failed %t, %v; want %s", text, failed, err, tt.want)
			}
			entries := g.record.all()
			if len(entries) != i+1 {
				t.Fatalf("%d records, want %d", len(entries), i+1)
			}
			if e := entries[i]; e.Caller != "alice" || e.Tool != tt.tool || e.Outcome != tt.outcome || strings.Contains(e.Target+e.RequestID, "secret") {
				t.Errorf("the record is %+v", e)
			}
		})
	}
}

func TestCallThatIsNotMade(t *testing.T) {
	g := newRig(t, nil)
	tests := []struct {
		name, tool, want string
		binding          *Binding
	}{
		{"no such tool", "no\u202esuch", `unknown tool "nosuch"`, g.binding("alice")},
		{"not for this caller", "writer", `unknown tool "writer"`, g.binding("reader")},
		{"nobody", "echo", errIncomplete.Error(), &Binding{Site: g.site, Principal: toolset.Principal{}}},
		{"no binding", "echo", errIncomplete.Error(), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if text, failed, err := g.Call(t.Context(), tt.binding, tt.tool, nil); err == nil || err.Error() != tt.want || text != nil || failed {
				t.Errorf("%s, failed %t, %v; want %s", text, failed, err, tt.want)
			}
		})
	}
	g.Close()
	if text, _, err := g.Call(t.Context(), g.binding("alice"), "echo", nil); err == nil || err.Error() != "this server is stopping" {
		t.Errorf("after Close: %s, %v", text, err)
	}
	if entries := g.record.all(); len(entries) != 0 {
		t.Errorf("records of calls that were not made: %+v", entries)
	}
}

func TestCallEndsWithItsContext(t *testing.T) {
	g := newRig(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-g.entered
		cancel()
	}()
	text, failed, err := g.Call(ctx, g.binding("alice"), "wait", nil)
	if want := `{"error":{"code":"cancelled","message":"the call was cancelled"}}`; err != nil || !failed || string(text) != want {
		t.Errorf("%s, failed %t, %v", text, failed, err)
	}
}
