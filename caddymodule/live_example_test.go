package caddymodule

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"caddy-netbox-mcp/bridge/manifest"
)

// examplePlugin is the example plugin's name on the bridge.
const examplePlugin = "mcp-example"

// liveExample is a NetBox with the example plugin.
type liveExample struct {
	base                  string // of NetBox itself, for looking at what happened there
	recorder              *recorder
	token, readOnly, site string
}

// TestLiveExamplePlugin runs the example plugin of docs/plugin-authors.md in a NetBox: in a second process of the one that the
// live suites run against, on the same database.
func TestLiveExamplePlugin(t *testing.T) {
	if os.Getenv("NETBOX_URL") == "" {
		t.Skip("NETBOX_URL is not set: only TestExamplePlugin looked at the example plugin")
	}
	get := func(name string) string {
		value := os.Getenv(name)
		if value == "" {
			t.Fatalf("%s must be set beside NETBOX_URL", name)
		}
		return value
	}
	pid := get("NETBOX_PID")
	if pid == "none" {
		t.Skip("NETBOX_PID=none: the example plugin does not run in this NetBox")
	}
	x := &liveExample{token: get("NETBOX_TOKEN"), readOnly: get("NETBOX_RO_TOKEN"), site: get("NETBOX_SITE_ID")}
	e := newExampleEnvironment(t, pid)

	// The plugin's own tests run meanwhile, in a process of their own.
	own := e.command(t, "-m", "django", "test", "--testrunner", "example_runner.Runner", "netbox_mcp_example")
	var ownOutput bytes.Buffer
	own.Stdout, own.Stderr = &ownOutput, &ownOutput
	if err := own.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = own.Wait() })
	x.base = e.serve(t)
	x.recorder = record(t, x.base)
	netbox := fmt.Sprintf("netbox %s {\n\t\t\ttoken %s\n\t\t}", x.recorder.url, x.token)

	t.Run("manifest", x.servedManifest)
	t.Run("closed gate", func(t *testing.T) {
		s := tlsSite(t, netbox, "", "")
		for _, era := range eras {
			t.Run(era, func(t *testing.T) {
				session := (&site{t: t, url: s.url, http: s.http}).client(era)
				t.Run("list", func(t *testing.T) { x.list(t, session) })
				t.Run("reads", func(t *testing.T) { x.reads(t, session) })
				t.Run("refused here", func(t *testing.T) { x.refused(t, session) })
				t.Run("write", func(t *testing.T) { x.deniedWrite(t, session) })
			})
		}
	})
	t.Run("open gate", func(t *testing.T) {
		s := tlsSite(t, netbox, "allow_mutations\n\t\tapproval off", "")
		for _, era := range eras {
			t.Run(era, func(t *testing.T) { x.writes(t, (&site{t: t, url: s.url, http: s.http}).client(era)) })
		}
	})
	t.Run("own tests", func(t *testing.T) {
		err := own.Wait()
		if want := fmt.Sprintf("Ran %d tests", countOwnTests(t)); err != nil || !strings.Contains(ownOutput.String(), want) {
			t.Errorf("the plugin's own tests: %v, want %q:\n%s", err, want, &ownOutput)
		}
	})
}

// countOwnTests counts the test methods in the plugin's folder.
func countOwnTests(t *testing.T) int {
	t.Helper()
	paths, err := filepath.Glob(exampleFolder + "/netbox_mcp_example/tests/test_*.py")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d test files, %v", len(paths), err)
	}
	n := 0
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		n += len(regexp.MustCompile(`(?m)^    def test_`).FindAll(b, -1))
	}
	return n
}

// netbox asks NetBox's own API, past the bridge.
func (x *liveExample) netbox(t *testing.T, path string, into any) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, x.base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+x.token)
	r.Header.Set("Accept", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		t.Fatalf("%s: HTTP %d: %v", path, resp.StatusCode, err)
	}
	return resp.StatusCode
}

func (x *liveExample) call(t *testing.T, session *mcp.ClientSession, tool, arguments string, more ...string) callResult {
	t.Helper()
	return call(t, session, "plugin_call_tool", pluginArguments(examplePlugin, tool, arguments, more...))
}

// servedManifest: what NetBox serves is valid and says what the plugin's file says.
func (x *liveExample) servedManifest(t *testing.T) {
	var served json.RawMessage
	if status := x.netbox(t, "/api/plugins/"+examplePlugin+"/mcp/", &served); status != 200 {
		t.Fatalf("status %d: %.500s", status, served)
	}
	if _, err := manifest.Parse(served, examplePlugin); err != nil {
		t.Error(err)
	}
	if want := compacted(t, readDoc(t, "examples/netbox-plugin/netbox_mcp_example/manifest.json")); string(served) != want {
		t.Errorf("NetBox serves\n%s\nwant\n%s", served, want)
	}
	if own := x.recorder.sent(examplePlugin); len(own) != 0 {
		t.Errorf("the recorder saw %v, though it was passed by", own)
	}
}

