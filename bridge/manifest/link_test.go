package manifest

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"caddy-netbox-mcp/bridge/strictjson"
)

type linkCase struct {
	BaseURL string `json:"base_url"`
	Plugin  string `json:"plugin"`
	Link    any    `json:"link"`
	Valid   bool   `json:"valid"`
	Why     string `json:"why"`
}

func parseURL(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestPublishedLinks(t *testing.T) {
	var cases []linkCase
	readCases(t, "links.json", &cases)
	if len(cases) == 0 {
		t.Fatal("no published cases")
	}
	for _, c := range cases {
		o := NewOrigins(parseURL(t, c.BaseURL))
		text, isText := c.Link.(string)
		if !isText {
			if _, err := o.NormalizeValue(strictjson.Value{Kind: strictjson.Number, Text: "5"}); err == nil || c.Valid {
				t.Errorf("link %v was accepted", c.Link)
			}
			continue
		}
		if path, err := o.ManifestPath(text, c.Plugin); (err == nil) != c.Valid {
			t.Errorf("%q on %s: %q, %v; want valid %v (%s)", text, c.BaseURL, path, err, c.Valid, c.Why)
		}
	}
}

func TestManifestPath(t *testing.T) {
	const want = "/api/plugins/example/mcp/"
	plain := NewOrigins(parseURL(t, "https://netbox.example.com"))
	tests := []struct {
		name    string
		origins Origins
		link    string
		valid   bool
	}{
		{"path", plain, want, true},
		{"space around", plain, " \t" + want + "\r\n", true},
		{"scheme and host of another case", plain, "HTTPS://NetBox.Example.COM" + want, true},
		{"path of another case", plain, "/API/plugins/example/mcp/", false},
		{"plugin of another case", plain, "/api/plugins/Example/mcp/", false},
		{"below the manifest", plain, want + "x/", false},
		{"root of the plugin", plain, "/api/plugins/example/", false},
		{"bare question mark", plain, want + "?", false},
		{"bare hash", plain, want + "#", false},
		{"question mark before", plain, "/api/?/plugins/example/mcp/", false},
		{"tab inside", plain, "/api/plugins/exam\tple/mcp/", false},
		{"newline inside", plain, "/api/plugins/example/\nmcp/", false},
		{"NUL", plain, want + "\x00", false},
		{"NUL first", plain, "\x00" + want, false},
		{"delete", plain, "/api/plugins/\x7fexample/mcp/", false},
		{"space inside", plain, "/api/plugins/example /mcp/", false},
		{"no-break space", plain, "\u00a0" + want, false},
		{"full-width slash", plain, "/api/plugins/example\uff0fmcp/", false},
		{"percent", plain, "/api/plugins/example/%6Dcp/", false},
		{"backslash", plain, `/api/plugins/example\mcp/`, false},
		{"double slash", plain, "/api//plugins/example/mcp/", false},
		{"dot", plain, "/api/./plugins/example/mcp/", false},
		{"dot-dot", plain, "/api/plugins/other/../example/mcp/", false},
		{"dot-dot out", plain, "/x/../api/plugins/example/mcp/", false},
		{"path parameter", plain, "/api/plugins/example;x/mcp/", false},
		{"three slashes", plain, "//" + want, false},
		{"scheme-relative", plain, "//netbox.example.com" + want, false},
		{"no authority", plain, "https:" + want, false},
		{"empty authority", plain, "https://" + want, false},
		{"one slash", plain, "https:/netbox.example.com" + want, false},
		{"three slashes after the scheme", plain, "https:///netbox.example.com" + want, false},
		{"no path", plain, "https://netbox.example.com", false},
		{"user", plain, "https://user@netbox.example.com" + want, false},
		{"empty user", plain, "https://@netbox.example.com" + want, false},
		{"password", plain, "https://u:p@netbox.example.com" + want, false},
		{"host as user", plain, "https://netbox.example.com@evil.example.com" + want, false},
		{"host as user, port as password", plain, "https://netbox.example.com:443@evil.example.com" + want, false},
		{"default port", plain, "https://netbox.example.com:443" + want, true},
		{"port of the other scheme", plain, "https://netbox.example.com:80" + want, false},
		{"other scheme at the same port", plain, "http://netbox.example.com:443" + want, false},
		{"port with leading zero", plain, "https://netbox.example.com:0443" + want, false},
		{"empty port", plain, "https://netbox.example.com:" + want, false},
		{"signed port", plain, "https://netbox.example.com:+443" + want, false},
		{"port over 65535", plain, "https://netbox.example.com:65979" + want, false},
		{"two ports", plain, "https://netbox.example.com:443:443" + want, false},
		{"trailing dot", plain, "https://netbox.example.com." + want, false},
		{"longer host", plain, "https://netbox.example.com.evil.example" + want, false},
		{"subdomain", plain, "https://a.netbox.example.com" + want, false},
		{"look-alike host", plain, "https://n\u0435tbox.example.com" + want, false},
		{"dotless i", plain, "https://netbox.example.com\u3002" + want, false},
		{"javascript", plain, "javascript:" + want, false},
		{"ftp", plain, "ftp://netbox.example.com" + want, false},
		{"file", plain, "file://" + want, false},
		{"scheme with space", plain, "https ://netbox.example.com" + want, false},
		{"other port configured", NewOrigins(parseURL(t, "http://10.0.0.1:8000")), "http://10.0.0.1:8000" + want, true},
		{"default port not configured", NewOrigins(parseURL(t, "http://10.0.0.1:8000")), "http://10.0.0.1" + want, false},
		{"explicit default port configured", NewOrigins(parseURL(t, "http://10.0.0.1:80/")), "http://10.0.0.1" + want, true},
		{"IPv6", NewOrigins(parseURL(t, "http://[::1]:8080")), "http://[0:0:0:0:0:0:0:1]:8080" + want, true},
		{"IPv6 without port", NewOrigins(parseURL(t, "http://[2001:DB8::1]")), "http://[2001:db8:0::1]" + want, true},
		{"IPv6 of another host", NewOrigins(parseURL(t, "http://[::1]:8080")), "http://[::2]:8080" + want, false},
		{"IPv6 unclosed", NewOrigins(parseURL(t, "http://[::1]:8080")), "http://[::1:8080" + want, false},
		{"IPv6 without brackets", NewOrigins(parseURL(t, "http://[::1]:8080")), "http://::1:8080" + want, false},
		{"IPv6 with a zone", NewOrigins(parseURL(t, "http://[::1]:8080")), "http://[::1%25eth0]:8080" + want, false},
		{"name in brackets", plain, "https://[netbox.example.com]" + want, false},
		{"text after brackets", NewOrigins(parseURL(t, "http://[::1]")), "http://[::1]x" + want, false},
		{"prefix", NewOrigins(parseURL(t, "https://n.example/netbox/")), "/netbox" + want, true},
		{"prefix of a prefix", NewOrigins(parseURL(t, "https://n.example/netbox")), "/net" + want, false},
		{"prefix twice", NewOrigins(parseURL(t, "https://n.example/netbox")), "/netbox/netbox" + want, false},
		{"prefix of another case", NewOrigins(parseURL(t, "https://n.example/netbox")), "/NetBox" + want, false},
		{"deep prefix", NewOrigins(parseURL(t, "https://n.example/a/b")), "https://n.example/a/b" + want, true},
		{"prefix that is api", NewOrigins(parseURL(t, "https://n.example/api")), "/api" + want, true},
		{"prefix that is api beside an origin without one", NewOrigins(parseURL(t, "http://127.0.0.1"), parseURL(t, "https://n.example/api")), "/api" + want, true},
		{"prefix with a percent", NewOrigins(parseURL(t, "https://n.example/a%20b")), "/a%20b" + want, false},
		{"prefix without one configured", plain, "/netbox" + want, false},
		{"public URL", NewOrigins(parseURL(t, "http://127.0.0.1:8080"), parseURL(t, "https://netbox.example.com/nb")), "https://netbox.example.com/nb" + want, true},
		{"base beside a public URL", NewOrigins(parseURL(t, "http://127.0.0.1:8080"), parseURL(t, "https://netbox.example.com/nb")), "http://127.0.0.1:8080" + want, true},
		{"prefix of the public URL alone", NewOrigins(parseURL(t, "http://127.0.0.1:8080"), parseURL(t, "https://netbox.example.com/nb")), "/nb" + want, true},
		{"prefix of the other origin", NewOrigins(parseURL(t, "http://127.0.0.1:8080"), parseURL(t, "https://netbox.example.com/nb")), "http://127.0.0.1:8080/nb" + want, false},
		{"two prefixes at one origin", NewOrigins(parseURL(t, "https://n.example/a"), parseURL(t, "https://n.example/b")), "https://n.example/b" + want, true},
		{"socket", NewOrigins(parseURL(t, "unix:///run/netbox.sock")), "http://localhost" + want, true},
		{"socket, other host", NewOrigins(parseURL(t, "unix:///run/netbox.sock")), "http://netbox.example.com" + want, false},
		{"socket, public URL", NewOrigins(parseURL(t, "unix:///run/netbox.sock"), parseURL(t, "https://netbox.example.com")), "https://netbox.example.com" + want, true},
		{"no base, path", NewOrigins(nil), want, true},
		{"no base, URL", NewOrigins(nil), "http://localhost" + want, false},
		{"zero Origins, URL", Origins{}, "https://netbox.example.com" + want, false},
		{"base of another alphabet", NewOrigins(&url.URL{Scheme: "https", Host: "nétbox.example", Path: "/nb"}), "/nb" + want, true},
		{"link over the limit", plain, "/" + strings.Repeat("a", MaxLink) + "/", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path, err := test.origins.ManifestPath(test.link, "example")
			if (err == nil) != test.valid || err == nil && path != want {
				t.Errorf("ManifestPath(%q) = %q, %v; want valid %v", test.link, path, err, test.valid)
			}
			if err != nil {
				if e, ok := errors.AsType[*Error](err); !ok || !e.Advertisement || strings.Contains(err.Error(), "evil") {
					t.Errorf("the error %v is not an advertisement's or quotes the link", err)
				}
			}
		})
	}
	if _, err := plain.ManifestPath("/api/plugins/a/b/mcp/", "a/b"); err == nil {
		t.Error("a plugin name with a slash was accepted")
	}
	if _, err := plain.ManifestPath("/api/plugins/other/mcp/", "example"); err == nil || !strings.Contains(err.Error(), "advertised manifest path") {
		t.Errorf("another plugin's manifest: %v", err)
	}
}

