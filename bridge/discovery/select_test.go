package discovery

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"caddy-netbox-mcp/bridge/netboxsim"
	"caddy-netbox-mcp/bridge/secret"
	"caddy-netbox-mcp/bridge/transport"
)

func TestSelectInOrder(t *testing.T) {
	n := serveNetBox(t, netboxsim.Testbed())
	m, err := n.Select(t.Context(), n.session, "testbed")
	if err != nil || m.Plugin != "testbed" || len(m.Tools) != 11 {
		t.Fatalf("got %v, %v", m, err)
	}
	want := []string{"GET /api/plugins/", "GET /api/plugins/testbed/", "GET /api/plugins/testbed/mcp/"}
	if got := n.asked(); !slices.Equal(got, want) {
		t.Errorf("asked for %q, want %q", got, want)
	}
}

func TestSelectLimitsPerRequest(t *testing.T) {
	src := &log{Source: script(plugins("a").get)}
	d := newDiscoverer()
	want := []string{"/api/plugins/ 1048576", "/api/plugins/a/ 1048576", "/api/plugins/a/mcp/ 262144"}
	for _, known := range []bool{false, true} {
		if d.known.has("a") != known {
			t.Fatalf("known is not %t", known)
		}
		if _, err := d.Select(t.Context(), src, "a"); err != nil {
			t.Fatal(err)
		}
		got := src.taken()
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("known %t: asked for %q, want %q", known, got, want)
		}
	}
}

// counted notes with what counter each document is asked for.
type counted struct {
	Source
	counters chan *transport.Counter
}

func (c counted) Get(ctx context.Context, path string, limit int64, counter *transport.Counter) (*transport.Response, error) {
	c.counters <- counter
	return c.Source.Get(ctx, path, limit, counter)
}

// TestSelectCountsWhileReading: in order, the aggregate limit ends the reading itself. At once it cannot, since it is not
// known yet which documents count.
func TestSelectCountsWhileReading(t *testing.T) {
	d := newDiscoverer()
	for _, known := range []bool{false, true} {
		src := counted{script(plugins("a").get), make(chan *transport.Counter, 3)}
		if _, err := d.Select(t.Context(), src, "a"); err != nil {
			t.Fatal(err)
		}
		first, second, third := <-src.counters, <-src.counters, <-src.counters
		if first != second || second != third || (first == nil) != known {
			t.Errorf("known %t: the counters are %p, %p, %p", known, first, second, third)
		}
	}
}

// TestSelectAtOnce: the source answers only when three requests wait, so the test ends only if they come together.
func TestSelectAtOnce(t *testing.T) {
	for name, learn := range map[string]func(ctx context.Context, d *Discoverer, src Source) error{
		"after a selection": func(ctx context.Context, d *Discoverer, src Source) error {
			_, err := d.Select(ctx, src, "a")
			return err
		},
		"after a scan": func(ctx context.Context, d *Discoverer, src Source) error {
			_, err := d.Scan(ctx, src)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, docs := newDiscoverer(), plugins("a")
				if err := learn(t.Context(), d, script(docs.get)); err != nil {
					t.Fatal(err)
				}
				var waiting atomic.Int64
				all := make(chan struct{})
				m, err := d.Select(t.Context(), script(func(ctx context.Context, path string) (*transport.Response, error) {
					if waiting.Add(1) == 3 {
						close(all)
					}
					select {
					case <-all:
						return docs.get(ctx, path)
					case <-ctx.Done():
						return nil, &transport.Error{Kind: transport.KindDeadline}
					}
				}), "a")
				if err != nil || m.Plugin != "a" || waiting.Load() != 3 {
					t.Errorf("got %v, %v after %d requests", m, err, waiting.Load())
				}
			})
		})
	}
}

