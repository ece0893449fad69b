package netboxapi

import (
	"strings"
	"testing"
)

func TestParseAddressAccepts(t *testing.T) {
	for _, test := range []struct {
		name, in                     string
		scheme, host, prefix, socket string
	}{
		{name: "host", in: "http://netbox", scheme: "http", host: "netbox"},
		{name: "https", in: "https://netbox.example.com", scheme: "https", host: "netbox.example.com"},
		{name: "scheme in capitals", in: "HTTPS://netbox", scheme: "https", host: "netbox"},
		{name: "one slash", in: "https://netbox/", scheme: "https", host: "netbox"},
		{name: "port", in: "http://127.0.0.1:8000", scheme: "http", host: "127.0.0.1:8000"},
		{name: "highest port", in: "http://n:65535", scheme: "http", host: "n:65535"},
		{name: "default port is kept", in: "https://n:443", scheme: "https", host: "n:443"},
		{name: "prefix", in: "https://n/netbox", scheme: "https", host: "n", prefix: "/netbox"},
		{name: "prefix with slash", in: "https://n/a/net-box_1.2~/", scheme: "https", host: "n", prefix: "/a/net-box_1.2~"},
		{name: "prefix that only looks like api", in: "https://n/myapi", scheme: "https", host: "n", prefix: "/myapi"},
		{name: "api in the middle", in: "https://n/api/netbox", scheme: "https", host: "n", prefix: "/api/netbox"},
		{name: "underscore in a name", in: "http://net_box:8080", scheme: "http", host: "net_box:8080"},
		{name: "IPv6", in: "http://[::1]:8080/p", scheme: "http", host: "[::1]:8080", prefix: "/p"},
		{name: "IPv6 without port", in: "http://[2001:db8::1]", scheme: "http", host: "[2001:db8::1]"},
		{name: "socket", in: "unix//run/netbox/gunicorn.sock", scheme: "http", host: "localhost", socket: "/run/netbox/gunicorn.sock"},
		{name: "socket with odd characters", in: "unix//run/a b#?%.sock", scheme: "http", host: "localhost", socket: "/run/a b#?%.sock"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, err := ParseAddress(test.in)
			if err != nil {
				t.Fatal(err)
			}
			if a.URL.Scheme != test.scheme || a.URL.Host != test.host || a.URL.Path != test.prefix || a.Socket != test.socket {
				t.Errorf("got %s, host %s, prefix %q, socket %q", a.URL.Scheme, a.URL.Host, a.URL.Path, a.Socket)
			}
			if a.URL.User != nil || a.URL.RawQuery != "" || a.URL.Fragment != "" || a.URL.RawPath != "" || a.URL.Opaque != "" {
				t.Errorf("the URL has more than scheme, host and path: %#v", a.URL)
			}
		})
	}
}

