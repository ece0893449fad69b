package netboxsim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"
)

// ask serves one request without a network.
func ask(sim *Server, method, path, token, body string, header map[string]string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	r.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		r.Header.Set(name, value)
		if name == "Host" {
			r.Host = value
		}
	}
	w := httptest.NewRecorder()
	sim.ServeHTTP(w, r)
	return w
}

func TestBasePath(t *testing.T) {
	for _, given := range []string{"/netbox", "netbox", "netbox/", "/netbox/"} {
		t.Run(given, func(t *testing.T) {
			cfg := Testbed()
			cfg.BasePath = given
			sim := New(cfg)
			if w := ask(sim, "GET", "/netbox/api/", TestbedToken, "", nil); w.Code != 200 ||
				!strings.Contains(w.Body.String(), `"http://example.com/netbox/api/status/"`) {
				t.Errorf("inside: %d %s", w.Code, w.Body)
			}
			for _, outside := range []string{"/api/", "/api/status", "/netboxes/api/", "/"} {
				w := ask(sim, "GET", outside, TestbedToken, "", nil)
				if w.Code != 404 || w.Header().Get("API-Version") != "" || w.Header().Get("Content-Type") != htmlType {
					t.Errorf("%s outside: %d %v", outside, w.Code, w.Header())
				}
			}
		})
	}
}

func TestAllowedHosts(t *testing.T) {
	cfg := Testbed()
	cfg.AllowedHosts = []string{"netbox.example.com"}
	sim := New(cfg)
	for _, test := range []struct {
		name   string
		header map[string]string
		status int
	}{
		{"the host", map[string]string{"Host": "netbox.example.com"}, 200},
		{"with a port and in another case", map[string]string{"Host": "NetBox.example.com:8000"}, 200},
		{"another host", map[string]string{"Host": "evil.example.com"}, 400},
		{"a forwarded one", map[string]string{"Host": "127.0.0.1", "X-Forwarded-Host": "netbox.example.com"}, 200},
		{"another forwarded one", map[string]string{"Host": "netbox.example.com", "X-Forwarded-Host": "evil.example.com"}, 400},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := ask(sim, "GET", "/api/status/", TestbedToken, "", test.header)
			if w.Code != test.status {
				t.Errorf("status %d, want %d", w.Code, test.status)
			}
			if w.Code == 400 && !strings.Contains(w.Body.String(), "<h1>Bad Request (400)</h1>") {
				t.Errorf("body %s", w.Body)
			}
		})
	}
}

func TestTokens(t *testing.T) {
	net := []netip.Prefix{netip.MustParsePrefix("10.9.8.0/24")}
	cfg := Config{Tokens: []Token{
		{Value: "nbt_a.super", User: "root", Superuser: true},
		{Value: "nbt_b.bound", User: "root", Superuser: true, AllowedFrom: net},
		{Value: "nbt_c.old", User: "root", Superuser: true, Expired: true},
		{Value: "nbt_d.writer", User: "eve", View: []string{"plugins/testbed"}, Write: true},
		{Value: "nbt_e.viewer", User: "bob"},
		{Value: "nbt_f.rosuper", User: "root", Superuser: true, ReadOnly: true},
	}}
	const items, sites = "/api/plugins/testbed/items/", "/api/dcim/sites/"
	for _, test := range []struct {
		name, token, method, path string
		header                    map[string]string
		status                    int
		has                       string
	}{
		{"a superuser writes", "nbt_a.super", "POST", items, nil, 201, `"id":41`},
		{"bound, from elsewhere", "nbt_b.bound", "GET", sites, nil, 403,
			`{"detail":"Source IP 192.0.2.1 is not permitted to authenticate using this token."}`},
		{"bound, from a forwarded address", "nbt_b.bound", "GET", sites, map[string]string{"X-Forwarded-For": "10.9.8.7, 1.1.1.1"}, 200, ""},
		{"bound, from a real address", "nbt_b.bound", "GET", sites,
			map[string]string{"X-Forwarded-For": "1.1.1.1", "X-Real-IP": "10.9.8.7"}, 200, ""},
		{"bound, from no address", "nbt_b.bound", "GET", sites, map[string]string{"X-Real-IP": "x"}, 403, "Source IP x is"},
		{"expired", "nbt_c.old", "GET", sites, nil, 403, `{"detail":"Token expired"}`},
		{"a user who may write one thing", "nbt_d.writer", "POST", items, nil, 201, ""},
		{"and see no other", "nbt_d.writer", "GET", sites, nil, 403, noPermission},
		{"a user who may view", "nbt_e.viewer", "GET", sites, nil, 200, ""},
		{"and not write", "nbt_e.viewer", "POST", items, nil, 403, noPermission},
		{"a superuser's read-only token reads", "nbt_f.rosuper", "GET", "/api/plugins/installed-plugins/", nil, 200, ""},
		{"and does not write", "nbt_f.rosuper", "POST", items, nil, 403, noPermission},
		{"a testbed token is nobody's here", TestbedToken, "GET", sites, nil, 403, "Invalid v2 token"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := ask(New(cfg), test.method, test.path, test.token, `{"name":"x"}`, test.header)
			if w.Code != test.status || !strings.Contains(w.Body.String(), test.has) {
				t.Errorf("%d %.300s, want %d with %s", w.Code, w.Body, test.status, test.has)
			}
		})
	}
}

