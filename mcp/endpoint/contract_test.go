package endpoint

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"caddy-netbox-mcp/bridge/netboxsim"
)

// noInput is an input schema without arguments.
const noInput = `{"type":"object","properties":{},"additionalProperties":false}`

func lookTool(output string) string {
	return toolJSON("look", "GET", "look/", "read", noInput, output, readHints)
}

// paths are what NetBox was asked, in order.
func (w *works) paths() []string {
	var paths []string
	for _, r := range w.sim.Requests() {
		paths = append(paths, r.Method+" "+r.Path)
	}
	return paths
}

// TestContractDiscovery is what a plugin's documents may say and where they may lead.
func TestContractDiscovery(t *testing.T) {
	tests := []struct {
		name    string
		prepare func(w *works)
		code    string // of a selection; empty: it is listed
		words   string // in the message
		problem string // in a listing of all plugins; empty: none
	}{
		{"as published", func(*works) {}, "", "", ""},
		{"absolute root link", func(w *works) {
			w.answer("GET /api/plugins/", 200, `{"example":"https://netbox.example.com/api/plugins/example/"}`)
		}, "", "", ""},
		{"root link elsewhere", func(w *works) {
			w.answer("GET /api/plugins/", 200, `{"example":"https://evil.example.com/api/plugins/example/"}`)
		}, "not_advertised", "same origin", "same origin"},
		{"link that is no URL", func(w *works) {
			w.answer("GET /api/plugins/", 200, `{"example":"https://[::1/api/plugins/example/"}`)
		}, "not_advertised", "link", "link"},
		{"link that is no text", func(w *works) { w.answer("GET /api/plugins/", 200, `{"example":7}`) }, "not_advertised", "must be a string", "must be a string"},
		{"not listed", func(w *works) { w.answer("GET /api/plugins/", 200, `{}`) }, "not_advertised", "plugin API root not found", ""},
		{"root without advertisement", func(w *works) { w.answer("GET "+exampleRoot, 200, `{"things":"/x/"}`) }, "-", "", ""},
		{"advertisement of null", func(w *works) { w.answer("GET "+exampleRoot, 200, `{"mcp":null}`) }, "-", "", ""},
		{"another plugin's manifest", func(w *works) {
			w.answer("GET "+exampleRoot, 200, `{"mcp":{"schema_version":"1","manifest":"/api/plugins/other/mcp/"}}`)
		}, "advertisement_invalid", "advertised manifest path", "advertised manifest path"},
		{"version as a number", func(w *works) {
			w.answer("GET "+exampleRoot, 200, `{"mcp":{"schema_version":1,"manifest":"/api/plugins/example/mcp/"}}`)
		}, "advertisement_invalid", "/mcp/schema_version", "/mcp/schema_version"},
		{"unknown member of the advertisement", func(w *works) {
			w.answer("GET "+exampleRoot, 200, `{"mcp":{"schema_version":"1","manifest":"/api/plugins/example/mcp/","x":1}}`)
		}, "advertisement_invalid", "not allowed", "not allowed"},
		{"forbidden root", func(w *works) { w.answer("GET "+exampleRoot, 403, `{"detail":"You do not have permission"}`) }, "upstream_forbidden", "permission", ""},
		{"missing root", func(w *works) { w.answer("GET "+exampleRoot, 404, `{"detail":"Not found."}`) }, "upstream_error", "404", ""},
		{"broken root", func(w *works) { w.answer("GET "+exampleRoot, 500, `{}`) }, "upstream_error", "500", "HTTP 500"},
		{"redirecting root", func(w *works) {
			w.inject("GET "+exampleRoot, netboxsim.Fault{Status: 302, Header: http.Header{"Location": {exampleManifest}}})
		}, "redirect_refused", "redirect", "redirect"},
		{"missing manifest", func(w *works) { w.answer("GET "+exampleManifest, 404, `{}`) }, "upstream_error", "404", "HTTP 404"},
		{"another version of the manifest", func(w *works) {
			w.answer("GET "+exampleManifest, 200, `{"schema_version":"99","plugin":"example","tools":[]}`)
		}, "manifest_invalid", "/schema_version", "schema_version"},
		{"manifest of another plugin", func(w *works) {
			w.answer("GET "+exampleManifest, 200, strings.Replace(manifestJSON(lookTool("")), "example", "other", 1))
		}, "manifest_invalid", "/plugin", "/plugin"},
		{"manifest with NaN", func(w *works) {
			w.answer("GET "+exampleManifest, 200, `{"schema_version":"1","plugin":"example","tools":NaN}`)
		}, "manifest_invalid", "finite JSON", "finite JSON"},
		{"manifest over 256 KiB", func(w *works) {
			w.answer("GET "+exampleManifest, 200, "{"+strings.Repeat("x", 262_144))
		}, "limit_exceeded", "size limit of 262144 bytes", "size limit"},
		{"root over 1 MiB", func(w *works) { w.answer("GET "+exampleRoot, 200, `{"x":"`+strings.Repeat("x", 1<<20)+`"}`) }, "limit_exceeded", "size limit of 1048576 bytes", "size limit"},
		{"no tools", func(w *works) { w.answer("GET "+exampleManifest, 200, manifestJSON()) }, "manifest_invalid", "1 to 64 tools", "1 to 64 tools"},
		{"65 tools", func(w *works) { w.answer("GET "+exampleManifest, 200, manifestJSON(manyTools(65)...)) }, "manifest_invalid", "1 to 64 tools", "1 to 64 tools"},
		{"64 tools", func(w *works) { w.answer("GET "+exampleManifest, 200, manifestJSON(manyTools(64)...)) }, "", "", ""},
		{"inactive plugin", func(w *works) {
			w.answer("GET "+exampleRoot, 200, `{}`)
			w.answer("GET "+exampleManifest, 503, `{"state":"blocked"}`)
		}, "-", "", ""},
	}
	overBothEras(t, func(t *testing.T, version string) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				w := newWorks(t, version, worksConfig{base: "https://netbox.example.com"})
				w.publish(manifestJSON(lookTool("")))
				tt.prepare(w)
				// Once as an unknown plugin, one document after the other, and once as a known one, all three at once.
				for _, order := range []string{"in order", "at once"} {
					r := w.list(t)
					switch tt.code {
					case "":
						if r.failed || !strings.Contains(r.text, `"plugin":"example"`) {
							t.Errorf("%s: not listed: %.400s", order, r.text)
						}
					case "-": // a plugin that takes no part has an empty list, and no tools to call
						if r.failed || !strings.HasPrefix(r.text, `{"schema_version":"1","tools":[],"problems":[],`) {
							t.Errorf("%s: %.400s", order, r.text)
						}
						w.run(t, "look", `{}`).want(t, "not_advertised", "does not advertise")
					default:
						r.want(t, tt.code, tt.words)
						w.run(t, "look", `{}`).want(t, tt.code, tt.words)
					}
					w.publish(manifestJSON(lookTool("")))
					if r := w.list(t); r.failed { // now it is known
						t.Fatal(r.text)
					}
					tt.prepare(w)
				}
				all := w.call(t, "plugin_list_tools", `{}`)
				if all.failed || strings.Contains(all.text, `"problems":[]`) != (tt.problem == "") || !strings.Contains(all.text, tt.problem) {
					t.Errorf("all plugins: %.600s", all.text)
				}
				for _, r := range w.targets() {
					t.Errorf("%s %s was sent", r.Method, r.Path)
				}
			})
		}
	})
}