func TestSelectFails(t *testing.T) {
	root := func(s string) documents {
		return documents{listingPath: listingOf("a"), rootPath("a"): s, manifestPath("a"): manifestOf("a", 1)}
	}
	manifest := func(s string) documents {
		return documents{listingPath: listingOf("a"), rootPath("a"): rootOf("a"), manifestPath("a"): s}
	}
	for _, test := range []struct {
		name      string
		documents documents
		kind      Kind
		text      string
		bound     string
	}{
		{"not listed", plugins("b"), UnknownPlugin, `plugin API root not found: NetBox lists no plugin "a"`, ""},
		{"listed with a bad link", documents{listingPath: `{"a":"http://evil.example/api/plugins/a/"}`}, UnknownPlugin, "same origin", ""},
		{"listed with too long a link", documents{listingPath: `{"a":"/api/` + strings.Repeat("x", 2_043) + `/"}`}, UnknownPlugin, "1 to 2048 characters", "link characters"},
		{"listed under another label's bad link", documents{listingPath: `{"b":"http://evil.example/api/plugins/a/"}`}, UnknownPlugin, "lists no plugin", ""},
		{"key without its root", documents{listingPath: `{"a":"/api/plugins/b/"}`, rootPath("a"): rootOf("a"), manifestPath("a"): manifestOf("a", 1)}, UnknownPlugin, "lists no plugin", ""},
		{"no advertisement", root(`{}`), NotAdvertised, "does not advertise", ""},
		{"advertisement is null", root(`{"mcp":null}`), NotAdvertised, "does not advertise", ""},
		{"advertisement is no object", root(`{"mcp":"/api/plugins/a/mcp/"}`), Advertisement, "MCP advertisement", ""},
		{"advertisement with another member", root(`{"mcp":{"schema_version":"1","manifest":"/api/plugins/a/mcp/","x":1}}`), Advertisement, "not allowed", ""},
		{"another version", root(`{"mcp":{"schema_version":"2","manifest":"/api/plugins/a/mcp/"}}`), Advertisement, "schema_version", ""},
		{"another plugin's manifest", root(`{"mcp":{"schema_version":"1","manifest":"/api/plugins/other/mcp/"}}`), Advertisement, "advertised manifest path", ""},
		{"another place", root(`{"mcp":{"schema_version":"1","manifest":"/api/plugins/a/mcp2/"}}`), Advertisement, "advertised manifest path", ""},
		{"another origin", root(`{"mcp":{"schema_version":"1","manifest":"https://evil.example/api/plugins/a/mcp/"}}`), Advertisement, "same origin", ""},
		{"dot segments", root(`{"mcp":{"schema_version":"1","manifest":"/api/plugins/a/x/../mcp/"}}`), Advertisement, "dot segments", ""},
		{"query", root(`{"mcp":{"schema_version":"1","manifest":"/api/plugins/a/mcp/?x"}}`), Advertisement, "query", ""},
		{"root twice", root(`{"mcp":null,"mcp":null}`), Root, "names a member twice", ""},
		{"manifest with NaN", manifest(`{"schema_version":"1","plugin":"a","tools":NaN}`), Manifest, "finite JSON", ""},
		{"empty manifest", manifest(``), Manifest, "empty", ""},
		{"manifest without tools", manifest(manifestOf("a", 0)), Manifest, "1 to 64 tools", ""},
		{"manifest with too many tools", manifest(manifestOf("a", 65)), Manifest, "1 to 64 tools", "manifest tools"},
		{"manifest of another plugin", manifest(manifestOf("b", 1)), Manifest, "/plugin", ""},
	} {
		for _, known := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, known %t", test.name, known), func(t *testing.T) {
				d := newDiscoverer()
				d.known.set("a", known)
				m, err := d.Select(t.Context(), script(test.documents.get), "a")
				wantError(t, err, test.kind, test.bound, test.text)
				if e, _ := errors.AsType[*Error](err); e != nil && e.Plugin != "a" {
					t.Errorf("the error is of plugin %q", e.Plugin)
				}
				if m != nil {
					t.Errorf("a manifest comes with the error")
				}
			})
		}
	}
}

func TestSelectOfWhatIsNoName(t *testing.T) {
	src := &log{Source: script(plugins("a").get)}
	for _, name := range []string{"", "A", "-a", "_a", "a.b", "a/b", "../a", "a%2f", "a b", "a\n", "é", strings.Repeat("a", 65), strings.Repeat("é", 5000)} {
		_, err := newDiscoverer().Select(t.Context(), src, name)
		wantError(t, err, UnknownPlugin, "", "a plugin's name has")
		if len(err.Error()) > 400 {
			t.Errorf("the error has %d bytes", len(err.Error()))
		}
	}
	if got := src.taken(); got != nil {
		t.Errorf("asked for %q", got)
	}
}

