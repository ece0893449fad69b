package netboxsim

import (
	"crypto/rand"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
)

// target is a NetBox that the table is run against: this package's, or a real one.
type target struct {
	base   string
	tokens map[string]string
	// words are the placeholders in paths and expected texts.
	words *strings.Replacer
}

// simTarget serves Testbed under a base path.
func simTarget(t *testing.T, basePath string) target {
	t.Helper()
	cfg := Testbed()
	cfg.BasePath = basePath
	server := httptest.NewServer(New(cfg))
	t.Cleanup(server.Close)
	return newTarget(server.URL+basePath, map[string]string{
		"admin": TestbedToken, "v1": TestbedTokenV1, "reader": TestbedReaderToken, "limited": TestbedLimitedToken,
	}, "testbed", "1", "9007199254740993", "100", "2", "300")
}

// realTarget is the NetBox that the environment names; without one the test is skipped.
func realTarget(t *testing.T) target {
	t.Helper()
	if os.Getenv("NETBOX_URL") == "" {
		t.Skip("NETBOX_URL is not set: the same assertions ran against the simulator only")
	}
	get := func(name string) string {
		value := os.Getenv("NETBOX_" + name)
		if value == "" {
			t.Fatalf("NETBOX_%s must be set beside NETBOX_URL", name)
		}
		return value
	}
	return newTarget(strings.TrimRight(get("URL"), "/"), map[string]string{
		"admin": get("TOKEN"), "v1": get("TOKEN_V1"), "reader": get("RO_TOKEN"), "limited": get("LIMITED_TOKEN"),
	}, get("PLUGIN"), get("ITEM_ID"), get("BIG_ITEM_ID"), get("SITE_ID"), get("DEVICE_ID"), get("PREFIX_ID"))
}

func newTarget(base string, tokens map[string]string, plugin, item, big, site, device, prefix string) target {
	path := base
	if i := strings.Index(base, "://"); i >= 0 {
		path = base[i+3:]
	}
	_, prefixPath, _ := strings.Cut(path, "/")
	if prefixPath != "" {
		prefixPath = "/" + prefixPath
	}
	return target{base: base, tokens: tokens, words: strings.NewReplacer(
		"{base}", base, "{prefixpath}", prefixPath, "{plugin}", plugin, "{item}", item, "{big}", big,
		"{site}", site, "{device}", device, "{prefix}", prefix,
	)}
}

// answer is what came back for one request.
type answer struct {
	status int
	header http.Header
	body   string
}

