package netboxapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"caddy-netbox-mcp/bridge/netboxsim"
	"caddy-netbox-mcp/bridge/secret"
	"caddy-netbox-mcp/bridge/transport"
)

// newClient makes a client for an address, with a public URL unless that is empty.
func newClient(t *testing.T, address, public string) *Client {
	t.Helper()
	cfg := Config{UserAgent: "test/1"}
	var err error
	if cfg.Address, err = ParseAddress(address); err != nil {
		t.Fatal(err)
	}
	if public != "" {
		if cfg.PublicURL, err = ParseURL(public); err != nil {
			t.Fatal(err)
		}
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	return c
}

// mirror is a server that answers with what it was asked.
type mirror struct {
	Method, URI, Host, Body string
	Header                  http.Header
	Peer                    string
}

func serveMirror(t *testing.T) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	asked := new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		body, _ := io.ReadAll(r.Body)
		_ = json.NewEncoder(w).Encode(mirror{r.Method, r.RequestURI, r.Host, string(body), r.Header, r.RemoteAddr})
	}))
	t.Cleanup(s.Close)
	return s, asked
}

// ask performs a request and returns what the mirror saw.
func ask(t *testing.T, s Session, r Request) mirror {
	t.Helper()
	r.Limit = 1 << 20
	resp, err := s.Do(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	var m mirror
	if err := json.Unmarshal(resp.Body, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestRequestOnTheWire(t *testing.T) {
	s, _ := serveMirror(t)
	common := http.Header{"Accept": {"application/json"}, "User-Agent": {"test/1"}}
	with := func(more http.Header) http.Header {
		h := common.Clone()
		for name, values := range more {
			h[name] = values
		}
		return h
	}
	compressed := []string{"zstd, gzip"}
	for _, test := range []struct {
		name, token string
		request     Request
		uri, body   string
		header      http.Header
	}{
		{name: "v2 token", token: tokenV2, request: Request{Method: "GET", Path: "/api/status/"}, uri: "/api/status/",
			header: with(http.Header{"Authorization": {"Bearer " + tokenV2}, "Accept-Encoding": compressed})},
		{name: "v1 token", token: tokenV1, request: Request{Method: "GET", Path: "/api/status/"}, uri: "/api/status/",
			header: with(http.Header{"Authorization": {"Token " + tokenV1}, "Accept-Encoding": compressed})},
		{name: "anonymous", request: Request{Method: "GET", Path: "/api/status/", Query: "a=1&a=%20&b"}, uri: "/api/status/?a=1&a=%20&b",
			header: with(http.Header{"Accept-Encoding": compressed})},
		{name: "write", token: tokenV2, request: Request{Method: "PATCH", Path: "/api/dcim/sites/1/", Body: []byte(`{"a":1}`), Write: true,
			Header: http.Header{"If-Match": {`"x"`}}}, uri: "/api/dcim/sites/1/", body: `{"a":1}`,
			header: with(http.Header{"Authorization": {"Bearer " + tokenV2}, "Content-Type": {"application/json"}, "Content-Length": {"7"},
				"If-Match": {`"x"`}, "Connection": {"close"}})},
		{name: "Accept and Content-Type cannot be changed", request: Request{Method: "POST", Path: "/api/x/", Body: []byte(`[]`),
			Header: http.Header{"accept": {"text/html"}, "CONTENT-TYPE": {"text/plain"}}}, uri: "/api/x/", body: "[]",
			header: with(http.Header{"Content-Type": {"application/json"}, "Content-Length": {"2"}})},
	} {
		t.Run(test.name, func(t *testing.T) {
			given := test.request.Header.Clone()
			got := ask(t, newClient(t, s.URL, "").As(secret.New(test.token)), test.request)
			if got.Method != test.request.Method || got.URI != test.uri || got.Body != test.body {
				t.Errorf("got %s %s %q", got.Method, got.URI, got.Body)
			}
			if !reflect.DeepEqual(got.Header, test.header) {
				t.Errorf("headers\n got %v\nwant %v", got.Header, test.header)
			}
			if want := strings.TrimPrefix(s.URL, "http://"); got.Host != want {
				t.Errorf("Host is %s, want %s", got.Host, want)
			}
			if !reflect.DeepEqual(test.request.Header, given) {
				t.Errorf("the caller's headers were changed to %v", test.request.Header)
			}
		})
	}
}

func TestPrefix(t *testing.T) {
	sim := netboxsim.New(netboxsim.Config{BasePath: "/inventory/netbox"})
	s := httptest.NewServer(sim)
	t.Cleanup(s.Close)
	token := secret.New(sim.Tokens()[0].Value)
	for _, test := range []struct {
		name, address string
		status        int
		path          string
	}{
		{"with", s.URL + "/inventory/netbox/", 200, "/inventory/netbox/api/status/"},
		{"without", s.URL, 404, "/api/status/"},
	} {
		t.Run(test.name, func(t *testing.T) {
			sim.Reset()
			resp, err := newClient(t, test.address, "").As(token).Get(t.Context(), "/api/status/", 1<<20, nil)
			if err != nil {
				t.Fatal(err)
			}
			if asked := sim.Requests(); resp.Status != test.status || len(asked) != 1 || asked[0].Path != test.path {
				t.Errorf("got HTTP %d for %v", resp.Status, asked)
			}
		})
	}
}

func TestPublicURL(t *testing.T) {
	sim := netboxsim.New(netboxsim.Config{AllowedHosts: []string{"netbox.example.com"}})
	s := httptest.NewServer(sim)
	t.Cleanup(s.Close)
	for _, test := range []struct {
		name, public, host string
		proto              []string
		link               string // of the plugin's root, "" where NetBox does not answer to the name
	}{
		{name: "none", host: strings.TrimPrefix(s.URL, "http://")},
		{name: "https", public: "https://netbox.example.com", host: "netbox.example.com", proto: []string{"https"},
			link: "https://netbox.example.com/api/plugins/testbed/"},
		{name: "http with port and prefix", public: "http://netbox.example.com:8080/nb", host: "netbox.example.com:8080", proto: []string{"http"},
			link: "http://netbox.example.com:8080/api/plugins/testbed/"},
	} {
		t.Run(test.name, func(t *testing.T) {
			sim.Reset()
			c := newClient(t, s.URL, test.public)
			resp, err := c.As(secret.New(sim.Tokens()[0].Value)).Get(t.Context(), "/api/plugins/", 1<<20, nil)
			if err != nil {
				t.Fatal(err)
			}
			asked := sim.Requests()[0]
			if asked.Host != test.host || !reflect.DeepEqual(asked.Header["X-Forwarded-Proto"], test.proto) {
				t.Errorf("Host is %s, X-Forwarded-Proto %q", asked.Host, asked.Header["X-Forwarded-Proto"])
			}
			for name := range asked.Header {
				if strings.HasPrefix(name, "X-Forwarded-") && name != "X-Forwarded-Proto" || name == "Forwarded" {
					t.Errorf("%s was sent", name)
				}
			}
			if test.link == "" && resp.Status != 400 || test.link != "" && !strings.Contains(string(resp.Body), `"`+test.link+`"`) {
				t.Errorf("HTTP %d: %s", resp.Status, resp.Body)
			}
		})
	}
}

func TestSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "netbox.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(chan *http.Request, 2)
	s := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen <- r })}
	go s.Serve(l) //nolint:errcheck // ends with Close
	t.Cleanup(func() { _ = s.Close() })
	for _, test := range []struct{ public, host, proto string }{
		{"", "localhost", ""},
		{"https://netbox.example.com", "netbox.example.com", "https"},
	} {
		if _, err := newClient(t, "unix/"+path, test.public).As(secret.New(tokenV1)).Get(t.Context(), "/api/status/", 100, nil); err != nil {
			t.Fatal(err)
		}
		r := <-seen
		if r.Host != test.host || r.Header.Get("X-Forwarded-Proto") != test.proto || r.RequestURI != "/api/status/" || r.Header.Get("Authorization") != "Token "+tokenV1 {
			t.Errorf("got %s %s %v", r.Host, r.RequestURI, r.Header)
		}
	}
}

