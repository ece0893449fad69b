package netbox_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"caddy-netbox-mcp/bridge/netboxapi"
	"caddy-netbox-mcp/bridge/netboxsim"
	"caddy-netbox-mcp/mcp/envelope"
)

func TestRead(t *testing.T) {
	r := newRig(t)
	r.answer("GET "+tasks, 200, `{"count": 1, "tasks": [{"id":7,"name":"é <x>","scheduled_at":null,"state":"queued"}]}`)
	o := r.run(t, "list_tasks", `{}`, ``)
	o.wantText(t, `{"plugin":"example","tool":"list_tasks","effect":"read","status":200,"headers":{"api-version":"4.7","content-length":"86","content-type":"application/json"},`+
		`"body":{"count":1,"tasks":[{"id":7,"name":"é <x>","scheduled_at":null,"state":"queued"}]}}`)
	sent := r.sent()
	if len(sent) != 1 || sent[0].Method != http.MethodGet || sent[0].Path != tasks || sent[0].RawQuery != "" || len(sent[0].Body) > 0 {
		t.Fatalf("sent %+v", sent)
	}
	for name := range sent[0].Header {
		switch name {
		case "Accept", "Accept-Encoding", "Authorization", "User-Agent":
		default:
			t.Errorf("the header %s was sent", name)
		}
	}
	if e := o.entry; e.Target != "example.list_tasks" || e.Effect != "read" || e.Status != 200 || e.DryRun {
		t.Errorf("entry %+v", e)
	}
}

func TestReadBodies(t *testing.T) {
	task := func(id string) string {
		return `{"count":1,"tasks":[{"id":` + id + `,"name":"x","scheduled_at":null,"state":"queued"}]}`
	}
	at := func(when string) string {
		return `{"count":1,"tasks":[{"id":1,"name":"x","scheduled_at":"` + when + `","state":"queued"}]}`
	}
	valid := []struct{ name, tool, body string }{
		{"largest exact float", "list_tasks", task("9007199254740991.0")},
		{"largest 64-bit integer", "list_tasks", task("9223372036854775807")},
		{"beyond doubles", "list_tasks", task("9007199254740993")},
		{"leap second", "list_tasks", at("1990-12-31T23:59:60Z")},
		{"no schema", "search", `[1.10,-0,1E5,"x"]`},
	}
	for _, tt := range valid {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.answer("GET "+tasks, 200, tt.body)
			r.answer("GET /api/plugins/example/search/", 200, tt.body)
			o := r.run(t, tt.tool, `{}`, ``)
			if !strings.HasSuffix(o.text, `"body":`+tt.body+`}`) {
				t.Errorf("the body did not come back as it was: %s", o.text)
			}
		})
	}
	invalid := []struct{ name, tool, body, words string }{
		{"id 0", "list_tasks", task("0"), "/tasks/0/id"},
		{"id over 64 bits", "list_tasks", task("9223372036854775808"), "/tasks/0/id"},
		{"id true", "list_tasks", task("true"), "/tasks/0/id"},
		{"id as text", "list_tasks", task(`"7"`), "/tasks/0/id"},
		{"fraction", "list_tasks", task("7.5"), "/tasks/0/id"},
		{"inexact float", "list_tasks", task("9007199254740992.0"), "/tasks/0/id"},
		{"infinity", "list_tasks", task("Infinity"), "finite JSON"},
		{"overflow", "list_tasks", task("1e400"), "finite JSON"},
		{"not a number", "list_tasks", task("NaN"), "finite JSON"},
		{"not a number without schema", "search", `{"count": NaN}`, "finite JSON"},
		{"duplicate key", "search", `{"a":1,"a":2}`, "strict"},
		{"empty", "search", ``, "JSON"},
		{"not JSON", "search", `not-json`, "JSON"},
		{"byte order mark", "search", "\ufeff{}", "JSON"},
		{"too deep", "search", strings.Repeat("[", 40) + strings.Repeat("]", 40), "nesting limit"},
		{"too many values", "search", "[" + strings.Repeat("0,", 10_000) + "0]", "limit of 10000 values"},
		{"no second of a leap", "list_tasks", at("2026-08-12T12:34:60Z"), "date-time"},
	}
	for _, tt := range invalid {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.answer("GET "+tasks, 200, tt.body)
			r.answer("GET /api/plugins/example/search/", 200, tt.body)
			o := r.run(t, tt.tool, `{}`, ``)
			o.want(t, envelope.ResponseInvalid, tt.words)
			if strings.Contains(o.failure.Message, "outcome unknown") || o.failure.Details["status"] != 200 {
				t.Errorf("failure %s", o.text)
			}
		})
	}
}

