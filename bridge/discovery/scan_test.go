package discovery

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/netboxsim"
	"caddy-netbox-mcp/bridge/secret"
)

func TestScanOfARealisticNetBox(t *testing.T) {
	for _, test := range []struct {
		name string
		cfg  netboxsim.Config
	}{
		{"at the root", netboxsim.Testbed()},
		{"below a prefix", func() netboxsim.Config { c := netboxsim.Testbed(); c.BasePath = "/netbox"; return c }()},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := serveNetBox(t, test.cfg)
			c, err := n.Scan(t.Context(), n.session)
			if got, want := said(c, err), "testbed/11"; got != want {
				t.Fatalf("got %s, want %s", got, want)
			}
			if c.Problems != nil {
				t.Errorf("problems are %v", c.Problems)
			}
			if tool, _ := c.Manifests[0].Tool("list_items"); tool.RequestPath("testbed") != "/api/plugins/testbed/items/" {
				t.Errorf("the tool is asked at %s", tool.RequestPath("testbed"))
			}
			p := test.cfg.BasePath
			want := []string{"GET " + p + "/api/plugins/", "GET " + p + "/api/plugins/testbed/", "GET " + p + "/api/plugins/testbed/mcp/"}
			if got := n.asked(); !slices.Equal(got, want) {
				t.Errorf("asked for %q, want %q", got, want)
			}
			for _, r := range n.Requests() {
				if r.RawQuery != "" || len(r.Body) > 0 || r.Header.Get("Authorization") != "Bearer "+netboxsim.TestbedToken {
					t.Errorf("%s was asked with query %q, body %q, headers %v", r.Path, r.RawQuery, r.Body, r.Header)
				}
			}
		})
	}
}

func TestScanLimitsPerRequest(t *testing.T) {
	src := &log{Source: script(plugins("proxbox").get)}
	c, err := newDiscoverer().Scan(t.Context(), src)
	if got := said(c, err); got != "proxbox/1" {
		t.Fatal(got)
	}
	want := []string{"/api/plugins/ 1048576", "/api/plugins/proxbox/ 1048576", "/api/plugins/proxbox/mcp/ 262144"}
	if got := src.taken(); !slices.Equal(got, want) {
		t.Errorf("asked for %q, want %q", got, want)
	}
}

