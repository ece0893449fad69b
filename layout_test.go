// Package layout_test holds the project's shape in place: who may import what, as a table.
package layout_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "caddy-netbox-mcp"

// pkg is what go list tells about one package.
type pkg struct {
	ImportPath   string
	Name         string
	Imports      []string // of its ordinary files
	TestImports  []string // of _test.go files inside the package
	XTestImports []string // of _test.go files beside it
}

// rule forbids imports. Patterns are package paths: of ours without the module's name, with /... for everything below
// and including it; "..." is every package of ours.
type rule struct {
	why      string
	of       []string // the packages it binds
	except   []string // and those among them that it does not
	imports  []string // what they may not import
	alsoTest bool     // whether their _test.go files are bound too
}

var rules = []rule{
	{
		why: "imports point one way, caddymodule -> mcp -> bridge",
		of:  []string{"bridge/..."}, imports: []string{"mcp/...", "caddymodule/...", "conformance/...", "bench/..."}, alsoTest: true,
	},
	{
		why: "imports point one way, caddymodule -> mcp -> bridge",
		of:  []string{"mcp/..."}, imports: []string{"caddymodule/...", "conformance/...", "bench/..."}, alsoTest: true,
	},
	{
		why: "nothing that ships depends on the test builds",
		of:  []string{"caddymodule/..."}, imports: []string{"conformance/...", "bench/..."},
	},
	{
		why: "the MCP SDK stays behind one adapter",
		of:  []string{"..."}, except: []string{"mcp/endpoint", "conformance/...", "bench/..."},
		imports: []string{"github.com/modelcontextprotocol/..."},
	},
	{
		why: "Caddy stays behind one adapter",
		of:  []string{"..."}, except: []string{"caddymodule/...", "conformance/...", "bench/..."},
		imports: []string{"github.com/caddyserver/..."},
	},
	{
		why: "only the Caddy module makes endpoints, so none is made without an authenticator",
		of:  []string{"..."}, except: []string{"caddymodule/...", "mcp/endpoint"}, imports: []string{"mcp/endpoint"}, alsoTest: true,
	},
	{
		why: "the two tool sets do not know each other",
		of:  []string{"mcp/netbox/..."}, imports: []string{"mcp/zabbix/..."}, alsoTest: true,
	},
	{
		why: "the two tool sets do not know each other",
		of:  []string{"mcp/zabbix/..."}, imports: []string{"mcp/netbox/..."}, alsoTest: true,
	},
	{
		why: "the two upstreams do not know each other",
		of:  []string{"bridge/netboxapi/..."}, imports: []string{"bridge/zabbixapi/..."}, alsoTest: true,
	},
	{
		why: "the two upstreams do not know each other",
		of:  []string{"bridge/zabbixapi/..."}, imports: []string{"bridge/netboxapi/..."}, alsoTest: true,
	},
	{
		why: "the stand-in servers are for tests and the demo",
		of:  []string{"bridge/...", "mcp/..."}, except: []string{"bridge/netboxsim/...", "bridge/zabbixsim/..."},
		imports: []string{"bridge/netboxsim/...", "bridge/zabbixsim/..."},
	},
	{
		why: "every decompressed byte is counted, in one place",
		of:  []string{"..."}, except: []string{"bridge/transport"}, imports: []string{"github.com/klauspost/compress/..."}, alsoTest: true,
	},
	{
		why: "foreign schemas are compiled in one place, which never loads a reference",
		of:  []string{"..."}, except: []string{"bridge/schema"}, imports: []string{"github.com/santhosh-tekuri/jsonschema/..."}, alsoTest: true,
	},
}

// foldersOnly hold folders and no Go files of their own.
var foldersOnly = []string{"mcp", "bridge"}

// vagueNames are package names that say nothing about what is inside; mcp would be taken for the SDK's.
var vagueNames = []string{"util", "utils", "common", "helper", "helpers", "misc", "types", "mcp"}

func TestLayout(t *testing.T) {
	for _, violation := range check(list(t)) {
		t.Error(violation)
	}
}

func list(t *testing.T) []pkg {
	t.Helper()
	watchSources(t)
	var stderr bytes.Buffer
	cmd := exec.Command("go", "list", "-json=ImportPath,Name,Imports,TestImports,XTestImports", "./...")
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	var pkgs []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
	// A listing that missed the code would break no rule.
	if !slices.ContainsFunc(pkgs, func(p pkg) bool { return p.ImportPath == module+"/caddymodule" }) {
		t.Fatalf("go list found no %s/caddymodule among %d packages", module, len(pkgs))
	}
	return pkgs
}

