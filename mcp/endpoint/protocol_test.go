package endpoint

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"caddy-netbox-mcp/mcp/toolset"
)

func TestNewRefuses(t *testing.T) {
	set, err := toolset.NewSet()
	if err != nil {
		t.Fatal(err)
	}
	for name, cfg := range map[string]Config{
		"no name":                      {Tools: set},
		"no tools":                     {Name: "x"},
		"1,501 characters to instruct": {Name: "x", Tools: set, Instructions: strings.Repeat("é", 1501)},
	} {
		if _, err := New(cfg); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := New(Config{Name: "x", Tools: set, Instructions: strings.Repeat("é", 1500)}); err != nil {
		t.Error(err)
	}
}

// The SDK's own client works in both eras.
func TestClient(t *testing.T) {
	for _, version := range []string{older, "2025-06-18", "2025-03-26", "2024-11-05", newest} {
		t.Run(version, func(t *testing.T) {
			g := newRig(t, nil)
			s := g.client(t, version)
			init := s.InitializeResult()
			if init.ProtocolVersion != version || init.ServerInfo.Name != "test-server" || init.ServerInfo.Title != "Test" || init.Instructions != "Be careful." {
				t.Errorf("initialized with %+v", init)
			}
			list, err := s.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, d := range list.Tools {
				names = append(names, d.Name)
				if a := d.Annotations; a == nil || a.Title == "" || a.DestructiveHint == nil || a.OpenWorldHint == nil || d.OutputSchema != nil {
					t.Errorf("tool %s: %+v", d.Name, a)
				}
			}
			if got := strings.Join(names, " "); got != "breaks echo fails leaks panics unencodable wait writer" {
				t.Errorf("tools %s", got)
			}
			if list.TTLMs != listTTL || list.CacheScope != "private" {
				t.Errorf("the list may be kept %d ms, %s", list.TTLMs, list.CacheScope)
			}
			r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"a": "b"}})
			if err != nil {
				t.Fatal(err)
			}
			if text := r.Content[0].(*mcp.TextContent).Text; r.IsError || text != `{"arguments":{"a":"b"},"caller":"alice"}` {
				t.Errorf("result %s", text)
			}
			if version == newest != (g.Sessions() == 0) {
				t.Errorf("%d sessions", g.Sessions())
			}
		})
	}
}

// Exactly what exists is declared: tools, without list_changed.
func TestCapabilities(t *testing.T) {
	g := newRig(t, nil)
	for name, a := range map[string]answer{
		older:  g.post(t, initialize),
		newest: g.post(t, modernBody("server/discover", "", ""), modernHeaders("server/discover", "")...),
	} {
		var r struct{ Capabilities json.RawMessage }
		if err := json.Unmarshal(a.message(t).Result, &r); err != nil {
			t.Fatal(err)
		}
		if string(r.Capabilities) != `{"tools":{}}` {
			t.Errorf("%s: capabilities %s", name, r.Capabilities)
		}
	}
}

func TestListForCaller(t *testing.T) {
	g := newRig(t, nil)
	list := func(headers ...string) string {
		var r struct {
			Tools []struct{ Name string }
		}
		if err := json.Unmarshal(g.post(t, modernBody("tools/list", "", ""), append(headers, modernHeaders("tools/list", "")...)...).message(t).Result, &r); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, d := range r.Tools {
			names = append(names, d.Name)
		}
		return strings.Join(names, " ")
	}
	const all = "breaks echo fails leaks panics unencodable wait writer"
	if got := list(); got != all {
		t.Errorf("for a writer: %s", got)
	}
	if got := list(callerHeader, "reader"); got != strings.TrimSuffix(all, " writer") {
		t.Errorf("for a reader: %s", got)
	}
	if got := list(); got != all {
		t.Errorf("for a writer again: %s", got)
	}
	// Another configuration: its own definitions.
	tools := g.tools()[:1]
	tools[0].Description = "Another one."
	set, err := toolset.NewSet(tools...)
	if err != nil {
		t.Fatal(err)
	}
	changed := *g.site
	changed.Tools = set
	g.site = &changed
	if got := list(); got != "echo" {
		t.Errorf("after a reload: %s", got)
	}
}

