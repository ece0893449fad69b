package caddymodule

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"caddy-netbox-mcp/bridge/netboxsim"
)

// liveTarget is a NetBox with the testbed plugin: the in-memory one, or a real one.
type liveTarget struct {
	name                     string
	netbox                   func(token string) string // the netbox line of a site
	plugin                   string
	token, tokenV1, readOnly string
	bigItem                  string
}

// liveTargets are the NetBoxes that the suite runs against: always the in-memory one, and a real one where NETBOX_URL says so.
func liveTargets(t *testing.T) []liveTarget {
	t.Helper()
	_, line := simulated(t, netboxsim.Testbed(), "TOKEN")
	targets := []liveTarget{{
		name: "netboxsim", plugin: netboxsim.DefaultPlugin,
		netbox: func(token string) string { return strings.Replace(line, "TOKEN", token, 1) },
		token:  netboxsim.TestbedToken, tokenV1: netboxsim.TestbedTokenV1, readOnly: netboxsim.TestbedReaderToken,
		bigItem: "9007199254740993",
	}}
	if url := os.Getenv("NETBOX_URL"); url != "" {
		for _, name := range []string{"NETBOX_PLUGIN", "NETBOX_TOKEN", "NETBOX_TOKEN_V1", "NETBOX_RO_TOKEN", "NETBOX_BIG_ITEM_ID"} {
			if os.Getenv(name) == "" {
				t.Fatalf("%s must be set beside NETBOX_URL: the suite needs a NetBox with the plugin and the data that bridge/netboxsim imitates", name)
			}
		}
		targets = append(targets, liveTarget{
			name: "NetBox", plugin: os.Getenv("NETBOX_PLUGIN"),
			netbox: func(token string) string { return fmt.Sprintf("netbox %s {\n\t\t\ttoken %s\n\t\t}", url, token) },
			token:  os.Getenv("NETBOX_TOKEN"), tokenV1: os.Getenv("NETBOX_TOKEN_V1"), readOnly: os.Getenv("NETBOX_RO_TOKEN"),
			bigItem: os.Getenv("NETBOX_BIG_ITEM_ID"),
		})
	} else {
		t.Log("NETBOX_URL is not set: the suite runs against the in-memory NetBox only")
	}
	return targets
}

// TestLivePluginTools is the main job, end to end: an agent over TLS lists a plugin's tools, reads with one, writes with
// another, and meets the ones that misbehave.
func TestLivePluginTools(t *testing.T) {
	for _, target := range liveTargets(t) {
		t.Run(target.name, func(t *testing.T) {
			s := tlsSite(t, target.netbox(target.token), "allow_mutations\n\t\tapproval off", "")
			for _, era := range eras {
				t.Run(era, func(t *testing.T) {
					s := &site{t: t, url: s.url, http: s.http}
					session := s.client(era)
					t.Run("tools/list", func(t *testing.T) { liveList(t, session) })
					t.Run("plugin_list_tools", func(t *testing.T) { livePluginList(t, session, target) })
					t.Run("read and write", func(t *testing.T) { liveReadWrite(t, session, target) })
					t.Run("exact numbers", func(t *testing.T) { liveNumbers(t, session, target) })
					t.Run("misbehaving tools", func(t *testing.T) { liveMisbehaving(t, session, target) })
					t.Run("bad input", func(t *testing.T) { liveBadInput(t, session, target) })
					t.Run("per-call tokens", func(t *testing.T) { liveTokens(t, session, target) })
				})
			}
		})
	}
}

func liveList(t *testing.T, session *mcp.ClientSession) {
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if a := tool.Annotations; a == nil || a.DestructiveHint == nil || a.OpenWorldHint == nil {
			t.Errorf("%s lacks hints", tool.Name)
		}
	}
	if want := []string{"plugin_call_tool", "plugin_list_tools"}; !slices.Equal(names, want) {
		t.Errorf("tools %v, want %v", names, want)
	}
}

