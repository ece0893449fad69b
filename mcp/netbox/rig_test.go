package netbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"caddy-netbox-mcp/bridge/discovery"
	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/netboxapi"
	"caddy-netbox-mcp/bridge/netboxsim"
	"caddy-netbox-mcp/bridge/secret"
	"caddy-netbox-mcp/bridge/strictjson"
	"caddy-netbox-mcp/mcp/envelope"
	"caddy-netbox-mcp/mcp/netbox"
	"caddy-netbox-mcp/mcp/toolset"
)

const (
	tasks = "/api/plugins/example/tasks/"
	// otherToken is a second superuser's, and one of version 1.
	otherToken   = "nbt_otherother.otherotherotherotherotherotherotherother"
	otherTokenV1 = "89abcdef0123456789abcdef0123456789abcdef"
)

// rig is a simulated NetBox whose plugin "example" has the manifest of testdata, and the tools that work with it.
type rig struct {
	sim    *netboxsim.Server
	server *httptest.Server
	set    *toolset.Set
	site   *toolset.Site
	caller toolset.Principal
	ctx    context.Context

	dropManifest func()
	before       atomic.Pointer[func(*http.Request)] // sees every request before NetBox does
}

func newRig(t *testing.T, options ...func(*netboxsim.Config, *netboxapi.Config)) *rig {
	t.Helper()
	sc, cc := netboxsim.Testbed(), netboxapi.Config{UserAgent: "test"}
	sc.Plugin = "example"
	sc.Tokens = append(sc.Tokens, netboxsim.Token{Value: otherToken, User: "other", Superuser: true}, netboxsim.Token{Value: otherTokenV1, User: "other", Superuser: true})
	for _, o := range options {
		o(&sc, &cc)
	}
	r := &rig{sim: netboxsim.New(sc), ctx: t.Context()}
	r.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if before := r.before.Load(); before != nil {
			(*before)(q)
		}
		r.sim.ServeHTTP(w, q)
	}))
	t.Cleanup(r.server.Close)
	document, err := os.ReadFile("testdata/example.json")
	if err != nil {
		t.Fatal(err)
	}
	r.dropManifest = func() {}
	r.setManifest(string(document))

	if cc.Address, err = netboxapi.ParseAddress(r.server.URL + sc.BasePath); err != nil {
		t.Fatal(err)
	}
	api, err := netboxapi.New(cc)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(api.CloseIdle)
	plugins := discovery.New(discovery.Config{Origins: manifest.NewOrigins(cc.Address.URL), Manifests: manifest.NewCache(1 << 20)})
	if r.set, err = toolset.NewSet(netbox.Tools(netbox.Config{API: api, Plugins: plugins, CallToken: true})...); err != nil {
		t.Fatal(err)
	}
	r.site = &toolset.Site{Instance: "lab", Tools: r.set, Secrets: func() []secret.Text { return nil }}
	r.caller = toolset.Principal{Name: "tester", Credential: secret.New(netboxsim.TestbedToken), AllowMutations: true, CallToken: true}
	return r
}

// setManifest makes the plugin publish another manifest.
func (r *rig) setManifest(document string) {
	r.dropManifest()
	r.dropManifest = r.sim.Inject("GET /api/plugins/example/mcp/", netboxsim.Fault{Body: []byte(document)})
}

// outcome is what came of a call: the result's text, or the failure.
type outcome struct {
	text    string
	failure *envelope.Error
	entry   toolset.Entry
}

// call calls a tool as an endpoint does.
func (r *rig) call(t *testing.T, tool, arguments string) outcome {
	t.Helper()
	d, ok := r.set.Lookup(tool)
	if !ok {
		t.Fatalf("no tool %q", tool)
	}
	v, err := strictjson.Parse([]byte(arguments), strictjson.Limits{Depth: 64})
	if err != nil {
		t.Fatal(err)
	}
	call := &toolset.Call{Tool: tool, Arguments: v, Site: r.site, Principal: r.caller, Entry: &toolset.Entry{}}
	var result any
	if err = d.Validate(v); err != nil {
		err = envelope.BadArguments("", err)
	} else {
		result, err = d.Handle(r.ctx, call)
	}
	if err != nil {
		f := envelope.From(err)
		if f.Code == envelope.OutcomeUnknown && (!strings.Contains(f.Message, "do not retry blindly") || strings.Contains(f.Message, "try again")) {
			t.Errorf("the advice for an unknown outcome: %s", f.Message)
		}
		return outcome{string(f.Text(call.Secrets)), f, *call.Entry}
	}
	text, err := envelope.Encode(result)
	if err != nil {
		t.Fatal(err)
	}
	return outcome{string(text), nil, *call.Entry}
}

// run calls a plugin's tool with its arguments and further members of the call.
func (r *rig) run(t *testing.T, tool, arguments, more string) outcome {
	t.Helper()
	return r.call(t, "plugin_call_tool", fmt.Sprintf(`{"plugin":"example","tool":%q,"arguments":%s%s}`, tool, arguments, more))
}

// answer makes a path answer with a status and a JSON body.
func (r *rig) answer(pattern string, status int, body string) {
	r.sim.Inject(pattern, netboxsim.Fault{Status: status, Body: []byte(body)})
}

// sent lists "METHOD path" of what NetBox was asked, discovery's requests left out.
func (r *rig) sent() []netboxsim.Request {
	return slices.DeleteFunc(r.sim.Requests(), func(q netboxsim.Request) bool {
		return q.Method == http.MethodGet && slices.Contains([]string{"/api/plugins/", "/api/plugins/example/", "/api/plugins/example/mcp/"}, q.Path)
	})
}

// wantNoDispatch fails if anything but discovery reached NetBox.
func (r *rig) wantNoDispatch(t *testing.T) {
	t.Helper()
	for _, q := range r.sent() {
		t.Errorf("%s %s was sent", q.Method, q.Path)
	}
}

// want fails unless the call failed with a code and a message that has all the words.
func (o outcome) want(t *testing.T, code envelope.Code, words ...string) {
	t.Helper()
	if o.failure == nil {
		t.Fatalf("it went well: %s", o.text)
	}
	if o.failure.Code != code {
		t.Errorf("code %s, want %s: %s", o.failure.Code, code, o.text)
	}
	for _, w := range words {
		if !strings.Contains(o.failure.Message, w) {
			t.Errorf("the message lacks %q: %s", w, o.failure.Message)
		}
	}
	if !json.Valid([]byte(o.text)) {
		t.Errorf("the failure is no JSON: %s", o.text)
	}
}

// wantText fails unless the call gave exactly this result.
func (o outcome) wantText(t *testing.T, want string) {
	t.Helper()
	if o.text != want {
		t.Errorf("the result is\n%s\nwant\n%s", o.text, want)
	}
}

// shortTimeout makes requests to NetBox end soon.
func shortTimeout(_ *netboxsim.Config, c *netboxapi.Config) { c.Timeout = 300 * time.Millisecond }
