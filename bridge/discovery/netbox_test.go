package discovery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/netboxapi"
	"caddy-netbox-mcp/bridge/netboxsim"
	"caddy-netbox-mcp/bridge/secret"
	"caddy-netbox-mcp/bridge/transport"
)

// netbox is a NetBox with scripted answers, and a Discoverer for it.
type netbox struct {
	*netboxsim.Server
	url     string
	client  *netboxapi.Client
	session netboxapi.Session // a superuser's
	*Discoverer
}

func serveNetBox(t *testing.T, cfg netboxsim.Config) *netbox {
	t.Helper()
	sim := netboxsim.New(cfg)
	server := httptest.NewServer(sim)
	t.Cleanup(server.Close)
	n := &netbox{Server: sim, url: server.URL + cfg.BasePath}
	address, err := netboxapi.ParseAddress(n.url)
	if err != nil {
		t.Fatal(err)
	}
	if n.client, err = netboxapi.New(netboxapi.Config{Address: address}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.client.CloseIdle)
	n.session = n.client.As(secret.New(sim.Tokens()[0].Value))
	n.Discoverer = New(Config{Origins: manifest.NewOrigins(address.URL), Manifests: manifest.NewCache(1 << 20)})
	return n
}

// answer scripts the answer to a path until it is scripted again.
func (n *netbox) answer(path string, status int, body string) (remove func()) {
	return n.Inject("GET "+path, netboxsim.Fault{Status: status, Body: []byte(body)})
}

// chunked scripts an answer without a Content-Length.
func (n *netbox) chunked(path string, status int, body string) {
	n.Inject("GET "+path, netboxsim.Fault{Handler: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = http.NewResponseController(w).Flush()
		_, _ = w.Write([]byte(body))
	}})
}

// plugin scripts the root and the manifest of a plugin.
func (n *netbox) plugin(slug, manifest string) {
	n.answer(rootPath(slug), 200, rootOf(slug))
	n.answer(manifestPath(slug), 200, manifest)
}

// asked returns the paths that were asked for, in order.
func (n *netbox) asked() []string {
	var paths []string
	for _, r := range n.Requests() {
		paths = append(paths, r.Method+" "+r.Path)
	}
	return paths
}

// listingOf is a listing of plugins by their own names.
func listingOf(slugs ...string) string {
	members := make([]string, len(slugs))
	for i, slug := range slugs {
		members[i] = fmt.Sprintf("%q:%q", slug, rootPath(slug))
	}
	return "{" + strings.Join(members, ",") + "}"
}

func rootOf(slug string) string {
	return fmt.Sprintf(`{"items":"/api/plugins/%s/items/","mcp":{"schema_version":"1","manifest":%q}}`, slug, manifestPath(slug))
}

// manifestOf is a manifest with a number of tools.
func manifestOf(slug string, tools int) string {
	list := make([]string, tools)
	for i := range list {
		list[i] = fmt.Sprintf(`{"name":"tool_%d","title":"Tool","description":"A tool.","method":"GET","path":"sync/schedule/","effect":"read",
			"inputSchema":{"type":"object","additionalProperties":false},"outputSchema":{"type":"object"},
			"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}`, i)
	}
	return fmt.Sprintf(`{"schema_version":"1","plugin":%q,"tools":[%s]}`, slug, strings.Join(list, ","))
}

// pad makes a document exactly size bytes long.
func pad(document string, size int) string { return document + strings.Repeat(" ", size-len(document)) }

// said is the outcome of a discovery in one string: "plugin/tools" for each manifest, "plugin: error" for each problem.
func said(c *Catalog, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	var lines []string
	for _, m := range c.Manifests {
		lines = append(lines, fmt.Sprintf("%s/%d", m.Plugin, len(m.Tools)))
	}
	for _, p := range c.Problems {
		lines = append(lines, p.Plugin+": "+p.Error)
	}
	return strings.Join(lines, "\n")
}

// wantError checks the kind, the bound and a part of the text of an error.
func wantError(t *testing.T, err error, kind Kind, bound, text string) {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("got %v, want an error of kind %q", err, kind)
	}
	if e.Kind != kind || e.Bound != bound || !strings.Contains(e.Error(), text) {
		t.Errorf("got kind %q, bound %q: %v; want kind %q, bound %q, a text with %q", e.Kind, e.Bound, e, kind, bound, text)
	}
}

// script is a Source without a network.
type script func(ctx context.Context, path string) (*transport.Response, error)

func (s script) Get(ctx context.Context, path string, _ int64, _ *transport.Counter) (*transport.Response, error) {
	return s(ctx, path)
}

// ok is a successful answer.
func ok(body string) *transport.Response {
	return &transport.Response{Status: 200, Header: http.Header{}, Body: []byte(body), Received: int64(len(body))}
}

// documents are answers by path; what is not there is a JSON 404.
type documents map[string]string

func (d documents) get(_ context.Context, path string) (*transport.Response, error) {
	if body, found := d[path]; found {
		return ok(body), nil
	}
	r := ok(`{"detail":"Not found."}`)
	r.Status = 404
	return r, nil
}

// plugins are the documents of plugins with one tool each.
func plugins(slugs ...string) documents {
	d := documents{listingPath: listingOf(slugs...)}
	for _, slug := range slugs {
		d[rootPath(slug)], d[manifestPath(slug)] = rootOf(slug), manifestOf(slug, 1)
	}
	return d
}

// newDiscoverer makes a Discoverer for a Source without a network.
func newDiscoverer() *Discoverer {
	return New(Config{Origins: manifest.NewOrigins(&url.URL{Scheme: "https", Host: "netbox.example.com"}), Manifests: manifest.NewCache(1 << 20)})
}

// log is a Source that writes down what it is asked for.
type log struct {
	Source
	mu      sync.Mutex
	entries []string
}

func (l *log) Get(ctx context.Context, path string, limit int64, counter *transport.Counter) (*transport.Response, error) {
	l.mu.Lock()
	l.entries = append(l.entries, fmt.Sprint(path, " ", limit))
	l.mu.Unlock()
	return l.Source.Get(ctx, path, limit, counter)
}

func (l *log) taken() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	taken := l.entries
	l.entries = nil
	return taken
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