func (tg target) ask(t *testing.T, as, method, path, body string, header map[string]string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, tg.base+tg.words.Replace(path), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if as != "" {
		r.Header.Set("Authorization", "Bearer "+tg.tokens[as])
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, value := range header {
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Set(name, value)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // read to its end below
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(text)}
}

func TestFactsOfSimulator(t *testing.T) { runFacts(t, simTarget(t, "")) }

// The same behind a path prefix, which the real test server is not under.
func TestFactsOfSimulatorUnderPrefix(t *testing.T) { runFacts(t, simTarget(t, "/netbox")) }

func TestLiveFacts(t *testing.T) { runFacts(t, realTarget(t)) }

func runFacts(t *testing.T, tg target) {
	for _, f := range facts47() {
		t.Run(f.name, func(t *testing.T) {
			// The request line counts with its path prefix.
			line := len("GET  HTTP/1.1") + len(tg.words.Replace("{prefixpath}")) + len(longQuery)
			f.path = strings.Replace(f.path, "{pad}", strings.Repeat("a", maxRequestLine-line), 1)
			got := tg.ask(t, f.as, f.method, f.path, f.body, f.header)
			if got.status != f.status {
				t.Errorf("status %d, want %d; body %.300s", got.status, f.status, got.body)
			}
			if want := tg.words.Replace(f.want); want != "" && got.body != want {
				t.Errorf("body\n%.3000s\nwant\n%.3000s", got.body, want)
			}
			for _, part := range f.has {
				if part = tg.words.Replace(part); !strings.Contains(got.body, part) {
					t.Errorf("body lacks %s:\n%.3000s", part, got.body)
				}
			}
			for _, part := range f.lacks {
				if strings.Contains(got.body, part) {
					t.Errorf("body has %s:\n%.3000s", part, got.body)
				}
			}
			for name, want := range f.headers {
				have, there := got.header[http.CanonicalHeaderKey(name)]
				switch want = tg.words.Replace(want); {
				case want == "" && there, want == "*" && !there:
					t.Errorf("header %s is %q", name, have)
				case want != "" && want != "*" && (len(have) != 1 || have[0] != want):
					t.Errorf("header %s is %q, want %q", name, have, want)
				}
			}
		})
	}
}

// TestLifecycle writes: the same steps on both, each on what the one before left.
func TestLifecycleOfSimulator(t *testing.T) { runLifecycle(t, simTarget(t, "/netbox")) }

func TestLiveItemLifecycle(t *testing.T) { runLifecycle(t, realTarget(t)) }

func runLifecycle(t *testing.T, tg target) {
	items := "/api/plugins/{plugin}/items/"
	created := tg.ask(t, "admin", "POST", items,
		`{"name":"first","name":"made by a test","due_at":"1990-12-31T18:59:60.5-05:00","weights":[3,-1,2.0]}`, nil)
	form := regexp.MustCompile(`^{"id":(\d+),"name":"made by a test","state":"open","due_at":"1991-01-01T00:00:00Z",` +
		`"weights":\[3,-1,2\],"created":"[-0-9]{10}T[:0-9]{8}(\.\d{6})?Z"}$`)
	found := form.FindStringSubmatch(created.body)
	if created.status != http.StatusCreated || found == nil {
		t.Fatalf("create answered %d %s", created.status, created.body)
	}
	id := found[1]
	for _, step := range []struct {
		name, as, method, path, body string
		status                       int
		has                          string
	}{
		{"read it", "reader", "GET", items + id + "/", "", 200, created.body},
		{"change its date", "admin", "PATCH", items + "update/", `{"id":` + id + `,"due_at":"2026-08-12t12:34:56.1234567-03:00"}`, 200,
			`"due_at":"2026-08-12T15:34:56.123456Z"`},
		{"clear its date by path", "admin", "PATCH", items + id + "/", `{"due_at":null,"state":"done"}`, 200,
			`"state":"done","due_at":null,"weights":[3,-1,2]`},
		{"a rejected change", "admin", "PATCH", items + id + "/", `{"state":"open","weights":[true]}`, 400, `{"weights":["Must be an integer`},
		{"which changed nothing", "reader", "GET", items + "lookup/?id=" + id, "", 200, `"state":"done"`},
		{"the reader may not delete", "reader", "DELETE", items + id + "/", "", 403, noPermission},
		{"delete it", "admin", "DELETE", items + id + "/", "", 204, ""},
		{"it is gone", "admin", "GET", items + id + "/", "", 404, `{"detail":"No Item matches the given query."}`},
		{"and cannot be deleted again", "admin", "DELETE", items + id + "/", "", 404, `{"detail":"No Item matches the given query."}`},
		{"fail after a write", "admin", "POST", "/api/plugins/{plugin}/fail-after-write/", `{"name":"failed ` + id + `"}`, 500,
			`{"error":"Failed after the item was created","exception":"RuntimeError"}`},
		{"which did write", "reader", "GET", items + "?q=failed+" + id, "", 200, `{"count":1,`},
	} {
		got := tg.ask(t, step.as, step.method, step.path, step.body, nil)
		if got.status != step.status || !strings.Contains(got.body, step.has) {
			t.Fatalf("%s: %d %.500s, want %d with %s", step.name, got.status, got.body, step.status, step.has)
		}
	}
}

// TestSiteLifecycle writes a site, one by one and in bulk.
func TestSiteLifecycleOfSimulator(t *testing.T) { runSiteLifecycle(t, simTarget(t, "/netbox")) }

func TestLiveSiteLifecycle(t *testing.T) { runSiteLifecycle(t, realTarget(t)) }

func runSiteLifecycle(t *testing.T, tg target) {
	const sites = "/api/dcim/sites/"
	// A slug of its own, since other tests may use the same server.
	slug := "sim-" + strings.ToLower(rand.Text()[:12])
	created := tg.ask(t, "admin", "POST", sites+"?brief=true",
		`{"name":"`+slug+`","slug":"`+slug+`","status":"planned","unknown":1,"changelog_message":"by a test"}`, nil)
	form := regexp.MustCompile(tg.words.Replace(`^{"id":(\d+),"url":"{base}/api/dcim/sites/\d+/","display_url":"{base}/dcim/sites/\d+/",` +
		`"display":"` + slug + `","name":"` + slug + `","slug":"` + slug + `","status":{"value":"planned","label":"Planned"},` +
		`"region":null,"group":null,"tenant":null,"facility":"","time_zone":null,"description":"","physical_address":"",` +
		`"shipping_address":"","latitude":null,"longitude":null,"owner":null,"comments":"","asns":\[\],"tags":\[\],` +
		`"custom_fields":{"tier":null},"created":"[^"]+","last_updated":"[^"]+","circuit_count":0,"device_count":0,` +
		`"prefix_count":0,"rack_count":0,"virtualmachine_count":0,"vlan_count":0}$`))
	found := form.FindStringSubmatch(created.body)
	if created.status != http.StatusCreated || found == nil {
		t.Fatalf("create answered %d %s", created.status, created.body)
	}
	one := sites + found[1] + "/"
	if got, want := created.header.Get("Location"), tg.base+one; got != want {
		t.Errorf("Location is %s, want %s", got, want)
	}
	tag := created.header.Get("ETag")
	if !regexp.MustCompile(`^W/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00"$`).MatchString(tag) {
		t.Errorf("ETag is %s", tag)
	}
	match := map[string]string{"If-Match": tag}
	for _, step := range []struct {
		name, method, path, body string
		header                   map[string]string
		status                   int
		has                      string
	}{
		{"change it", "PATCH", one, `{"description":"d","status":"active"}`, match, 200, `"description":"d"`},
		{"again, stale by now", "PATCH", one, `{"description":"e"}`, match, 412, `{"detail":"Precondition failed."}`},
		{"whatever its state", "PATCH", one, `{"comments":" c "}`, map[string]string{"If-Match": "*"}, 200, `"comments":"c"`},
		{"what fields leave out stays", "PATCH", one + "?fields=id", `{"description":"never"}`, nil, 200, `{"id":` + found[1] + `}`},
		{"as it was", "GET", one + "?fields=description,status", "", nil, 200, `{"status":{"value":"active","label":"Active"},"description":"d"}`},
		{"replace it", "PUT", one, `{"name":"` + slug + ` two","slug":"` + slug + `"}`, nil, 200, `"display":"` + slug + ` two"`},
		{"find it by its new name", "GET", sites + "?name=" + slug + "+two&fields=description", "", nil, 200, `"results":[{"description":"d"}]`},
		{"two more", "POST", sites, `[{"name":"` + slug + `-b","slug":"` + slug + `-b"},{"name":"` + slug + `-c","slug":"` + slug + `-c"}]`, nil, 201, `[{"id":`},
		{"in the order of names", "GET", sites + "?slug__isw=" + slug + "&fields=slug&ordering=name", "", nil, 200, `{"count":3,`},
		{"change in bulk", "PATCH", sites, `[{"id":` + found[1] + `,"facility":"F"}]`, nil, 200, `"facility":"F"`},
		{"delete in bulk", "DELETE", sites, `[{"id":` + found[1] + `}]`, nil, 204, ""},
		{"it is gone", "GET", one, "", nil, 404, `{"detail":"No Site matches the given query."}`},
	} {
		got := tg.ask(t, "admin", step.method, step.path, step.body, step.header)
		if got.status != step.status || !strings.Contains(got.body, step.has) {
			t.Fatalf("%s: %d %.700s, want %d with %s", step.name, got.status, got.body, step.status, step.has)
		}
		if step.status == 200 && step.path == one && got.header.Get("ETag") == tag {
			t.Errorf("%s: the ETag is still %s", step.name, tag)
		}
	}
	rest := tg.ask(t, "admin", "GET", sites+"?slug__isw="+slug+"&fields=id", "", nil)
	for _, id := range regexp.MustCompile(`"id":(\d+)`).FindAllStringSubmatch(rest.body, -1) {
		if got := tg.ask(t, "admin", "DELETE", sites+id[1]+"/", "", nil); got.status != http.StatusNoContent || got.body != "" {
			t.Errorf("deleting site %s answered %d %s", id[1], got.status, got.body)
		}
	}
}