func TestSetTokensRevokes(t *testing.T) {
	sim := New(Testbed())
	sim.SetTokens(Token{Value: "nbt_new.token", User: "admin", Superuser: true})
	if w := ask(sim, "GET", "/api/status/", TestbedToken, "", nil); w.Code != 403 {
		t.Errorf("old token: %d", w.Code)
	}
	if w := ask(sim, "GET", "/api/status/", "nbt_new.token", "", nil); w.Code != 200 {
		t.Errorf("new token: %d", w.Code)
	}
}

func TestGeneratedTokens(t *testing.T) {
	a, b := New(Config{}).Tokens(), New(Config{}).Tokens()
	if len(a) != 1 || !a[0].Superuser || a[0].Value == b[0].Value || !strings.HasPrefix(a[0].Value, "nbt_") || len(a[0].Value) < 50 {
		t.Errorf("generated %+v and %+v", a, b)
	}
}

func TestZeroConfig(t *testing.T) {
	sim := New(Config{})
	w := ask(sim, "GET", "/api/plugins/testbed/mcp/", sim.Tokens()[0].Value, "", nil)
	if w.Code != 200 || strings.Contains(w.Body.String(), "fail_after_write") || !strings.Contains(w.Body.String(), "purge_items") {
		t.Errorf("manifest: %d %s", w.Code, w.Body)
	}
	if w := ask(sim, "GET", "/api/plugins/testbed/big/", sim.Tokens()[0].Value, "", nil); w.Code != 404 {
		t.Errorf("a misbehaving path: %d", w.Code)
	}
}

func TestVersion(t *testing.T) {
	cfg := Testbed()
	cfg.Version = "4.6.6"
	w := ask(New(cfg), "GET", "/api/status/", TestbedToken, "", map[string]string{"Accept": "application/json; version=4.6"})
	if w.Code != 200 || w.Header().Get("API-Version") != "4.6" || !strings.Contains(w.Body.String(), `"netbox-version":"4.6.6"`) {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}

func TestItemsAreBounded(t *testing.T) {
	cfg := Testbed()
	cfg.MaxItems = 42
	sim := New(cfg)
	for i, want := range []int{201, 507} {
		if w := ask(sim, "POST", "/api/plugins/testbed/items/", TestbedToken, `{"name":"x"}`, nil); w.Code != want {
			t.Errorf("item %d: %d, want %d", i, w.Code, want)
		}
	}
	if w := ask(sim, "POST", "/api/plugins/testbed/fail-after-write/", TestbedToken, `{"name":"x"}`, nil); w.Code != 507 {
		t.Errorf("the other way to create: %d", w.Code)
	}
	if got := len(sim.Items()); got != 42 {
		t.Errorf("%d items", got)
	}
}

func TestBodyIsBounded(t *testing.T) {
	sim := New(Testbed())
	body := `{"name":"` + strings.Repeat("x", maxRequestBody) + `"}`
	if w := ask(sim, "POST", "/api/plugins/testbed/items/", TestbedToken, body, nil); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d", w.Code)
	}
}