func TestTokenStaysWithNetBox(t *testing.T) {
	elsewhere, asked := serveMirror(t)
	for _, status := range []int{300, 301, 302, 303, 307, 308} {
		for _, method := range []string{"GET", "POST"} {
			t.Run(fmt.Sprint(method, status), func(t *testing.T) {
				var requests atomic.Int64
				s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					requests.Add(1)
					w.Header().Set("Location", elsewhere.URL+"/api/status/")
					w.WriteHeader(status)
				}))
				defer s.Close()
				_, err := newClient(t, s.URL, "").As(secret.New(tokenV2)).Do(t.Context(),
					Request{Method: method, Path: "/api/status/", Limit: 100, Write: method == "POST"})
				e, ok := errors.AsType[*transport.Error](err)
				if !ok || e.Kind != transport.KindRedirect || e.Status != status || e.Header.Get("Location") != "" {
					t.Errorf("got %v", err)
				}
				if strings.Contains(fmt.Sprint(err), tokenV2) {
					t.Errorf("the error repeats the token: %v", err)
				}
				if requests.Load() != 1 {
					t.Errorf("NetBox was asked %d times", requests.Load())
				}
			})
		}
	}
	if asked.Load() != 0 {
		t.Errorf("another server was asked %d times", asked.Load())
	}
}