func TestAnswerFormats(t *testing.T) {
	g := newRig(t, nil)
	id := g.open(t, "")
	params := `"name":"echo","arguments":{}`
	tests := []struct {
		name   string
		a      answer
		format string
	}{
		{"older era", g.post(t, call(2, "echo", `{}`), sessionHeader, id), "text/event-stream"},
		{"2026-07-28", g.post(t, modernBody("tools/call", params, ""), modernHeaders("tools/call", "echo")...), "application/json"},
		{"2026-07-28 with a progress token", g.post(t, modernBody("tools/call", params, `"progressToken":1`), modernHeaders("tools/call", "echo")...), "text/event-stream"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.a.header.Get("Content-Type"); tt.a.status != 200 || got != tt.format {
				t.Errorf("status %d, format %q, want %q", tt.a.status, got, tt.format)
			}
			if text, failed := tt.a.message(t).tool(t); failed || text != `{"arguments":{},"caller":"alice"}` {
				t.Errorf("result %s", text)
			}
			if tt.format == "text/event-stream" && tt.a.header.Get("X-Accel-Buffering") != "no" {
				t.Errorf("headers %v", tt.a.header)
			}
		})
	}
}

// The SDK refuses in plain text; clients get JSON-RPC with the id of their message.
func TestRefusalsOfTheSDK(t *testing.T) {
	g := newRig(t, nil)
	id := g.open(t, "")
	ping := `{"jsonrpc":"2.0","id":9,"method":"ping"}`
	tests := []struct {
		name    string
		request *http.Request
		status  int
		id      string
		code    int
		words   string
	}{
		{"content type", g.request(t.Context(), "POST", ping, sessionHeader, id, "Content-Type", "text/plain"), 415, "9", -32600, "application/json"},
		{"accept", g.request(t.Context(), "POST", ping, sessionHeader, id, "Accept", "text/html"), 400, "9", -32600, "Accept"},
		{"method", g.request(t.Context(), "PUT", "", sessionHeader, id), 405, "null", -32600, "Method Not Allowed"},
		{"GET in the new era", g.request(t.Context(), "GET", "", versionHeader, newest), 405, "null", -32600, "Method Not Allowed"},
		{"GET without session", g.request(t.Context(), "GET", "", "Accept", "text/event-stream"), 400, "null", -32600, "Mcp-Session-Id"},
		{"DELETE without session", g.request(t.Context(), "DELETE", ""), 400, "null", -32600, "Mcp-Session-Id"},
		{"unknown version", g.request(t.Context(), "POST", ping, sessionHeader, id, versionHeader, "2020-01-01"), 400, "9", -32600, "protocol version"},
		{"unknown method", g.request(t.Context(), "POST", `{"jsonrpc":"2.0","id":"x","method":"fly"}`, sessionHeader, id), 200, `"x"`, -32601, `method not found: "fly"`},
		{"unknown method without session", g.request(t.Context(), "POST", `{"jsonrpc":"2.0","id":"x","method":"fly"}`), 200, `"x"`, -32601, "fly"},
		{"unknown method in the new era", g.request(t.Context(), "POST", modernBody("fly", "", ""), modernHeaders("fly", "")...), 404, "1", -32601, "fly"},
		{"long method", g.request(t.Context(), "POST", `{"jsonrpc":"2.0","id":1,"method":"`+strings.Repeat("é", 128)+`"}`, sessionHeader, id), 200, "1", -32601, "é"},
		{"long version", g.request(t.Context(), "POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, sessionHeader, id, versionHeader, "1"+strings.Repeat("x", 9000)), 400, "1", -32600, "version"},
		{"wrong version of JSON-RPC", g.request(t.Context(), "POST", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, sessionHeader, id), 400, "1", -32600, "JSON-RPC 2.0"},
		{"version of JSON-RPC is a number", g.request(t.Context(), "POST", `{"jsonrpc":2,"id":1,"method":"ping"}`, sessionHeader, id), 400, "1", -32600, "JSON-RPC 2.0"},
		{"request without id", g.request(t.Context(), "POST", `{"jsonrpc":"2.0","method":"ping"}`, sessionHeader, id), 400, "null", -32600, "missing id"},
		{"no header for the new era", g.request(t.Context(), "POST", modernBody("tools/list", "", ""), versionHeader, newest), 400, "1", -32020, "Mcp-Method"},
		{"future version", g.request(t.Context(), "POST", strings.ReplaceAll(modernBody("tools/list", "", ""), newest, "2099-01-01"), versionHeader, "2099-01-01", "Mcp-Method", "tools/list"), 400, "1", -32022, "version"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := send(t, tt.request)
			m := a.message(t)
			if a.status != tt.status || string(m.ID) != tt.id || m.Error.Code != tt.code || !strings.Contains(m.Error.Message, tt.words) {
				t.Errorf("status %d, %s; want %d, id %s, %d, %q", a.status, a.body, tt.status, tt.id, tt.code, tt.words)
			}
			if got := a.header.Get("Content-Type"); got != "application/json" {
				t.Errorf("Content-Type %q", got)
			}
			if len(a.body) > 2*maxRefusal {
				t.Errorf("%d bytes", len(a.body))
			}
		})
	}
}

// An unknown notification is accepted and changes nothing, as JSON-RPC has no answer to it.
func TestUnknownNotification(t *testing.T) {
	g := newRig(t, nil)
	id := g.open(t, "")
	a := g.post(t, `{"jsonrpc":"2.0","method":"notifications/fly"}`, sessionHeader, id)
	if a.status != 202 || a.body != "" || a.header.Get("Content-Type") != "" {
		t.Errorf("status %d, %v, %q", a.status, a.header, a.body)
	}
	if a := g.post(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, sessionHeader, id); a.status != 200 {
		t.Errorf("afterwards: status %d, %s", a.status, a.body)
	}
}

// A missing Accept means anything.
func TestMissingAccept(t *testing.T) {
	g := newRig(t, nil)
	r := g.request(t.Context(), "POST", initialize)
	r.Header["Accept"] = nil
	if a := send(t, r); a.status != 200 {
		t.Errorf("status %d, %s", a.status, a.body)
	}
}

func TestHeartbeat(t *testing.T) {
	g := newRig(t, nil)
	g.heartbeat = time.Millisecond
	id := g.open(t, "")
	resp, err := http.DefaultClient.Do(g.request(t.Context(), "POST", call(2, "wait", `{}`), sessionHeader, id))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	stream := lines(resp.Body)
	for range 3 {
		for line := receive(t, stream, "a heartbeat"); line != ": alive"; line = receive(t, stream, "a heartbeat") {
			if line != "" {
				t.Fatalf("line %q", line)
			}
		}
	}
	close(g.release)
	for line := range stream {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			var m message
			if err := json.Unmarshal([]byte(data), &m); err != nil {
				t.Fatal(err)
			}
			if text, failed := m.tool(t); failed || text != `"released"` {
				t.Errorf("result %s", text)
			}
			return
		}
	}
	t.Error("the stream ended without a result")
}