func TestScan(t *testing.T) {
	const base = "https://netbox.example.com"
	for _, test := range []struct {
		name      string
		documents documents
		want      string
	}{
		{"no plugins", documents{listingPath: `{}`}, ""},
		{"only the built-in member", documents{listingPath: `{"installed-plugins":"` + base + `/api/plugins/installed-plugins/"}`}, ""},
		{"absolute link", documents{listingPath: `{"installed-plugins":"` + base + `/api/plugins/installed-plugins/","proxbox":"` + base + `/api/plugins/proxbox/"}`,
			rootPath("proxbox"): rootOf("proxbox"), manifestPath("proxbox"): manifestOf("proxbox", 2)}, "proxbox/2"},
		{"order of names, not of the listing", plugins("zebra", "a-b", "10", "a_b", "alpha"), "10/1\na-b/1\na_b/1\nalpha/1\nzebra/1"},
		{"the key is only a label", documents{listingPath: `{"Proxmox Box":"/api/plugins/proxbox/"}`,
			rootPath("proxbox"): rootOf("proxbox"), manifestPath("proxbox"): manifestOf("proxbox", 1)}, "proxbox/1"},
		{"one slug twice", documents{listingPath: `{"a":"/api/plugins/proxbox/","b":"` + base + `/api/plugins/proxbox/"}`,
			rootPath("proxbox"): rootOf("proxbox"), manifestPath("proxbox"): manifestOf("proxbox", 1)}, "proxbox/1"},
		{"no advertisement", documents{listingPath: listingOf("a", "b"), rootPath("a"): `{"items":"x"}`, rootPath("b"): `{"mcp":null}`}, ""},
		{"inactive: the manifest is not even asked for", documents{listingPath: listingOf("a"), rootPath("a"): `{}`, manifestPath("a"): manifestOf("a", 1)}, ""},
		{"cross-plugin manifest link", documents{listingPath: listingOf("a", "b"), rootPath("a"): rootOf("b"), manifestPath("b"): manifestOf("b", 1), rootPath("b"): rootOf("b")},
			"b/1\na: the MCP advertisement of plugin \"a\" is invalid: the advertised manifest path must be /api/plugins/<plugin>/mcp/ of the advertising plugin"},
		{"one bad plugin hides no other", documents{listingPath: listingOf("bad", "proxbox"), rootPath("bad"): rootOf("bad"), manifestPath("bad"): `{"schema_version":"99","plugin":"bad","tools":[]}`,
			rootPath("proxbox"): rootOf("proxbox"), manifestPath("proxbox"): manifestOf("proxbox", 1)},
			"proxbox/1\nbad: the MCP manifest of plugin \"bad\": the manifest is invalid: /schema_version: must be \"1\"; /tools: must have 1 to 64 tools"},
		{"manifest of another plugin", documents{listingPath: listingOf("a"), rootPath("a"): rootOf("a"), manifestPath("a"): manifestOf("b", 1)},
			"a: the MCP manifest of plugin \"a\": the manifest is invalid: /plugin: must be the plugin whose API serves the manifest"},
		{"advertised, but there is no manifest", documents{listingPath: listingOf("a"), rootPath("a"): rootOf("a")},
			"a: the MCP manifest of plugin \"a\": NetBox answered /api/plugins/a/mcp/ with HTTP 404: Not found."},
		{"root that is no object", documents{listingPath: listingOf("a"), rootPath("a"): `["mcp"]`},
			"a: reading the API root of plugin \"a\": the API root of plugin a must be a JSON object"},
		{"schema version as a number", documents{listingPath: listingOf("a"), rootPath("a"): `{"mcp":{"schema_version":1,"manifest":"/api/plugins/a/mcp/"}}`},
			"a: the MCP advertisement of plugin \"a\" is invalid: the MCP advertisement is invalid: /mcp/schema_version: must be a string"},
		{"problems of the listing in its order, then of plugins by name",
			documents{listingPath: `{"z":1,"m":"/api/plugins/m/","y":"http://netbox.example.com/api/plugins/y/","b":"/api/plugins/b/","a":"/api/plugins/a/x/"}`,
				rootPath("m"): `[]`, rootPath("b"): `[]`},
			"z: the plugin API root link: the link must be a string\n" +
				"y: the plugin API root link: the link must have the same origin (scheme, host and port) as the configured NetBox; behind a TLS proxy NetBox needs the proxy's X-Forwarded headers, or set public_url\n" +
				"a: the plugin API root link is not of the form /api/plugins/<plugin>/\n" +
				"b: reading the API root of plugin \"b\": the API root of plugin b must be a JSON object\n" +
				"m: reading the API root of plugin \"m\": the API root of plugin m must be a JSON object"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c, err := newDiscoverer().Scan(t.Context(), script(test.documents.get))
			if got := said(c, err); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestScanFailsWithItsListing(t *testing.T) {
	for _, test := range []struct {
		name, body string
		status     int
		text       string
		bound      string
	}{
		{name: "list", body: `[]`, status: 200, text: "must be a JSON object"},
		{name: "null", body: `null`, status: 200, text: "must be a JSON object"},
		{name: "HTML", body: `<html>`, status: 200, text: "an HTML page"},
		{name: "NaN", body: `{"a":NaN}`, status: 200, text: "finite JSON"},
		{name: "duplicate members", body: `{"a":"/api/plugins/a/","a":"/api/plugins/a/"}`, status: 200, text: "names a member twice"},
		{name: "empty", status: 200, text: "empty"},
		{name: "too deep", body: `{"a":` + strings.Repeat("[", 30) + strings.Repeat("]", 30) + `}`, status: 200, text: "nesting limit of 24", bound: "root document depth"},
		{name: "too many values", body: `{"a":[1` + strings.Repeat(",1", 12_000) + `]}`, status: 200, text: "limit of 12000 values", bound: "root document nodes"},
		{name: "401", status: 401, text: "HTTP 401"},
		{name: "403", body: `{"detail":"Invalid v2 token"}`, status: 403, text: "HTTP 403: Invalid v2 token"},
		{name: "404", status: 404, text: "HTTP 404"},
		{name: "502", status: 502, text: "HTTP 502"},
		{name: "redirect", status: 302, text: "redirect"},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := serveNetBox(t, netboxsim.Testbed())
			n.answer(listingPath, test.status, test.body)
			c, err := n.Scan(t.Context(), n.session)
			wantError(t, err, Listing, test.bound, test.text)
			if c != nil {
				t.Errorf("a catalog comes with the error: %v", c)
			}
			m, err := n.Select(t.Context(), n.session, "testbed")
			wantError(t, err, Listing, test.bound, test.text)
			if m != nil {
				t.Errorf("a manifest comes with the error: %v", m)
			}
			if got := n.asked(); !slices.Equal(got, []string{"GET /api/plugins/", "GET /api/plugins/"}) {
				t.Errorf("asked for %q", got)
			}
		})
	}
}

// TestRefusedRoots: what a caller may not see is silent in a scan and an error for who asks for it by name.
func TestRefusedRoots(t *testing.T) {
	for _, test := range []struct {
		status int
		silent bool
	}{{401, true}, {403, true}, {404, true}, {400, false}, {405, false}, {418, false}, {429, false}, {500, false}, {502, false}, {503, false}, {301, false}, {302, false}, {304, false}} {
		t.Run(fmt.Sprint(test.status), func(t *testing.T) {
			n := serveNetBox(t, netboxsim.Testbed())
			n.answer(rootPath("testbed"), test.status, "")
			c, err := n.Scan(t.Context(), n.session)
			if err != nil {
				t.Fatal(err)
			}
			if len(c.Manifests) != 0 || (len(c.Problems) == 0) != test.silent {
				t.Errorf("got %s", said(c, err))
			}
			_, err = n.Select(t.Context(), n.session, "testbed")
			wantError(t, err, Root, "", `reading the API root of plugin "testbed": `)
		})
	}
}

// TestRefusedManifests: a plugin that advertised a manifest to this caller owes it.
func TestRefusedManifests(t *testing.T) {
	for _, status := range []int{401, 403, 404, 500, 503, 302, 304} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			n := serveNetBox(t, netboxsim.Testbed())
			n.answer(manifestPath("testbed"), status, `{"detail":"no"}`)
			c, err := n.Scan(t.Context(), n.session)
			if err != nil || len(c.Manifests) != 0 || len(c.Problems) != 1 || c.Problems[0].Plugin != "testbed" {
				t.Errorf("got %s", said(c, err))
			}
			_, err = n.Select(t.Context(), n.session, "testbed")
			wantError(t, err, Manifest, "", fmt.Sprint(status))
		})
	}
}