func compacted(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func (x *liveExample) list(t *testing.T, session *mcp.ClientSession) {
	for _, arguments := range []string{`{}`, fmt.Sprintf(`{"plugin":%q}`, examplePlugin)} {
		var listing struct {
			Tools []struct {
				Plugin, Effect string
				QualifiedName  string `json:"qualified_name"`
				RequestPath    string `json:"request_path"`
			}
			Problems []any
		}
		call(t, session, "plugin_list_tools", arguments).decode(t, &listing)
		var got []string
		for _, tool := range listing.Tools {
			if tool.Plugin == examplePlugin {
				got = append(got, tool.Effect+" "+tool.QualifiedName+" "+tool.RequestPath)
			}
		}
		want := []string{
			"write mcp-example.add_journal_entry /api/plugins/mcp-example/journal/",
			"destructive mcp-example.delete_journal_entry /api/plugins/mcp-example/journal/",
			"read mcp-example.list_journal_entries /api/plugins/mcp-example/journal/",
			"read mcp-example.site_exists /api/plugins/mcp-example/sites/exists/",
			"read mcp-example.site_report /api/plugins/mcp-example/sites/",
		}
		if !slices.Equal(got, want) || len(listing.Problems) != 0 {
			t.Errorf("%s: tools %q, problems %v", arguments, got, listing.Problems)
		}
	}
}

// siteRows is a list of sites, of the plugin or of NetBox.
type siteRows struct {
	Count   int
	Results []siteRow
	Sites   []siteRow
}

type siteRow struct {
	ID          int64
	Name, Slug  string
	LastUpdated string `json:"last_updated"`
}

func (x *liveExample) reads(t *testing.T, session *mcp.ClientSession) {
	var regions struct{ Results []struct{ Slug string } }
	x.netbox(t, "/api/dcim/regions/?limit=1", &regions)
	if len(regions.Results) == 0 {
		t.Fatal("the NetBox has no region")
	}
	region := regions.Results[0].Slug
	for _, tt := range []struct{ arguments, query string }{
		{`{"limit":3}`, "limit=3"},
		{`{"limit":3,"status":["active","planned"]}`, "limit=3&status=active&status=planned"},
		{`{"status":[],"region":"` + region + `","limit":2}`, "region=" + region + "&limit=2"},
	} {
		x.recorder.sent(examplePlugin)
		var a pluginAnswer
		x.call(t, session, "site_report", tt.arguments).decode(t, &a)
		if sent, want := x.recorder.sent(examplePlugin), []string{"GET /api/plugins/mcp-example/sites/?" + tt.query}; !slices.Equal(sent, want) {
			t.Errorf("%s: sent %q, want %q", tt.arguments, sent, want)
		}
		var got, want siteRows
		if err := json.Unmarshal(a.Body, &got); err != nil || a.Status != 200 || a.Effect != "read" {
			t.Fatalf("%s: status %d, effect %s, %v: %s", tt.arguments, a.Status, a.Effect, err, a.Body)
		}
		x.netbox(t, "/api/dcim/sites/?ordering=name&"+tt.query, &want)
		if got.Count == 0 || got.Count != want.Count || !slices.Equal(got.Sites, want.Results) {
			t.Errorf("%s: the plugin says\n%+v\nNetBox says\n%+v", tt.arguments, got, want)
		}
	}
	var known siteRow
	x.netbox(t, "/api/dcim/sites/"+x.site+"/", &known)
	for slug, want := range map[string]int{known.Slug: 200, "there-is-no-such-site": 404} {
		var a pluginAnswer
		x.call(t, session, "site_exists", fmt.Sprintf(`{"slug":%q}`, slug)).decode(t, &a)
		if a.Status != want || string(a.Body) != "null" {
			t.Errorf("site_exists %s: status %d, body %s; want %d and null", slug, a.Status, a.Body, want)
		}
	}
	// The digits arrive, and NetBox's 404 is an answer.
	x.recorder.sent(examplePlugin)
	var a pluginAnswer
	x.call(t, session, "list_journal_entries", `{"site_id":9223372036854775807}`).decode(t, &a)
	if sent := x.recorder.sent(examplePlugin); !slices.Equal(sent, []string{"GET /api/plugins/mcp-example/journal/?site_id=9223372036854775807"}) || a.Status != 404 {
		t.Errorf("status %d, sent %q", a.Status, sent)
	}
}

// refused: wrong arguments do not leave the process.
func (x *liveExample) refused(t *testing.T, session *mcp.ClientSession) {
	x.recorder.sent(examplePlugin)
	for _, tt := range []struct{ tool, arguments, words string }{
		{"site_report", `{"status":["asleep"]}`, "/status/0: must be one of"},
		{"site_report", `{"status":["active","active"]}`, "/status: must not repeat an item"},
		{"site_report", `{"limit":101}`, "/limit: must be at most 100"},
		{"site_report", `{"limit":2.5}`, "/limit: must be an integer"},
		{"site_exists", `{}`, "/slug: is required"},
		{"list_journal_entries", `{"site_id":9223372036854775808}`, "/site_id: must be at most 9223372036854775807"},
		{"add_journal_entry", `{"site_id":1,"comments":"x","created_by":1}`, "/created_by: is not a known argument"},
		{"add_journal_entry", `{"site_id":"1","comments":"x"}`, "/site_id: must be an integer"},
		{"delete_journal_entry", `{"id":0}`, "/id: must be at least 1"},
	} {
		if f := x.call(t, session, tt.tool, tt.arguments).fails(t, "invalid_arguments"); !strings.Contains(f.Message, tt.words) {
			t.Errorf("%s %s: %q does not say %q", tt.tool, tt.arguments, f.Message, tt.words)
		}
	}
	x.call(t, session, "add_journal", `{}`).fails(t, "tool_not_found")
	if sent := x.recorder.sent(examplePlugin); len(sent) != 0 {
		t.Errorf("sent %q", sent)
	}
}

// journal is the site's journal by NetBox's own API, newest first.
func (x *liveExample) journal(t *testing.T) (count int, newest journalEntry) {
	t.Helper()
	var list struct {
		Count   int
		Results []journalEntry
	}
	x.netbox(t, "/api/extras/journal-entries/?assigned_object_type=dcim.site&ordering=-id&limit=1&assigned_object_id="+x.site, &list)
	if len(list.Results) > 0 {
		newest = list.Results[0]
	}
	return list.Count, newest
}

type journalEntry struct {
	ID       int64
	Comments string
	Kind     struct{ Value string }
}

func (x *liveExample) deniedWrite(t *testing.T, session *mcp.ClientSession) {
	before, _ := x.journal(t)
	x.recorder.sent(examplePlugin)
	arguments := fmt.Sprintf(`{"site_id":%s,"comments":"never"}`, x.site)
	x.call(t, session, "add_journal_entry", arguments).fails(t, "mutations_disabled")
	x.call(t, session, "delete_journal_entry", `{"id":1}`).fails(t, "mutations_disabled")
	var preview struct {
		DryRun       bool `json:"dry_run"`
		Method, Path string
		Body         json.RawMessage
	}
	x.call(t, session, "add_journal_entry", arguments, `"dry_run":true`).decode(t, &preview)
	if !preview.DryRun || preview.Method != "POST" || preview.Path != "/api/plugins/mcp-example/journal/" || string(preview.Body) != arguments {
		t.Errorf("preview %+v", preview)
	}
	if sent := x.recorder.sent(examplePlugin); len(sent) != 0 {
		t.Errorf("sent %q", sent)
	}
	if after, _ := x.journal(t); after != before {
		t.Errorf("the journal had %d entries and has %d", before, after)
	}
}

func (x *liveExample) writes(t *testing.T, session *mcp.ClientSession) {
	before, _ := x.journal(t)
	arguments := fmt.Sprintf(`{"site_id":%s,"kind":"success","comments":"Written by %s"}`, x.site, t.Name())
	x.recorder.sent(examplePlugin)

	f := x.call(t, session, "add_journal_entry", arguments, fmt.Sprintf(`"token":%q`, x.readOnly)).fails(t, "outcome_unknown")
	if f.Details["status"] != 403.0 || !strings.Contains(fmt.Sprint(f.Details["answer"]), "You do not have permission") {
		t.Errorf("with the read-only token: %+v", f)
	}
	if after, _ := x.journal(t); after != before {
		t.Errorf("with the read-only token the journal had %d entries and has %d", before, after)
	}

	var a pluginAnswer
	x.call(t, session, "add_journal_entry", arguments).decode(t, &a)
	after, newest := x.journal(t)
	if a.Status != 201 || a.Effect != "write" || after != before+1 || newest.Kind.Value != "success" || newest.Comments != "Written by "+t.Name() {
		t.Errorf("status %d, effect %s; the journal had %d entries and has %d, the newest %+v", a.Status, a.Effect, before, after, newest)
	}
	var added struct{ ID int64 }
	if err := json.Unmarshal(a.Body, &added); err != nil || added.ID != newest.ID {
		t.Errorf("the tool says id %d, %v; NetBox says %d", added.ID, err, newest.ID)
	}

	remove := fmt.Sprintf(`{"id":%d}`, newest.ID)
	x.call(t, session, "delete_journal_entry", remove).decode(t, &a)
	if after, _ := x.journal(t); a.Status != 204 || a.Effect != "destructive" || string(a.Body) != "null" || after != before {
		t.Errorf("delete: status %d, effect %s, body %s; the journal has %d entries, want %d", a.Status, a.Effect, a.Body, after, before)
	}
	if f := x.call(t, session, "delete_journal_entry", remove).fails(t, "outcome_unknown"); f.Details["status"] != 404.0 {
		t.Errorf("deleting it again: %+v", f)
	}
	const path = " /api/plugins/mcp-example/journal/"
	if sent, want := x.recorder.sent(examplePlugin), []string{"POST" + path, "POST" + path, "DELETE" + path, "DELETE" + path}; !slices.Equal(sent, want) {
		t.Errorf("sent %q, want one request a call: %q", sent, want)
	}
}
