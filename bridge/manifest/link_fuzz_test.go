package manifest

import (
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var linkSyntax = regexp.MustCompile(`^(?:([A-Za-z]+)://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9_.-]+)(?::([1-9][0-9]{0,4}))?)?(/netbox)?(/api(?:/[A-Za-z0-9._~-]+)*/)$`)

// normalized is a second opinion on links, for a NetBox at https://netbox.example.com/netbox and http://[::1]:8080: one pattern
// for what a link looks like, then the two places by name.
func normalized(link string) (path string, ok bool) {
	link = strings.Trim(link, " \t\r\n\v\f")
	m := linkSyntax.FindStringSubmatch(link)
	if m == nil || len(link) > 2_048 {
		return "", false
	}
	scheme, host, port, prefix, path := strings.ToLower(m[1]), strings.ToLower(m[2]), m[3], m[4], m[5]
	segments := strings.Split(path, "/")
	if slices.Contains(segments, ".") || slices.Contains(segments, "..") {
		return "", false
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	loopback := err == nil && strings.HasPrefix(host, "[") && address == netip.IPv6Loopback()
	switch {
	case scheme == "", scheme == "https" && host == "netbox.example.com" && (port == "" || port == "443"):
		return path, true
	case scheme == "http" && loopback && port == "8080":
		return path, prefix == "" // the prefix is not of this place
	}
	return "", false
}

// FuzzLink holds Normalize against the second opinion in both directions, and against net/url: what is accepted must be read
// there as the same path, without user, query or fragment.
func FuzzLink(f *testing.F) {
	var cases []linkCase
	readCases(f, "links.json", &cases)
	for _, c := range cases {
		if s, ok := c.Link.(string); ok {
			f.Add(s)
		}
	}
	for _, s := range []string{
		"http://[::1]:8080/netbox/api/x/", "http://[0:0::0.0.0.1]:8080/api/x/", "http://[::1]/api/x/", "https://netbox.example.com/netbox/api/plugins/example/mcp/",
		"HTTPS://NETBOX.example.com:443/api/", "https://netbox.example.com:0443/api/", " \v/netbox/api/a/..../b~_-./ ", "/netbox/netbox/api/x/", "/api/a/./b/", "//api/x/",
		"https://netbox.example.com@evil.example/api/x/", "/api/" + strings.Repeat("a", 2_042) + "/", "/api/" + strings.Repeat("a", 2_043) + "/",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, link string) {
		o := NewOrigins(parseURL(t, "https://netbox.example.com/netbox"), parseURL(t, "http://[::1]:8080"))
		path, err := o.Normalize(link)
		want, ok := normalized(link)
		if (err == nil) != ok || ok && path != want {
			t.Fatalf("%q normalized to %q, %v; the second opinion is %q, %v", link, path, err, want, ok)
		}
		if err != nil {
			return
		}
		u, err := url.Parse(strings.Trim(link, " \t\r\n\v\f"))
		if err != nil {
			t.Fatalf("%q accepted, but: %v", link, err)
		}
		if u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.Opaque != "" {
			t.Fatalf("%q accepted as %+v", link, u)
		}
		if u.Path != path && u.Path != "/netbox"+path {
			t.Fatalf("%q has the path %q, normalized to %q", link, u.Path, path)
		}
		if again, err := o.Normalize(path); err != nil || again != path {
			t.Fatalf("%q normalized to %q, and that to %q, %v", link, path, again, err)
		}
	})
}
