package layout_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write generated documents anew")

const limitsPage = "docs/limits.md"

// limit is one row of the page of limits. Its value is a constant of the code.
type limit struct {
	what     string // it bounds
	constant string // package folder and name
	unit     unit
	beyond   string // what happens past it
}

// unit says how a value is written for people.
type unit int

const (
	count unit = iota
	size       // in bytes
	span       // a time.Duration
)

// section is a table of the page.
type section struct {
	title, text string
	limits      []limit
}

// limitSections is the page: everything but the values, which are read from the code.
var limitSections = []section{
	{
		"The plugin bridge", "Version 1 of the bridge contract. Plugins and agents rely on these values, so a site can lower three of them, and raise none. " +
			"Sizes are those of the decompressed bytes, counted while they arrive; a body with a wrong status and one that breaks off count in full. " +
			"Depth counts the outermost value as 0. Values are counted with their containers, names of members are not. A value exactly at a limit is allowed.",
		[]limit{
			{"Manifest of one plugin (`max_manifest_bytes` lowers it)", "bridge/manifest.MaxManifestBytes", size, "`limit_exceeded`, `manifest bytes`"},
			{"NetBox's list of plugins, and the API root of one plugin", "bridge/manifest.MaxRootBytes", size, "`limit_exceeded`, `root document bytes`"},
			{"Depth of a manifest, list or root", "bridge/manifest.MaxDocumentDepth", count, "`manifest_invalid` or `response_invalid`, `… depth`"},
			{"Values of a manifest, list or root", "bridge/manifest.MaxDocumentNodes", count, "`manifest_invalid` or `response_invalid`, `… nodes`"},
			{"One input or output schema, as compact JSON", "bridge/schema.MaxSchemaBytes", size, "`manifest_invalid`, `schema bytes`"},
			{"Depth of a schema", "bridge/schema.MaxSchemaDepth", count, "`manifest_invalid`, `schema depth`"},
			{"Values of a schema", "bridge/schema.MaxSchemaNodes", count, "`manifest_invalid`, `schema nodes`"},
			{"Arguments of a plugin's tool", "bridge/manifest.MaxInstanceBytes", size, "`invalid_arguments`, `arguments bytes`"},
			{"Answer of a plugin's tool (`max_result_bytes` lowers it)", "bridge/manifest.MaxInstanceBytes", size, "`limit_exceeded`; of a write `outcome_unknown`"},
			{"Depth of arguments or answer", "bridge/manifest.MaxInstanceDepth", count, "`invalid_arguments` or `response_invalid`, `… depth`"},
			{"Values of arguments or answer", "bridge/manifest.MaxInstanceNodes", count, "`invalid_arguments` or `response_invalid`, `… nodes`"},
			{"Tools of one manifest, at least one", "bridge/manifest.MaxTools", count, "`manifest_invalid`, `manifest tools`"},
			{"Members of NetBox's list of plugins, those that are no plugin included", "bridge/discovery.MaxRoots", count, "`limit_exceeded`, `plugin root count`"},
			{"Tools of all plugins in one listing", "bridge/discovery.MaxCatalogTools", count, "`limit_exceeded`, `catalog tool count`"},
			{"Requests of one discovery", "bridge/discovery.MaxRequests", count, "never reached: it follows from the number of roots"},
			{"All documents of one discovery together (`max_scan_bytes` lowers it)", "bridge/discovery.MaxBytes", size, "`limit_exceeded`, `aggregate limit in bytes`"},
			{"Time of one discovery", "bridge/discovery.MaxTime", span, "`deadline_exceeded`, `deadline in seconds`"},
			{"Time of one plugin's document when all plugins are listed", "bridge/discovery.documentTime", span, "the plugin stands in `problems`"},
			{"Link in a list or an advertisement, in characters", "bridge/manifest.MaxLink", count, "`advertisement_invalid`, in the list `not_advertised`; `link characters`"},
			{"Name of a plugin or tool, in characters", "bridge/manifest.MaxName", count, "`manifest_invalid`"},
			{"Title of a tool, in characters", "bridge/manifest.MaxTitle", count, "`manifest_invalid`"},
			{"Description of a tool, in characters", "bridge/manifest.MaxDescription", count, "`manifest_invalid`"},
			{"Path of a tool, in characters", "bridge/manifest.MaxPath", count, "`manifest_invalid`"},
			{"Integer that is written with a fraction or an exponent", "bridge/schema.maxSafeInteger", count, "it is no integer: `invalid_arguments` or `response_invalid`"},
			{"Problems that are told of one document", "bridge/schema.maxProblems", count, "the rest is left out"},
			{"Text of a problem, in characters", "bridge/manifest.MaxProblem", count, "it is cut"},
			{"Label of a plugin in `problems`, in characters", "bridge/discovery.maxLabel", count, "it is cut"},
		},
	},
	{
		"JSON from anywhere", "",
		[]limit{
			{"Digits of one number", "bridge/strictjson.MaxNumberDigits", count, "the document is refused"},
			{"Exponent of a number, either sign", "bridge/strictjson.MaxExponent", count, "the document is refused"},
		},
	},
	{
		"Requests to NetBox", "",
		[]limit{
			{"One request, from connecting to the last byte (`timeout`)", "bridge/transport.DefaultTimeout", span, "`deadline_exceeded`; of a write `outcome_unknown`"},
			{"The longest `timeout`", "caddymodule.maxTimeout", span, "the configuration is refused"},
			{"Connecting, TLS included", "bridge/transport.ConnectTime", span, "`upstream_unreachable` or `deadline_exceeded`"},
			{"Requests in progress (`max_connections`)", "caddymodule.defaultMaxConnections", count, "they wait"},
			{"Header block of an answer", "bridge/transport.MaxHeaderBytes", size, "`limit_exceeded`, `header`"},
			{"Window of a zstd stream", "bridge/transport.MaxWindow", size, "`limit_exceeded`, `window`"},
			{"Memory of all answers in progress, for the process", "bridge/transport.DefaultBudget", size, "they wait"},
			{"Answer that is shown of a write whose outcome is unknown", "mcp/netbox.maxAnswer", size, "it is cut"},
			{"Time that must be left of a call for a write to begin", "mcp/netbox.minWriteTime", span, "`deadline_exceeded`, and nothing was sent"},
		},
	},
	{
		"Callers", "",
		[]limit{
			{"One call of a tool", "caddymodule.defaultCallTimeout", span, "`deadline_exceeded`"},
			{"Calls in progress", "caddymodule.maxCalls", count, "HTTP 429 with `Retry-After`"},
			{"Body of a request", "caddymodule.defaultMaxRequest", size, "HTTP 413"},
			{"Depth of a message", "mcp/endpoint.maxMessageDepth", count, "HTTP 400, −32700"},
			{"Values of a message", "mcp/endpoint.maxMessageNodes", count, "HTTP 400, −32700"},
			{"Time for the body of a request", "caddymodule.readTime", span, "HTTP 400"},
			{"Bearer token", "caddymodule.maxBearer", size, "HTTP 401"},
			{"Sessions of clients of 2025-11-25 and older; a quarter for one caller", "caddymodule.defaultMaxSessions", count, "the caller's oldest idle one ends, else HTTP 429"},
			{"Session without a request or an open stream", "caddymodule.defaultSessionTimeout", span, "it ends"},
			{"Quiet time of an event stream", "mcp/endpoint.heartbeat", span, "a heartbeat is sent"},
			{"Secret in a file", "caddymodule.maxSecret", size, "the old value stays, and an error is logged"},
		},
	},
}

