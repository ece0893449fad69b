package endpoint

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"caddy-netbox-mcp/bridge/netboxsim"
)

// plant is the whole way of a call to the NetBox that the simulator imitates, with its own plugin.
type plant struct{ *works }

func newPlant(t *testing.T, version string, gate bool) *plant {
	t.Helper()
	return &plant{newWorks(t, version, worksConfig{plugin: netboxsim.DefaultPlugin, closed: !gate, callToken: true})}
}

// call calls a tool with arguments as they are written here.
func (p *plant) call(t *testing.T, tool, arguments string) (text string, failed bool) {
	t.Helper()
	r, err := p.client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

// writes lists the requests other than GET.
func (p *plant) writes() []netboxsim.Request {
	return slices.DeleteFunc(p.sim.Requests(), func(r netboxsim.Request) bool { return r.Method == http.MethodGet })
}

func TestNetBoxTools(t *testing.T) {
	for _, version := range []string{older, newest} {
		t.Run(version, func(t *testing.T) {
			p := newPlant(t, version, true)
			if got := p.client.InitializeResult().Instructions; len(got) >= 1500 || !strings.Contains(got, `"lab"`) {
				t.Errorf("%d bytes of instructions", len(got))
			}
			names := func() string {
				list, err := p.client.ListTools(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				var names []string
				for _, d := range list.Tools {
					names = append(names, d.Name)
				}
				return strings.Join(names, " ")
			}
			before := names()
			if before != "plugin_call_tool plugin_list_tools" {
				t.Errorf("tools %s", before)
			}
			if text, failed := p.call(t, "plugin_list_tools", `{}`); failed || !strings.Contains(text, `"qualified_name":"testbed.create_item"`) {
				t.Errorf("listing %s", text)
			}
			if after := names(); after != before {
				t.Errorf("tools afterwards: %s", after)
			}
			if text, failed := p.call(t, "plugin_call_tool", `{"plugin":"testbed","tool":"list_items","arguments":{"limit":1}}`); failed || !strings.HasPrefix(text, `{"plugin":"testbed","tool":"list_items","effect":"read","status":200,"headers":{`) {
				t.Errorf("read %s", text)
			}
			if text, failed := p.call(t, "plugin_call_tool", `{"plugin":"testbed","tool":"create_item","arguments":{"name":"x"},"dry_run":true}`); failed || !strings.Contains(text, `"method":"POST","path":"/api/plugins/testbed/items/","query":{},"body":{"name":"x"}`) {
				t.Errorf("dry run %s", text)
			}
			if w := p.writes(); len(w) != 0 {
				t.Errorf("written %+v", w)
			}
			// One write, its number to the digit, there and back.
			if text, failed := p.call(t, "plugin_call_tool", `{"plugin":"testbed","tool":"echo","arguments":{"number":9007199254740993}}`); failed || !strings.HasSuffix(text, `"body":{"number":9007199254740993}}`) {
				t.Errorf("write %s", text)
			}
			if w := p.writes(); len(w) != 1 || w[0].Method != http.MethodPost || string(w[0].Body) != `{"number":9007199254740993}` {
				t.Errorf("written %+v", w)
			}
			// One that says it failed although it happened.
			items := len(p.sim.Items())
			if text, failed := p.call(t, "plugin_call_tool", `{"plugin":"testbed","tool":"fail_after_write","arguments":{"name":"y"}}`); !failed || !strings.HasPrefix(text, `{"error":{"code":"outcome_unknown","message":"write outcome unknown; do not retry blindly (`) || !strings.Contains(text, `"status":500`) {
				t.Errorf("failing write %s", text)
			}
			if n := len(p.sim.Items()); n != items+1 || len(p.writes()) != 2 {
				t.Errorf("%d items more, %d writes in all", n-items, len(p.writes()))
			}
			if e := p.record.all(); len(e) != 5 || e[3].Target != "testbed.echo" || e[3].Effect != "write" || e[3].Status != 200 || e[3].RequestID == "" || e[4].Outcome != "outcome_unknown" || e[4].Status != 500 {
				t.Errorf("recorded %+v", e)
			}
		})
	}
}

func TestNetBoxToolsRefuse(t *testing.T) {
	tests := []struct{ name, arguments, want string }{
		{"gate", `{"plugin":"testbed","tool":"create_item","arguments":{"name":"x"}}`, `{"error":{"code":"mutations_disabled","message":"mutations are disabled`},
		{"unknown argument", `{"plugin":"testbed","tool":"echo","yes":true}`, `{"error":{"code":"invalid_arguments",`},
		{"arguments of the tool", `{"plugin":"testbed","tool":"create_item","arguments":{"name":7}}`, `{"error":{"code":"invalid_arguments",`},
		{"redirect", `{"plugin":"testbed","tool":"redirect"}`, `{"error":{"code":"redirect_refused",`},
		{"oversize answer", `{"plugin":"testbed","tool":"big"}`, `{"error":{"code":"limit_exceeded",`},
		{"broken output schema", `{"plugin":"testbed","tool":"bad_output"}`, `{"error":{"code":"response_invalid",`},
		{"no plugin", `{"plugin":"absent","tool":"x"}`, `{"error":{"code":"not_advertised",`},
		{"no tool", `{"plugin":"testbed","tool":"absent"}`, `{"error":{"code":"tool_not_found",`},
		{"foreign token", `{"plugin":"testbed","tool":"list_items","token":"nbt_wrong.wrong"}`, `{"error":{"code":"upstream_unauthorized",`},
	}
	for _, version := range []string{older, newest} {
		t.Run(version, func(t *testing.T) {
			p := newPlant(t, version, false)
			for _, tt := range tests {
				t.Run(tt.name, func(t *testing.T) {
					text, failed := p.call(t, "plugin_call_tool", tt.arguments)
					if !failed || !strings.HasPrefix(text, tt.want) || strings.Contains(text, "nbt_") {
						t.Errorf("result %s, want %s", text, tt.want)
					}
				})
			}
			if w := p.writes(); len(w) != 0 {
				t.Errorf("written %+v", w)
			}
		})
	}
}
