package discovery

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"caddy-netbox-mcp/bridge/netboxsim"
)

// TestContractLimits pins the values of bridge version 1: plugins and agents rely on them, whatever the code calls them.
func TestContractLimits(t *testing.T) {
	for _, limit := range []struct {
		name      string
		got, want any
	}{
		{"plugin roots", MaxRoots, 128},
		{"catalog tools", MaxCatalogTools, 512},
		{"requests", MaxRequests, 257},
		{"bytes", MaxBytes, 2 << 20},
		{"time", MaxTime, 30 * time.Second},
		{"label characters", maxLabel, 64},
	} {
		if limit.got != limit.want {
			t.Errorf("%s: %v, want %v", limit.name, limit.got, limit.want)
		}
	}
}

// TestRootCountOfMembers: every member counts, whatever it leads to, also when one plugin is selected.
func TestRootCountOfMembers(t *testing.T) {
	for name, value := range map[string]string{"numbers": `7`, "foreign links": `"https://evil.example/api/plugins/x/"`, "the same plugin": `"/api/plugins/a/"`} {
		for _, members := range []int{MaxRoots, MaxRoots + 1} {
			t.Run(fmt.Sprint(members, " members, ", name), func(t *testing.T) {
				listing := `{"a":"/api/plugins/a/"`
				for i := range members - 1 {
					listing += fmt.Sprintf(`,"m%d":%s`, i, value)
				}
				docs := plugins("a")
				docs[listingPath] = listing + "}"
				for way, discover := range discoveries {
					src := &log{Source: script(docs.get)}
					err := discover(t.Context(), newDiscoverer(), src)
					if members == MaxRoots {
						if err != nil {
							t.Errorf("%s: %v", way, err)
						}
						continue
					}
					wantError(t, err, Limit, boundRoots, "more than the limit of 128")
					if e, _ := errors.AsType[*Error](err); e.Max != 128 || e.Plugin != "" {
						t.Errorf("%s: the bound is %d, of plugin %q", way, e.Max, e.Plugin)
					}
				}
			})
		}
	}
}

// gzipped and zstded are a document in a content coding, padded with spaces to size bytes.
func gzipped(t *testing.T, document string, size int) []byte {
	t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(pad(document, size))); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// zstded writes the frame by hand (RFC 8878 section 3.1.1): the document in a block as it is, the spaces in blocks that repeat
// a byte.
func zstded(_ *testing.T, document string, size int) []byte {
	const mostOfABlock, raw, repeated = 128 << 10, 0, 1
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 10 << 3} // magic number, no options, a window of 1 MiB
	block := func(kind, size int, last bool, content string) {
		header := uint32(kind<<1 | size<<3)
		if last {
			header |= 1
		}
		frame = append(binary.LittleEndian.AppendUint32(frame, header)[:len(frame)+3], content...)
	}
	spaces := size - len(document)
	block(raw, len(document), spaces == 0, document)
	for spaces > 0 {
		n := min(spaces, mostOfABlock)
		spaces -= n
		block(repeated, n, spaces == 0, " ")
	}
	return frame
}