// TestLimitsPage holds the page of limits to the constants of the code.
func TestLimitsPage(t *testing.T) {
	var page strings.Builder
	page.WriteString("# Limits\n\nThis page is generated from the constants of the code (`go test . -run TestLimitsPage -update`).\n\n" +
		"A failed call's `error.details` say which limit it was (`limit`) and its value (`max`).\n")
	packages := make(map[string]*types.Package)
	for _, s := range limitSections {
		fmt.Fprintf(&page, "\n## %s\n\n", s.title)
		if s.text != "" {
			page.WriteString(s.text + "\n\n")
		}
		page.WriteString("| What | Limit | Past it |\n| --- | --- | --- |\n")
		for _, l := range s.limits {
			fmt.Fprintf(&page, "| %s | %s | %s |\n", l.what, l.value(t, packages), l.beyond)
		}
	}
	if *update {
		if err := os.WriteFile(limitsPage, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	b, err := os.ReadFile(limitsPage)
	if err != nil {
		t.Fatal(err)
	}
	if string(b) != page.String() {
		t.Errorf("%s is not what the code says; run go test . -run TestLimitsPage -update. It should be\n%s", limitsPage, page.String())
	}
}

// value is a limit as it is written for people.
func (l limit) value(t *testing.T, packages map[string]*types.Package) string {
	t.Helper()
	dir, name, _ := strings.Cut(l.constant, ".")
	if packages[dir] == nil {
		packages[dir] = typeCheck(t, dir)
	}
	c, ok := packages[dir].Scope().Lookup(name).(*types.Const)
	if !ok {
		t.Fatalf("%s is no constant", l.constant)
	}
	if c.Val().Kind() == constant.String { // a number too large for a float, written in decimal
		return grouped(constant.StringVal(c.Val()))
	}
	n, ok := constant.Int64Val(c.Val())
	if !ok {
		t.Fatalf("%s has no known value: %v", l.constant, c.Val())
	}
	switch l.unit {
	case size:
		return readableSize(n)
	case span:
		return readableTime(time.Duration(n))
	default:
		return grouped(strconv.FormatInt(n, 10))
	}
}

// typeCheck reads the constants of a package. What else is in it, and its imports but those that constants use, do not matter.
func typeCheck(t *testing.T, dir string) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s holds no Go files: %v", dir, err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	cfg := types.Config{
		Importer:         durations{},
		Error:            func(error) {}, // of what was not imported
		IgnoreFuncBodies: true,
	}
	p, _ := cfg.Check(dir, fset, files, nil)
	return p
}

