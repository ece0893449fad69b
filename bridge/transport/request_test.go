package transport

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestRequestsThatCannotBeSent(t *testing.T) {
	p := listen(t, say(answer("hello")))
	c := client(t, p.url)
	header := func(name, value string) Request {
		r := get(100)
		r.Header = http.Header{name: {value}}
		return r
	}
	tests := map[string]Request{
		"no method":         {Path: "/", Limit: 1},
		"lower case":        {Method: "get", Path: "/", Limit: 1},
		"method with space": {Method: "GET /x", Path: "/", Limit: 1},
		"connect":           {Method: "CONNECT", Path: "/", Limit: 1},
		"no path":           {Method: "GET", Limit: 1},
		"relative path":     {Method: "GET", Path: "api/", Limit: 1},
		"authority":         {Method: "GET", Path: "//evil.example/", Limit: 1},
		"absolute":          {Method: "GET", Path: "http://evil.example/", Limit: 1},
		"line break":        {Method: "GET", Path: "/a\r\nX: y", Limit: 1},
		"space":             {Method: "GET", Path: "/a b", Limit: 1},
		"query in path":     {Method: "GET", Path: "/a?b", Limit: 1},
		"fragment":          {Method: "GET", Path: "/a#b", Limit: 1},
		"backslash":         {Method: "GET", Path: `/a\b`, Limit: 1},
		"bad escape":        {Method: "GET", Path: "/a%2", Limit: 1},
		"non-ASCII":         {Method: "GET", Path: "/ü", Limit: 1},
		"query with space":  {Method: "GET", Path: "/", Query: "a= b", Limit: 1},
		"query with break":  {Method: "GET", Path: "/", Query: "a=\n", Limit: 1},
		"query fragment":    {Method: "GET", Path: "/", Query: "a#b", Limit: 1},
		"no limit":          {Method: "GET", Path: "/"},
		"negative limit":    {Method: "GET", Path: "/", Limit: -1},
		"limit over budget": {Method: "GET", Path: "/", Limit: c.budget.MaxLimit() + 1},
		"header name":       header("A b", "c"),
		"header name break": header("A\r\nB", "c"),
		"header name empty": header("", "c"),
		"value CR":          header("A", "b\rc"),
		"value LF":          header("A", "b\nc"),
		"value NUL":         header("A", "b\x00c"),
		"value DEL":         header("A", "b\x7fc"),
	}
	for _, name := range []string{"Host", "content-length", "Transfer-Encoding", "Connection", "Keep-Alive", "TE", "Trailer",
		"Upgrade", "Expect", "Proxy-Authorization", "proxy-connection", "Accept-Encoding", "Content-Encoding", "User-Agent", "Idempotency-Key"} {
		tests["header "+name] = header(name, "1")
	}
	for name, r := range tests {
		t.Run(name, func(t *testing.T) {
			r.Write = true
			e := fails(t, c, r)
			if e.Kind != KindRequest || e.Sent {
				t.Errorf("got %s, sent %v: %v", e.Kind, e.Sent, e)
			}
		})
	}
	if p.conns.Load() != 0 {
		t.Errorf("the server saw %d connections", p.conns.Load())
	}
}

// What arrives is what was asked for, byte by byte.
func TestRequestOnTheWire(t *testing.T) {
	wire := make(chan string, 1)
	p := raw(t, func(c net.Conn) {
		buf := make([]byte, 4096)
		n, err := c.Read(buf)
		if err != nil {
			return
		}
		wire <- string(buf[:n])
		io.WriteString(c, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
	})
	auth := http.Header{"authorization": {"Bearer x"}, "X-Many": {"1", "2"}}
	tests := []struct {
		name string
		r    Request
		line string
		want []string
	}{
		{"get", Request{Method: "GET", Path: "/netbox/api/a%2Fb/%C3%BC;x=1/", Query: "q=a%20b&c[]=d|e&f=?", Header: auth},
			"GET /netbox/api/a%2Fb/%C3%BC;x=1/?q=a%20b&c[]=d|e&f=? HTTP/1.1",
			[]string{"Accept-Encoding: zstd, gzip", "Authorization: Bearer x", "Host: netbox.example.com", "User-Agent: test/1", "X-Forwarded-Proto: https", "X-Many: 1", "X-Many: 2"}},
		{"dots", Request{Method: "GET", Path: "/a/../b/./"}, "GET /a/../b/./ HTTP/1.1",
			[]string{"Accept-Encoding: zstd, gzip", "Host: netbox.example.com", "User-Agent: test/1", "X-Forwarded-Proto: https"}},
		{"range", Request{Method: "GET", Path: "/", Header: http.Header{"Range": {"bytes=0-1"}}}, "GET / HTTP/1.1",
			[]string{"Host: netbox.example.com", "Range: bytes=0-1", "User-Agent: test/1", "X-Forwarded-Proto: https"}},
		{"large", Request{Method: "GET", Path: "/", Limit: 18 << 20}, "GET / HTTP/1.1",
			[]string{"Accept-Encoding: gzip", "Host: netbox.example.com", "User-Agent: test/1", "X-Forwarded-Proto: https"}},
		{"head", Request{Method: "HEAD", Path: "/"}, "HEAD / HTTP/1.1",
			[]string{"Host: netbox.example.com", "User-Agent: test/1", "X-Forwarded-Proto: https"}},
		{"write", Request{Method: "PATCH", Path: "/", Body: []byte("{}"), Write: true, Header: http.Header{"X-Forwarded-Proto": {"ftp"}}}, "PATCH / HTTP/1.1",
			[]string{"Connection: close", "Content-Length: 2", "Host: netbox.example.com", "User-Agent: test/1", "X-Forwarded-Proto: https"}},
		{"read with a body", Request{Method: "POST", Path: "/", Body: []byte("{}")}, "POST / HTTP/1.1",
			[]string{"Content-Length: 2", "Host: netbox.example.com", "User-Agent: test/1", "X-Forwarded-Proto: https"}},
		{"write without a body", Request{Method: "POST", Path: "/", Write: true}, "POST / HTTP/1.1",
			[]string{"Connection: close", "Content-Length: 0", "Host: netbox.example.com", "User-Agent: test/1", "X-Forwarded-Proto: https"}},
	}
	c := client(t, p.url, func(c *Config) { c.Host = "netbox.example.com"; c.ForwardedProto = "https"; c.UserAgent = "test/1" })
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.r.Limit == 0 {
				tt.r.Limit = 1 << 20
			}
			given := fmt.Sprint(tt.r.Header)
			if _, err := c.Do(context.Background(), tt.r); err != nil {
				t.Fatal(err)
			}
			head, body, _ := strings.Cut(<-wire, "\r\n\r\n")
			lines := strings.Split(head, "\r\n")
			slices.Sort(lines[1:])
			if lines[0] != tt.line || !slices.Equal(lines[1:], tt.want) {
				t.Errorf("got %q, want %q %q", lines, tt.line, tt.want)
			}
			if body != "" && body != string(tt.r.Body) {
				t.Errorf("body %q", body)
			}
			if got := fmt.Sprint(tt.r.Header); got != given {
				t.Errorf("the caller's header became %s", got)
			}
		})
	}
}