func TestPurge(t *testing.T) {
	sim := New(Testbed())
	w := ask(sim, "DELETE", "/api/plugins/testbed/items/purge/", TestbedToken, `{"state":"done"}`, nil)
	if w.Code != 200 || w.Body.String() != `{"deleted":14}` {
		t.Errorf("purge: %d %s", w.Code, w.Body)
	}
	for _, item := range sim.Items() {
		if item.State == "done" {
			t.Errorf("item %d is still there", item.ID)
		}
	}
	// The sequence goes on where it was: purging does not give ids out again.
	w = ask(sim, "POST", "/api/plugins/testbed/items/", TestbedToken, `{"name":"next"}`, nil)
	if !strings.HasPrefix(w.Body.String(), `{"id":41,`) {
		t.Errorf("create after purge: %s", w.Body)
	}
}

func TestCreatedIsStampedByTheClock(t *testing.T) {
	cfg := Testbed()
	cfg.Now = func() time.Time { return time.Date(2026, 5, 6, 7, 8, 9, 123456789, time.FixedZone("", 3600)) }
	w := ask(New(cfg), "POST", "/api/plugins/testbed/items/", TestbedToken, `{"name":"x","due_at":null}`, nil)
	if want := `{"id":41,"name":"x","state":"open","due_at":null,"weights":[],"created":"2026-05-06T06:08:09.123456Z"}`; w.Body.String() != want {
		t.Errorf("got %s, want %s", w.Body, want)
	}
}

func TestSlow(t *testing.T) {
	cfg := Testbed()
	cfg.SlowFor = time.Millisecond
	if w := ask(New(cfg), "GET", "/api/plugins/testbed/slow/", TestbedToken, "", nil); w.Body.String() != `{"slept":5}` {
		t.Errorf("slow answered %s", w.Body)
	}
}

// TestNoSharedState makes sure that one server's writes do not reach another's seed.
func TestNoSharedState(t *testing.T) {
	a, b := New(Testbed()), New(Testbed())
	ask(a, "PATCH", "/api/plugins/testbed/items/1/", TestbedToken, `{"name":"changed","weights":[9]}`, nil)
	if item := b.Items()[0]; item.Name != "Item 01" || len(item.Weights) != 0 {
		t.Errorf("the other server has %+v", item)
	}
	a.Items()[1].Weights[0] = 99
	if got := a.Items()[1].Weights[0]; got != 0 {
		t.Errorf("a caller changed a weight to %d", got)
	}
}

func TestDemo(t *testing.T) {
	sim := New(Demo())
	token := sim.Tokens()[0].Value
	w := ask(sim, "GET", "/api/plugins/demo/mcp/", token, "", nil)
	var manifest struct {
		Plugin string `json:"plugin"`
		Tools  []struct{ Name, Title, Description, Path string }
	}
	if err := json.Unmarshal(w.Body.Bytes(), &manifest); err != nil || manifest.Plugin != "demo" || len(manifest.Tools) != 6 {
		t.Fatalf("manifest %v: %s", err, w.Body)
	}
	for _, tool := range manifest.Tools {
		if tool.Title == "" || !strings.HasSuffix(tool.Description, ".") {
			t.Errorf("tool %+v has no words", tool)
		}
	}
	for path, want := range map[string]string{
		"/api/plugins/":                                     `"demo":"http://example.com/api/plugins/demo/"`,
		"/api/plugins/demo/items/?q=fan":                    `"name":"Replace fan tray in zrh-core-01"`,
		"/api/dcim/sites/?slug=zrh&fields=name":             `{"name":"Zurich Glattbrugg"}`,
		"/api/dcim/devices/?site=zrh&role=router&brief=1":   `"name":"zrh-rtr-01"`,
		"/api/dcim/devices/?q=10.20.5.1&brief=1":            `{"count":1,`,
		"/api/ipam/prefixes/?family=6&fields=prefix,family": `{"family":{"value":6,"label":"IPv6"},"prefix":"2001:db8:20::/48"}`,
		"/api/dcim/devices/?limit=0":                        `{"count":24,`,
		"/":                                                 "demo NetBox",
		"/login/":                                           "demo NetBox",
	} {
		if w := ask(sim, "GET", path, token, "", nil); w.Code != 200 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: %d %.400s lacks %s", path, w.Code, w.Body, want)
		}
	}
}

