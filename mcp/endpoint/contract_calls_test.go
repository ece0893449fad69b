package endpoint

import (
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"caddy-netbox-mcp/bridge/netboxsim"
)

// example is the manifest of a plugin with two tools, one of which is destructive.
func example(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../netbox/testdata/example.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const tasks = "/api/plugins/example/tasks/"

// TestContractWrites is what a write may come to.
func TestContractWrites(t *testing.T) {
	const arguments = `{"category":"inventory","target_ids":[1,9007199254740993]}`
	const created = `{"ok":true,"task_id":17,"message":"queued"}`
	const unknown = "write outcome unknown; do not retry blindly"
	tests := []struct {
		name  string
		fault netboxsim.Fault
		code  string
		words []string
		body  string // of a success
	}{
		{"201", netboxsim.Fault{Status: 201, Body: []byte(created)}, "", nil, created},
		{"204", netboxsim.Fault{Status: 204}, "", nil, "null"},
		{"205", netboxsim.Fault{Handler: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(205) }}, "", nil, "null"},
		{"201 that is no JSON", netboxsim.Fault{Status: 201, Body: []byte("not-json")}, "outcome_unknown", []string{unknown, "JSON"}, ""},
		{"201 that breaks the schema", netboxsim.Fault{Status: 201, Body: []byte(`{"ok":false,"task_id":17,"message":""}`)}, "outcome_unknown", []string{unknown, "/ok"}, ""},
		{"400 with its reason", netboxsim.Fault{Status: 400, Body: []byte(`{"errors":{"category":["gone"]}}`)}, "outcome_unknown", []string{unknown, "HTTP 400"}, ""},
		{"403", netboxsim.Fault{Status: 403, Body: []byte(`{"detail":"no"}`)}, "outcome_unknown", []string{unknown, "HTTP 403"}, ""},
		{"500", netboxsim.Fault{Status: 500, Body: []byte(`{}`)}, "outcome_unknown", []string{unknown, "HTTP 500"}, ""},
		{"307", netboxsim.Fault{Status: 307, Header: http.Header{"Location": {"https://evil.example.com/"}}}, "outcome_unknown", []string{unknown, "redirect"}, ""},
		{"over the size limit", netboxsim.Fault{Status: 201, Body: []byte(`"` + strings.Repeat("x", 262_143) + `"`)}, "outcome_unknown", []string{unknown, "size limit"}, ""},
		{"cut off", netboxsim.Fault{Status: 201, Body: []byte(created), Cut: true, CutAfter: 9}, "outcome_unknown", []string{unknown}, ""},
		{"no answer", netboxsim.Fault{Hang: true}, "outcome_unknown", []string{unknown, "in time"}, ""},
	}
	overBothEras(t, func(t *testing.T, version string) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				cfg := worksConfig{}
				if tt.fault.Hang {
					cfg.timeout = 300 * time.Millisecond
				}
				w := newWorks(t, version, cfg)
				w.publish(example(t))
				w.inject("POST "+tasks, tt.fault)
				r := w.run(t, "create_task", arguments)
				if tt.code == "" {
					if got := r.body(t); got != tt.body {
						t.Errorf("body %s, want %s", got, tt.body)
					}
				} else {
					r.want(t, tt.code, tt.words...)
					if answer, _ := r.Details["answer"].(string); tt.fault.Status >= 400 && answer != string(tt.fault.Body) {
						t.Errorf("details %v lack NetBox's answer", r.Details)
					}
				}
				if sent := w.targets(); len(sent) != 1 || sent[0].Method != http.MethodPost || string(sent[0].Body) != arguments {
					t.Errorf("sent %v", sent)
				}
			})
		}
		t.Run("DELETE without arguments", func(t *testing.T) {
			w := newWorks(t, version, worksConfig{})
			w.publish(example(t))
			w.inject("DELETE "+tasks, netboxsim.Fault{Status: 204})
			if got := w.run(t, "purge", `{}`).body(t); got != "null" {
				t.Errorf("body %s", got)
			}
			if sent := w.targets(); len(sent) != 1 || string(sent[0].Body) != `{}` {
				t.Errorf("sent %v", sent)
			}
		})
		t.Run("gate and dry run", func(t *testing.T) {
			w := newWorks(t, version, worksConfig{closed: true})
			w.publish(example(t))
			w.run(t, "create_task", arguments).want(t, "mutations_disabled", "mutations are disabled")
			r := w.call(t, "plugin_call_tool", `{"plugin":"example","tool":"create_task","arguments":`+arguments+`,"dry_run":true}`)
			if r.failed || !strings.Contains(r.text, `"dry_run":true`) || !strings.Contains(r.text, `"method":"POST"`) || r.body(t) != arguments {
				t.Errorf("dry run %s", r.text)
			}
			if sent := w.targets(); len(sent) != 0 {
				t.Errorf("sent %v", sent)
			}
		})
		t.Run("arguments", func(t *testing.T) {
			w := newWorks(t, version, worksConfig{})
			w.publish(example(t))
			for arguments, words := range map[string]string{
				`{}`: "/category: is required", `{"category":"inventory","unexpected":1}`: "/unexpected: ", `{"category":"inventory","scheduled_at":"not-a-date"}`: "date-time",
			} {
				w.run(t, "create_task", arguments).want(t, "invalid_arguments", words)
			}
			for _, ids := range []string{"[0]", "[9223372036854775808]", "[true]", `["7"]`, "[7.5]", "[9007199254740992.0]", "[7,7.0]", "[]"} {
				w.run(t, "create_task", `{"category":"inventory","target_ids":`+ids+`}`).want(t, "invalid_arguments", "/target_ids")
			}
			if sent := w.targets(); len(sent) != 0 {
				t.Errorf("sent %v", sent)
			}
			w.answer("POST "+tasks, 201, created)
			const leap = `{"category":"inventory","scheduled_at":"1990-12-31T23:59:60Z"}`
			if r := w.run(t, "create_task", leap); r.failed {
				t.Error(r.text)
			}
			if sent := w.targets(); len(sent) != 1 || string(sent[0].Body) != leap {
				t.Errorf("sent %v", sent)
			}
		})
	})
}

