package discovery

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"caddy-netbox-mcp/bridge/netboxsim"
	"caddy-netbox-mcp/bridge/transport"
)

// hostile are the documents of a NetBox where much is wrong.
func hostile() documents {
	d := plugins("good1", "good2", "good3", "norootobject", "nomanifest", "cross", "nan", "twice", "deep", "other", "version", "silent", "gone")
	d[listingPath] = strings.TrimSuffix(d[listingPath], "}") + `,"evil":"http://evil.example/api/plugins/good1/","number":7,
		"dots":"/api/plugins/x/../good1/","same":"/api/plugins/good1/","pct":"/api/plugins/%67ood1/","installed-plugins":"/api/plugins/installed-plugins/"}`
	d[rootPath("norootobject")] = `"x"`
	delete(d, manifestPath("nomanifest"))
	d[rootPath("cross")] = rootOf("good1")
	d[manifestPath("nan")] = `{"schema_version":"1","plugin":"nan","tools":NaN}`
	d[rootPath("twice")] = `{"mcp":null,"mcp":{}}`
	d[manifestPath("deep")] = strings.Repeat("[", 1000)
	d[manifestPath("other")] = manifestOf("good1", 1)
	d[manifestPath("version")] = strings.Replace(manifestOf("version", 2), `"1"`, `"99"`, 1)
	d[rootPath("silent")] = `{}`
	delete(d, rootPath("gone"))
	return d
}

// TestDeterminism scans the same hostile NetBox over and over, its answers taking random times.
func TestDeterminism(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		var mu sync.Mutex
		src := &slow{documents: hostile(), delay: func(string) time.Duration {
			mu.Lock()
			defer mu.Unlock()
			return time.Duration(random.IntN(500)) * time.Millisecond
		}}
		d := newDiscoverer()
		var first string
		for i := range 20 {
			got := said(d.Scan(t.Context(), src))
			if i == 0 {
				first = got
			}
			if got != first {
				t.Fatalf("scan %d\n%s\nis not the first\n%s", i, got, first)
			}
		}
		lines := strings.Split(first, "\n")
		var begins []string
		for _, line := range lines {
			begin, _, _ := strings.Cut(line, ":")
			begins = append(begins, begin)
		}
		want := "good1/1 good2/1 good3/1 evil number dots pct cross deep nan nomanifest norootobject other twice version"
		if got := strings.Join(begins, " "); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
		// The same by name, whether the plugin is known or not.
		for _, slug := range []string{"good1", "norootobject", "nomanifest", "cross", "nan", "twice", "deep", "other", "version", "silent", "gone", "evil", "nosuch"} {
			verdicts := map[string]bool{}
			for i := range 6 {
				d.known.set(slug, i%2 == 0)
				_, err := d.Select(t.Context(), src, slug)
				verdicts[fmt.Sprint(err)] = true
			}
			if len(verdicts) != 1 {
				t.Errorf("%s: %v", slug, verdicts)
			}
		}
	})
}

// TestDeterminismOfTheAggregate scans a NetBox whose documents are together just below, and just above, the aggregate limit.
func TestDeterminismOfTheAggregate(t *testing.T) {
	for _, test := range []struct {
		name string
		over int
		want string
	}{
		{"exactly", 0, "p000/1\np001/1\np002/1\np003/1"},
		{"one byte over", 1, "error: the plugin documents are together over the aggregate limit of 2097152 bytes; ask for one plugin by name"},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := serveNetBox(t, netboxsim.Testbed())
			names, rest := slugs(4), MaxBytes+test.over
			late := func(path, body string) {
				n.Inject("GET "+path, netboxsim.Fault{Handler: func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "application/json")
					for piece := range strings.SplitAfterSeq(body, "\n") {
						for range rand.IntN(20) {
							runtime.Gosched()
						}
						_, _ = w.Write([]byte(piece))
						_ = http.NewResponseController(w).Flush()
					}
				}})
				rest -= len(body)
			}
			late(listingPath, listingOf(names...))
			for i, slug := range names {
				late(manifestPath(slug), manifestOf(slug, 1))
				size := 1 << 19
				if i == len(names)-1 {
					size = rest
				}
				late(rootPath(slug), strings.Replace(pad(rootOf(slug), size), strings.Repeat(" ", 1000), strings.Repeat(" ", 999)+"\n", 50))
			}
			if rest != 0 {
				t.Fatalf("%d bytes are not there", rest)
			}
			for range 20 {
				if got := said(n.Scan(t.Context(), n.session)); got != test.want {
					t.Fatalf("got %s, want %s", got, test.want)
				}
			}
		})
	}
}