func TestPagesEscapeThePath(t *testing.T) {
	w := ask(New(Testbed()), "GET", "/%3Cscript%3Ealert(1)%3C/script%3E", "", "", nil)
	if w.Code != 404 || strings.Contains(w.Body.String(), "<script>alert") || !strings.Contains(w.Body.String(), "&lt;script&gt;") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestEveryAnswerIsValidJSON(t *testing.T) {
	sim := New(Testbed())
	for _, path := range []string{
		"", "status/", "plugins/", "plugins/testbed/", "plugins/testbed/mcp/", "authentication-check/", "dcim/", "ipam/",
		"dcim/sites/?limit=0", "dcim/devices/?limit=0", "ipam/prefixes/?limit=0", "plugins/testbed/items/",
	} {
		w := ask(sim, "GET", "/api/"+path, TestbedToken, "", nil)
		if w.Code != 200 || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: %d, valid %v", path, w.Code, json.Valid(w.Body.Bytes()))
		}
	}
}

func TestRenderString(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"plain", `"plain"`},
		{"a<b>&'", `"a<b>&'"`},
		{"Zürich 東京", `"Zürich 東京"`},
		{"\"\\\n\t\x01", `"\"\\\n\t\u0001"`},
		{"\u2028", `"\u2028"`},
	} {
		if got := string(render(test.in, "")); got != test.want {
			t.Errorf("%q renders as %s, want %s", test.in, got, test.want)
		}
	}
}

// TestManyAtOnce is for the race detector: readers, writers and a test's own calls
// share one server.
func TestManyAtOnce(t *testing.T) {
	sim := New(Testbed())
	var done sync.WaitGroup
	for i := range 8 {
		done.Go(func() {
			name := fmt.Sprintf("many-%d", i)
			remove := sim.Inject("GET /api/"+name+"/", Fault{Status: 500})
			for _, r := range [][3]string{
				{"POST", "/api/plugins/testbed/items/", `{"name":"` + name + `"}`},
				{"PATCH", "/api/plugins/testbed/items/1/", `{"weights":[1,2,3]}`},
				{"GET", "/api/plugins/testbed/items/", ""},
				{"POST", "/api/dcim/sites/", `{"name":"` + name + `","slug":"` + name + `"}`},
				{"GET", "/api/dcim/sites/?ordering=-id", ""},
				{"PATCH", "/api/dcim/sites/", `[{"id":1,"description":"` + name + `"}]`},
			} {
				if w := ask(sim, r[0], r[1], TestbedToken, r[2], nil); w.Code >= 300 {
					t.Errorf("%s %s: %d %s", r[0], r[1], w.Code, w.Body)
				}
			}
			sim.Requests()
			sim.SetTokens(sim.Tokens()...)
			remove()
		})
	}
	done.Wait()
	if got := len(sim.Items()); got != 49 {
		t.Errorf("%d items, want 49", got)
	}
	if w := ask(sim, "GET", "/api/dcim/sites/?limit=1&fields=id", TestbedToken, "", nil); !strings.HasPrefix(w.Body.String(), `{"count":208,`) {
		t.Errorf("sites: %s", w.Body)
	}
}

func TestSitesAreBounded(t *testing.T) {
	cfg := Testbed()
	cfg.MaxItems = 201
	sim := New(cfg)
	w := ask(sim, "POST", "/api/dcim/sites/", TestbedToken, `[{"name":"a","slug":"a"},{"name":"b","slug":"b"}]`, nil)
	if w.Code != http.StatusInsufficientStorage {
		t.Errorf("two more: %d %s", w.Code, w.Body)
	}
	if w = ask(sim, "POST", "/api/dcim/sites/", TestbedToken, `{"name":"a","slug":"a"}`, nil); w.Code != http.StatusCreated {
		t.Errorf("one more: %d %s", w.Code, w.Body)
	}
}

func TestChangesNeverShareAnETag(t *testing.T) {
	cfg := Testbed()
	cfg.Now = func() time.Time { return time.Date(2026, 5, 6, 7, 8, 9, 0, time.UTC) }
	sim := New(cfg)
	seen := map[string]bool{}
	for range 3 {
		w := ask(sim, "PATCH", "/api/dcim/sites/1/", TestbedToken, `{"description":"same"}`, nil)
		if tag := w.Header().Get("Etag"); w.Code != 200 || seen[tag] {
			t.Errorf("%d with ETag %s, seen before", w.Code, tag)
		}
		seen[w.Header().Get("Etag")] = true
	}
}