// TestWithdrawnAdvertisement: the very next call fails, and the one after it asks for no more than it must.
func TestWithdrawnAdvertisement(t *testing.T) {
	for _, test := range []struct {
		name     string
		withdraw func(d documents)
		kind     Kind
		next     []string // what the call after the failed one asks for
	}{
		{"advertisement", func(d documents) { d[rootPath("a")] = `{}` }, NotAdvertised, []string{"/api/plugins/ 1048576", "/api/plugins/a/ 1048576"}},
		{"plugin", func(d documents) { d[listingPath] = `{}` }, UnknownPlugin, []string{"/api/plugins/ 1048576"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, docs := newDiscoverer(), plugins("a")
			src := &log{Source: script(docs.get)}
			for range 2 {
				if _, err := d.Select(t.Context(), src, "a"); err != nil {
					t.Fatal(err)
				}
			}
			test.withdraw(docs)
			_, err := d.Select(t.Context(), src, "a")
			wantError(t, err, test.kind, "", `"a"`)
			src.taken()
			_, err = d.Select(t.Context(), src, "a")
			wantError(t, err, test.kind, "", `"a"`)
			if got := src.taken(); !slices.Equal(got, test.next) {
				t.Errorf("asked for %q, want %q", got, test.next)
			}
			if c, err := d.Scan(t.Context(), src); said(c, err) != "" {
				t.Errorf("a scan finds %s", said(c, err))
			}
		})
	}
}

// TestWithdrawnAtNetBox is the same over the network.
func TestWithdrawnAtNetBox(t *testing.T) {
	n := serveNetBox(t, netboxsim.Testbed())
	for range 2 {
		if _, err := n.Select(t.Context(), n.session, "testbed"); err != nil {
			t.Fatal(err)
		}
	}
	restore := n.answer(rootPath("testbed"), 200, `{}`)
	_, err := n.Select(t.Context(), n.session, "testbed")
	wantError(t, err, NotAdvertised, "", "testbed")
	restore()
	if _, err := n.Select(t.Context(), n.session, "testbed"); err != nil {
		t.Errorf("advertised again, it fails: %v", err)
	}
}

func TestChangedManifestCountsAtOnce(t *testing.T) {
	d, docs := newDiscoverer(), plugins("a")
	for i, tools := range []int{1, 3, 2} {
		docs[manifestPath("a")] = manifestOf("a", tools)
		m, err := d.Select(t.Context(), script(docs.get), "a")
		if err != nil || len(m.Tools) != tools {
			t.Errorf("call %d: got %v, %v", i, m, err)
		}
	}
}

// TestEachCallerSeesItsOwn: that one caller may use a plugin says nothing about another.
func TestEachCallerSeesItsOwn(t *testing.T) {
	n := serveNetBox(t, netboxsim.Testbed())
	n.Inject("GET "+rootPath("testbed"), netboxsim.Fault{Handler: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get("Authorization") != "Bearer "+netboxsim.TestbedToken {
			w.WriteHeader(403)
			_, _ = w.Write([]byte(`{"detail":"You do not have permission to perform this action."}`))
			return
		}
		_, _ = w.Write([]byte(rootOf("testbed")))
	}})
	reader := n.client.As(secret.New(netboxsim.TestbedReaderToken))
	for range 2 {
		if _, err := n.Select(t.Context(), n.session, "testbed"); err != nil {
			t.Fatal(err)
		}
		_, err := n.Select(t.Context(), reader, "testbed")
		wantError(t, err, Root, "", "You do not have permission")
		if c, err := n.Scan(t.Context(), reader); said(c, err) != "" {
			t.Errorf("the reader's scan finds %s", said(c, err))
		}
		_, err = n.Select(t.Context(), n.client.As(secret.Text{}), "testbed")
		wantError(t, err, Listing, "", "credentials were not provided")
	}
	if !n.known.has("testbed") {
		t.Error("another caller's refusal made the plugin unknown")
	}
}

func TestKnownIsBounded(t *testing.T) {
	k := newKnown(3)
	for i := range 10 {
		name := fmt.Sprint("plugin", i)
		k.set(name, true)
		k.set(name, true)
		if !k.has(name) {
			t.Errorf("%s is not known", name)
		}
		if len(k.slugs) > 3 {
			t.Fatalf("%d plugins are known", len(k.slugs))
		}
	}
	k.set("plugin9", false)
	if k.has("plugin9") || len(k.slugs) != 2 {
		t.Errorf("after forgetting one %v are known", k.slugs)
	}
}
