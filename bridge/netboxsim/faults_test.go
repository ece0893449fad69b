package netboxsim

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"
)

// served starts a Testbed simulator and returns it with a function that asks it.
func served(t *testing.T, change func(*Config)) (*Server, func(method, path, body string) (answer, error)) {
	t.Helper()
	cfg := Testbed()
	if change != nil {
		change(&cfg)
	}
	sim := New(cfg)
	server := httptest.NewServer(sim)
	t.Cleanup(server.Close)
	return sim, func(method, path, body string) (answer, error) {
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+sim.Tokens()[0].Value)
		r.Header.Set("Content-Type", "application/json")
		// A connection of its own, so that no request is retried on another.
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		response, err := client.Do(r)
		if err != nil {
			return answer{}, err
		}
		defer response.Body.Close() //nolint:errcheck // read to its end below
		text, err := io.ReadAll(response.Body)
		return answer{response.StatusCode, response.Header, string(text)}, err
	}
}

func TestFaults(t *testing.T) {
	const echo, number, real = "/api/plugins/testbed/echo/", `{"number":7}`, `{"number":7}`
	for _, test := range []struct {
		name   string
		fault  Fault
		status int
		body   string
		err    error
		header map[string]string
	}{
		{name: "none", fault: Fault{}, status: 200, body: real, header: map[string]string{"API-Version": "4.7", "Content-Length": "12"}},
		{name: "status alone", fault: Fault{Status: 503}, status: 503, header: map[string]string{"API-Version": "4.7", "Content-Length": "0"}},
		{name: "body alone", fault: Fault{Body: []byte("<p>")}, status: 200, body: "<p>", header: map[string]string{"Content-Type": "application/json"}},
		{name: "header alone", fault: Fault{Header: http.Header{"API-Version": {"4.6"}, "X-Request-ID": nil}}, status: 200, body: real,
			header: map[string]string{"API-Version": "4.6", "X-Request-ID": ""}},
		{name: "delay", fault: Fault{Delay: time.Millisecond}, status: 200, body: real},
		{name: "real answer with another status", fault: Fault{After: true, Status: 500, Body: []byte("{}")}, status: 500, body: "{}"},
		{name: "handler", fault: Fault{Handler: func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			_, _ = io.Copy(w, r.Body)
		}}, status: 418, body: number},
		{name: "cut in the body", fault: Fault{Cut: true, CutAfter: 5}, status: 200, body: real[:5], err: io.ErrUnexpectedEOF},
		{name: "cut before the body", fault: Fault{Cut: true}, status: 200, err: io.ErrUnexpectedEOF},
		{name: "cut of a handler", fault: Fault{Cut: true, CutAfter: 1, Handler: func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "oops", http.StatusBadGateway)
		}}, status: 502, body: "o", err: io.ErrUnexpectedEOF},
		{name: "reset", fault: Fault{Reset: true}, err: syscall.ECONNRESET},
		{name: "reset after the work", fault: Fault{Reset: true, After: true}, err: syscall.ECONNRESET},
	} {
		t.Run(test.name, func(t *testing.T) {
			sim, ask := served(t, nil)
			test.fault.Times = 1
			sim.Inject("POST "+echo, test.fault)
			got, err := ask("POST", echo, number)
			if !errors.Is(err, test.err) || (err != nil) != (test.err != nil) {
				t.Fatalf("error %v, want %v", err, test.err)
			}
			if got.status != test.status || got.body != test.body {
				t.Errorf("got %d %q, want %d %q", got.status, got.body, test.status, test.body)
			}
			for name, want := range test.header {
				if have := got.header.Get(name); have != want {
					t.Errorf("%s is %q, want %q", name, have, want)
				}
			}
			if got, err = ask("POST", echo, number); err != nil || got.body != real {
				t.Errorf("after the fault was used up: %q, %v", got.body, err)
			}
		})
	}
}

func TestFaultAfterWriteKeepsTheWrite(t *testing.T) {
	for _, test := range []struct {
		name    string
		fault   Fault
		written bool
	}{
		{"answer lost", Fault{After: true, Reset: true}, true},
		{"answer cut", Fault{After: true, Cut: true, CutAfter: 3}, true},
		{"answer cut without saying so", Fault{Cut: true, CutAfter: 3}, true},
		{"answer is an error", Fault{After: true, Status: 502}, true},
		{"never reached", Fault{Reset: true}, false},
		{"refused before", Fault{Status: 502}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			sim, ask := served(t, nil)
			before := len(sim.Items())
			sim.Inject("POST /api/plugins/testbed/items/", test.fault)
			_, _ = ask("POST", "/api/plugins/testbed/items/", `{"name":"x"}`)
			if written := len(sim.Items()) == before+1; written != test.written {
				t.Errorf("written is %v, want %v", written, test.written)
			}
		})
	}
}