func manyTools(n int) []string {
	tools := make([]string, n)
	for i := range tools {
		tools[i] = toolJSON(fmt.Sprintf("t%d", i), "GET", "look/", "read", noInput, "", readHints)
	}
	return tools
}

// TestContractBelowAPrefix: requests go below the base URL's path, links may have it or not, and paths are shown without it.
func TestContractBelowAPrefix(t *testing.T) {
	overBothEras(t, func(t *testing.T, version string) {
		for _, link := range []string{"/netbox/api/plugins/example/mcp/", "/api/plugins/example/mcp/", "https://netbox.example.com/netbox/api/plugins/example/mcp/"} {
			w := newWorks(t, version, worksConfig{base: "https://netbox.example.com/netbox"})
			w.publish(manifestJSON(lookTool("")))
			w.answer("GET /api/plugins/", 200, `{"example":"https://netbox.example.com/netbox/api/plugins/example/"}`)
			w.answer("GET "+exampleRoot, 200, `{"mcp":{"schema_version":"1","manifest":"`+link+`"}}`)
			if r := w.list(t); r.failed || !strings.Contains(r.text, `"request_path":"/api/plugins/example/look/"`) {
				t.Errorf("%s: %s", link, r.text)
			}
			if got, want := w.paths(), []string{"GET /netbox/api/plugins/", "GET /netbox/api/plugins/example/", "GET /netbox/api/plugins/example/mcp/"}; !slices.Equal(got, want) {
				t.Errorf("asked for %q, want %q", got, want)
			}
		}
	})
}