func TestReadStatuses(t *testing.T) {
	html := netboxsim.Fault{Status: 502, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte("<h1>Bad gateway s3cr3t</h1>")}
	tests := []struct {
		name  string
		fault netboxsim.Fault
		code  envelope.Code // empty: the answer is data
		want  string
	}{
		{"404 is data", netboxsim.Fault{Status: 404, Body: []byte(`{"detail":"Not found."}`)}, "", `"status":404,`},
		{"500 is data", netboxsim.Fault{Status: 500, Body: []byte(`{"error":"x"}`)}, "", `"status":500,`},
		{"204 has no body", netboxsim.Fault{Status: 204}, "", `"status":204,"headers":{"api-version":"4.7","content-type":"application/json"},"body":null}`},
		{"205 has no body", netboxsim.Fault{Handler: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(205) }}, "", `"body":null}`},
		{"302", netboxsim.Fault{Status: 302, Header: http.Header{"Location": {"/api/status/"}}}, envelope.RedirectRefused, "redirect"},
		{"307", netboxsim.Fault{Status: 307, Header: http.Header{"Location": {"/api/status/"}}}, envelope.RedirectRefused, "HTTP 307"},
		{"304", netboxsim.Fault{Status: 304}, envelope.ResponseInvalid, "If-None-Match"},
		{"HTML", html, envelope.ResponseInvalid, "HTTP 502 and an HTML page"},
		{"too large", netboxsim.Fault{Body: []byte(`"` + strings.Repeat("x", 262_143) + `"`)}, envelope.LimitExceeded, "size limit of 262144 bytes"},
		{"too large in chunks", netboxsim.Fault{Handler: func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`"`))
			for range 64 {
				_, _ = w.Write([]byte(strings.Repeat("x", 5000)))
			}
			_, _ = w.Write([]byte(`"`))
		}}, envelope.LimitExceeded, "size limit of 262144 bytes (decompressed)"},
		{"cut", netboxsim.Fault{Body: []byte(`{"a":1}`), Cut: true, CutAfter: 3}, envelope.ResponseInvalid, "cut off"},
		{"reset", netboxsim.Fault{Reset: true}, envelope.ResponseInvalid, "broken or was cut off"},
		{"hangs", netboxsim.Fault{Hang: true}, envelope.DeadlineExceeded, "in time"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, func(s *netboxsim.Config, c *netboxapi.Config) {
				if tt.fault.Hang {
					shortTimeout(s, c)
				}
			})
			r.sim.Inject("GET /api/plugins/example/search/", tt.fault)
			o := r.run(t, "search", `{}`, ``)
			if tt.code == "" {
				if o.failure != nil || !strings.Contains(o.text, tt.want) {
					t.Errorf("result %s, want %s", o.text, tt.want)
				}
			} else {
				o.want(t, tt.code, tt.want)
			}
			if strings.Contains(o.text, "s3cr3t") || strings.Contains(o.text, "/api/status/") {
				t.Errorf("a page or a location is shown: %s", o.text)
			}
			for _, q := range r.sent() {
				if q.Path != "/api/plugins/example/search/" {
					t.Errorf("%s was asked for", q.Path)
				}
			}
		})
	}
}

func TestReadHead(t *testing.T) {
	r := newRig(t)
	r.sim.Inject("HEAD "+tasks, netboxsim.Fault{Handler: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "4096000")
		w.Header().Set("Etag", `"x"`)
		w.Header().Set("Set-Cookie", "sessionid=1")
	}})
	r.run(t, "check_tasks", `{}`, ``).wantText(t, `{"plugin":"example","tool":"check_tasks","effect":"read","status":200,"headers":{"content-length":"4096000","etag":"\"x\""},"body":null}`)
}