// durations imports the one package whose constants ours use, package time, of which it knows the units.
type durations struct{}

func (durations) Import(path string) (*types.Package, error) {
	if path != "time" {
		return nil, fmt.Errorf("%s is not needed", path)
	}
	p := types.NewPackage(path, path)
	name := types.NewTypeName(token.NoPos, p, "Duration", nil)
	duration := types.NewNamed(name, types.Typ[types.Int64], nil)
	p.Scope().Insert(name)
	for unit, d := range map[string]time.Duration{"Millisecond": time.Millisecond, "Second": time.Second, "Minute": time.Minute, "Hour": time.Hour} {
		p.Scope().Insert(types.NewConst(token.NoPos, p, unit, duration, constant.MakeInt64(int64(d))))
	}
	p.MarkComplete()
	return p, nil
}

// grouped writes a whole number with commas.
func grouped(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// readableSize writes bytes in the largest binary unit that holds them, and exactly.
func readableSize(n int64) string {
	exact := grouped(strconv.FormatInt(n, 10)) + " bytes"
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB (%s)", n>>20, exact)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB (%s)", n>>10, exact)
	}
	return exact
}

// readableTime writes a duration in the largest unit that holds it.
func readableTime(d time.Duration) string {
	switch {
	case d >= time.Hour && d%time.Hour == 0:
		return fmt.Sprintf("%d h", d/time.Hour)
	case d >= time.Minute && d%time.Minute == 0:
		return fmt.Sprintf("%d min", d/time.Minute)
	}
	return fmt.Sprintf("%d s", d/time.Second)
}
