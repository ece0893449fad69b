package endpoint

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"caddy-netbox-mcp/bridge/discovery"
	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/netboxapi"
	"caddy-netbox-mcp/bridge/netboxsim"
	"caddy-netbox-mcp/bridge/secret"
	"caddy-netbox-mcp/bridge/transport"
	"caddy-netbox-mcp/mcp/netbox"
	"caddy-netbox-mcp/mcp/toolset"
)

const (
	exampleRoot     = "/api/plugins/example/"
	exampleManifest = "/api/plugins/example/mcp/"
	exampleAd       = `{"mcp":{"schema_version":"1","manifest":"/api/plugins/example/mcp/"}}`
	readHints       = `{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`
	writeHints      = `{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":false,"openWorldHint":false}`
)

// works is the whole way of a plugin call but for Caddy: an MCP client, the endpoint, the NetBox tools, the bounded transport and
// a NetBox whose plugin "example" says what a test wants.
type works struct {
	sim     *netboxsim.Server
	client  *mcp.ClientSession
	url     string // of the endpoint
	version string
	drop    map[string]func() // takes back what a path answers
	record  *records          // what was recorded of calls
	idle    func()            // ends connections to NetBox that are not in use
	conns   *atomic.Int64     // connections to NetBox that are open
}

// worksConfig is what can differ; the zero value is a NetBox at the root of its origin.
type worksConfig struct {
	plugin    string        // "" is "example"
	callToken bool          // calls may bring a token of their own
	base      string        // how links know this NetBox; "" is where it really is
	timeout   time.Duration // of a request to NetBox
	closed    bool          // the write gate
	tight     bool          // as little memory for answers as works at all
}

func newWorks(t *testing.T, version string, cfg worksConfig) *works {
	t.Helper()
	known, err := url.Parse(cfg.base)
	if err != nil {
		t.Fatal(err)
	}
	sc := netboxsim.Testbed()
	sc.Plugin, sc.BasePath = cmp.Or(cfg.plugin, "example"), known.Path
	w := &works{sim: netboxsim.New(sc), version: version, drop: make(map[string]func()), record: &records{}}
	upstream := httptest.NewUnstartedServer(w.sim)
	w.conns = new(atomic.Int64)
	upstream.Listener = countedListener{upstream.Listener, w.conns}
	upstream.Start()
	t.Cleanup(upstream.Close)
	address, err := netboxapi.ParseAddress(upstream.URL + known.Path)
	if err != nil {
		t.Fatal(err)
	}
	memory := int64(transport.DefaultBudget)
	if cfg.tight {
		memory = transport.MinBudget
	}
	budget, err := transport.NewBudget(memory)
	if err != nil {
		t.Fatal(err)
	}
	api, err := netboxapi.New(netboxapi.Config{Address: address, Timeout: cfg.timeout, Budget: budget})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(api.CloseIdle)
	w.idle = api.CloseIdle
	if cfg.base == "" {
		known = address.URL
	}
	plugins := discovery.New(discovery.Config{Origins: manifest.NewOrigins(known), Manifests: manifest.NewCache(1 << 20)})
	set, err := toolset.NewSet(netbox.Tools(netbox.Config{API: api, Plugins: plugins, CallToken: cfg.callToken})...)
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(Config{Name: netbox.ServerName, Instructions: netbox.Instructions("lab"), Tools: set})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	site := &toolset.Site{
		Instance: "lab", Tools: set, CallTimeout: 55 * time.Second, MaxSessions: 8, Recorder: w.record,
		Secrets: func() []secret.Text { return []secret.Text{secret.New(netboxsim.TestbedToken)} },
	}
	b := &Binding{site, toolset.Principal{Name: "agent", Credential: secret.New(netboxsim.TestbedToken), AllowMutations: !cfg.closed, CallToken: cfg.callToken}}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		var body []byte
		var m Message
		if r.Method == http.MethodPost {
			body, _ = io.ReadAll(r.Body)
			var refusal *Refusal
			if m, refusal = ReadMessage(body); refusal != nil {
				refusal.WriteTo(rw)
				return
			}
		}
		e.Serve(rw, r, b, body, m)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	w.url = server.URL
	c := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil)
	if w.client, err = c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: server.URL}, &mcp.ClientSessionOptions{ProtocolVersion: version}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.client.Close() })
	return w
}

// countedListener counts the connections that are open.
type countedListener struct {
	net.Listener
	open *atomic.Int64
}

func (l countedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.open.Add(1)
	return &countedConn{Conn: c, open: l.open}, nil
}

type countedConn struct {
	net.Conn
	open *atomic.Int64
	once sync.Once
}

func (c *countedConn) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}