func TestNormalize(t *testing.T) {
	o := NewOrigins(parseURL(t, "https://n.example/nb"))
	longest := "/api/" + strings.Repeat("a", MaxLink-6) + "/"
	for link, want := range map[string]string{
		"/api/plugins/installed-plugins/":     "/api/plugins/installed-plugins/",
		"https://n.example/nb/api/plugins/x/": "/api/plugins/x/",
		"https://n.example/api/plugins/x/":    "/api/plugins/x/",
		"/nb/api/dcim/sites/7/":               "/api/dcim/sites/7/",
		longest:                               longest,
		longest + "/":                         "",
		"/api":                                "",
		"/apix/":                              "",
		"/nb/":                                "",
		"https://n.example:443/nb/api/plugins/..../x.y~z/": "/api/plugins/..../x.y~z/",
	} {
		got, err := o.Normalize(link)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("Normalize(%.60q) = %.60q, %v; want %.60q", link, got, err, want)
		}
	}
	if got, err := o.NormalizeValue(value(t, `"/api/x/"`)); got != "/api/x/" || err != nil {
		t.Errorf("NormalizeValue = %q, %v", got, err)
	}
	for _, v := range []string{`null`, `5`, `{}`, `["/api/x/"]`, `true`} {
		if got, err := o.NormalizeValue(value(t, v)); err == nil {
			t.Errorf("NormalizeValue(%s) = %q", v, got)
		}
	}
}