// TestContractCatalogLimits are the bounds of a listing of all plugins, at the bound and past it.
func TestContractCatalogLimits(t *testing.T) {
	overBothEras(t, func(t *testing.T, version string) {
		// serve makes n plugins with so many tools each; pad makes each root larger.
		serve := func(w *works, n, tools, more, pad int) {
			var links []string
			for i := range n {
				name := fmt.Sprintf("p%d", i)
				links = append(links, fmt.Sprintf(`%q:"/api/plugins/%s/"`, name, name))
				count := tools
				if i == 0 {
					count += more
				}
				w.answer("GET /api/plugins/"+name+"/", 200, strings.ReplaceAll(exampleAd, "example", name)[:len(exampleAd)-len("example")+len(name)-1]+`,"pad":"`+strings.Repeat("x", pad)+`"}`)
				w.answer("GET /api/plugins/"+name+"/mcp/", 200, strings.Replace(manifestJSON(manyTools(count)...), "example", name, 1))
			}
			w.answer("GET /api/plugins/", 200, "{"+strings.Join(links, ",")+"}")
		}
		tests := []struct {
			name                  string
			plugins, tools, extra int
			pad                   int
			limit                 string
			max                   float64
			requests              int
		}{
			{"128 roots and 512 tools", 128, 4, 0, 0, "", 0, 257},
			{"129 roots", 129, 1, 0, 0, "plugin root count", 128, 1},
			{"513 tools", 128, 4, 1, 0, "catalog tool count", 512, 257},
			{"3 MiB of documents", 3, 1, 0, 1<<20 - 200, "aggregate limit in bytes", 2 << 20, -1},
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				w := newWorks(t, version, worksConfig{})
				serve(w, tt.plugins, tt.tools, tt.extra, tt.pad)
				r := w.call(t, "plugin_list_tools", `{}`)
				if tt.limit == "" {
					if n := strings.Count(r.text, `"qualified_name":`); r.failed || n != tt.plugins*tt.tools || !strings.Contains(r.text, `"problems":[]`) {
						t.Errorf("%d tools: %.300s", n, r.text)
					}
				} else {
					r.want(t, "limit_exceeded", tt.limit[:9])
					if r.Details["limit"] != tt.limit || r.Details["max"] != tt.max {
						t.Errorf("details %v", r.Details)
					}
				}
				if n := len(w.sim.Requests()); tt.requests >= 0 && n != tt.requests {
					t.Errorf("%d requests, want %d", n, tt.requests)
				}
			})
		}
		t.Run("129 roots, one selected", func(t *testing.T) {
			w := newWorks(t, version, worksConfig{})
			serve(w, 129, 1, 0, 0)
			w.call(t, "plugin_list_tools", `{"plugin":"p1"}`).want(t, "limit_exceeded", "plugin root count")
		})
	})
}