func TestReadQuery(t *testing.T) {
	tests := []struct{ name, arguments, want string }{
		{"none", `{}`, ""},
		{"in order", `{"n":7.0,"q":"a b&c=d","ids":[3,1,9007199254740993],"on":true}`, "n=7.0&q=a+b%26c%3Dd&ids=3&ids=1&ids=9007199254740993&on=true"},
		{"null and nothing", `{"q":null,"ids":[],"on":false}`, "q=&on=false"},
		{"as text", `"{\"n\":1e2}"`, "n=1e2"},
		{"null arguments", `null`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.answer("GET /api/plugins/example/search/", 200, `{}`)
			if o := r.run(t, "search", tt.arguments, ``); o.failure != nil {
				t.Fatal(o.text)
			}
			if sent := r.sent(); len(sent) != 1 || sent[0].RawQuery != tt.want {
				t.Errorf("sent %+v, want the query %s", sent, tt.want)
			}
		})
	}
}

func TestHeaders(t *testing.T) {
	r := newRig(t)
	r.answer("GET /api/plugins/example/search/", 200, `{}`)
	if o := r.run(t, "search", `{}`, `,"header":["If-None-Match: \"a=b\"","accept-language=de","X-Request-ID: 7"]`); o.failure != nil {
		t.Fatal(o.text)
	}
	h := r.sent()[0].Header
	if h.Get("If-None-Match") != `"a=b"` || h.Get("Accept-Language") != "de" || h.Get("X-Request-ID") != "7" {
		t.Errorf("headers %v", h)
	}
	for _, name := range []string{"Authorization", "Cookie", "Host", "X-Forwarded-For", "X-Real-IP", "Forwarded", "Remote-User", "X-NetBox-Branch", "Content-Length", "Content-Type", "Transfer-Encoding", "Connection", "X-Other"} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.run(t, "search", `{}`, fmt.Sprintf(`,"header":["%s: s3cr3t"]`, name)).want(t, envelope.InvalidArguments, name, "may not be set")
			if n := len(r.sim.Requests()); n != 0 {
				t.Errorf("%d requests were sent", n)
			}
		})
	}
	for name, header := range map[string]string{"no separator": "If-Match", "line break": `If-Match: a\r\nX: y`} {
		t.Run(name, func(t *testing.T) {
			o := newRig(t).run(t, "search", `{}`, `,"header":["`+header+`"]`)
			o.want(t, envelope.InvalidArguments, "header")
			if strings.Contains(o.text, "outcome unknown") {
				t.Error(o.text)
			}
		})
	}
}

func TestReadDeadlineOfTheCall(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	r.ctx = ctx
	r.sim.Inject("GET /api/plugins/example/search/", netboxsim.Fault{Handler: func(_ http.ResponseWriter, q *http.Request) {
		cancel()
		<-q.Context().Done() // ends only because the call gave up
	}})
	r.run(t, "search", `{}`, ``).want(t, envelope.Cancelled, "cancelled")
}

func TestKnownPluginIsReadAtOnce(t *testing.T) {
	r := newRig(t)
	r.answer("GET /api/plugins/example/search/", 200, `{}`)
	if o := r.run(t, "search", `{}`, ``); o.failure != nil {
		t.Fatal(o.text)
	}
	// From now on each of the three waits until all are there, so one after the other would never end.
	all := make(chan struct{})
	var asked atomic.Int32
	wait := func(q *http.Request) {
		if q.URL.Path == "/api/plugins/example/search/" {
			return
		}
		if asked.Add(1) == 3 {
			close(all)
		}
		select {
		case <-all:
		case <-q.Context().Done():
		}
	}
	r.before.Store(&wait)
	if o := r.run(t, "search", `{}`, ``); o.failure != nil {
		t.Fatal(o.text)
	}
	if n := asked.Load(); n != 3 {
		t.Errorf("%d documents were asked for, want 3", n)
	}
}

// A tool that the plugin took back stops working at once, known plugin or not.
func TestNothingIsBelievedFromBefore(t *testing.T) {
	r := newRig(t)
	r.answer("GET /api/plugins/example/search/", 200, `{}`)
	if o := r.run(t, "search", `{}`, ``); o.failure != nil {
		t.Fatal(o.text)
	}
	r.sim.Reset()
	r.answer("GET /api/plugins/example/", 200, `{}`)
	r.run(t, "search", `{}`, ``).want(t, envelope.NotAdvertised, "does not advertise an MCP bridge")
	r.wantNoDispatch(t)
}
