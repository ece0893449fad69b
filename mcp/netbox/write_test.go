package netbox_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"caddy-netbox-mcp/bridge/discovery"
	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/netboxapi"
	"caddy-netbox-mcp/bridge/netboxsim"
	"caddy-netbox-mcp/bridge/secret"
	"caddy-netbox-mcp/mcp/envelope"
	"caddy-netbox-mcp/mcp/netbox"
	"caddy-netbox-mcp/mcp/toolset"
)

const created = `{"ok":true,"task_id":17,"message":"queued"}`

func TestDryRun(t *testing.T) {
	tests := []struct{ name, tool, arguments, want string }{
		{"write", "create_task", `{"category":"inventory","target_ids":[7.0,9007199254740993]}`,
			`"tool":"create_task","effect":"destructive","method":"POST","path":"/api/plugins/example/tasks/","query":{},"body":{"category":"inventory","target_ids":[7.0,9007199254740993]},`},
		{"empty body", "purge", `{}`, `"tool":"purge","effect":"destructive","method":"DELETE","path":"/api/plugins/example/tasks/","query":{},"body":{},`},
		{"read", "search", `{"n":7.0}`, `"tool":"search","effect":"read","method":"GET","path":"/api/plugins/example/search/","query":{"n":7.0},"body":null,`},
	}
	for _, gate := range []bool{false, true} {
		for _, tt := range tests {
			t.Run(fmt.Sprintf("%s, gate %t", tt.name, gate), func(t *testing.T) {
				r := newRig(t)
				r.caller.AllowMutations = gate
				o := r.run(t, tt.tool, tt.arguments, `,"dry_run":true`)
				o.wantText(t, `{"dry_run":true,"instance":"lab","plugin":"example",`+tt.want+
					`"notice":"Local preview only, not server-side validation: nothing was sent to the tool, and the live call may still fail."}`)
				r.wantNoDispatch(t)
				if !o.entry.DryRun || o.entry.Status != 0 {
					t.Errorf("entry %+v", o.entry)
				}
			})
		}
	}
}

func TestClosedGate(t *testing.T) {
	tests := []struct {
		name  string
		close func(*rig)
		words []string
	}{
		{"gate", func(r *rig) { r.caller.AllowMutations = false }, []string{"mutations are disabled", "NETBOX_MCP_ALLOW_MUTATIONS", "--allow-mutations"}},
		{"read-only site", func(r *rig) { r.site.ReadOnly = true }, []string{"mutations are disabled", "read-only"}},
		{"read-only caller", func(r *rig) { r.caller.ReadOnly = true }, []string{"mutations are disabled", "read-only"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			tt.close(r)
			o := r.run(t, "create_task", `{"category":"inventory"}`, ``)
			o.want(t, envelope.MutationsDisabled, tt.words...)
			r.wantNoDispatch(t)
			if o.entry.Effect != "destructive" || o.entry.Status != 0 {
				t.Errorf("entry %+v", o.entry)
			}
		})
	}
}