func livePluginList(t *testing.T, session *mcp.ClientSession, target liveTarget) {
	for _, arguments := range []string{`{}`, fmt.Sprintf(`{"plugin":%q}`, target.plugin)} {
		var listing struct {
			SchemaVersion string `json:"schema_version"`
			Tools         []struct {
				QualifiedName string `json:"qualified_name"`
				RequestPath   string `json:"request_path"`
			} `json:"tools"`
			Problems []any `json:"problems"`
		}
		call(t, session, "plugin_list_tools", arguments).decode(t, &listing)
		if listing.SchemaVersion != "1" || len(listing.Problems) != 0 {
			t.Errorf("%s: version %q, problems %v", arguments, listing.SchemaVersion, listing.Problems)
		}
		var names []string
		for _, tool := range listing.Tools {
			names = append(names, strings.TrimPrefix(tool.QualifiedName, target.plugin+"."))
		}
		want := []string{"bad_output", "big", "create_item", "echo", "fail_after_write", "get_item", "list_items", "purge_items", "redirect", "slow", "update_item"}
		if !slices.Equal(names, want) {
			t.Errorf("%s: tools %v, want %v", arguments, names, want)
		}
		if got, want := listing.Tools[2].RequestPath, "/api/plugins/"+target.plugin+"/items/"; got != want {
			t.Errorf("request_path %q, want %q", got, want)
		}
	}
}

// pluginCall calls a tool of the plugin.
func pluginCall(t *testing.T, session *mcp.ClientSession, target liveTarget, tool, arguments string, more ...string) callResult {
	t.Helper()
	return call(t, session, "plugin_call_tool", pluginArguments(target.plugin, tool, arguments, more...))
}

// pluginArguments are the arguments of plugin_call_tool as JSON text.
func pluginArguments(plugin, tool, arguments string, more ...string) string {
	members := append([]string{fmt.Sprintf(`"plugin":%q,"tool":%q,"arguments":%s`, plugin, tool, arguments)}, more...)
	return "{" + strings.Join(members, ",") + "}"
}

// pluginAnswer is a successful result of plugin_call_tool.
type pluginAnswer struct {
	Plugin, Tool, Effect string
	Status               int
	Headers              map[string]string
	Body                 json.RawMessage
}

func liveReadWrite(t *testing.T, session *mcp.ClientSession, target liveTarget) {
	name := "live " + strings.ReplaceAll(t.Name(), "/", " ")
	name = name[max(0, len(name)-50):]
	var preview struct {
		DryRun       bool `json:"dry_run"`
		Method, Path string
		Body         json.RawMessage
	}
	arguments := fmt.Sprintf(`{"name":%q,"due_at":"1990-12-31T23:59:60Z"}`, name)
	pluginCall(t, session, target, "create_item", arguments, `"dry_run":true`).decode(t, &preview)
	if !preview.DryRun || preview.Method != "POST" || preview.Path != "/api/plugins/"+target.plugin+"/items/" || string(preview.Body) != arguments {
		t.Errorf("preview %+v", preview)
	}
	find := func() []string {
		var list struct {
			Results []struct {
				Name string `json:"name"`
			} `json:"results"`
		}
		var a pluginAnswer
		pluginCall(t, session, target, "list_items", fmt.Sprintf(`{"q":%q,"limit":100}`, name)).decode(t, &a)
		if a.Status != 200 || a.Effect != "read" || !strings.HasPrefix(a.Headers["content-type"], "application/json") {
			t.Errorf("list_items: status %d, effect %s, headers %v", a.Status, a.Effect, a.Headers)
		}
		if err := json.Unmarshal(a.Body, &list); err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, r := range list.Results {
			names = append(names, r.Name)
		}
		return names
	}
	before := len(find())
	var created pluginAnswer
	pluginCall(t, session, target, "create_item", arguments).decode(t, &created)
	if created.Status != 201 || created.Effect != "write" {
		t.Errorf("create_item: status %d, effect %s", created.Status, created.Effect)
	}
	if names := find(); len(names) != before+1 || names[before] != name {
		t.Errorf("after create_item list_items finds %v, want one more %q", names, name)
	}
}

