package caddymodule

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/netboxsim"
)

// plugins is a NetBox that notes with which credential it was asked for what.
type plugins struct {
	*netboxsim.Server
	url string

	mu    sync.Mutex
	asked []string
}

func (p *plugins) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.asked = append(p.asked, r.Method+" "+r.URL.Path+" "+r.Header.Get("Authorization"))
	p.mu.Unlock()
	p.Server.ServeHTTP(w, r)
}

// taken is what was asked since it was taken the last time.
func (p *plugins) taken() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := p.asked
	p.asked = nil
	return asked
}

func newPlugins(t *testing.T, prefix string) *plugins {
	t.Helper()
	cfg := netboxsim.Testbed()
	cfg.BasePath = prefix
	p := &plugins{Server: netboxsim.New(cfg)}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.url = server.URL + prefix
	return p
}

// TestManifestCommandOfURL: both documents are judged, by both forms of the URL, and each failure says what to do.
func TestManifestCommandOfURL(t *testing.T) {
	const root, mcp = "/api/plugins/testbed/", "/api/plugins/testbed/mcp/"
	body := func(s string) netboxsim.Fault { return netboxsim.Fault{Status: 200, Body: []byte(s)} }
	html := netboxsim.Fault{Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte("<html>log in</html>")}
	away := netboxsim.Fault{Status: 302, Header: http.Header{"Location": {"http://127.0.0.1:1/secret/"}}}
	const advertises = "The API root " + root + " advertises the manifest.\n"
	tests := []struct {
		name         string
		token        string
		faults       map[string]netboxsim.Fault
		code         int
		stdout, said string
	}{
		{"valid", netboxsim.TestbedToken, nil, 0, advertises + "The manifest of plugin testbed is valid: 11 tools, ", ""},
		{"no credential", "", nil, 1, "", "reading " + root + " and " + mcp + ": NetBox wants a credential (HTTP 403: Authentication credentials were not provided.) and got none: set NETBOX_URL and NETBOX_TOKEN; the token is sent only to URLs below NETBOX_URL"},
		{"two reasons", netboxsim.TestbedToken, map[string]netboxsim.Fault{root: away, mcp: html}, 1, "", "reading " + root + ": NetBox answered with a redirect (HTTP 302), which is never followed: check http or https, the host and the path prefix, and that the view does not send its caller to a login; " +
			"reading " + mcp + ": an HTML page came with HTTP 200, which is no answer of an API: check the host and the path prefix, and what stands in front of NetBox"},
		{"a refused credential", "nbt_nosuchtoken1.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", map[string]netboxsim.Fault{mcp: body(manifestOf(1, false))}, 1, "/plugin: must be the plugin whose API serves the manifest\n/tools/0/name: must be 1 to 64 of a-z, 0-9 and _, beginning with a letter\n",
			"reading " + root + ": NetBox refuses this to the configured token (HTTP 403: Invalid v2 token): check the token, its expiry, its allowed addresses and its permissions; the manifest is invalid: problems found: 2"},
		{"no advertisement", netboxsim.TestbedToken, map[string]netboxsim.Fault{root: body(`{"items":"x"}`)}, 1, "advertisement: /mcp: is required: without it no client finds the manifest\nThe manifest of plugin testbed is valid: 11 tools, ", "the plugin does not advertise its manifest"},
		{"a wrong advertisement", netboxsim.TestbedToken, map[string]netboxsim.Fault{root: body(`{"mcp":{"schema_version":1,"manifest":""}}`)}, 1,
			"advertisement: /mcp/schema_version: must be a string\nadvertisement: /mcp/manifest: must not be empty\nThe manifest of plugin testbed is valid: 11 tools, ", "the advertisement is invalid"},
		{"a link to another view", netboxsim.TestbedToken, map[string]netboxsim.Fault{root: body(`{"mcp":{"schema_version":"1","manifest":"/api/plugins/other/mcp/"}}`)}, 1,
			"advertisement: /mcp/manifest: the advertised manifest path must be /api/plugins/<plugin>/mcp/ of the advertising plugin\nThe manifest of", "the advertisement is invalid"},
		{"a link to another host", netboxsim.TestbedToken, map[string]netboxsim.Fault{root: body(`{"mcp":{"schema_version":"1","manifest":"https://evil.example.com/api/plugins/testbed/mcp/"}}`)}, 1,
			"advertisement: /mcp/manifest: the link must have the same origin (scheme, host and port) as the configured NetBox", "the advertisement is invalid"},
		{"a root that is no JSON", netboxsim.TestbedToken, map[string]netboxsim.Fault{root: body(`{"mcp":}`)}, 1, "The manifest of", "reading the API root of plugin testbed: not strict, finite JSON: the syntax is wrong (byte 7), at line 1, column 8"},
		{"a root that is a list", netboxsim.TestbedToken, map[string]netboxsim.Fault{root: body(`[]`)}, 1, "The manifest of", "the API root of plugin testbed must be a JSON object"},
		{"an oversize root", netboxsim.TestbedToken, map[string]netboxsim.Fault{root: body(strings.Repeat(" ", manifest.MaxRootBytes+1))}, 1, "The manifest of", "reading " + root + ": it is over the size limit of 1048576 bytes"},
		{"an oversize manifest", netboxsim.TestbedToken, map[string]netboxsim.Fault{mcp: body(strings.Repeat(" ", manifest.MaxManifestBytes+1))}, 1, advertises, "reading " + mcp + ": it is over the size limit of 262144 bytes"},
		{"an oversize manifest of unknown length", netboxsim.TestbedToken, map[string]netboxsim.Fault{mcp: {Handler: func(w http.ResponseWriter, _ *http.Request) {
			_ = http.NewResponseController(w).Flush()
			_, _ = w.Write([]byte(strings.Repeat(" ", manifest.MaxManifestBytes+1)))
		}}}, 1, advertises, "reading " + mcp + ": it is over the size limit of 262144 bytes"},
		{"a redirect", netboxsim.TestbedToken, map[string]netboxsim.Fault{mcp: away}, 1, advertises, "reading " + mcp + ": NetBox answered with a redirect (HTTP 302), which is never followed: check http or https, the host and the path prefix, and that the view does not send its caller to a login"},
		{"a page", netboxsim.TestbedToken, map[string]netboxsim.Fault{mcp: html}, 1, advertises, "reading " + mcp + ": an HTML page came with HTTP 200, which is no answer of an API: check the host and the path prefix, and what stands in front of NetBox"},
		{"no view", netboxsim.TestbedToken, map[string]netboxsim.Fault{mcp: {Status: 404, Body: []byte(`{"detail":"Not\u001b[31m found."}`)}}, 1, advertises, "reading " + mcp + ": there is no such document (HTTP 404: Not[31m found.): check the plugin's name and that it is installed there, and that it has a view at this path"},
		{"a failure", netboxsim.TestbedToken, map[string]netboxsim.Fault{mcp: {Status: 500, Body: []byte(`{"detail":"the token is ` + netboxsim.TestbedToken + `"}`)}}, 1, advertises, "reading " + mcp + ": NetBox failed (HTTP 500: the token is [redacted]): its log has the reason"},
		{"another status", netboxsim.TestbedToken, map[string]netboxsim.Fault{mcp: {Status: 429, Body: []byte(`{}`)}}, 1, advertises, "reading " + mcp + ": NetBox answered with HTTP 429"},
		{"no JSON", netboxsim.TestbedToken, map[string]netboxsim.Fault{mcp: body("{\n]")}, 1, advertises, "reading the manifest: not strict, finite JSON: the syntax is wrong (byte 2), at line 2, column 1"},
		{"a token in a name", netboxsim.TestbedToken, map[string]netboxsim.Fault{mcp: body(strings.Replace(manifestOf(1, true), `{`, `{"`+netboxsim.TestbedToken+`":1,`, 1))}, 1, advertises + "/[redacted]: is not allowed here", "the manifest is invalid: problems found: 2"},
	}
	for _, prefix := range []string{"", "/netbox"} {
		p := newPlugins(t, prefix)
		for _, tt := range tests {
			t.Run(tt.name+prefix, func(t *testing.T) {
				cleanEnvironment(t)
				t.Setenv(urlVariable, strings.ToUpper(p.url[:4])+p.url[4:]+"/")
				t.Setenv(tokenVariable, tt.token)
				for path, f := range tt.faults {
					defer p.Inject("GET "+path, f)()
				}
				for _, path := range []string{root, mcp} {
					p.taken()
					code, out, said := shellManifest(t, "", p.url+path)
					if code != tt.code || !strings.HasPrefix(out, tt.stdout) || (tt.stdout == "") != (out == "") || said != tt.said {
						t.Errorf("exit status %d, error %q, standard output\n%.600s\nwant %d, %q,\n%s", code, said, out, tt.code, tt.said, tt.stdout)
					}
					credential := ""
					if tt.token != "" {
						credential = "Bearer " + tt.token
					}
					want := []string{"GET " + prefix + root + " " + credential, "GET " + prefix + mcp + " " + credential}
					if asked := p.taken(); !slices.Equal(asked, want) {
						t.Errorf("asked was %q, want %q", asked, want)
					}
					if strings.Contains(out+said, netboxsim.TestbedToken) {
						t.Error("the output shows the NetBox token")
					}
				}
			})
		}
	}
}