func TestParseAddressRefuses(t *testing.T) {
	const password = "hunter2"
	for _, test := range []struct{ name, in, says string }{
		{"nothing", "", "http://"},
		{"no scheme", "netbox.example.com", "http://"},
		{"host and port only", "netbox:8000", "http://"},
		{"another scheme", "ftp://netbox", "http://"},
		{"scheme-relative", "//netbox", "http://"},
		{"opaque", "http:netbox", "host"},
		{"no host", "http://", "host"},
		{"no host but a path", "http:///netbox", "host"},
		{"port only", "http://:80", "host"},
		{"user", "http://admin@netbox", "user and password"},
		{"user and password", "http://admin:" + password + "@netbox", "user and password"},
		{"empty user", "http://@netbox", "user and password"},
		{"password that is no URL", "http://admin:" + password + "%zz@netbox", "not a URL"},
		{"password and control character", "http://admin:" + password + "\n@netbox", "control characters"},
		{"query", "http://netbox?x=1", "query"},
		{"empty query", "http://netbox/?", "query"},
		{"fragment", "http://netbox#x", "fragment"},
		{"empty fragment", "http://netbox/#", "fragment"},
		{"port 0", "http://netbox:0", "port"},
		{"port too high", "http://netbox:65536", "port"},
		{"port far too high", "http://netbox:99999999999999999999", "port"},
		{"port with zeros", "http://netbox:080", "port"},
		{"empty port", "http://netbox:", "port"},
		{"port is a word", "http://netbox:http", "not a URL"},
		{"negative port", "http://netbox:-1", "not a URL"},
		{"two ports", "http://netbox:80:80", "not a URL"},
		{"IPv6 without brackets", "http://::1", "not a URL"},
		{"IPv6 unclosed", "http://[::1", "not a URL"},
		{"IPv6 that is none", "http://[::g]", "not a URL"},
		{"comma in the host", "http://a,b", "a host is a name"},
		{"quote in the host", "http://a\"b", "a host is a name"},
		{"percent in the host", "http://n%C3%A4tbox", "a host is a name"},
		{"international host", "http://nätbox", "xn--"},
		{"space", "http://netbox /", "spaces"},
		{"leading space", " http://netbox", "spaces"},
		{"line break at the end", "http://netbox\r\n", "control characters"},
		{"tab", "http://net\tbox", "control characters"},
		{"NUL", "http://netbox/\x00", "control characters"},
		{"delete", "http://netbox/\x7f", "control characters"},
		{"C1 control", "http://netbox/\u0085", "control characters"},
		{"backslash", `http://netbox\api`, "backslashes"},
		{"percent-encoding", "http://netbox/a%2fb", "percent-encoding"},
		{"encoded unreserved", "http://netbox/%61", "percent-encoding"},
		{"bracket in the prefix", "http://netbox/[a]", "path prefix"},
		{"semicolon in the prefix", "http://netbox/a;b", "path prefix"},
		{"dot segment", "http://netbox/./a", "dot segments"},
		{"parent segment", "http://netbox/a/../b", "dot segments"},
		{"parent segment at the end", "http://netbox/a/..", "dot segments"},
		{"empty segment", "http://netbox/a//b", "empty"},
		{"empty first segment", "http://netbox//a", "empty"},
		{"api", "http://netbox/api", "/api"},
		{"api with slash", "http://netbox/api/", "/api"},
		{"api behind a prefix", "http://netbox/netbox/api/", "/api"},
		{"socket without a path", "unix/", "unix//"},
		{"relative socket", "unix/run/x.sock", "unix//"},
		{"socket that is the root", "unix//", "unix//"},
		{"socket that is a directory", "unix//run/", "unix//"},
		{"socket with NUL", "unix//run/x\x00.sock", "control characters"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, err := ParseAddress(test.in)
			if err == nil {
				t.Fatalf("accepted as %v", a.URL)
			}
			if !strings.Contains(err.Error(), test.says) {
				t.Errorf("the error is %q, which does not mention %q", err, test.says)
			}
			if strings.Contains(err.Error(), password) || strings.Contains(err.Error(), "admin") {
				t.Errorf("the error repeats credentials: %q", err)
			}
			if a.URL != nil || a.Socket != "" {
				t.Errorf("an address comes with the error: %v", a)
			}
		})
	}
}

func TestParseURLKnowsNoSockets(t *testing.T) {
	if u, err := ParseURL("unix//run/x.sock"); err == nil {
		t.Errorf("accepted as %v", u)
	}
}

// FuzzParseAddress looks for an address that is accepted and cannot be used, or has more than one reading.
func FuzzParseAddress(f *testing.F) {
	for _, s := range []string{"http://n", "https://[::1]:80/a/", "unix//x", "http://a:b@c", "http://n/%2e", "http://n:80#"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a, err := ParseAddress(s)
		if err != nil {
			return
		}
		if _, err := New(Config{Address: a}); err != nil {
			t.Errorf("%q is accepted, and then: %v", s, err)
		}
		if a.Socket != "" {
			return
		}
		again, err := ParseAddress(a.URL.String())
		if err != nil || again.URL.String() != a.URL.String() {
			t.Errorf("%q reads as %q, which reads as %v, %v", s, a.URL, again.URL, err)
		}
	})
}