func TestWrite(t *testing.T) {
	tests := []struct{ name, arguments, body string }{
		{"object", `{"category":"inventory"}`, `{"category":"inventory"}`},
		{"JSON text", `"{\"category\" : \"inventory\"}"`, `{"category":"inventory"}`},
		{"numbers as they were written", `{"category":"inventory","target_ids":[7.0,9007199254740993,9223372036854775807,9007199254740991.0]}`, `{"category":"inventory","target_ids":[7.0,9007199254740993,9223372036854775807,9007199254740991.0]}`},
		{"leap second", `{"category":"inventory","scheduled_at":"1990-12-31T23:59:60Z"}`, `{"category":"inventory","scheduled_at":"1990-12-31T23:59:60Z"}`},
		{"non-ASCII", `{"category":"inventory","task_name":"Zürich <東京>"}`, `{"category":"inventory","task_name":"Zürich <東京>"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.sim.Inject("POST "+tasks, netboxsim.Fault{Status: 201, Header: http.Header{"X-Request-Id": {"abc"}}, Body: []byte(created)})
			o := r.run(t, "create_task", tt.arguments, ``)
			o.wantText(t, `{"plugin":"example","tool":"create_task","effect":"destructive","status":201,"headers":{"api-version":"4.7","content-length":"43","content-type":"application/json","x-request-id":"abc"},"body":`+created+`}`)
			sent := r.sent()
			if len(sent) != 1 || sent[0].Method != http.MethodPost || sent[0].Path != tasks || sent[0].RawQuery != "" || string(sent[0].Body) != tt.body {
				t.Errorf("sent %+v, want one POST of %s", sent, tt.body)
			}
			if ct := sent[0].Header.Get("Content-Type"); ct != "application/json" {
				t.Errorf("Content-Type %q", ct)
			}
			if e := o.entry; e.Status != 201 || e.RequestID != "abc" || e.Effect != "destructive" {
				t.Errorf("entry %+v", e)
			}
		})
	}
}

func TestWriteWithoutBody(t *testing.T) {
	for _, status := range []int{204, 205} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			r := newRig(t)
			r.sim.Inject("DELETE "+tasks, netboxsim.Fault{Handler: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }})
			o := r.run(t, "purge", `{}`, ``)
			if o.failure != nil || !strings.Contains(o.text, fmt.Sprintf(`"status":%d,`, status)) || !strings.HasSuffix(o.text, `"body":null}`) {
				t.Errorf("result %s", o.text)
			}
			if sent := r.sent(); len(sent) != 1 || string(sent[0].Body) != "{}" {
				t.Errorf("sent %+v", sent)
			}
		})
	}
}

func TestWriteArgumentsRefused(t *testing.T) {
	with := func(member string) string { return `{"category":"inventory",` + member + `}` }
	tests := []struct{ name, arguments, words string }{
		{"missing", `{}`, "category"},
		{"unknown", with(`"surprise":1`), "surprise"},
		{"no date", with(`"scheduled_at":"not-a-date"`), "date-time"},
		{"id 0", with(`"target_ids":[0]`), "/target_ids/0"},
		{"id over 64 bits", with(`"target_ids":[9223372036854775808]`), "/target_ids/0"},
		{"id true", with(`"target_ids":[true]`), "/target_ids/0"},
		{"id as text", with(`"target_ids":["7"]`), "/target_ids/0"},
		{"fraction", with(`"target_ids":[7.5]`), "/target_ids/0"},
		{"inexact float", with(`"target_ids":[9007199254740992.0]`), "/target_ids/0"},
		{"numerically the same", with(`"target_ids":[7,7.0]`), "/target_ids"},
		{"infinity in text", `"{\"category\":\"inventory\",\"target_ids\":[Infinity]}"`, "not JSON"},
		{"not a number in text", `"{\"category\":\"inventory\",\"target_ids\":[NaN]}"`, "not JSON"},
		{"duplicate key in text", `"{\"category\":\"inventory\",\"category\":\"inventory\"}"`, "not JSON"},
		{"list in text", `"[]"`, "must hold an object"},
		{"text in text", `"\"{}\""`, "must hold an object"},
	}
	for _, when := range []string{"9999-12-31T23:59:60Z", "9999-12-31T23:59:60+23:59", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59", "2026-08-12T12:34:60Z", "1990-12-31T23:59:60+01:00"} {
		tests = append(tests, struct{ name, arguments, words string }{when, with(`"scheduled_at":"` + when + `"`), "date-time"})
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			o := r.run(t, "create_task", tt.arguments, ``)
			o.want(t, envelope.InvalidArguments, tt.words)
			if strings.Contains(o.text, "outcome unknown") {
				t.Error(o.text)
			}
			r.wantNoDispatch(t)
		})
	}
}

// What breaks the call's own shape is refused before NetBox hears of it.
func TestCallArgumentsRefused(t *testing.T) {
	many := make([]string, 501)
	for i := range many {
		many[i] = fmt.Sprintf(`"a%d":1`, i)
	}
	object := "{" + strings.Join(many, ",") + "}"
	tests := []struct{ name, call, words string }{
		{"unknown argument", `{"plugin":"example","tool":"search","confirm":true}`, "confirm"},
		{"no tool", `{"plugin":"example"}`, "tool"},
		{"plugin with a slash", `{"plugin":"../dcim","tool":"search"}`, "/plugin"},
		{"tool with a hyphen", `{"plugin":"example","tool":"a-b"}`, "/tool"},
		{"dry_run as text", `{"plugin":"example","tool":"search","dry_run":"true"}`, "/dry_run"},
		{"arguments as a list", `{"plugin":"example","tool":"search","arguments":[]}`, "/arguments"},
		{"too many members", `{"plugin":"example","tool":"search","arguments":` + object + `}`, "/arguments"},
		{"too many members in text", `{"plugin":"example","tool":"search","arguments":` + fmt.Sprintf("%q", object) + `}`, "at most 500 members"},
		{"too deep", `{"plugin":"example","tool":"store","arguments":{"value":` + strings.Repeat("[", 33) + strings.Repeat("]", 33) + `}}`, "nesting limit"},
		{"too large", `{"plugin":"example","tool":"store","arguments":{"value":"` + strings.Repeat("x", 262_144) + `"}}`, "size limit"},
		{"empty token", `{"plugin":"example","tool":"search","token":""}`, "/token"},
		{"token with a line break", `{"plugin":"example","tool":"search","token":"abc\ndef"}`, "token"},
		{"token with a part missing", `{"plugin":"example","tool":"search","token":"nbt_abc."}`, "lacks a part"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.call(t, "plugin_call_tool", tt.call).want(t, envelope.InvalidArguments, tt.words)
			if n := len(r.sim.Requests()); n != 0 {
				t.Errorf("%d requests were sent", n)
			}
		})
	}
}

func TestUnknownTool(t *testing.T) {
	r := newRig(t)
	r.run(t, "fly", `{}`, ``).want(t, envelope.ToolNotFound, "plugin tool not found: example.fly", "list_tasks, create_task")
	r.wantNoDispatch(t)
}

func TestOutcomeUnknown(t *testing.T) {
	long := `{"detail":"` + strings.Repeat("é", 4000) + `"}`
	tests := []struct {
		name   string
		fault  netboxsim.Fault
		status int      // in the details, 0 for none
		words  []string // in the message
		answer string   // in the details, "" for none
	}{
		{"400", netboxsim.Fault{Status: 400, Body: []byte(`{"category":["Not today."]}`)}, 400, []string{"(NetBox answered with HTTP 400)"}, `{"category":["Not today."]}`},
		{"403", netboxsim.Fault{Status: 403, Body: []byte(`{"detail":"You do not have permission to perform this action."}`)}, 403,
			[]string{`do not retry blindly (NetBox: "You do not have permission to perform this action.", with HTTP 403). Look first`}, `{"detail":"You do not have permission to perform this action."}`},
		{"401", netboxsim.Fault{Status: 401, Body: []byte(`{"detail":"Invalid token"}`)}, 401, []string{`(NetBox: "Invalid token", with HTTP 401)`}, `{"detail":"Invalid token"}`},
		{"500 with a detail", netboxsim.Fault{Status: 500, Body: []byte(`{"detail":"Database\n is\u202e gone"}`)}, 500, []string{`(NetBox: "Database is gone", with HTTP 500)`}, `{"detail":"Database\n is\u202e gone"}`},
		{"500", netboxsim.Fault{Status: 500, Body: []byte(`{"error":"x"}`)}, 500, []string{"HTTP 500"}, `{"error":"x"}`},
		{"long answer", netboxsim.Fault{Status: 500, Body: []byte(long)}, 500, []string{`(NetBox: "` + strings.Repeat("é", 200) + `", with HTTP 500)`}, `{"detail":"` + strings.Repeat("é", 1018)},
		{"302", netboxsim.Fault{Status: 302, Header: http.Header{"Location": {"/elsewhere/"}}}, 302, []string{"redirect", "HTTP 302"}, ""},
		{"307 with a body", netboxsim.Fault{Status: 307, Header: http.Header{"Location": {"/elsewhere/"}}, Body: []byte(`moved`)}, 307, []string{"redirect"}, "moved"},
		{"304", netboxsim.Fault{Status: 304}, 304, []string{"HTTP 304"}, ""},
		{"HTML", netboxsim.Fault{Status: 502, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: []byte("<h1>Bad gateway</h1>")}, 502, []string{"(NetBox answered with HTTP 502 and an HTML page)"}, "(an HTML page)"},
		{"HTML with 200", netboxsim.Fault{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte("<h1>Log in</h1>")}, 200, []string{"HTML page"}, "(an HTML page)"},
		{"no JSON", netboxsim.Fault{Status: 201, Body: []byte(`not-json`)}, 201, []string{"JSON"}, "not-json"},
		{"not a number", netboxsim.Fault{Status: 201, Body: []byte(`{"ok":NaN}`)}, 201, []string{"finite JSON"}, `{"ok":NaN}`},
		{"breaks the output schema", netboxsim.Fault{Status: 201, Body: []byte(`{"ok":false,"task_id":1,"message":""}`)}, 201, []string{"/ok"}, `{"ok":false,"task_id":1,"message":""}`},
		{"invisible characters", netboxsim.Fault{Status: 500, Body: []byte("{\"a\":\"b\u202ec\"}")}, 500, nil, `{"a":"bc"}`},
		{"cut", netboxsim.Fault{Status: 201, Body: []byte(created), Cut: true, CutAfter: 10}, 201, []string{"cut off"}, created[:10]},
		{"reset", netboxsim.Fault{Reset: true}, 0, []string{"cut off"}, ""},
		{"hangs", netboxsim.Fault{Hang: true}, 0, []string{"in time"}, ""},
		{"too large", netboxsim.Fault{Status: 201, Body: []byte(strings.Repeat("x", 262_145))}, 201, []string{"size limit"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, func(s *netboxsim.Config, c *netboxapi.Config) {
				if tt.fault.Hang {
					shortTimeout(s, c)
				}
			})
			if tt.fault.Header == nil {
				tt.fault.Header = http.Header{}
			}
			tt.fault.Header.Set("X-Request-Id", "req-1")
			r.sim.Inject("POST "+tasks, tt.fault)
			o := r.run(t, "create_task", `{"category":"inventory"}`, ``)
			o.want(t, envelope.OutcomeUnknown, append(tt.words, "write outcome unknown; do not retry blindly", "change log")...)
			status, _ := o.failure.Details["status"].(int)
			answer, _ := o.failure.Details["answer"].(string)
			if status != tt.status || answer != tt.answer {
				t.Errorf("status %d, answer %q; want %d, %q", status, answer, tt.status, tt.answer)
			}
			if tt.status != 0 && (o.failure.Details["request_id"] != "req-1" || o.entry.RequestID != "req-1" || o.entry.Status != tt.status) {
				t.Errorf("details %v, entry %+v", o.failure.Details, o.entry)
			}
			if strings.Contains(o.text, "/elsewhere/") {
				t.Errorf("the location is shown: %s", o.text)
			}
			sent := r.sent()
			if len(sent) != 1 || sent[0].Method != http.MethodPost || sent[0].Path != tasks {
				t.Errorf("sent %d requests: %+v", len(sent), sent)
			}
		})
	}
}