// watchSources looks at every source file and folder: go test keeps a verdict until something that the test's own process
// opened has changed, and does not see what go list opens.
func watchSources(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case !d.IsDir() && filepath.Ext(path) == ".go":
			f, err := os.Open(path)
			if err != nil {
				return err
			}
			return f.Close()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// check says which packages break which rule, one line each.
func check(pkgs []pkg) (violations []string) {
	for _, p := range pkgs {
		own, _ := local(p.ImportPath)
		if slices.Contains(foldersOnly, own) {
			violations = append(violations, fmt.Sprintf("%s holds Go files: it is a folder of packages", own))
		}
		if slices.Contains(vagueNames, p.Name) {
			violations = append(violations, fmt.Sprintf("%s is named %s: name it after what it provides", own, p.Name))
		}
		for _, r := range rules {
			if !matches(r.of, p.ImportPath) || matches(r.except, p.ImportPath) {
				continue
			}
			imports := slices.Clone(p.Imports)
			if r.alsoTest {
				imports = slices.Concat(imports, p.TestImports, p.XTestImports)
			}
			slices.Sort(imports)
			for _, i := range slices.Compact(imports) {
				// A package's tests beside it import it.
				if i != p.ImportPath && matches(r.imports, i) {
					violations = append(violations, fmt.Sprintf("%s imports %s: %s", own, i, r.why))
				}
			}
		}
	}
	return violations
}

// local is a package's path inside the module, and whether it is of this module.
func local(path string) (string, bool) {
	if path == module {
		return ".", true
	}
	return strings.CutPrefix(path, module+"/")
}

func matches(patterns []string, path string) bool {
	own, ours := local(path)
	for _, pattern := range patterns {
		tree, isTree := strings.CutSuffix(pattern, "/...")
		switch {
		case pattern == "...":
			if ours {
				return true
			}
		case own == tree, isTree && strings.HasPrefix(own, tree+"/"):
			return true
		}
	}
	return false
}

func TestCheck(t *testing.T) {
	const sdk, caddy = "github.com/modelcontextprotocol/go-sdk/mcp", "github.com/caddyserver/caddy/v2"
	at := func(path string) string { return module + "/" + path }
	tests := []struct {
		name string
		pkg  pkg
		want string // the start of the one violation, or none
	}{
		{"bridge imports mcp", pkg{ImportPath: at("bridge/manifest"), Imports: []string{"fmt", at("mcp/toolset")}}, "bridge/manifest imports caddy-netbox-mcp/mcp/toolset: imports point one way"},
		{"bridge test imports mcp", pkg{ImportPath: at("bridge/manifest"), XTestImports: []string{at("mcp/toolset")}}, "bridge/manifest imports caddy-netbox-mcp/mcp/toolset"},
		{"bridge imports caddymodule", pkg{ImportPath: at("bridge/manifest"), Imports: []string{at("caddymodule")}}, "bridge/manifest imports caddy-netbox-mcp/caddymodule"},
		{"mcp imports caddymodule", pkg{ImportPath: at("mcp/netbox"), TestImports: []string{at("caddymodule")}}, "mcp/netbox imports caddy-netbox-mcp/caddymodule"},
		{"mcp imports bridge", pkg{ImportPath: at("mcp/netbox"), Imports: []string{at("bridge/manifest")}}, ""},
		{"caddymodule imports both", pkg{ImportPath: at("caddymodule"), Imports: []string{at("mcp/endpoint"), at("bridge/manifest"), caddy}}, ""},
		{"caddymodule imports the conformance fixtures", pkg{ImportPath: at("caddymodule"), Imports: []string{at("conformance")}}, "caddymodule imports caddy-netbox-mcp/conformance"},
		{"caddymodule's test build mounts the conformance fixtures", pkg{ImportPath: at("caddymodule"), TestImports: []string{at("conformance")}}, ""},
		{"endpoint imports the SDK", pkg{ImportPath: at("mcp/endpoint"), Imports: []string{sdk}}, ""},
		{"endpoint's own tests", pkg{ImportPath: at("mcp/endpoint"), XTestImports: []string{at("mcp/endpoint"), sdk}}, ""},
		{"below endpoint", pkg{ImportPath: at("mcp/endpoint/sub"), Imports: []string{sdk}}, "mcp/endpoint/sub imports github.com/modelcontextprotocol"},
		{"tool set imports the SDK", pkg{ImportPath: at("mcp/toolset"), Imports: []string{sdk}}, "mcp/toolset imports github.com/modelcontextprotocol"},
		{"tests may import the SDK", pkg{ImportPath: at("caddymodule"), XTestImports: []string{sdk}}, ""},
		{"caddymodule imports the SDK", pkg{ImportPath: at("caddymodule"), Imports: []string{sdk}}, "caddymodule imports github.com/modelcontextprotocol"},
		{"fixtures import the SDK", pkg{ImportPath: at("conformance"), Imports: []string{sdk}}, ""},
		{"endpoint imports Caddy", pkg{ImportPath: at("mcp/endpoint"), Imports: []string{caddy}}, "mcp/endpoint imports github.com/caddyserver"},
		{"certmagic counts as Caddy", pkg{ImportPath: at("bridge/transport"), Imports: []string{"github.com/caddyserver/certmagic"}}, "bridge/transport imports github.com/caddyserver"},
		{"below caddymodule", pkg{ImportPath: at("caddymodule/cmd/caddy"), Imports: []string{caddy + "/cmd"}}, ""},
		{"a tool set makes an endpoint", pkg{ImportPath: at("mcp/netbox"), Imports: []string{at("mcp/endpoint")}}, "mcp/netbox imports caddy-netbox-mcp/mcp/endpoint"},
		{"the benchmark makes an endpoint", pkg{ImportPath: at("bench"), Imports: []string{at("mcp/endpoint")}}, "bench imports caddy-netbox-mcp/mcp/endpoint"},
		{"netbox imports zabbix", pkg{ImportPath: at("mcp/netbox"), Imports: []string{at("mcp/zabbix")}}, "mcp/netbox imports caddy-netbox-mcp/mcp/zabbix"},
		{"zabbix imports netbox", pkg{ImportPath: at("mcp/zabbix"), TestImports: []string{at("mcp/netbox")}}, "mcp/zabbix imports caddy-netbox-mcp/mcp/netbox"},
		{"netboxapi imports zabbixapi", pkg{ImportPath: at("bridge/netboxapi"), Imports: []string{at("bridge/zabbixapi")}}, "bridge/netboxapi imports caddy-netbox-mcp/bridge/zabbixapi"},
		{"zabbixapi imports netboxapi", pkg{ImportPath: at("bridge/zabbixapi"), Imports: []string{at("bridge/netboxapi")}}, "bridge/zabbixapi imports caddy-netbox-mcp/bridge/netboxapi"},
		{"a tool set imports the simulator", pkg{ImportPath: at("mcp/netbox"), Imports: []string{at("bridge/netboxsim")}}, "mcp/netbox imports caddy-netbox-mcp/bridge/netboxsim"},
		{"its tests import the simulator", pkg{ImportPath: at("mcp/netbox"), XTestImports: []string{at("bridge/netboxsim")}}, ""},
		{"the simulator imports compress", pkg{ImportPath: at("bridge/netboxsim"), Imports: []string{"github.com/klauspost/compress/zstd"}}, "bridge/netboxsim imports github.com/klauspost/compress/zstd"},
		{"transport imports compress", pkg{ImportPath: at("bridge/transport"), Imports: []string{"github.com/klauspost/compress/zstd"}, TestImports: []string{"github.com/klauspost/compress/gzip"}}, ""},
		{"a test imports jsonschema", pkg{ImportPath: at("bridge/manifest"), TestImports: []string{"github.com/santhosh-tekuri/jsonschema/v6"}}, "bridge/manifest imports github.com/santhosh-tekuri/jsonschema/v6"},
		{"schema imports jsonschema", pkg{ImportPath: at("bridge/schema"), Imports: []string{"github.com/santhosh-tekuri/jsonschema/v6"}}, ""},
		{"files in mcp", pkg{ImportPath: at("mcp"), Name: "server"}, "mcp holds Go files"},
		{"files in bridge", pkg{ImportPath: at("bridge"), Name: "bridge"}, "bridge holds Go files"},
		{"this test's own package", pkg{ImportPath: module, Name: "layout_test", XTestImports: []string{"testing"}}, ""},
		{"vague name", pkg{ImportPath: at("bridge/util"), Name: "util"}, "bridge/util is named util"},
		{"a name that only starts alike", pkg{ImportPath: at("bridge/commonmark"), Name: "commonmark"}, ""},
		{"a path that only starts alike", pkg{ImportPath: at("bridge/manifest"), Imports: []string{at("mcpx/thing")}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := check([]pkg{tt.pkg})
			switch {
			case tt.want == "" && len(got) > 0:
				t.Errorf("violations %q, want none", got)
			case tt.want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], tt.want)):
				t.Errorf("violations %q, want one that starts with %q", got, tt.want)
			}
		})
	}
}