// TestContractArgumentLimits has arguments exactly at each limit and one past it, as an object and as its JSON text.
func TestContractArgumentLimits(t *testing.T) {
	text := func(bytes int) string { return `{"v":"` + strings.Repeat("x", bytes-8) + `"}` }
	nested := func(depth int) string { // the object is at depth 0
		return `{"v":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + `}`
	}
	values := func(n int) string { return `{"v":[0` + strings.Repeat(",0", n-3) + `]}` } // the object and the list are values too
	tests := []struct {
		name   string
		make   func(int) string
		at     int
		limit  string
		asText string // what a text one past it breaks, if the schema of plugin_call_tool sees it first
	}{
		{"bytes", text, 262_144, "arguments bytes", "262144 characters"},
		{"depth", nested, 32, "arguments depth", ""},
		{"values", values, 10_000, "arguments nodes", ""},
	}
	overBothEras(t, func(t *testing.T, version string) {
		w := newWorks(t, version, worksConfig{})
		w.publish(manifestJSON(toolJSON("store", "POST", "store/", "write", anyObject, "", writeHints)))
		w.answer("POST /api/plugins/example/store/", 204, "")
		for _, tt := range tests {
			for _, asText := range []bool{false, true} {
				write := func(arguments string) reply {
					if asText {
						quoted, err := json.Marshal(arguments)
						if err != nil {
							t.Fatal(err)
						}
						arguments = string(quoted)
					}
					w.sim.Reset()
					return w.run(t, "store", arguments)
				}
				if r := write(tt.make(tt.at)); r.failed || string(w.targets()[0].Body) != tt.make(tt.at) {
					t.Errorf("%s at the limit, as text %t: %.300s", tt.name, asText, r.text)
				}
				r := write(tt.make(tt.at + 1))
				if asText && tt.asText != "" {
					r.want(t, "invalid_arguments", tt.asText)
				} else if r.want(t, "invalid_arguments"); r.Details["limit"] != tt.limit || r.Details["max"] != float64(tt.at) {
					t.Errorf("%s past the limit, as text %t: details %v", tt.name, asText, r.Details)
				}
				if sent := w.targets(); len(sent) != 0 {
					t.Errorf("%s past the limit, as text %t: it was sent", tt.name, asText)
				}
			}
		}
	})
}

// TestContractReads is what a read may come to.
func TestContractReads(t *testing.T) {
	task := func(id string) string {
		return `{"count":1,"tasks":[{"id":` + id + `,"name":"a","scheduled_at":null,"state":"queued"}]}`
	}
	answer := func(status int, body string) netboxsim.Fault {
		return netboxsim.Fault{Status: status, Body: []byte(body)}
	}
	tests := []struct {
		name, tool string
		fault      netboxsim.Fault
		code       string
		words      string
	}{
		{"exact integers", "list_tasks", answer(200, task("9223372036854775807")), "", ""},
		{"safe float", "list_tasks", answer(200, task("9007199254740991.0")), "", ""},
		{"404 is data", "search", answer(404, `{"detail":"Not found."}`), "", ""},
		{"HEAD with a length", "check_tasks", netboxsim.Fault{Handler: func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "4096") }}, "", ""},
		{"0", "list_tasks", answer(200, task("0")), "response_invalid", "/tasks/0/id"},
		{"2^63", "list_tasks", answer(200, task("9223372036854775808")), "response_invalid", "/tasks/0/id"},
		{"true", "list_tasks", answer(200, task("true")), "response_invalid", "/tasks/0/id"},
		{"text", "list_tasks", answer(200, task(`"7"`)), "response_invalid", "/tasks/0/id"},
		{"fraction", "list_tasks", answer(200, task("7.5")), "response_invalid", "/tasks/0/id"},
		{"unsafe float", "list_tasks", answer(200, task("9007199254740992.0")), "response_invalid", "/tasks/0/id"},
		{"Infinity", "list_tasks", answer(200, task("Infinity")), "response_invalid", "finite JSON"},
		{"NaN without a schema", "search", answer(200, `{"count":NaN}`), "response_invalid", "finite JSON"},
		{"HTML", "search", netboxsim.Fault{Status: 502, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte("<html>")}, "response_invalid", "HTML"},
		{"302", "search", netboxsim.Fault{Status: 302, Header: http.Header{"Location": {"/login/"}}}, "redirect_refused", "redirect"},
		{"307", "search", netboxsim.Fault{Status: 307, Header: http.Header{"Location": {"/login/"}}}, "redirect_refused", "redirect"},
		{"at the size limit", "search", answer(200, `"`+strings.Repeat("x", 262_142)+`"`), "", ""},
		{"over the size limit", "search", answer(200, `"`+strings.Repeat("x", 262_143)+`"`), "limit_exceeded", "size limit of 262144 bytes"},
		{"at the depth", "search", answer(200, strings.Repeat("[", 33)+strings.Repeat("]", 33)), "", ""},
		{"over the depth", "search", answer(200, strings.Repeat("[", 34)+strings.Repeat("]", 34)), "response_invalid", "nesting limit of 32"},
		{"at the number of values", "search", answer(200, "["+strings.Repeat("0,", 9_998)+"0]"), "", ""},
		{"over the number of values", "search", answer(200, "["+strings.Repeat("0,", 9_999)+"0]"), "response_invalid", "limit of 10000 values"},
	}
	overBothEras(t, func(t *testing.T, version string) {
		w := newWorks(t, version, worksConfig{})
		w.publish(example(t))
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				for _, path := range []string{"GET " + tasks, "HEAD " + tasks, "GET /api/plugins/example/search/"} {
					w.inject(path, tt.fault)
				}
				w.sim.Reset()
				r := w.run(t, tt.tool, `{}`)
				if tt.code == "" {
					want := string(tt.fault.Body)
					if tt.tool == "check_tasks" {
						want = "null" // HEAD
					}
					if got := r.body(t); got != want {
						t.Errorf("body %.200s, want %.200s", got, want)
					}
				} else {
					r.want(t, tt.code, tt.words)
				}
				want := map[string]any{"over the size limit": "content-length", "over the depth": "response depth", "over the number of values": "response nodes"}[tt.name]
				if r.Details["limit"] != want {
					t.Errorf("details %v, want the limit %v", r.Details, want)
				}
				if sent := w.targets(); len(sent) != 1 || sent[0].RawQuery != "" || len(sent[0].Body) != 0 {
					t.Errorf("sent %v", sent)
				}
			})
		}
	})
}

// TestContractNothingIsBelievedFromBefore: what NetBox withdraws fails the very next call, although the plugin is known and its
// documents are asked for at once, and although other callers keep it known.
func TestContractNothingIsBelievedFromBefore(t *testing.T) {
	overBothEras(t, func(t *testing.T, version string) {
		w := newWorks(t, version, worksConfig{closed: true})
		published := manifestJSON(lookTool(""))
		w.publish(published)
		w.answer("GET /api/plugins/example/look/", 200, `{}`)
		withdrawals := []struct {
			name     string
			withdraw func()
			code     string
		}{
			{"advertisement", func() { w.answer("GET "+exampleRoot, 200, `{}`) }, "not_advertised"},
			{"plugin", func() { w.answer("GET /api/plugins/", 200, `{}`) }, "not_advertised"},
			{"tool", func() { w.answer("GET "+exampleManifest, 200, strings.ReplaceAll(published, `"look"`, `"other"`)) }, "tool_not_found"},
			{"effect", func() {
				w.answer("GET "+exampleManifest, 200, manifestJSON(toolJSON("look", "POST", "look/", "write", noInput, "", writeHints)))
			}, "mutations_disabled"},
			{"input", func() {
				w.answer("GET "+exampleManifest, 200, manifestJSON(toolJSON("look", "GET", "look/", "read", `{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}`, "", readHints)))
			}, "invalid_arguments"},
		}
		stop, done := make(chan struct{}), make(chan struct{})
		var others atomic.Int64
		go func() { // another caller, who must not keep a withdrawn tool alive
			defer close(done)
			for {
				select {
				case <-stop:
					return
				default:
					_, _ = w.client.CallTool(t.Context(), otherCall)
					others.Add(1)
				}
			}
		}()
		for round := range 10 {
			for _, tt := range withdrawals {
				w.publish(published)
				if r := w.run(t, "look", `{}`); r.failed {
					t.Fatalf("round %d: %s", round, r.text)
				}
				tt.withdraw()
				if r := w.run(t, "look", `{}`); !r.failed || r.Code != tt.code {
					t.Fatalf("round %d: the %s was withdrawn, and the next call gave %.300s", round, tt.name, r.text)
				}
			}
		}
		close(stop)
		<-done
		if others.Load() == 0 {
			t.Error("the other caller did nothing")
		}
		for _, r := range w.targets() {
			if r.Method != http.MethodGet {
				t.Errorf("%s was sent", r.Method)
			}
		}
	})
}

// TestContractToolListStays: no document of a plugin changes the list of MCP tools.
func TestContractToolListStays(t *testing.T) {
	overBothEras(t, func(t *testing.T, version string) {
		w := newWorks(t, version, worksConfig{})
		names := func() (names []string) {
			list, err := w.client.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range list.Tools {
				names = append(names, d.Name)
			}
			return names
		}
		before := names()
		w.publish(example(t))
		r := w.list(t)
		create, list := strings.Index(r.text, `"qualified_name":"example.create_task"`), strings.Index(r.text, `"qualified_name":"example.list_tasks"`)
		if r.failed || create < 0 || list < create || !strings.Contains(r.text, `"request_path":"/api/plugins/example/tasks/"`) {
			t.Errorf("listing %s", r.text)
		}
		if after := names(); !slices.Equal(before, after) || !slices.Contains(after, "plugin_list_tools") || !slices.Contains(after, "plugin_call_tool") {
			t.Errorf("tools %q, before %q", after, before)
		}
	})
}

// TestContractJobPlugin has the input of a real plugin's tool that schedules jobs, with numbers as JavaScript writes them.
func TestContractJobPlugin(t *testing.T) {
	const id = `{"type":"integer","minimum":1,"maximum":9223372036854775807}`
	const input = `{"type":"object","properties":{
		"sync_stages":{"type":"array","minItems":1,"uniqueItems":true,"items":{"type":"string","enum":["virtual-machines","storage"]}},
		"job_name":{"type":"string","maxLength":200},
		"schedule_at":{"type":["string","null"],"format":"date-time"},
		"recurrence":{"type":"object","minProperties":1,"maxProperties":1,"additionalProperties":false,"properties":{
			"minutes":{"type":"integer","minimum":1,"maximum":2147483647},"hours":{"type":"integer","minimum":1,"maximum":35791394}}},
		"proxmox_endpoint_ids":{"type":"array","minItems":1,"uniqueItems":true,"items":` + id + `}
	},"required":["sync_stages"],"additionalProperties":false}`
	tests := []struct{ arguments, problem string }{
		{`{"sync_stages":["virtual-machines"]}`, ""},
		{`{"sync_stages":["virtual-machines"],"proxmox_endpoint_ids":[7.0],"recurrence":{"hours":6.0}}`, ""},
		{`{"sync_stages":["storage"],"proxmox_endpoint_ids":[9007199254740991.0],"schedule_at":"2099-01-15T03:00:00Z"}`, ""},
		{`{"sync_stages":["storage"],"schedule_at":"2099-12-31T23:59:60Z"}`, ""},
		{`{"sync_stages":["storage"],"schedule_at":"2100-01-01T00:59:60+01:00"}`, ""},
		{`{"sync_stages":["storage"],"schedule_at":"2099-12-31T18:59:60-05:00"}`, ""},
		{`{"sync_stages":[]}`, "/sync_stages"},
		{`{"sync_stages":["storage","storage"]}`, "non-unique"},
		{`{"sync_stages":["tape"]}`, "/sync_stages/0"},
		{`{"sync_stages":["storage"],"recurrence":{}}`, "/recurrence"},
		{`{"sync_stages":["storage"],"recurrence":{"hours":1,"minutes":1}}`, "/recurrence"},
		{`{"sync_stages":["storage"],"recurrence":{"hours":35791395}}`, "/recurrence/hours"},
		{`{"sync_stages":["storage"],"recurrence":{"fortnights":1}}`, "/recurrence/fortnights"},
		{`{"sync_stages":["storage"],"proxmox_endpoint_ids":[7,7.0]}`, "non-unique"},
		{`{"sync_stages":["storage"],"proxmox_endpoint_ids":[9007199254740992.0]}`, "/proxmox_endpoint_ids/0"},
		{`{"sync_stages":["storage"],"schedule_at":"2099-06-15T12:00:60Z"}`, "date-time"},
		{`{"sync_stages":["storage"],"schedule_at":"9999-12-31T23:59:60Z"}`, "date-time"},
		{`{"sync_stages":["storage"],"job_name":"` + strings.Repeat("x", 201) + `"}`, "/job_name"},
	}
	overBothEras(t, func(t *testing.T, version string) {
		w := newWorks(t, version, worksConfig{})
		w.publish(manifestJSON(toolJSON("schedule_sync", "POST", "sync/schedule/", "destructive", input, "",
			`{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":false,"openWorldHint":true}`)))
		w.answer("POST /api/plugins/example/sync/schedule/", 201, `{"ok":true}`)
		for _, tt := range tests {
			t.Run(tt.arguments[:min(len(tt.arguments), 90)], func(t *testing.T) {
				w.sim.Reset()
				r := w.run(t, "schedule_sync", tt.arguments)
				sent := w.targets()
				if tt.problem != "" {
					if r.want(t, "invalid_arguments", tt.problem); len(sent) != 0 {
						t.Errorf("sent %v", sent)
					}
					return
				}
				if r.failed || len(sent) != 1 || string(sent[0].Body) != tt.arguments {
					t.Errorf("%s: sent %v", r.text, sent)
				}
			})
		}
	})
}