// NetBox goes away between discovery and the write: nothing was sent, and the failure says so.
func TestWriteNotSent(t *testing.T) {
	r := newRig(t)
	gone := func(q *http.Request) {
		if q.URL.Path == "/api/plugins/example/mcp/" {
			_ = r.server.Listener.Close()
		}
	}
	r.before.Store(&gone)
	o := r.run(t, "create_task", `{"category":"inventory"}`, ``)
	o.want(t, envelope.UpstreamUnreachable, "The write was not sent; nothing was changed")
	if strings.Contains(o.text, "outcome unknown") {
		t.Error(o.text)
	}
	r.wantNoDispatch(t)
}

// A write with less than a second left is not started.
func TestWriteTooLate(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithTimeout(t.Context(), 900*time.Millisecond)
	defer cancel()
	r.ctx = ctx
	r.run(t, "create_task", `{"category":"inventory"}`, ``).want(t, envelope.DeadlineExceeded, "The write was not sent")
	r.wantNoDispatch(t)
}

// A write that was sent runs to its end, whatever becomes of its caller, and its result arrives and is recorded.
func TestWriteOutlivesItsCaller(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r.ctx = ctx
	r.sim.Inject("POST "+tasks, netboxsim.Fault{Handler: func(w http.ResponseWriter, _ *http.Request) {
		cancel()
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(201)
		_, _ = w.Write([]byte(created))
	}})
	if o := r.run(t, "create_task", `{"category":"inventory"}`, ``); o.failure != nil || o.entry.Status != 201 || !strings.Contains(o.text, created) {
		t.Errorf("outcome %s, entry %+v", o.text, o.entry)
	}
	// The next call of the same caller is over before it begins.
	r.sim.Reset()
	r.run(t, "create_task", `{"category":"inventory"}`, ``).want(t, envelope.Cancelled)
	r.wantNoDispatch(t)
}