// TestContractDescriptors are tools that no manifest may have.
func TestContractDescriptors(t *testing.T) {
	path := func(p string) string { return toolJSON("look", "GET", p, "read", noInput, "", readHints) }
	input := func(s string) string { return toolJSON("store", "POST", "store/", "write", s, "", writeHints) }
	output := func(s string) string { return lookTool(s) }
	tests := []struct{ name, tool, pointer, words string }{
		{"absolute path", path("/api/plugins/example/look/"), "/tools/0/path", "relative path"},
		{"parent first", path("../other/"), "/tools/0/path", "dot segments"},
		{"parent inside", path("sync/../other/"), "/tools/0/path", "dot segments"},
		{"encoded slash", path("sync/%2fother/"), "/tools/0/path", ""},
		{"encoded backslash", path("sync/%5Cother/"), "/tools/0/path", ""},
		{"URL", path("https://evil.example.com/"), "/tools/0/path", ""},
		{"backslash", path(`sync\schedule/`), "/tools/0/path", ""},
		{"query", path("sync/schedule/?now=1"), "/tools/0/path", ""},
		{"POST that reads", toolJSON("x", "POST", "x/", "read", noInput, "", readHints), "/tools/0/effect", "GET and HEAD"},
		{"GET that writes", toolJSON("x", "GET", "x/", "write", noInput, "", writeHints), "/tools/0/effect", "GET and HEAD"},
		{"DELETE that only writes", toolJSON("x", "DELETE", "x/", "write", noInput, "", writeHints), "/tools/0/effect", "destructive"},
		{"same name twice", lookTool("") + "," + lookTool(""), "/tools/1/name", "unique"},
		{"no type of JSON Schema", input(`{"type":"not-a-json-schema-type","additionalProperties":false}`), "/tools/0/inputSchema/type", "valid Draft 2020-12"},
		{"reference", output(`{"$ref":"https://evil.example.com/schema"}`), "/tools/0/outputSchema/$ref", "references"},
		{"pattern", input(`{"type":"object","properties":{"a":{"type":"string","pattern":"(a+)+$"}},"additionalProperties":false}`), "/tools/0/inputSchema/properties/a/pattern", "patterns"},
		{"prefixItems", output(`{"type":"array","prefixItems":[{}]}`), "/tools/0/outputSchema/prefixItems", "combinators"},
		{"format regex", output(`{"type":"string","format":"regex"}`), "/tools/0/outputSchema/format", "regex"},
		{"format hostname", output(`{"type":"string","format":"hostname"}`), "/tools/0/outputSchema/format", "hostname"},
		{"unique objects", output(`{"type":"array","uniqueItems":true,"items":{"type":"object"}}`), "/tools/0/outputSchema", "uniqueItems"},
		{"unique scalars of two types", output(`{"type":"array","uniqueItems":true,"items":{"type":["string","integer"]}}`), "/tools/0/outputSchema", "one explicitly typed scalar"},
		{"object in a query", toolJSON("x", "GET", "x/", "read", `{"type":"object","properties":{"a":{"type":"object"}},"additionalProperties":false}`, "", readHints), "/tools/0/inputSchema/properties/a", "query-encodable"},
		{"open input", input(`{"type":"object"}`), "/tools/0/inputSchema/additionalProperties", "exactly false"},
		{"hint that disagrees", toolJSON("x", "POST", "x/", "write", noInput, "", readHints), "/tools/0/annotations/readOnlyHint", "effect read"},
		{"snake case", strings.Replace(lookTool(""), "inputSchema", "input_schema", 1), "/tools/0", "not allowed"},
	}
	overBothEras(t, func(t *testing.T, version string) {
		w := newWorks(t, version, worksConfig{})
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				w.publish(manifestJSON(tt.tool))
				w.list(t).want(t, "manifest_invalid", tt.pointer+": ", tt.words)
			})
		}
		if got := w.targets(); len(got) != 0 {
			t.Errorf("sent %v", got)
		}
	})
}