func TestRefusedRequestsAreNotSent(t *testing.T) {
	s, asked := serveMirror(t)
	session := newClient(t, s.URL+"/nb", "").As(secret.New(tokenV2))
	requests := map[string]Request{
		"not below api":       {Path: "/admin/"},
		"leaves api":          {Path: "/api/../admin/"},
		"leaves api, encoded": {Path: "/api/%2e%2e/admin/"},
		"absolute URL":        {Path: "http://evil.example/api/"},
		"query in the path":   {Path: "/api/status/?x"},
		"fragment":            {Path: "/api/status/#x"},
		"bad escape":          {Path: "/api/%zz/"},
		"space in the path":   {Path: "/api/a b/"},
		"bad query":           {Path: "/api/status/", Query: "a b"},
		"control in a value":  {Path: "/api/status/", Header: http.Header{"If-Match": {"a\r\nCookie: b"}}},
	}
	for _, name := range []string{
		"Authorization", "authorization", "AUTHORIZATION", "Cookie", "Forwarded", "Via", "Remote-User", "REMOTE_USER", "X-Remote-User", "X-Real-IP", "x_real_ip",
		"X-Forwarded-For", "x-forwarded-host", "X_Forwarded_Proto", "X-HTTP-Method-Override",
		"Host", "Connection", "Content-Length", "Transfer-Encoding", "Te", "Trailer", "Upgrade", "Expect", "Proxy-Authorization", "Accept-Encoding", "User-Agent",
	} {
		requests["header "+name] = Request{Path: "/api/status/", Header: http.Header{name: {"hunter2"}}}
	}
	for name, r := range requests {
		t.Run(name, func(t *testing.T) {
			r.Method, r.Limit = "GET", 100
			_, err := session.Do(t.Context(), r)
			e, ok := errors.AsType[*transport.Error](err)
			if !ok || e.Kind != transport.KindRequest || e.Sent {
				t.Fatalf("got %v", err)
			}
			if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), tokenV2) {
				t.Errorf("the error repeats a value: %v", err)
			}
		})
	}
	if asked.Load() != 0 {
		t.Errorf("%d requests were sent", asked.Load())
	}
}

func TestSessionsDoNotMix(t *testing.T) {
	s, _ := serveMirror(t)
	c := newClient(t, s.URL, "")
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			token, want := "", []string(nil)
			if i%4 > 0 {
				token = fmt.Sprintf("nbt_key%d.secret", i)
				want = []string{"Bearer " + token}
			}
			resp, err := c.As(secret.New(token)).Get(t.Context(), "/api/status/", 1<<20, nil)
			if err != nil {
				t.Error(err)
				return
			}
			var m mirror
			if err := json.Unmarshal(resp.Body, &m); err != nil {
				t.Error(err)
			} else if got := m.Header["Authorization"]; !reflect.DeepEqual(got, want) {
				t.Errorf("Authorization is %q, want %q", got, want)
			}
		})
	}
	wg.Wait()
}

func TestGetChargesTheCounter(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(500)
		_, _ = io.WriteString(w, strings.Repeat("x", 60))
	}))
	t.Cleanup(s.Close)
	session := newClient(t, s.URL, "").As(secret.Text{})
	counter := transport.NewCounter(100)
	if resp, err := session.Get(t.Context(), "/api/a/", 60, counter); err != nil || resp.Received != 60 || resp.Status != 500 {
		t.Fatalf("got %+v, %v", resp, err)
	}
	_, err := session.Get(t.Context(), "/api/a/", 60, counter)
	if e, ok := errors.AsType[*transport.Error](err); !ok || e.Bound != transport.BoundAggregate {
		t.Errorf("past the counter's limit got %v", err)
	}
	_, err = session.Get(t.Context(), "/api/a/", 59, nil)
	if e, ok := errors.AsType[*transport.Error](err); !ok || e.Kind != transport.KindLimit {
		t.Errorf("past its own limit got %v", err)
	}
}

func TestCancelledRequest(t *testing.T) {
	s, asked := serveMirror(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := newClient(t, s.URL, "").As(secret.New(tokenV1)).Get(ctx, "/api/a/", 60, nil)
	if e, ok := errors.AsType[*transport.Error](err); !ok || e.Kind != transport.KindCancelled || asked.Load() != 0 {
		t.Errorf("got %v after %d requests", err, asked.Load())
	}
}

func TestCloseIdle(t *testing.T) {
	s, _ := serveMirror(t)
	c := newClient(t, s.URL, "")
	get := func() string { return ask(t, c.As(secret.Text{}), Request{Method: "GET", Path: "/api/a/"}).Peer }
	first := get()
	c.CloseIdle()
	if second := get(); second == first {
		t.Errorf("the connection of %s was not closed", first)
	}
}

func TestNewRefuses(t *testing.T) {
	good := &url.URL{Scheme: "http", Host: "netbox"}
	for name, cfg := range map[string]Config{
		"no address":        {},
		"socket alone":      {Address: Address{Socket: "/run/x.sock"}},
		"another scheme":    {Address: Address{URL: &url.URL{Scheme: "ftp", Host: "netbox"}}},
		"negative timeout":  {Address: Address{URL: good}, Timeout: -1},
		"public URL's host": {Address: Address{URL: good}, PublicURL: &url.URL{Scheme: "https", Host: "a b"}},
		"user agent":        {Address: Address{URL: good}, UserAgent: "a\r\nCookie: b"},
	} {
		t.Run(name, func(t *testing.T) {
			if c, err := New(cfg); err == nil || c != nil {
				t.Errorf("got %v, %v", c, err)
			}
		})
	}
}