func TestInstalledPluginsIsNoPlugin(t *testing.T) {
	n := serveNetBox(t, netboxsim.Testbed())
	for _, token := range []string{netboxsim.TestbedToken, netboxsim.TestbedReaderToken} {
		c, err := n.Scan(t.Context(), n.client.As(secret.New(token)))
		if got := said(c, err); got != "testbed/11" {
			t.Errorf("got %s", got)
		}
	}
	_, err := n.Select(t.Context(), n.session, "installed-plugins")
	wantError(t, err, UnknownPlugin, "", "plugin API root not found")
	for _, path := range n.asked() {
		if strings.Contains(path, builtin) {
			t.Errorf("asked for %s", path)
		}
	}
}

func TestProblemsAreBounded(t *testing.T) {
	key := strings.Repeat("é", 500)
	tools := make([]string, 64)
	for i := range tools {
		tools[i] = `{"name":"` + strings.Repeat("é", 300) + `","` + strings.Repeat("x", 2000) + `":1}`
	}
	c, err := newDiscoverer().Scan(t.Context(), script(documents{
		listingPath:       `{"` + key + `":"` + strings.Repeat("x", 5000) + `","a":"/api/plugins/a/"}`,
		rootPath("a"):     rootOf("a"),
		manifestPath("a"): `{"schema_version":"1","plugin":"a","tools":[` + strings.Join(tools, ",") + `]}`,
	}.get))
	if err != nil || len(c.Problems) != 2 {
		t.Fatalf("got %s", said(c, err))
	}
	if got := c.Problems[0].Plugin; got != strings.Repeat("é", 64) {
		t.Errorf("the label is %q", got)
	}
	for _, p := range c.Problems {
		if n := utf8.RuneCountInString(p.Error); n > manifest.MaxProblem || strings.Contains(p.Error, "xxx") || strings.Contains(p.Error, "ééé") {
			t.Errorf("the problem has %d characters: %s", n, p.Error)
		}
	}
	long := problem("a", fmt.Errorf("%s", strings.Repeat("é", 2001)))
	if long.Error != strings.Repeat("é", 2000) {
		t.Errorf("2,001 characters became %d", utf8.RuneCountInString(long.Error))
	}
	if got, want := asJSON(t, problem("p", fmt.Errorf("e"))), `{"plugin":"p","error":"e"}`; got != want {
		t.Errorf("as JSON a problem is %s, want %s", got, want)
	}
}

// TestForeignHeaderLimits: a limit that is not a document's size does not pass for one.
func TestForeignHeaderLimits(t *testing.T) {
	n := serveNetBox(t, netboxsim.Testbed())
	n.Inject("GET "+rootPath("testbed"), netboxsim.Fault{Header: http.Header{"X-Large": {strings.Repeat("x", 70<<10)}}})
	_, err := n.Select(t.Context(), n.session, "testbed")
	wantError(t, err, Root, "", "header limit")
}