// SetLinger is for faults that reset the connection.
func (c *countedConn) SetLinger(seconds int) error { return c.Conn.(*net.TCPConn).SetLinger(seconds) }

// inject makes requests such as "GET /api/plugins/" meet a fault, instead of what was injected for them before.
func (w *works) inject(pattern string, f netboxsim.Fault) {
	if drop := w.drop[pattern]; drop != nil {
		drop()
	}
	w.drop[pattern] = w.sim.Inject(pattern, f)
}

// answer makes requests get a status and a JSON body.
func (w *works) answer(pattern string, status int, body string) {
	w.inject(pattern, netboxsim.Fault{Status: status, Body: []byte(body)})
}

// publish makes plugin example advertise a manifest.
func (w *works) publish(document string) {
	w.answer("GET /api/plugins/", 200, `{"installed-plugins":"/api/plugins/installed-plugins/","example":"/api/plugins/example/"}`)
	w.answer("GET "+exampleRoot, 200, exampleAd)
	w.answer("GET "+exampleManifest, 200, document)
}

// reply is a tool's result as an agent sees it.
type reply struct {
	text   string
	failed bool
	failure
}

type failure struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

func (w *works) call(t *testing.T, tool, arguments string) reply {
	t.Helper()
	result, err := w.client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s %.300s: %v", tool, arguments, err)
	}
	r := reply{text: result.Content[0].(*mcp.TextContent).Text, failed: result.IsError}
	if r.failed {
		var outer struct{ Error failure }
		if err := json.Unmarshal([]byte(r.text), &outer); err != nil {
			t.Fatalf("a failure that is no JSON: %v: %s", err, r.text)
		}
		r.failure = outer.Error
	}
	return r
}

// run calls a tool of plugin example.
func (w *works) run(t *testing.T, tool, arguments string) reply {
	t.Helper()
	return w.call(t, "plugin_call_tool", fmt.Sprintf(`{"plugin":"example","tool":%q,"arguments":%s}`, tool, arguments))
}

// list lists the tools of plugin example.
func (w *works) list(t *testing.T) reply {
	t.Helper()
	return w.call(t, "plugin_list_tools", `{"plugin":"example"}`)
}

// targets are the requests to the tools themselves.
func (w *works) targets() []netboxsim.Request {
	return slices.DeleteFunc(w.sim.Requests(), func(r netboxsim.Request) bool {
		return r.Method == http.MethodGet && (strings.HasSuffix(r.Path, "/api/plugins/") || strings.HasSuffix(r.Path, "/mcp/") || strings.HasSuffix(r.Path, exampleRoot))
	})
}

// want fails the test unless the result is a failure with a code and words in its message.
func (r reply) want(t *testing.T, code string, words ...string) {
	t.Helper()
	if !r.failed || r.Code != code {
		t.Errorf("got %.500s, want %s", r.text, code)
	}
	for _, word := range words {
		if !strings.Contains(r.Message, word) {
			t.Errorf("the message lacks %q: %.500s", word, r.Message)
		}
	}
}

// body is the body of a successful call, as it is written.
func (r reply) body(t *testing.T) string {
	t.Helper()
	var result struct{ Body json.RawMessage }
	if r.failed {
		t.Errorf("it failed: %.500s", r.text)
		return ""
	}
	if err := json.Unmarshal([]byte(r.text), &result); err != nil {
		t.Errorf("the result is no JSON: %v: %.300s", err, r.text)
	}
	return string(result.Body)
}

// publishedCases reads the published cases of another package.
func publishedCases(t *testing.T, file string, into any) {
	t.Helper()
	data, err := os.ReadFile("../../bridge/" + file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// overBothEras runs a test once for each era of the protocol.
func overBothEras(t *testing.T, test func(t *testing.T, version string)) {
	for _, version := range []string{older, newest} {
		t.Run(version, func(t *testing.T) { test(t, version) })
	}
}

// tool is the JSON of one tool.
func toolJSON(name, method, path, effect, input, output, hints string) string {
	if output == "" {
		output = "null"
	}
	return fmt.Sprintf(`{"name":%q,"title":"T","description":"D","method":%q,"path":%q,"effect":%q,"inputSchema":%s,"outputSchema":%s,"annotations":%s}`,
		name, method, path, effect, input, output, hints)
}

// manifestJSON is a manifest of plugin example.
func manifestJSON(tools ...string) string {
	return `{"schema_version":"1","plugin":"example","tools":[` + strings.Join(tools, ",") + `]}`
}

// otherCall is what another caller asks while a test goes on.
var otherCall = &mcp.CallToolParams{Name: "plugin_call_tool", Arguments: json.RawMessage(`{"plugin":"example","tool":"look","arguments":{}}`)}
