package discovery

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/netboxsim"
)

// TestAggregateOfFailures: bodies that end in a failure are charged as far as they came, to the byte, whatever order they
// come in.
func TestAggregateOfFailures(t *testing.T) {
	const each = 600_000
	names := slugs(3)
	for _, test := range []struct {
		name string
		fail func(n *netbox, path string, size int) // answers with size bytes of a failure
	}{
		{"refused", func(n *netbox, path string, size int) { n.answer(path, 500, strings.Repeat("x", size)) }},
		{"forbidden", func(n *netbox, path string, size int) { n.answer(path, 403, strings.Repeat("x", size)) }},
		{"redirected", func(n *netbox, path string, size int) { n.answer(path, 302, strings.Repeat("x", size)) }},
		{"cut off", func(n *netbox, path string, size int) {
			n.Inject("GET "+path, netboxsim.Fault{Body: []byte(pad(rootOf("a"), 1<<20)), Cut: true, CutAfter: size})
		}},
		{"no JSON", func(n *netbox, path string, size int) { n.answer(path, 200, strings.Repeat("x", size)) }},
		{"cut off and refused", func(n *netbox, path string, size int) {
			n.Inject("GET "+path, netboxsim.Fault{Status: 502, Body: []byte(strings.Repeat("x", 1<<20)), Cut: true, CutAfter: size})
		}},
	} {
		for _, over := range []int{0, 1} {
			t.Run(fmt.Sprintf("%s, %d over", test.name, over), func(t *testing.T) {
				n := serveNetBox(t, netboxsim.Testbed())
				good := len(rootOf("testbed")) + len(manifestOf("testbed", 1))
				n.plugin("testbed", manifestOf("testbed", 1))
				n.answer(listingPath, 200, pad(listingOf(append(names, "testbed")...), MaxBytes+over-good-len(names)*each))
				for _, slug := range names {
					test.fail(n, rootPath(slug), each)
				}
				for range 2 {
					c, err := n.Scan(t.Context(), n.session)
					if over > 0 {
						wantError(t, err, Limit, boundAggregate, "aggregate limit of 2097152 bytes")
					} else if err != nil || len(c.Manifests) != 1 {
						t.Fatalf("got %.1000s", said(c, err))
					}
				}
			})
		}
	}
}

// TestLoweredBounds: a site's own bounds hold exactly, name themselves, and never raise the contract's.
func TestLoweredBounds(t *testing.T) {
	const slug = "testbed"
	own := manifestOf(slug, 1)
	for _, test := range []struct {
		name             string
		bytes, manifests int64 // configured
		listing, mf      int   // sizes
		bound            string
		max              int64
	}{
		{"nothing configured, manifest at the contract's", 0, 0, 2_000, manifest.MaxManifestBytes, "", 0},
		{"nothing configured, manifest one over", 0, 0, 2_000, manifest.MaxManifestBytes + 1, boundManifest, manifest.MaxManifestBytes},
		{"raised, manifest one over the contract's", 1 << 40, 1 << 40, 2_000, manifest.MaxManifestBytes + 1, boundManifest, manifest.MaxManifestBytes},
		{"negative, manifest one over the contract's", -1, -1, 2_000, manifest.MaxManifestBytes + 1, boundManifest, manifest.MaxManifestBytes},
		{"manifest at its own", 0, 5_000, 2_000, 5_000, "", 0},
		{"manifest over its own", 0, 5_000, 2_000, 5_001, boundManifest, 5_000},
		{"together at their own", 10_000, 0, 4_000, 5_000, "", 0},
		{"together over their own", 10_000, 0, 4_000, 5_001, boundAggregate, 10_000},
		{"together over their own by the listing", 10_000, 0, 4_001, 5_000, boundAggregate, 10_000},
		{"the listing alone over their own", 10_000, 0, 10_001, 5_000, boundAggregate, 10_000},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := serveNetBox(t, netboxsim.Testbed())
			n.answer(listingPath, 200, pad(listingOf(slug), test.listing))
			n.answer(rootPath(slug), 200, pad(rootOf(slug), 1_000))
			n.answer(manifestPath(slug), 200, pad(own, test.mf))
			d := New(Config{Origins: n.origins, Manifests: manifest.NewCache(1 << 20), MaxBytes: test.bytes, MaxManifestBytes: test.manifests})
			c, err := d.Scan(t.Context(), n.session)
			switch {
			case test.bound == "":
				if got := said(c, err); got != "testbed/1" {
					t.Errorf("the scan gives %s", got)
				}
			case test.bound == boundManifest:
				if got, want := said(c, err), fmt.Sprintf("over the size limit of %d bytes", test.max); !strings.Contains(got, want) {
					t.Errorf("the scan gives %s, want %s", got, want)
				}
			default:
				wantMax(t, err, test.bound, test.max)
			}
			for _, known := range []bool{false, true} {
				d.known.set(slug, known)
				m, err := d.Select(t.Context(), n.session, slug)
				if test.bound != "" {
					wantMax(t, err, test.bound, test.max)
				} else if err != nil || m.Plugin != slug {
					t.Errorf("known %t: got %v, %v", known, m, err)
				}
			}
		})
	}
}

// wantMax checks the bound of an error and its value.
func wantMax(t *testing.T, err error, bound string, most int64) {
	t.Helper()
	wantError(t, err, Limit, bound, fmt.Sprint(most))
	if e, _ := errors.AsType[*Error](err); e.Max != most {
		t.Errorf("the bound is %d, want %d", e.Max, most)
	}
}
