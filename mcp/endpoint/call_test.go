package endpoint

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"caddy-netbox-mcp/mcp/toolset"
)

// Numbers, the order of members, unusual names: arguments reach a tool as they were written.
func TestArgumentsAreExact(t *testing.T) {
	eras(t, nil, func(t *testing.T, g *rig, call func(*testing.T, string, string) answer) {
		for _, arguments := range []string{
			`{"b":7.0,"a":9007199254740993}`, `{"a":[1E300,-0,1.10,0.1e-7]}`, `{"a":{"z":1,"y":2,"Z":3},"b":"é\u2028<&>"}`, `{}`,
		} {
			a := call(t, "echo", arguments)
			text, failed := a.message(t).tool(t)
			want := strings.ReplaceAll(arguments, `\u2028`, "\u2028")
			if failed || strings.ReplaceAll(text, `\u2028`, "\u2028") != `{"arguments":`+want+`,"caller":"alice"}` {
				t.Errorf("%s gives %s", arguments, text)
			}
		}
	})
}

func TestFailures(t *testing.T) {
	tests := []struct{ name, tool, arguments, want string }{
		{"unknown argument", "echo", `{"surprise":1}`, `{"error":{"code":"invalid_arguments","message":"invalid arguments: `},
		{"arguments are a list", "echo", `[]`, `{"error":{"code":"invalid_arguments",`},
		{"panic", "panics", `{}`, `{"error":{"code":"internal","message":"the tool failed unexpectedly; the server's log has the details"}}`},
		{"unknown error", "breaks", `{}`, `{"error":{"code":"internal","message":"the tool failed unexpectedly; the server's log has the details"}}`},
		{"result that is no JSON", "unencodable", `{}`, `{"error":{"code":"internal",`},
		{"secrets", "fails", `{}`, `{"error":{"code":"upstream_error","message":"[redacted] [redacted] [redacted]"}}`},
	}
	eras(t, nil, func(t *testing.T, g *rig, call func(*testing.T, string, string) answer) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				a := call(t, tt.tool, tt.arguments)
				text, failed := a.message(t).tool(t)
				if !failed || !strings.HasPrefix(text, tt.want) {
					t.Errorf("status %d, %s; want %s", a.status, text, tt.want)
				}
			})
		}
		// The process and the session go on.
		if text, failed := call(t, "echo", `{}`).message(t).tool(t); failed || text != `{"arguments":{},"caller":"alice"}` {
			t.Errorf("afterwards: %s", text)
		}
		log := g.log.String()
		for _, want := range []string{"a hostile answer", "rig_test.go", "disk is full", "tool=breaks"} {
			if !strings.Contains(log, want) {
				t.Errorf("the log lacks %q: %s", want, log)
			}
		}
		var outcomes []string
		for _, e := range g.record.all() {
			if e.Instance != "lab" || e.Caller != "alice" || e.Time.IsZero() {
				t.Errorf("entry %+v", e)
			}
			outcomes = append(outcomes, e.Tool+" "+e.Outcome)
		}
		if got := strings.Join(outcomes, ", "); got != "echo invalid_arguments, echo invalid_arguments, panics internal, breaks internal, unencodable internal, fails upstream_error, echo ok" {
			t.Errorf("recorded %s", got)
		}
	})
}

// Neither a result nor a record holds a secret, wherever in it an upstream put it.
func TestResultsHoldNoSecret(t *testing.T) {
	eras(t, nil, func(t *testing.T, g *rig, call func(*testing.T, string, string) answer) {
		text, failed := call(t, "leaks", `{}`).message(t).tool(t)
		if want := `{"a":"[redacted]","b":["[redacted]","it is [redacted]"],"[redacted]":1}`; failed || text != want {
			t.Errorf("result %s, want %s", text, want)
		}
		entries := g.record.all()
		if len(entries) != 1 || entries[0].Target != "tool [redacted]" || entries[0].RequestID != "[redacted]" || entries[0].Outcome != "ok" {
			t.Errorf("entries %+v", entries)
		}
	})
}

func TestDeadlineOfACall(t *testing.T) {
	eras(t, func(s *toolset.Site) { s.CallTimeout = 20 * time.Millisecond }, func(t *testing.T, g *rig, call func(*testing.T, string, string) answer) {
		text, failed := call(t, "wait", `{}`).message(t).tool(t)
		if !failed || !strings.HasPrefix(text, `{"error":{"code":"deadline_exceeded",`) {
			t.Errorf("result %s", text)
		}
		if err := receive(t, g.left, "the tool ends"); err != context.DeadlineExceeded {
			t.Errorf("the tool's context ended with %v", err)
		}
	})
}