// TestPanics: a Source that panics fails the discovery, and neither ends the process nor leaves anything behind.
func TestPanics(t *testing.T) {
	for name, discover := range discoveries {
		for _, path := range []string{listingPath, rootPath("a"), manifestPath("a")} {
			t.Run(name+" "+path, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					docs := plugins("a", "b", "c")
					err := discover(t.Context(), newDiscoverer(), script(func(ctx context.Context, asked string) (*transport.Response, error) {
						if asked == path {
							panic(strings.Repeat("boom", 1000))
						}
						return docs.get(ctx, asked)
					}))
					if err == nil || !strings.Contains(err.Error(), "panic in plugin discovery: boomboom") || strings.Contains(err.Error(), strings.Repeat("boom", 51)) {
						t.Fatalf("got %.300s", fmt.Sprint(err))
					}
					if e, ok := errors.AsType[*Error](err); ok {
						t.Errorf("it passes for an error of NetBox: %v", e.Kind)
					}
				})
			})
		}
	}
}

// TestConcurrentUse has many callers of one Discoverer; the race detector watches.
func TestConcurrentUse(t *testing.T) {
	n := serveNetBox(t, netboxsim.Testbed())
	n.answer(listingPath, 200, listingOf("testbed", "a", "b"))
	n.plugin("a", manifestOf("a", 3))
	n.plugin("b", `{}`)
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			switch i % 4 {
			case 0:
				if c, err := n.Scan(t.Context(), n.session); err != nil || len(c.Manifests) != 2 || len(c.Problems) != 1 {
					t.Errorf("got %s", said(c, err))
				}
			case 1:
				_, err := n.Select(t.Context(), n.session, "b")
				wantErrorIn(t, err, Manifest)
			case 2:
				_, err := n.Select(t.Context(), n.session, "c")
				wantErrorIn(t, err, UnknownPlugin)
			default:
				if m, err := n.Select(t.Context(), n.session, "a"); err != nil || len(m.Tools) != 3 {
					t.Errorf("got %v, %v", m, err)
				}
			}
		})
	}
	wg.Wait()
}

// wantErrorIn is wantError for other goroutines than the test's own.
func wantErrorIn(t *testing.T, err error, kind Kind) {
	t.Helper()
	if e, ok := errors.AsType[*Error](err); !ok || e.Kind != kind {
		t.Errorf("got %v, want an error of kind %q", err, kind)
	}
}

// TestFaultsOfTheConnection: whatever breaks while a document is read is that document's failure.
func TestFaultsOfTheConnection(t *testing.T) {
	body := []byte(manifestOf("testbed", 1))
	for _, test := range []struct {
		name  string
		fault netboxsim.Fault
		text  string
	}{
		{"reset", netboxsim.Fault{Reset: true}, "broken or incomplete"},
		{"cut", netboxsim.Fault{Body: body, Cut: true, CutAfter: 20}, "broken or incomplete"},
		{"unknown encoding", netboxsim.Fault{Body: body, Header: http.Header{"Content-Encoding": {"br"}}}, "content encoding"},
		{"not gzip", netboxsim.Fault{Body: body, Header: http.Header{"Content-Encoding": {"gzip"}}}, "content encoding"},
		{"HTML", netboxsim.Fault{Body: []byte("<html>"), Header: http.Header{"Content-Type": {"text/html"}}}, "an HTML page"},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := serveNetBox(t, netboxsim.Testbed())
			n.plugin("other", manifestOf("other", 1))
			n.answer(listingPath, 200, listingOf("other", "testbed"))
			n.Inject("GET "+manifestPath("testbed"), test.fault)
			c, err := n.Scan(t.Context(), n.session)
			if err != nil || len(c.Manifests) != 1 || c.Manifests[0].Plugin != "other" || len(c.Problems) != 1 || !strings.Contains(c.Problems[0].Error, test.text) {
				t.Errorf("got %s", said(c, err))
			}
			_, err = n.Select(t.Context(), n.session, "testbed")
			wantError(t, err, Manifest, "", test.text)
		})
	}
}

// TestGoroutinesReturn: after many discoveries, good and bad, there are no more goroutines than before.
// The bubble of synctest waits for every goroutine that was started in it, and panics when one can never end. A count would see
// those of the whole process.
func TestGoroutinesReturn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &slow{documents: hostile(), delay: func(string) time.Duration { return time.Millisecond }}
		d := newDiscoverer()
		for i := range 10 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*time.Millisecond)
			_, _ = d.Scan(ctx, src)
			for _, slug := range []string{"good1", "nan", "silent"} {
				_, _ = d.Select(t.Context(), src, slug)
				_, _ = d.Select(ctx, src, slug)
			}
			cancel()
		}
	})
}
