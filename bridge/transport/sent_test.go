package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"testing"
	"time"
)

// closedPort is an address on loopback where nobody listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func secureServer(t *testing.T, change func(*tls.Config)) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.Proto+" "+r.Host)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{}
	change(s.TLS)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func parse(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func trusted(s *httptest.Server) *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return &tls.Config{RootCAs: pool}
}

// With TLS 1.3 the refusal of a missing certificate comes after the handshake, and may come before or after the request.
func TestClientCertificateAskedFor(t *testing.T) {
	s := secureServer(t, func(c *tls.Config) { c.ClientAuth = tls.RequireAnyClientCert; c.MinVersion = tls.VersionTLS13 })
	c := client(t, parse(t, s.URL), func(c *Config) { c.TLS = trusted(s) })
	for _, r := range []Request{post(100), get(100)} {
		if e := fails(t, c, r); e.Kind != KindTLS || e.Status != 0 {
			t.Errorf("%s: got %s, status %d: %v", r.Method, e.Kind, e.Status, e)
		}
	}
}

// Sent decides what a caller may say about a write, so each stage at which an exchange can fail is pinned down.
func TestSent(t *testing.T) {
	plain := secureServer(t, func(*tls.Config) {})
	old := secureServer(t, func(c *tls.Config) { c.MaxVersion = tls.VersionTLS11; c.MinVersion = tls.VersionTLS10 })
	https := func(p *peer) *url.URL { return &url.URL{Scheme: "https", Host: p.url.Host} }
	tests := []struct {
		name string
		cfg  Config
		kind Kind
		sent bool
	}{
		{"refused", Config{BaseURL: &url.URL{Scheme: "http", Host: closedPort(t)}}, KindUnreachable, false},
		{"unknown name", Config{BaseURL: parse(t, "http://does-not-exist.invalid")}, KindUnreachable, false},
		{"no such socket", Config{Socket: t.TempDir() + "/none.sock"}, KindUnreachable, false},
		{"unknown certificate", Config{BaseURL: parse(t, plain.URL)}, KindTLS, false},
		{"wrong name", Config{BaseURL: parse(t, plain.URL), TLS: &tls.Config{RootCAs: trusted(plain).RootCAs, ServerName: "other.test"}}, KindTLS, false},
		{"TLS 1.1", Config{BaseURL: parse(t, old.URL), TLS: &tls.Config{RootCAs: trusted(old).RootCAs, MinVersion: tls.VersionTLS10}}, KindTLS, false},
		{"not TLS", Config{BaseURL: https(garbage(t))}, KindTLS, false},
		{"handshake never ends", Config{BaseURL: https(silent(t)), Timeout: 80 * time.Millisecond}, KindDeadline, false},
		{"read, then reset", Config{BaseURL: listen(t, sayAndReset("")).url}, KindProtocol, true},
		{"read, then closed", Config{BaseURL: listen(t, sayAndClose("")).url}, KindProtocol, true},
		{"never answered", Config{BaseURL: listen(t, sayAndStall("")).url, Timeout: 80 * time.Millisecond}, KindDeadline, true},
		{"accepted, never read", Config{BaseURL: silent(t).url, Timeout: 80 * time.Millisecond}, KindDeadline, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.cfg.Timeout == 0 {
				tt.cfg.Timeout = 20 * time.Second
			}
			c, err := New(tt.cfg)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range []Request{post(100), get(100)} {
				if e := fails(t, c, r); e.Kind != tt.kind || e.Sent != tt.sent || e.Status != 0 {
					t.Errorf("%s: got %s, sent %v, status %d (%v), want %s, %v", r.Method, e.Kind, e.Sent, e.Status, e, tt.kind, tt.sent)
				}
			}
		})
	}
}

// silent accepts connections and does nothing with them.
func silent(t *testing.T) *peer { return raw(t, func(c net.Conn) {}) }