// A write whose caller leaves before it is sent is never sent, and the failure says so. Here the caller leaves during the TLS
// handshake, which a write always has to itself and which then succeeds.
func TestWriteEndsWithItsCallerBeforeItIsSent(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r.ctx = ctx
	var discovered, handshakes atomic.Int32
	seen := func(q *http.Request) {
		if q.URL.Path == "/api/plugins/example/mcp/" {
			discovered.Add(1)
		}
	}
	r.before.Store(&seen)
	s := httptest.NewUnstartedServer(r.server.Config.Handler)
	s.TLS = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		if discovered.Load() > 0 {
			handshakes.Add(1)
			cancel()
		}
		return nil, nil
	}}
	s.StartTLS()
	t.Cleanup(s.Close)
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	r.reach(t, s.URL, &tls.Config{RootCAs: pool})
	o := r.run(t, "create_task", `{"category":"inventory"}`, ``)
	o.want(t, envelope.Cancelled, "The write was not sent; nothing was changed")
	if o.entry.Status != 0 || handshakes.Load() != 1 {
		t.Errorf("entry %+v after %d handshakes", o.entry, handshakes.Load())
	}
	r.wantNoDispatch(t)
}

// reach replaces the way to NetBox.
func (r *rig) reach(t *testing.T, url string, cfg *tls.Config) {
	t.Helper()
	address, err := netboxapi.ParseAddress(url)
	if err != nil {
		t.Fatal(err)
	}
	api, err := netboxapi.New(netboxapi.Config{Address: address, TLS: cfg})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(api.CloseIdle)
	plugins := discovery.New(discovery.Config{Origins: manifest.NewOrigins(address.URL), Manifests: manifest.NewCache(1 << 20)})
	if r.set, err = toolset.NewSet(netbox.Tools(netbox.Config{API: api, Plugins: plugins})...); err != nil {
		t.Fatal(err)
	}
	r.site.Tools = r.set
}