func TestNew(t *testing.T) {
	ok := &url.URL{Scheme: "https", Host: "netbox.example.com"}
	for name, cfg := range map[string]Config{
		"nothing":            {},
		"both":               {BaseURL: ok, Socket: "/s"},
		"scheme":             {BaseURL: &url.URL{Scheme: "ftp", Host: "a"}},
		"no host":            {BaseURL: &url.URL{Scheme: "http"}},
		"port only":          {BaseURL: &url.URL{Scheme: "http", Host: ":80"}},
		"user":               {BaseURL: &url.URL{Scheme: "http", Host: "a", User: url.User("u")}},
		"query":              {BaseURL: &url.URL{Scheme: "http", Host: "a", RawQuery: "b"}},
		"fragment":           {BaseURL: &url.URL{Scheme: "http", Host: "a", Fragment: "b"}},
		"host with path":     {BaseURL: ok, Host: "a/b"},
		"host with user":     {BaseURL: ok, Host: "u@a"},
		"host with break":    {BaseURL: ok, Host: "a\r\nb"},
		"proto":              {BaseURL: ok, ForwardedProto: "gopher"},
		"agent":              {BaseURL: ok, UserAgent: "a\nb"},
		"negative timeout":   {BaseURL: ok, Timeout: -time.Second},
		"negative max conns": {BaseURL: ok, MaxConnections: -1},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(cfg)
			if e, is := err.(*Error); !is || e.Kind != KindRequest {
				t.Errorf("got %v, want an error of kind request", err)
			}
		})
	}
	c, err := New(Config{BaseURL: ok, Host: "[2001:db8::1]:443", TLS: &tls.Config{MinVersion: tls.VersionTLS13}})
	if err != nil {
		t.Fatal(err)
	}
	if c.timeout != DefaultTimeout || cap(c.places) != DefaultConnections || c.budget == nil {
		t.Errorf("timeout %v, %d places", c.timeout, cap(c.places))
	}
	if got := tlsConfig(&tls.Config{MinVersion: tls.VersionTLS13}, "a").MinVersion; got != tls.VersionTLS13 {
		t.Errorf("a stricter TLS version became %x", got)
	}
	if got := tlsConfig(nil, "a"); got.MinVersion != tls.VersionTLS12 || got.ServerName != "a" {
		t.Errorf("default TLS: version %x, name %q", got.MinVersion, got.ServerName)
	}
}

func TestMessages(t *testing.T) {
	foreign := strings.Repeat("ü", 5000)
	p := listen(t, say(foreign+"\r\n\r\n"))
	e := fails(t, client(t, p.url), get(100))
	if len(e.Error()) > 400 || !strings.HasPrefix(e.Error(), "the upstream's answer is broken") {
		t.Errorf("message %q", e.Error())
	}
	for _, kind := range []Kind{KindRequest, KindUnreachable, KindTLS, KindDeadline, KindCancelled, KindLimit, KindEncoding, KindRedirect, KindProtocol} {
		if m := (&Error{Kind: kind, Err: io.EOF}).Error(); strings.Contains(m, "exchange with the upstream failed") || !strings.HasSuffix(m, ": EOF") {
			t.Errorf("%s: message %q", kind, m)
		}
	}
}
