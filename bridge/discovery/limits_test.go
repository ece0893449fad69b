package discovery

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/netboxsim"
)

// slugs are n plugins' names, in order.
func slugs(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("p%03d", i)
	}
	return names
}

func TestRootCount(t *testing.T) {
	for _, test := range []struct {
		name    string
		members []string
		count   int // requests of the scan, 0 where it fails
	}{
		{"all are plugins", slugs(MaxRoots), MaxRequests},
		{"with the built-in member", append([]string{builtin}, slugs(MaxRoots-1)...), MaxRequests - 2},
		{"one too many", slugs(MaxRoots + 1), 0},
		{"the built-in member counts", append([]string{builtin}, slugs(MaxRoots)...), 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			docs := plugins(test.members...)
			src := &log{Source: script(docs.get)}
			d := newDiscoverer()
			c, err := d.Scan(t.Context(), src)
			if test.count > 0 {
				if asked := len(src.taken()); err != nil || asked != test.count || len(c.Manifests) != (test.count-1)/2 || c.Problems != nil {
					t.Errorf("asked %d times, got %.200s", asked, said(c, err))
				}
				return
			}
			wantError(t, err, Limit, boundRoots, "plugin root count: NetBox lists more than the limit of 128")
			if c != nil || len(src.taken()) != 1 {
				t.Error("more than the listing was asked for, or there is a catalog")
			}
			_, err = d.Select(t.Context(), src, "p001")
			wantError(t, err, Limit, boundRoots, "plugin root count: NetBox lists more than the limit of 128")
		})
	}
}

func TestCatalogToolCount(t *testing.T) {
	for _, test := range []struct {
		name  string
		tools []int // by plugin
		fails bool
	}{
		{"exactly 512", []int{64, 64, 64, 64, 64, 64, 64, 64}, false},
		{"exactly 512 unevenly", []int{1, 64, 64, 64, 64, 64, 64, 64, 63}, false},
		{"513", []int{64, 64, 64, 64, 64, 64, 64, 64, 1}, true},
		{"513, the small one first", []int{1, 64, 64, 64, 64, 64, 64, 64, 64}, true},
		{"invalid manifests do not count", []int{64, 64, 64, 64, 64, 64, 64, 64, 65, 0}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			names := slugs(len(test.tools))
			docs, valid := plugins(names...), 0
			for i, tools := range test.tools {
				docs[manifestPath(names[i])] = manifestOf(names[i], tools)
				if tools >= 1 && tools <= manifest.MaxTools {
					valid++
				}
			}
			d := newDiscoverer()
			c, err := d.Scan(t.Context(), script(docs.get))
			if !test.fails {
				if err != nil || len(c.Manifests) != valid || len(c.Problems) != len(names)-valid {
					t.Errorf("got %.500s", said(c, err))
				}
				return
			}
			wantError(t, err, Limit, boundTools, "catalog tool count: the plugins have more tools together than the limit of 512")
			if c != nil {
				t.Error("a catalog comes with the error")
			}
			// A plugin by its name is not concerned.
			if m, err := d.Select(t.Context(), script(docs.get), names[1]); err != nil || len(m.Tools) != test.tools[1] {
				t.Errorf("selecting one gives %v, %v", m, err)
			}
		})
	}
}

// TestDocumentBytes sends documents at their limit and one byte over it, with the length announced and without.
func TestDocumentBytes(t *testing.T) {
	const slug = "testbed"
	for _, test := range []struct {
		name, path, document, called string
		limit                        int
		whole                        bool // whether the whole scan fails
		bound                        string
	}{
		{"listing", listingPath, listingOf(slug), "", manifest.MaxRootBytes, true, boundRoot},
		{"root", rootPath(slug), rootOf(slug), "API root", manifest.MaxRootBytes, false, boundRoot},
		{"manifest", manifestPath(slug), manifestOf(slug, 2), "manifest", manifest.MaxManifestBytes, false, boundManifest},
	} {
		for _, chunked := range []bool{false, true} {
			for _, over := range []int{0, 1, 100_000} {
				t.Run(fmt.Sprintf("%s, chunked %t, %d over", test.name, chunked, over), func(t *testing.T) {
					n := serveNetBox(t, netboxsim.Testbed())
					body := pad(test.document, test.limit+over)
					if chunked {
						n.chunked(test.path, 200, body)
					} else {
						n.answer(test.path, 200, body)
					}
					c, err := n.Scan(t.Context(), n.session)
					switch {
					case over == 0:
						if err != nil || len(c.Manifests) != 1 || c.Problems != nil {
							t.Errorf("got %s", said(c, err))
						}
					case test.whole:
						wantError(t, err, Limit, test.bound, fmt.Sprint(test.limit))
					default:
						want := fmt.Sprintf("testbed: plugin \"testbed\": its %s is over the size limit of %d bytes; tell the plugin's author", test.called, test.limit)
						if got := said(c, err); got != want {
							t.Errorf("got %s, want %s", got, want)
						}
					}
					for range 2 { // the second time at once, where the first was a success
						m, err := n.Select(t.Context(), n.session, slug)
						if over == 0 {
							if err != nil || m.Plugin != slug {
								t.Errorf("got %v, %v", m, err)
							}
							continue
						}
						wantError(t, err, Limit, test.bound, fmt.Sprint(test.limit))
						if e, _ := errors.AsType[*Error](err); e.Max != int64(test.limit) {
							t.Errorf("the bound is %d", e.Max)
						}
					}
				})
			}
		}
	}
}