// The credential goes to the NetBox that it is for, and nowhere else.
func TestManifestCommandKeepsTheCredential(t *testing.T) {
	ours, other := newPlugins(t, "/netbox"), newPlugins(t, "/netbox")
	port := ours.url[strings.LastIndex(ours.url, ":"):]
	tests := []struct {
		name, configured, url string
		sent                  bool
	}{
		{"the same", ours.url, ours.url, true},
		{"with a slash", ours.url + "/", ours.url, true},
		{"another port", ours.url, other.url, false},
		{"another prefix", strings.TrimSuffix(ours.url, "/netbox"), ours.url, false},
		{"a longer prefix", ours.url + "/x", ours.url, false},
		{"another name of this machine", "http://localhost" + port, ours.url, false},
		{"another scheme", "https" + strings.TrimPrefix(ours.url, "http"), ours.url, false},
		{"a name that ours begins with", "http://127.0.0.1.example.com" + port, ours.url, false},
		{"a socket", "unix//run/netbox.sock", ours.url, false},
		{"none", "", ours.url, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cleanEnvironment(t)
			t.Setenv(urlVariable, tt.configured)
			t.Setenv(tokenKeyVariable, "testbedadmin")
			t.Setenv(tokenSecretVariable, strings.TrimPrefix(netboxsim.TestbedToken, "nbt_testbedadmin."))
			ours.taken()
			other.taken()
			code, out, said := shellManifest(t, "", tt.url+"/api/plugins/testbed/mcp/")
			if (code == 0) != tt.sent {
				t.Errorf("exit status %d, %q, %s", code, said, out)
			}
			asked := append(ours.taken(), other.taken()...)
			for _, a := range asked {
				if strings.HasSuffix(a, " Bearer "+netboxsim.TestbedToken) != tt.sent || !tt.sent && !strings.HasSuffix(a, " ") {
					t.Errorf("asked was %q", a)
				}
			}
			if len(asked) != 2 {
				t.Errorf("asked was %q", asked)
			}
		})
	}
}