func liveNumbers(t *testing.T, session *mcp.ClientSession, target liveTarget) {
	var a pluginAnswer
	pluginCall(t, session, target, "get_item", `{"id":`+target.bigItem+`}`).decode(t, &a)
	var item struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(a.Body, &item); err != nil || string(item.ID) != target.bigItem {
		t.Errorf("get_item returned id %s, %v; want %s to the digit", item.ID, err, target.bigItem)
	}
	for _, number := range []string{"1", "9223372036854775807", "9007199254740993"} {
		pluginCall(t, session, target, "echo", `{"number":`+number+`}`).decode(t, &a)
		if string(a.Body) != `{"number":`+number+`}` {
			t.Errorf("echo of %s returned %s", number, a.Body)
		}
	}
}

func liveMisbehaving(t *testing.T, session *mcp.ClientSession, target liveTarget) {
	f := pluginCall(t, session, target, "bad_output", `{}`).fails(t, "response_invalid")
	if !strings.Contains(f.Message, "count") {
		t.Errorf("bad_output: the message does not name the member: %s", f.Message)
	}
	f = pluginCall(t, session, target, "redirect", `{}`).fails(t, "redirect_refused")
	if f.Details["status"] != 302.0 {
		t.Errorf("redirect: details %v", f.Details)
	}
	f = pluginCall(t, session, target, "big", `{}`).fails(t, "limit_exceeded")
	if f.Details["max"] != 262144.0 {
		t.Errorf("big: details %v", f.Details)
	}
	f = pluginCall(t, session, target, "fail_after_write", `{"name":"half done"}`).fails(t, "outcome_unknown")
	if !strings.Contains(f.Message, "write outcome unknown; do not retry blindly") || f.Details["status"] != 500.0 ||
		!strings.Contains(fmt.Sprint(f.Details["answer"]), "Failed after the item was created") {
		t.Errorf("fail_after_write: %+v", f)
	}
	var a pluginAnswer
	pluginCall(t, session, target, "slow", `{}`).decode(t, &a)
	if string(a.Body) != `{"slept":5}` {
		t.Errorf("slow: body %s", a.Body)
	}
}

func liveBadInput(t *testing.T, session *mcp.ClientSession, target liveTarget) {
	f := pluginCall(t, session, target, "create_item", `{}`).fails(t, "invalid_arguments")
	if !strings.Contains(f.Message, "name") {
		t.Errorf("the message does not name the missing member: %s", f.Message)
	}
	f = pluginCall(t, session, target, "create_item", `{"name":"x","colour":"red"}`).fails(t, "invalid_arguments")
	if !strings.Contains(f.Message, "colour") {
		t.Errorf("the message does not name the unknown member: %s", f.Message)
	}
	pluginCall(t, session, target, "create_item", `{"name":"x"}`, `"drop_everything":true`).fails(t, "invalid_arguments")
	pluginCall(t, session, target, "echo", `{"number":9223372036854775808}`).fails(t, "invalid_arguments")
	f = pluginCall(t, session, target, "no_such_tool", `{}`).fails(t, "tool_not_found")
	if !strings.Contains(f.Message, "list_items") {
		t.Errorf("the message does not name the tools there are: %s", f.Message)
	}
	call(t, session, "plugin_call_tool", `{"plugin":"no-such-plugin","tool":"x"}`).fails(t, "not_advertised")
}

func liveTokens(t *testing.T, session *mcp.ClientSession, target liveTarget) {
	token := func(value string) string { return fmt.Sprintf(`"token":%q`, value) }
	var a pluginAnswer
	pluginCall(t, session, target, "list_items", `{"limit":1}`, token(target.tokenV1)).decode(t, &a)
	if a.Status != 200 {
		t.Errorf("with the v1 token: status %d", a.Status)
	}
	f := pluginCall(t, session, target, "create_item", `{"name":"never"}`, token(target.readOnly)).fails(t, "outcome_unknown")
	if f.Details["status"] != 403.0 || !strings.Contains(strings.ToLower(fmt.Sprint(f.Details["answer"])), "permission") {
		t.Errorf("with the read-only token: %+v", f)
	}
	wrong := "nbt_wrongwrong12.wrongwrongwrongwrongwrongwrongwrongwrong"
	r := pluginCall(t, session, target, "list_items", `{}`, token(wrong))
	r.fails(t, "upstream_unauthorized")
	if strings.Contains(r.text, wrong) {
		t.Errorf("the answer shows the token: %s", r.text)
	}
}