// TestAggregateBytes: the documents of one discovery have 2 MiB together.
func TestAggregateBytes(t *testing.T) {
	const slug = "testbed"
	listing, root, own := listingOf(slug), rootOf(slug), manifestOf(slug, 1)
	for _, test := range []struct {
		name                    string
		listing, root, manifest int // sizes
		fails                   bool
	}{
		{"exactly", MaxBytes - 1<<20 - 1<<18, 1 << 20, 1 << 18, false},
		{"listing one over", MaxBytes - 1<<20 - 1<<18 + 1, 1 << 20, 1 << 18, true},
		{"root one over", 1 << 20, MaxBytes - 1<<20 - 1<<18 + 1, 1 << 18, true},
		{"manifest one over", 1 << 20, 1<<20 - 1<<17, 1<<17 + 1, true},
		{"listing and root alone", 1 << 20, 1 << 20, len(own), true},
	} {
		for _, chunked := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, chunked %t", test.name, chunked), func(t *testing.T) {
				n := serveNetBox(t, netboxsim.Testbed())
				answer := func(path string, status int, body string) { n.answer(path, status, body) }
				if chunked {
					answer = n.chunked
				}
				answer(listingPath, 200, pad(listing, test.listing))
				answer(rootPath(slug), 200, pad(root, test.root))
				answer(manifestPath(slug), 200, pad(own, test.manifest))
				c, err := n.Scan(t.Context(), n.session)
				if test.fails {
					wantError(t, err, Limit, boundAggregate, "over the aggregate limit of 2097152 bytes")
				} else if got := said(c, err); got != "testbed/1" {
					t.Errorf("got %s", got)
				}
				for _, known := range []bool{false, true} {
					n.known.set(slug, known)
					m, err := n.Select(t.Context(), n.session, slug)
					if test.fails {
						wantError(t, err, Limit, boundAggregate, "over the aggregate limit of 2097152 bytes")
					} else if err != nil || m.Plugin != slug {
						t.Errorf("known %t: got %v, %v", known, m, err)
					}
				}
			})
		}
	}
}

// TestAggregateOfAScan: every body counts as far as it was received, whatever its status; one whose announced length is over
// its own limit is not received at all.
func TestAggregateOfAScan(t *testing.T) {
	mib := strings.Repeat("x", 1<<20)
	for _, test := range []struct {
		name    string
		chunked bool
		status  int
		body    string
		fails   bool
	}{
		{"failed answers count", false, 500, mib, true},
		{"forbidden answers count", false, 403, mib, true},
		{"redirects count", false, 302, mib, true},
		{"oversize answers count", true, 200, mib + "x", true},
		{"announced oversize answers do not", false, 200, mib + "x", false},
		{"small ones stay below", false, 500, mib[:1000], false},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := serveNetBox(t, netboxsim.Testbed())
			names := slugs(3)
			n.answer(listingPath, 200, listingOf(append(names, "testbed")...))
			for _, slug := range names {
				if test.chunked {
					n.chunked(rootPath(slug), test.status, test.body)
				} else {
					n.answer(rootPath(slug), test.status, test.body)
				}
			}
			c, err := n.Scan(t.Context(), n.session)
			if test.fails {
				wantError(t, err, Limit, boundAggregate, "aggregate limit")
			} else if err != nil || len(c.Manifests) != 1 || len(c.Problems) != 3 {
				t.Errorf("got %.1000s", said(c, err))
			}
			// Who selects the good plugin does not pay for the others.
			for range 2 {
				if m, err := n.Select(t.Context(), n.session, "testbed"); err != nil || m.Plugin != "testbed" {
					t.Errorf("selecting gives %v, %v", m, err)
				}
			}
		})
	}
}

// TestOversizeAfterALargeListing: a document that is over its own limit and over what is left of the aggregate ends the whole
// discovery, in every way of reading.
func TestOversizeAfterALargeListing(t *testing.T) {
	for name, discover := range discoveries {
		for _, test := range []struct {
			name    string
			listing int
			kind    string // the bound, or "" for the plugin's problem in a scan
		}{
			{"nothing left but the root's limit", 1 << 20, boundAggregate},
			{"one byte more left", 1<<20 - 1, boundRoot},
		} {
			t.Run(name+", "+test.name, func(t *testing.T) {
				n := serveNetBox(t, netboxsim.Testbed())
				n.answer(listingPath, 200, pad(listingOf("a"), test.listing))
				n.chunked(rootPath("a"), 200, pad(rootOf("a"), 1<<20+1))
				n.answer(manifestPath("a"), 200, manifestOf("a", 1))
				err := discover(t.Context(), n.Discoverer, n.session)
				if name == "scan" && test.kind == boundRoot {
					if err != nil {
						t.Errorf("got %v", err)
					}
					return
				}
				wantError(t, err, Limit, test.kind, "")
			})
		}
	}
}

// TestCompressedBytes: what counts is what comes out of the decoder.
func TestCompressedBytes(t *testing.T) {
	for _, over := range []int{0, 1, 10 << 20} {
		t.Run(fmt.Sprint(over, " over"), func(t *testing.T) {
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			if _, err := z.Write([]byte(pad(manifestOf("testbed", 1), manifest.MaxManifestBytes+over))); err != nil {
				t.Fatal(err)
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			n := serveNetBox(t, netboxsim.Testbed())
			n.Inject("GET "+manifestPath("testbed"), netboxsim.Fault{Body: packed.Bytes(), Header: http.Header{"Content-Encoding": {"gzip"}}})
			m, err := n.Select(t.Context(), n.session, "testbed")
			if over > 0 {
				wantError(t, err, Limit, boundManifest, "its manifest is over the size limit of 262144 bytes")
			} else if err != nil || len(m.Tools) != 1 {
				t.Errorf("got %v, %v", m, err)
			}
		})
	}
}