// TestCodedDocumentBytes: each document at its limit and one byte over it, as it comes out of the decoder.
func TestCodedDocumentBytes(t *testing.T) {
	const slug = "testbed"
	for _, coding := range []struct {
		name string
		pack func(t *testing.T, document string, size int) []byte
	}{{"gzip", gzipped}, {"zstd", zstded}} {
		for _, doc := range []struct {
			name, path, document string
			limit                int
			bound                string
		}{
			{"listing", listingPath, listingOf(slug), 1_048_576, boundRoot},
			{"root", rootPath(slug), rootOf(slug), 1_048_576, boundRoot},
			{"manifest", manifestPath(slug), manifestOf(slug, 1), 262_144, boundManifest},
		} {
			for _, over := range []int{0, 1} {
				t.Run(fmt.Sprintf("%s of the %s, %d over", coding.name, doc.name, over), func(t *testing.T) {
					n := serveNetBox(t, netboxsim.Testbed())
					n.Inject("GET "+doc.path, netboxsim.Fault{
						Body: coding.pack(t, doc.document, doc.limit+over), Header: http.Header{"Content-Encoding": {coding.name}},
					})
					n.plugin(slug, manifestOf(slug, 1)) // what was injected first wins
					c, err := n.Scan(t.Context(), n.session)
					switch got := said(c, err); {
					case over == 0 && got != "testbed/1":
						t.Errorf("the scan gives %s", got)
					case over > 0 && doc.path == listingPath:
						wantError(t, err, Limit, doc.bound, "1048576")
					case over > 0 && !strings.Contains(got, fmt.Sprintf("over the size limit of %d bytes", doc.limit)):
						t.Errorf("the scan gives %s", got)
					}
					for _, known := range []bool{false, true} {
						n.known.set(slug, known)
						m, err := n.Select(t.Context(), n.session, slug)
						if over == 0 {
							if err != nil || m.Plugin != slug {
								t.Errorf("known %t: got %v, %v", known, m, err)
							}
							continue
						}
						wantError(t, err, Limit, doc.bound, fmt.Sprint(doc.limit))
					}
				})
			}
		}
	}
}

// TestTimeBounds: what comes in the last nanosecond of its time is in time.
func TestTimeBounds(t *testing.T) {
	for name, discover := range discoveries {
		for _, path := range []string{listingPath, rootPath("a"), manifestPath("a")} {
			for _, late := range []time.Duration{-1, 1} {
				t.Run(fmt.Sprintf("%s, %s, %v", name, path, late), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						allowed, of := MaxTime, path == listingPath || name != "scan"
						if !of {
							allowed = documentTime
						}
						d, src := newDiscoverer(), &slow{documents: plugins("a"), delay: only(path, allowed+late)}
						err := discover(t.Context(), d, src)
						if late > 0 && of {
							wantError(t, err, Limit, boundTime, "deadline of 30 s")
							return
						}
						// In a scan a late document is a problem, and its plugin does not become known.
						if err != nil || d.known.has("a") != (late < 0) {
							t.Errorf("got %v; known: %t", err, d.known.has("a"))
						}
					})
				})
			}
		}
	}
}

// TestTextBounds: texts and labels are cut by characters, and not before their limit.
func TestTextBounds(t *testing.T) {
	for n, want := range map[int]int{63: 63, 64: 64, 65: 64} {
		if got := problem(strings.Repeat("é", n), errors.New("wrong")).Plugin; got != strings.Repeat("é", want) {
			t.Errorf("a label of %d characters became %q", n, got)
		}
	}
	for n, want := range map[int]int{1_999: 1_999, 2_000: 2_000, 2_001: 2_000} {
		if got := problem("a", errors.New(strings.Repeat("é", n))).Error; got != strings.Repeat("é", want) {
			t.Errorf("a text of %d characters became one of %d", n, len([]rune(got)))
		}
	}
}

// TestLinkBounds: links of the listing are measured after trimming.
func TestLinkBounds(t *testing.T) {
	around := strings.Repeat(`\t `, 2_000)
	for n, want := range map[int]string{
		2_048: "m: the plugin API root link is not of the form /api/plugins/<plugin>/",
		2_049: "m: the plugin API root link: the link must have 1 to 2048 characters",
	} {
		docs := plugins("a")
		docs[listingPath] = `{"a":"` + around + `/api/plugins/a/` + around + `","m":"` + around + "/api/" + strings.Repeat("a", n-6) + "/" + around + `"}`
		docs[rootPath("a")] = strings.Replace(rootOf("a"), `"/api/plugins/a/mcp/"`, `"`+around+`/api/plugins/a/mcp/`+around+`"`, 1)
		if got := said(newDiscoverer().Scan(t.Context(), script(docs.get))); got != "a/1\n"+want {
			t.Errorf("%d characters: got %s", n, got)
		}
	}
}