func TestUnknownTool(t *testing.T) {
	eras(t, func(s *toolset.Site) { s.ReadOnly = true }, func(t *testing.T, g *rig, call func(*testing.T, string, string) answer) {
		text := func(tool string) string {
			a := call(t, tool, `{}`)
			m := a.message(t)
			if m.Error.Code != -32602 {
				t.Errorf("%.20q: status %d, %s", tool, a.status, a.body)
			}
			return m.Error.Message
		}
		if got := text("nothing"); got != `unknown tool "nothing"` {
			t.Errorf("a tool that is not there: %s", got)
		}
		// Not served: the same, but for the name.
		if got := text("writer"); got != `unknown tool "writer"` {
			t.Errorf("a tool that is not served: %s", got)
		}
		if got := text(strings.Repeat("x", 5000)); len(got) > 250 {
			t.Errorf("a name of %d bytes comes back", len(got))
		}
		if n := len(g.record.all()); n != 0 {
			t.Errorf("%d calls were recorded", n)
		}
	})
}

// A dropped connection ends a call of 2026-07-28.
func TestDroppedConnectionCancels(t *testing.T) {
	for _, meta := range []string{"", `"progressToken":1`} {
		t.Run("with "+meta, func(t *testing.T) {
			g := newRig(t, nil)
			ctx, cancel := context.WithCancel(t.Context())
			r := g.request(ctx, http.MethodPost, modernBody("tools/call", `"name":"wait","arguments":{}`, meta), modernHeaders("tools/call", "wait")...)
			go func() { _, _ = http.DefaultClient.Do(r) }()
			receive(t, g.entered, "the tool runs")
			cancel()
			if err := receive(t, g.left, "the tool ends"); err != context.Canceled {
				t.Errorf("the tool's context ended with %v", err)
			}
			eventually(t, "the call is recorded", func() bool { return len(g.record.all()) == 1 })
			if got := g.record.all()[0].Outcome; got != "cancelled" {
				t.Errorf("outcome %s", got)
			}
		})
	}
}

// In the older era a dropped connection changes nothing, but notifications/cancelled does.
func TestCancelledNotificationCancels(t *testing.T) {
	g := newRig(t, nil)
	id := g.open(t, "")
	ctx, drop := context.WithCancel(t.Context())
	dropped := make(chan struct{})
	r := g.request(ctx, http.MethodPost, call(2, "wait", `{}`), sessionHeader, id)
	go func() {
		defer close(dropped)
		_, _ = http.DefaultClient.Do(r)
	}()
	receive(t, g.entered, "the tool runs")
	drop()
	receive(t, dropped, "the connection is gone")
	// The session is still in use by the call alone once the server has noticed.
	eventually(t, "the request is over", func() bool { return g.uses(id) == 1 })
	select {
	case err := <-g.left:
		t.Fatalf("the tool ended with %v", err)
	default:
	}
	a := g.post(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`, sessionHeader, id)
	if a.status != http.StatusAccepted {
		t.Errorf("status %d, %s", a.status, a.body)
	}
	if err := receive(t, g.left, "the tool ends"); err != context.Canceled {
		t.Errorf("the tool's context ended with %v", err)
	}
	eventually(t, "the session is idle", func() bool { return g.uses(id) == 0 })
}

// uses is how many uses of a session are noted.
func (g *rig) uses(id string) int {
	g.sessions.mu.Lock()
	defer g.sessions.mu.Unlock()
	if v := g.sessions.byID[id]; v != nil {
		return v.inUse
	}
	return -1
}

// What a request is judged by came with it, not with the session it belongs to.
func TestBindingOfTheRequest(t *testing.T) {
	g := newRig(t, nil)
	id := g.open(t, "")
	changed := *g.site
	changed.ReadOnly = true
	g.site = &changed
	if m := g.post(t, call(2, "writer", `{}`), sessionHeader, id).message(t); m.Error.Code != -32602 {
		t.Errorf("after the reload: %s, %+v", m.Result, m.Error)
	}
}

func TestIncompleteBinding(t *testing.T) {
	g := newRig(t, nil)
	for name, b := range map[string]*Binding{"none": nil, "no site": {Principal: toolset.Principal{Name: "x"}}, "nobody": {Site: g.site}} {
		t.Run(name, func(t *testing.T) {
			w := &recorder{header: http.Header{}}
			r := g.request(t.Context(), http.MethodPost, initialize)
			g.Serve(w, r, b, []byte(initialize), Message{Method: "initialize"})
			if w.status != http.StatusUnauthorized {
				t.Errorf("status %d", w.status)
			}
			if err := g.ServeStdio(t.Context(), nil, nil, b); err == nil {
				t.Error("stdio was served")
			}
		})
	}
}

type recorder struct {
	header http.Header
	status int
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) WriteHeader(status int)      { r.status = status }
func (r *recorder) Write(p []byte) (int, error) { return len(p), nil }