func TestCallToken(t *testing.T) {
	tests := []struct{ name, token, authorization string }{
		{"v2", otherToken, "Bearer " + otherToken},
		{"v1", otherTokenV1, "Token " + otherTokenV1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.sim.Inject("POST "+tasks, netboxsim.Fault{Status: 500, Body: []byte(`{"you":"` + tt.token + `"}`)})
			o := r.run(t, "create_task", `{"category":"inventory"}`, `,"token":"`+tt.token+`"`)
			o.want(t, envelope.OutcomeUnknown)
			if strings.Contains(o.text, tt.token) || !strings.Contains(o.text, "[redacted]") {
				t.Errorf("the token is shown: %s", o.text)
			}
			requests := r.sim.Requests()
			if len(requests) != 4 {
				t.Errorf("%d requests", len(requests))
			}
			for _, q := range requests {
				if got := q.Header.Values("Authorization"); len(got) != 1 || got[0] != tt.authorization {
					t.Errorf("%s %s was sent as %q", q.Method, q.Path, got)
				}
			}
		})
	}
	t.Run("of no known shape, echoed", func(t *testing.T) {
		r := newRig(t)
		r.sim.SetTokens(netboxsim.Token{Value: "pass-phrase-of-mine", User: "odd", Superuser: true})
		r.sim.Inject("POST "+tasks, netboxsim.Fault{Status: 500, Body: []byte(`{"you":"pass-phrase-of-mine"}`)})
		o := r.run(t, "create_task", `{"category":"inventory"}`, `,"token":"pass-phrase-of-mine"`)
		o.want(t, envelope.OutcomeUnknown)
		if strings.Contains(o.text, "pass-phrase") {
			t.Errorf("the token is shown: %s", o.text)
		}
	})
	t.Run("refused by NetBox, no other is tried", func(t *testing.T) {
		r := newRig(t)
		r.run(t, "search", `{}`, `,"token":"nbt_wrong.wrong"`).want(t, envelope.UpstreamUnauthorized)
		if n := len(r.sim.Requests()); n != 1 {
			t.Errorf("%d requests", n)
		}
	})
	t.Run("not for this caller", func(t *testing.T) {
		r := newRig(t)
		r.caller.CallToken = false
		for _, tool := range []string{"plugin_call_tool", "plugin_list_tools"} {
			arguments := `{"plugin":"example","token":"` + otherToken + `"}`
			if tool == "plugin_call_tool" {
				arguments = `{"plugin":"example","tool":"search","token":"` + otherToken + `"}`
			}
			o := r.call(t, tool, arguments)
			o.want(t, envelope.InvalidArguments, "token is not allowed")
			if strings.Contains(o.text, "otherother") {
				t.Errorf("the token is shown: %s", o.text)
			}
		}
		if n := len(r.sim.Requests()); n != 0 {
			t.Errorf("%d requests were sent", n)
		}
	})
	t.Run("anonymous", func(t *testing.T) {
		r := newRig(t)
		r.caller.Credential = secret.Text{}
		r.run(t, "search", `{}`, ``).want(t, envelope.UpstreamUnauthorized)
		if got := r.sim.Requests()[0].Header.Values("Authorization"); got != nil {
			t.Errorf("Authorization %q", got)
		}
	})
}

func TestBasePath(t *testing.T) {
	r := newRig(t, func(s *netboxsim.Config, _ *netboxapi.Config) { s.BasePath = "/netbox" })
	r.answer("GET "+tasks, 200, `{"count":0,"tasks":[]}`)
	o := r.run(t, "list_tasks", `{}`, ``)
	if o.failure != nil {
		t.Fatal(o.text)
	}
	requests := r.sim.Requests()
	if last := requests[len(requests)-1]; last.Path != "/netbox"+tasks {
		t.Errorf("path %s", last.Path)
	}
	if o := r.run(t, "list_tasks", `{}`, `,"dry_run":true`); !strings.Contains(o.text, `"path":"`+tasks+`"`) {
		t.Errorf("the dry run shows the prefix: %s", o.text)
	}
}
