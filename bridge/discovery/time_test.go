package discovery

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"caddy-netbox-mcp/bridge/transport"
)

// slow is a Source that takes its time for some paths, as package transport does: until its context ends.
type slow struct {
	documents documents
	delay     func(path string) time.Duration
	inside    atomic.Int64 // requests in progress
}

func (s *slow) Get(ctx context.Context, path string, _ int64, _ *transport.Counter) (*transport.Response, error) {
	s.inside.Add(1)
	defer s.inside.Add(-1)
	timer := time.NewTimer(s.delay(path))
	defer timer.Stop()
	select {
	case <-timer.C:
		return s.documents.get(ctx, path)
	case <-ctx.Done():
		kind := transport.KindCancelled
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			kind = transport.KindDeadline
		}
		return nil, &transport.Error{Kind: kind, Err: ctx.Err()}
	}
}

// only delays one path.
func only(path string, d time.Duration) func(string) time.Duration {
	return func(asked string) time.Duration {
		if asked == path {
			return d
		}
		return 0
	}
}

// discoveries are the ways in which plugin "a" can be discovered.
var discoveries = map[string]func(ctx context.Context, d *Discoverer, src Source) error{
	"scan": func(ctx context.Context, d *Discoverer, src Source) error {
		_, err := d.Scan(ctx, src)
		return err
	},
	"select": func(ctx context.Context, d *Discoverer, src Source) error {
		_, err := d.Select(ctx, src, "a")
		return err
	},
	"select at once": func(ctx context.Context, d *Discoverer, src Source) error {
		d.known.set("a", true)
		_, err := d.Select(ctx, src, "a")
		return err
	},
}

// TestTimeIsOver hangs at each of the documents. When the call returns, nothing of it goes on.
func TestTimeIsOver(t *testing.T) {
	for name, discover := range discoveries {
		for _, path := range []string{listingPath, rootPath("a"), manifestPath("a")} {
			for _, test := range []struct {
				name    string
				context func(ctx context.Context) (context.Context, context.CancelFunc)
				takes   time.Duration
				check   func(t *testing.T, err error)
			}{
				{"own deadline", context.WithCancel, MaxTime, func(t *testing.T, err error) {
					if name == "scan" && path != listingPath {
						if err != nil { // a problem of the plugin, see TestHangingPlugins
							t.Errorf("got %v", err)
						}
						return
					}
					wantError(t, err, Limit, boundTime, "within the deadline of 30 s")
					if !errors.Is(err, context.DeadlineExceeded) {
						t.Error("it is no deadline")
					}
				}},
				{"caller's deadline", func(ctx context.Context) (context.Context, context.CancelFunc) {
					return context.WithTimeout(ctx, 7*time.Second)
				}, 7 * time.Second, func(t *testing.T, err error) {
					if err != context.DeadlineExceeded {
						t.Errorf("got %v", err)
					}
				}},
				{"cancelled by the caller", func(ctx context.Context) (context.Context, context.CancelFunc) {
					ctx, cancel := context.WithCancel(ctx)
					time.AfterFunc(time.Second, cancel)
					return ctx, cancel
				}, time.Second, func(t *testing.T, err error) {
					if err != context.Canceled {
						t.Errorf("got %v", err)
					}
				}},
				{"cancelled before", func(ctx context.Context) (context.Context, context.CancelFunc) {
					ctx, cancel := context.WithCancel(ctx)
					cancel()
					return ctx, cancel
				}, 0, func(t *testing.T, err error) {
					if err != context.Canceled {
						t.Errorf("got %v", err)
					}
				}},
			} {
				t.Run(fmt.Sprintf("%s, %s, %s", name, path, test.name), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						src := &slow{documents: plugins("a", "b"), delay: only(path, time.Hour)}
						ctx, cancel := test.context(t.Context())
						defer cancel()
						begin := time.Now()
						err := discover(ctx, newDiscoverer(), src)
						takes := test.takes
						if name == "scan" && path != listingPath {
							takes = min(takes, documentTime)
						}
						if took := time.Since(begin); took != takes {
							t.Errorf("it took %v, want %v", took, takes)
						}
						test.check(t, err)
						if n := src.inside.Load(); n != 0 {
							t.Errorf("%d requests go on", n)
						}
					})
				})
			}
		}
	}
}

// TestSumOfTimes: no document is late, but all of them are.
func TestSumOfTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &slow{documents: plugins(slugs(128)...), delay: func(string) time.Duration { return time.Second }}
		begin := time.Now()
		_, err := newDiscoverer().Scan(t.Context(), src)
		wantError(t, err, Limit, boundTime, "deadline")
		if took := time.Since(begin); took != MaxTime {
			t.Errorf("it took %v", took)
		}
	})
}

// TestScanIsParallel: 128 roots and manifests at 50 ms a request in less than 2 s, and never more than 8 at a time.
func TestScanIsParallel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var inside, most atomic.Int64
		docs := plugins(slugs(128)...)
		begin := time.Now()
		c, err := newDiscoverer().Scan(t.Context(), script(func(ctx context.Context, path string) (*transport.Response, error) {
			now := inside.Add(1)
			defer inside.Add(-1)
			for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
			}
			<-time.After(50 * time.Millisecond)
			return docs.get(ctx, path)
		}))
		if err != nil || len(c.Manifests) != 128 {
			t.Fatal(said(c, err))
		}
		if took := time.Since(begin); took >= 2*time.Second || most.Load() != parallel {
			t.Errorf("it took %v with up to %d requests at a time", took, most.Load())
		}
	})
}