// An error that was meant to be the whole answer, after a heartbeat already began the stream.
func TestErrorAfterHeartbeat(t *testing.T) {
	w := httptest.NewRecorder()
	r := newResponse(w, time.Hour, nil)
	r.Header().Set("Content-Type", "text/event-stream")
	r.started()
	if err := r.alive(); err != nil {
		t.Fatal(err)
	}
	r.Header().Set("Content-Type", "application/json")
	r.WriteHeader(400)
	if _, err := r.Write([]byte(`{"x":1}`)); err != nil {
		t.Fatal(err)
	}
	r.close()
	r.started() // too late, and without effect
	if w.Code != 200 || w.Header().Get("Content-Type") != "text/event-stream" || w.Body.String() != ": alive\n\nevent: message\ndata: {\"x\":1}\n\n" {
		t.Errorf("status %d, %v, %q", w.Code, w.Header(), w.Body)
	}
}

// What was set in front of an endpoint, such as CORS, is sent along, with answers and with refusals.
func TestHeadersOfTheFront(t *testing.T) {
	for name, status := range map[string]int{"application/json": 200, "text/plain": 415} {
		w := httptest.NewRecorder()
		w.Header().Set("Access-Control-Allow-Origin", "https://a.example")
		r := newResponse(w, time.Hour, nil)
		r.Header().Set("Content-Type", name)
		r.Header().Set("Allow", "POST")
		r.WriteHeader(status)
		_, _ = r.Write([]byte("x"))
		r.close()
		if w.Code != status || w.Header().Get("Access-Control-Allow-Origin") == "" || w.Header().Get("Allow") != "POST" {
			t.Errorf("status %d, %v", w.Code, w.Header())
		}
	}
}

// No part of the caller's request but the binding gets to the tools.
func TestBearerStaysInFront(t *testing.T) {
	g := newRig(t, nil)
	r := g.request(t.Context(), "POST", "", "Authorization", "Bearer the-callers-own")
	bound := g.binding("").bind(r, nil)
	if got := bound.Header.Get("Authorization"); strings.Contains(got, "own") {
		t.Errorf("Authorization %q", got)
	}
	if r.Header.Get("Authorization") != "Bearer the-callers-own" {
		t.Error("the request itself was changed")
	}
}

func TestDefinitionHints(t *testing.T) {
	for _, h := range []toolset.Hints{{}, {ReadOnly: true, Idempotent: true}, {Destructive: true, OpenWorld: true}} {
		b, err := json.Marshal(definition(&toolset.Tool{Title: "T", Hints: h}).Annotations)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprint(map[string]any{"title": "T", "readOnlyHint": h.ReadOnly, "destructiveHint": h.Destructive, "idempotentHint": h.Idempotent, "openWorldHint": h.OpenWorld})
		if fmt.Sprint(got) != want {
			t.Errorf("annotations %v, want %s", got, want)
		}
	}
}