// TestManifestCommandVerifies: NETBOX_CA_FILE and NETBOX_SSL_VERIFY count here as they do for serve.
func TestManifestCommandVerifies(t *testing.T) {
	server := httptest.NewTLSServer(netboxsim.New(netboxsim.Testbed()))
	defer server.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name        string
		environment map[string]string
		code        int
		said        string
	}{
		{"an unknown authority", nil, 1, "; for an authority of your own set NETBOX_CA_FILE"},
		{"its authority", map[string]string{caFileVariable: ca}, 0, ""},
		{"without a look", map[string]string{verifyVariable: "false"}, 0, ""},
		{"neither yes nor no", map[string]string{verifyVariable: "maybe"}, 1, `NETBOX_SSL_VERIFY is "maybe": write true or false`},
		{"no such authority", map[string]string{caFileVariable: ca + ".no"}, 1, "no such file or directory"},
		{"a bad address of ours", map[string]string{urlVariable: "ftp://x"}, 1, "NETBOX_URL: a URL begins with http:// or https://"},
		{"half a token", map[string]string{tokenVariable: "", tokenKeyVariable: "k"}, 1, "NETBOX_TOKEN_KEY and NETBOX_TOKEN_SECRET are only of use together"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cleanEnvironment(t)
			t.Setenv(urlVariable, server.URL)
			t.Setenv(tokenVariable, netboxsim.TestbedTokenV1)
			for name, value := range tt.environment {
				t.Setenv(name, value)
			}
			if code, out, said := shellManifest(t, "", server.URL+"/api/plugins/testbed/"); code != tt.code || !strings.HasSuffix(said, tt.said) || (tt.said == "") != (said == "") {
				t.Errorf("exit status %d, %q, %s; want %d, %q", code, said, out, tt.code, tt.said)
			}
		})
	}
}