// TestOneSlowPlugin: an exchange that did not end in its own time is that plugin's problem only.
func TestOneSlowPlugin(t *testing.T) {
	docs := plugins("a", "b", "c")
	c, err := newDiscoverer().Scan(t.Context(), script(func(ctx context.Context, path string) (*transport.Response, error) {
		switch path {
		case rootPath("a"):
			return nil, &transport.Error{Kind: transport.KindDeadline, Err: context.DeadlineExceeded}
		case manifestPath("c"):
			return nil, &transport.Error{Kind: transport.KindUnreachable}
		}
		return docs.get(ctx, path)
	}))
	if err != nil || len(c.Manifests) != 1 || c.Manifests[0].Plugin != "b" || len(c.Problems) != 2 {
		t.Fatal(said(c, err))
	}
	if a, b := c.Problems[0], c.Problems[1]; a.Plugin != "a" || !strings.Contains(a.Error, "in time") || b.Plugin != "c" || !strings.Contains(b.Error, "cannot be reached") {
		t.Errorf("problems are %v", c.Problems)
	}
}

// TestHangingPlugins: plugins that hang are problems of their own after a third of the time, and hide no other. Only the listing,
// and so many that no time is left, end the whole scan.
func TestHangingPlugins(t *testing.T) {
	for _, test := range []struct {
		name  string
		hangs []string // plugins whose root hangs
		first string   // a plugin whose manifest hangs, "" for none
		takes time.Duration
		fails bool
	}{
		{"root", []string{"p003"}, "", documentTime, false},
		{"manifest", nil, "p000", documentTime, false},
		{"roots and a manifest", slugs(parallel)[1:], "p000", documentTime, false},
		{"two rounds", slugs(2 * parallel), "", 2 * documentTime, false},
		{"all time", slugs(3 * parallel), "", MaxTime, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hanging := map[string]string{}
				for _, slug := range test.hangs {
					hanging[rootPath(slug)] = slug
				}
				if test.first != "" {
					hanging[manifestPath(test.first)] = test.first
				}
				names := slugs(4 * parallel)
				src := &slow{documents: plugins(names...), delay: func(path string) time.Duration {
					if hanging[path] != "" {
						return time.Hour
					}
					return 0
				}}
				begin := time.Now()
				c, err := newDiscoverer().Scan(t.Context(), src)
				if took := time.Since(begin); took != test.takes || src.inside.Load() != 0 {
					t.Errorf("it took %v, want %v; %d requests go on", took, test.takes, src.inside.Load())
				}
				if test.fails {
					wantError(t, err, Limit, boundTime, "ask for one plugin by name")
					return
				}
				if err != nil || len(c.Manifests) != len(names)-len(hanging) || len(c.Problems) != len(hanging) {
					t.Fatal(said(c, err))
				}
				for _, p := range c.Problems {
					if !strings.Contains(p.Error, "no answer within 10s; ask for this plugin by name, which allows 30s, or tell its author") {
						t.Errorf("the problem of %s is %s", p.Plugin, p.Error)
					}
				}
			})
		})
	}
}

// TestSlowListing: the bound of one document is not the listing's.
func TestSlowListing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		src := &slow{documents: plugins("a"), delay: only(listingPath, MaxTime-time.Second)}
		if got := said(newDiscoverer().Scan(t.Context(), src)); got != "a/1" {
			t.Errorf("got %s", got)
		}
	})
}

// TestSlowSelection: nor is it a selection's.
func TestSlowSelection(t *testing.T) {
	for _, path := range []string{listingPath, rootPath("a"), manifestPath("a")} {
		for _, known := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, known %t", path, known), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					d := newDiscoverer()
					d.known.set("a", known)
					src := &slow{documents: plugins("a"), delay: only(path, MaxTime-time.Second)}
					if m, err := d.Select(t.Context(), src, "a"); err != nil || m.Plugin != "a" {
						t.Errorf("got %v, %v", m, err)
					}
				})
			})
		}
	}
}

// TestVerdictWaitsForNoMoreThanItNeeds: three documents were asked for; the verdict falls with the one that decides, even if
// what comes after it hangs, and it is the one a reader in sequence gives.
func TestVerdictWaitsForNoMoreThanItNeeds(t *testing.T) {
	for _, test := range []struct {
		name      string
		documents documents
		hangs     []string
		kind      Kind
	}{
		{"listing", documents{listingPath: `{}`}, []string{rootPath("a"), manifestPath("a")}, UnknownPlugin},
		{"broken listing", documents{listingPath: `[]`}, []string{rootPath("a"), manifestPath("a")}, Listing},
		{"root", documents{listingPath: listingOf("a"), rootPath("a"): `{}`}, []string{manifestPath("a")}, NotAdvertised},
		{"advertisement", documents{listingPath: listingOf("a"), rootPath("a"): rootOf("b")}, []string{manifestPath("a")}, Advertisement},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				src := &slow{documents: test.documents, delay: func(path string) time.Duration {
					for _, hangs := range test.hangs {
						if path == hangs {
							return time.Hour
						}
					}
					return 0
				}}
				d := newDiscoverer()
				d.known.set("a", true)
				begin := time.Now()
				_, err := d.Select(t.Context(), src, "a")
				wantError(t, err, test.kind, "", "")
				if took, n := time.Since(begin), src.inside.Load(); took != 0 || n != 0 {
					t.Errorf("it took %v, %d requests go on", took, n)
				}
			})
		})
	}
}