// garbage answers a TLS hello with something else.
func garbage(t *testing.T) *peer {
	return raw(t, func(c net.Conn) { io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n") })
}

func raw(t *testing.T, do func(net.Conn)) *peer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		var conns []net.Conn
		for {
			c, err := l.Accept()
			if err != nil {
				break
			}
			conns = append(conns, c)
			do(c)
		}
		for _, c := range conns {
			c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return &peer{url: &url.URL{Scheme: "http", Host: l.Addr().String()}}
}

func TestNotSentBeforeAnything(t *testing.T) {
	p := listen(t, say(answer("hello")))
	c := client(t, p.url, func(c *Config) { c.MaxConnections = 1 })
	over, cancelled := context.WithCancel(context.Background())
	cancelled()
	late, stop := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer stop()
	full := NewCounter(1)
	full.charge(2)
	counted := post(100)
	counted.Counter = full
	tests := []struct {
		name  string
		ctx   context.Context
		r     Request
		kind  Kind
		bound string
	}{
		{"cancelled", over, post(100), KindCancelled, ""},
		{"late", late, post(100), KindDeadline, ""},
		{"counter exceeded", context.Background(), counted, KindLimit, BoundAggregate},
		{"bad request", context.Background(), Request{Method: "POST", Path: "nowhere", Limit: 1, Write: true}, KindRequest, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := c.Do(tt.ctx, tt.r)
			if e, ok := err.(*Error); !ok || e.Kind != tt.kind || e.Bound != tt.bound || e.Sent {
				t.Errorf("got %#v, want %s %s and not sent", err, tt.kind, tt.bound)
			}
		})
	}
	if p.requests.Load() != 0 {
		t.Errorf("the server saw %d requests", p.requests.Load())
	}
}

// net/http lets a dial go on without its request; ours end with it, though the peer still holds the connection.
func TestDialsEndWithTheirExchange(t *testing.T) {
	p := silent(t)
	before := runtime.NumGoroutine()
	c := client(t, &url.URL{Scheme: "https", Host: p.url.Host}, func(c *Config) { c.Timeout = 50 * time.Millisecond })
	for _, r := range []Request{get(100), post(100)} {
		if e := fails(t, c, r); e.Kind != KindDeadline || e.Sent {
			t.Errorf("got %s, sent %v", e.Kind, e.Sent)
		}
	}
	settles(t, before)
}

// A sealed note stops a write that comes late: nothing is sent after the exchange has said that nothing was.
func TestSealedNoteForbidsWriting(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	c := &conn{Conn: near}
	var n note
	c.note.Store(&n)
	if n.seal() {
		t.Fatal("sealing an untouched note says that something was sent")
	}
	if k, err := c.Write([]byte("x")); k != 0 || err == nil {
		t.Errorf("wrote %d bytes after the seal, error %v", k, err)
	}
	var m note
	c.note.Store(&m)
	go io.Copy(io.Discard, far)
	if _, err := c.Write(nil); err != nil || m.state.Load() != untouched {
		t.Errorf("an empty write counts as sending (error %v)", err)
	}
	for range 2 {
		if _, err := c.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if !m.seal() {
			t.Error("sealing after a write says that nothing was sent")
		}
	}
	near.Close()
}

func TestTLS(t *testing.T) {
	s := secureServer(t, func(c *tls.Config) { c.NextProtos = []string{"h2", "http/1.1"} })
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	given := &tls.Config{RootCAs: pool}
	c := client(t, parse(t, s.URL), func(c *Config) { c.TLS = given; c.Host = "netbox.example.com" })
	for _, r := range []Request{get(100), get(100), post(100)} {
		got, err := c.Do(context.Background(), r)
		if err != nil || string(got.Body) != "HTTP/1.1 netbox.example.com" {
			t.Errorf("got %v, %v", got, err)
		}
	}
	if given.MinVersion != 0 || given.NextProtos != nil || given.ServerName != "" {
		t.Error("the caller's TLS configuration was changed")
	}
}

func TestSocket(t *testing.T) {
	path := t.TempDir() + "/s.sock"
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	var p peer
	hosts := make(chan string, 2)
	serve(t, l, &p, func(c net.Conn, r *http.Request) {
		hosts <- r.Host
		io.WriteString(c, answer("hello"))
	})
	for _, host := range []string{"", "netbox.example.com:8443"} {
		c, err := New(Config{Socket: path, Host: host})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.CloseIdle)
		got, err := c.Do(context.Background(), get(100))
		if err != nil || string(got.Body) != "hello" {
			t.Fatalf("got %v, %v", got, err)
		}
		want := host
		if want == "" {
			want = "localhost"
		}
		if h := <-hosts; h != want {
			t.Errorf("host %q, want %q", h, want)
		}
	}
}