func TestFaultHangEndsWithItsClient(t *testing.T) {
	sim := New(Testbed())
	entered := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		sim.ServeHTTP(w, r)
	}))
	defer server.Close()
	sim.Inject("* /api/status/", Fault{Hang: true})
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		r, err := http.NewRequestWithContext(ctx, "GET", server.URL+"/api/status/", nil)
		if err == nil {
			_, err = http.DefaultClient.Do(r) //nolint:bodyclose // there is no response
		}
		failed <- err
	}()
	<-entered
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want a cancelled request", err)
	}
	// Close waits for the hanging request, so a server that ignored its client would
	// hang the test here.
}

func TestFaultPatterns(t *testing.T) {
	for _, test := range []struct {
		pattern, method, path string
		meets                 bool
	}{
		{"GET /api/status/", "GET", "/api/status/", true},
		{"GET /api/status/", "GET", "/api/status/?x=1", true},
		{"GET /api/status/", "POST", "/api/status/", false},
		{"* /api/status/", "POST", "/api/status/", true},
		{"GET /api/plugins/", "GET", "/api/plugins/testbed/", false},
		{"GET /api/plugins/*", "GET", "/api/plugins/testbed/", true},
		{"* /*", "DELETE", "/", true},
	} {
		t.Run(test.pattern+" for "+test.method+" "+test.path, func(t *testing.T) {
			sim, ask := served(t, func(c *Config) { c.BasePath = "netbox/" })
			remove := sim.Inject(test.pattern, Fault{Status: 599})
			got, err := ask(test.method, "/netbox"+test.path, "")
			if err != nil || (got.status == 599) != test.meets {
				t.Errorf("status %d, %v", got.status, err)
			}
			remove()
			if got, err = ask(test.method, "/netbox"+test.path, ""); err != nil || got.status == 599 {
				t.Errorf("after removal: status %d, %v", got.status, err)
			}
		})
	}
}

func TestFaultsMakeAScript(t *testing.T) {
	sim, ask := served(t, nil)
	sim.Inject("GET /api/status/", Fault{Times: 2, Status: 501})
	sim.Inject("GET /api/status/", Fault{Times: 1, Status: 502})
	var got []int
	for range 4 {
		a, err := ask("GET", "/api/status/", "")
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, a.status)
	}
	if want := []int{501, 501, 502, 200}; !equal(got, want) {
		t.Errorf("statuses %v, want %v", got, want)
	}
}

func equal[T comparable](a, b []T) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestInjectPanicsOnABadPattern(t *testing.T) {
	for _, pattern := range []string{"", "GET", "/api/", "GET api/"} {
		t.Run(pattern, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("the pattern was taken")
				}
			}()
			New(Testbed()).Inject(pattern, Fault{})
		})
	}
}

func TestRequestsAreRecorded(t *testing.T) {
	sim, ask := served(t, nil)
	sim.Inject("GET /api/status/", Fault{Status: 500})
	for _, ask1 := range [][3]string{{"GET", "/api/status/?b=2&a=%20", ""}, {"POST", "/nope", `{"a":1}`}} {
		if _, err := ask(ask1[0], ask1[1], ask1[2]); err != nil {
			t.Fatal(err)
		}
	}
	log := sim.Requests()
	if len(log) != 2 {
		t.Fatalf("%d requests recorded, want 2", len(log))
	}
	if r := log[0]; r.Method != "GET" || r.Path != "/api/status/" || r.RawQuery != "b=2&a=%20" || len(r.Body) != 0 ||
		r.Header.Get("Authorization") != "Bearer "+TestbedToken || !strings.HasPrefix(r.Host, "127.0.0.1:") {
		t.Errorf("first request is %+v", r)
	}
	if r := log[1]; r.Method != "POST" || r.Path != "/nope" || !bytes.Equal(r.Body, []byte(`{"a":1}`)) {
		t.Errorf("second request is %+v", r)
	}
	sim.Reset()
	if log := sim.Requests(); len(log) != 0 {
		t.Errorf("%d requests after Reset", len(log))
	}
}

func TestRecordIsBounded(t *testing.T) {
	sim := New(Testbed())
	ask := func(path string, size int) {
		r := httptest.NewRequest("POST", path, bytes.NewReader(make([]byte, size)))
		sim.ServeHTTP(httptest.NewRecorder(), r)
	}
	for range maxRecorded + 1 {
		ask("/first", 0)
	}
	ask("/last", 0)
	if log := sim.Requests(); len(log) != maxRecorded || log[maxRecorded-1].Path != "/last" {
		t.Errorf("%d requests recorded, want the latest %d", len(log), maxRecorded)
	}
	for range 3 {
		ask("/large", maxRequestBody)
	}
	if log := sim.Requests(); len(log) != 2 || log[0].Path != "/large" {
		t.Errorf("%d requests recorded, want the two that fit", len(log))
	}
}
