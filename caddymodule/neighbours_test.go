package caddymodule

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"caddy-netbox-mcp/bridge/netboxsim"
)

// TestNeighbours: beside reverse_proxy, encode, forward_auth and basic_auth, each keeps to its own paths.
func TestNeighbours(t *testing.T) {
	sim, line := simulated(t, netboxsim.Testbed(), netboxsim.TestbedToken)
	netbox := httptest.NewServer(sim)
	defer netbox.Close()
	var verified []string
	gate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		verified = append(verified, r.Header.Get("X-Forwarded-Uri"))
		if r.Header.Get("X-Pass") == "" {
			http.Error(w, "log in first", http.StatusUnauthorized)
		}
	}))
	defer gate.Close()
	// The password is "hiccup".
	s := plainSite(t, line, "", fmt.Sprintf(`	encode
	basic_auth /admin/* {
		bob $2a$14$Zkx19XLiW6VYouLHR5NmfOFU0z2GTNmpkT/5qqR7hx4IjWJPDhjvG
	}
	forward_auth /api/* %s {
		uri /verify
	}
	handle {
		reverse_proxy %s
	}`, strings.TrimPrefix(gate.URL, "http://"), strings.TrimPrefix(netbox.URL, "http://")))

	for _, era := range eras {
		t.Run("MCP, "+era, func(t *testing.T) {
			s := &site{t: t, url: s.url, http: s.http}
			session := s.client(era)
			liveList(t, session)
			if r := call(t, session, "plugin_list_tools", `{}`); r.failed {
				t.Error(r.text)
			}
		})
	}
	tests := []struct {
		name, path string
		header     http.Header
		status     int
		contains   string
	}{
		{"the UI", "/", nil, 200, "<html"},
		{"login page", "/login/", nil, 200, "<html"},
		{"API without the gate's pass", "/api/status/", http.Header{"Authorization": {"Bearer " + netboxsim.TestbedToken}}, 401, "log in first"},
		{"API", "/api/status/", http.Header{"Authorization": {"Bearer " + netboxsim.TestbedToken}, "X-Pass": {"1"}}, 200, `"netbox-version":"4.7.3"`},
		{"MCP's bearer token never reaches NetBox", "/api/status/", http.Header{"Authorization": {"Bearer " + testToken}, "X-Pass": {"1"}}, 403, "credentials were not provided"},
		{"admin pages without password", "/admin/x/", nil, 401, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &site{t: t, url: s.url, http: s.http}
			status, _, body := s.do("GET", tt.path, "", tt.header)
			if status != tt.status || !strings.Contains(strings.ToLower(body), strings.ToLower(tt.contains)) {
				t.Errorf("status %d, body %.200q; want %d and %q", status, body, tt.status, tt.contains)
			}
		})
	}
	for _, uri := range verified {
		if !strings.HasPrefix(uri, "/api/") {
			t.Errorf("forward_auth was asked about %s", uri)
		}
	}
	// encode leaves answers of the protocol alone; compressed event streams arrive late.
	header := modernHeader("tools/list", "")
	header.Set("Accept-Encoding", "gzip")
	if _, got, _ := s.do("POST", "/mcp", modernBody("tools/list", "", ""), header); got.Get("Content-Encoding") != "" {
		t.Errorf("the answer was encoded as %s", got.Get("Content-Encoding"))
	}
}

// TestPublicURL: a NetBox that knows only its public host name and builds https links.
func TestPublicURL(t *testing.T) {
	cfg := netboxsim.Testbed()
	cfg.AllowedHosts = []string{"netbox.example.com"}
	for _, prefix := range []string{"", "/netbox"} {
		t.Run("prefix "+prefix, func(t *testing.T) {
			cfg.BasePath = prefix
			sim, line := simulated(t, cfg, netboxsim.TestbedToken)
			public := strings.Replace(line, "{\n", "{\n\t\t\tpublic_url https://netbox.example.com"+prefix+"\n", 1)
			s := plainSite(t, public, "", "")
			for _, era := range eras {
				s := &site{t: t, url: s.url, http: s.http}
				session := s.client(era)
				var listing struct{ Tools []any }
				call(t, session, "plugin_list_tools", `{}`).decode(t, &listing)
				if len(listing.Tools) != 11 {
					t.Errorf("%s: %d tools, want 11", era, len(listing.Tools))
				}
			}
			for _, r := range sim.Requests() {
				if r.Host != "netbox.example.com" || r.Header.Get("X-Forwarded-Proto") != "https" {
					t.Errorf("%s %s: Host %s, X-Forwarded-Proto %s", r.Method, r.Path, r.Host, r.Header.Get("X-Forwarded-Proto"))
				}
			}
			s = plainSite(t, line, "", "")
			call(t, s.client(eras[1]), "plugin_list_tools", `{}`).fails(t, "upstream_error")
		})
	}
}

// TestLiveReverseProxy: a real NetBox behind the same site, its UI and API beside the endpoint.
func TestLiveReverseProxy(t *testing.T) {
	url := os.Getenv("NETBOX_URL")
	if url == "" {
		t.Skip("NETBOX_URL is not set")
	}
	target := liveTargets(t)[1]
	s := tlsSite(t, target.netbox(target.token), "", "\tencode\n\thandle {\n\t\treverse_proxy "+strings.TrimPrefix(url, "http://")+"\n\t}")
	if status, _, body := s.do("GET", "/login/", "", nil); status != 200 || !strings.Contains(body, "NetBox") {
		t.Errorf("the login page: status %d, %.200s", status, body)
	}
	if status, _, body := s.do("GET", "/api/status/", "", http.Header{"Authorization": {"Bearer " + target.token}}); status != 200 || !strings.Contains(body, "netbox-version") {
		t.Errorf("the API: status %d, %.200s", status, body)
	}
	session := s.client(eras[0])
	livePluginList(t, session, target)
}
