package endpoint

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"caddy-netbox-mcp/bridge/secret"
	"caddy-netbox-mcp/mcp/envelope"
	"caddy-netbox-mcp/mcp/toolset"
)

const (
	older  = "2025-11-25"
	newest = "2026-07-28"
	// callerHeader names the caller of a test's request; its absence is "alice".
	callerHeader = "X-Caller"
	// bound is how long a test waits for what must happen.
	bound = 10 * time.Second
)

// rig is an endpoint behind an HTTP server that stands in for authentication and admission.
type rig struct {
	*Endpoint
	site   *toolset.Site
	server *httptest.Server
	log    *safeBuffer
	record *records

	// entered and left tell of the tool "wait", which returns when it is released or its context ends.
	entered chan struct{}
	release chan struct{}
	left    chan error
}

// safeBuffer is a buffer for several goroutines.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// records keeps what a recorder is told.
type records struct {
	mu      sync.Mutex
	entries []toolset.Entry
}

func (r *records) Record(_ context.Context, e *toolset.Entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries = append(r.entries, *e)
}

func (r *records) all() []toolset.Entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]toolset.Entry(nil), r.entries...)
}

const anything = `{"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false}`

func (g *rig) tools() []toolset.Tool {
	tool := func(name string, handle toolset.Handler) toolset.Tool {
		return toolset.Tool{Name: name, Title: "T " + name, Description: "Use this to test " + name + ".", InputSchema: json.RawMessage(anything), Handle: handle}
	}
	writer := tool("writer", func(context.Context, *toolset.Call) (any, error) { return "written", nil })
	writer.OnlyWrites, writer.Hints = true, toolset.Hints{Destructive: true, OpenWorld: true}
	return []toolset.Tool{
		tool("echo", func(_ context.Context, c *toolset.Call) (any, error) {
			return map[string]any{"caller": c.Principal.Name, "arguments": json.RawMessage(c.Arguments.AppendCompact(nil))}, nil
		}),
		tool("wait", func(ctx context.Context, _ *toolset.Call) (any, error) {
			g.entered <- struct{}{}
			select {
			case <-ctx.Done():
				g.left <- ctx.Err()
				return nil, ctx.Err()
			case <-g.release:
				g.left <- nil
				return "released", nil
			}
		}),
		tool("panics", func(context.Context, *toolset.Call) (any, error) { panic("a hostile answer") }),
		tool("fails", func(_ context.Context, c *toolset.Call) (any, error) {
			c.Secrets = append(c.Secrets, secret.New("of-this-call"))
			return nil, envelope.Errorf(envelope.UpstreamError, "configured-secret of-this-call of-alice")
		}),
		tool("leaks", func(_ context.Context, c *toolset.Call) (any, error) {
			c.Secrets = append(c.Secrets, secret.New("of-this-call"))
			c.Entry.Target, c.Entry.RequestID = "tool of-this-call", "configured-secret"
			return map[string]any{"a": "configured-secret", "b": []string{"of-this-call", "it is of-alice"}, "configured-secret": 1}, nil
		}),
		tool("breaks", func(context.Context, *toolset.Call) (any, error) { return nil, fmt.Errorf("disk is full") }),
		tool("unencodable", func(context.Context, *toolset.Call) (any, error) { return func() {}, nil }),
		writer,
	}
}

// newRig starts an endpoint; change, if not nil, may change its site before.
func newRig(t *testing.T, change func(*toolset.Site)) *rig {
	t.Helper()
	g := &rig{log: &safeBuffer{}, record: &records{}, entered: make(chan struct{}, 16), release: make(chan struct{}), left: make(chan error, 16)}
	set, err := toolset.NewSet(g.tools()...)
	if err != nil {
		t.Fatal(err)
	}
	g.site = &toolset.Site{
		Instance: "lab", Tools: set, CallTimeout: bound, MaxSessions: 8, Recorder: g.record,
		Secrets: func() []secret.Text { return []secret.Text{secret.New("configured-secret")} },
	}
	if change != nil {
		change(g.site)
	}
	g.Endpoint, err = New(Config{
		Name: "test-server", Title: "Test", Version: "1", Instructions: "Be careful.", Tools: set,
		Logger: slog.New(slog.NewTextHandler(g.log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	g.server = httptest.NewServer(g)
	t.Cleanup(func() {
		g.Close()
		g.server.CloseClientConnections()
		g.server.Close()
	})
	return g
}

// binding is that of a named caller.
func (g *rig) binding(caller string) *Binding {
	if caller == "" {
		caller = "alice"
	}
	return &Binding{Site: g.site, Principal: toolset.Principal{Name: caller, Credential: secret.New("of-" + caller), ReadOnly: caller == "reader"}}
}

// ServeHTTP does what stands in front of an endpoint.
func (g *rig) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body []byte
	var m Message
	if r.Method == http.MethodPost {
		body, _ = io.ReadAll(r.Body)
		var refusal *Refusal
		if m, refusal = ReadMessage(body); refusal != nil {
			refusal.WriteTo(w)
			return
		}
	}
	g.Serve(w, r, g.binding(r.Header.Get(callerHeader)), body, m)
}

// answer is an HTTP answer, read to its end.
type answer struct {
	status int
	header http.Header
	body   string
}

// message is the one JSON-RPC message in an answer, whatever its format.
func (a answer) message(t *testing.T) message {
	t.Helper()
	text := a.body
	if strings.HasPrefix(a.header.Get("Content-Type"), "text/event-stream") {
		text = ""
		for line := range strings.Lines(a.body) {
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				text = data
			}
		}
	}
	var m message
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatalf("%v in status %d, %q", err, a.status, a.body)
	}
	return m
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// tool is the text of a tool's result and whether it is an error.
func (m message) tool(t *testing.T) (string, bool) {
	t.Helper()
	var r struct {
		Content           []struct{ Text string } `json:"content"`
		IsError           bool                    `json:"isError"`
		StructuredContent json.RawMessage         `json:"structuredContent"`
	}
	if err := json.Unmarshal(m.Result, &r); err != nil || len(r.Content) != 1 || r.StructuredContent != nil {
		t.Fatalf("no result with one text: %v, %s, %+v", err, m.Result, m.Error)
	}
	return r.Content[0].Text, r.IsError
}

// request makes an HTTP request with headers given in pairs.
func (g *rig) request(ctx context.Context, method, body string, headers ...string) *http.Request {
	r, err := http.NewRequestWithContext(ctx, method, g.server.URL, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// send sends a request and reads all of its answer.
func send(t *testing.T, r *http.Request) answer {
	t.Helper()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(body)}
}

func (g *rig) post(t *testing.T, body string, headers ...string) answer {
	t.Helper()
	return send(t, g.request(t.Context(), http.MethodPost, body, headers...))
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// open opens a session for a caller and returns its id.
func (g *rig) open(t *testing.T, caller string) string {
	t.Helper()
	a := g.post(t, initialize, callerHeader, caller)
	id := a.header.Get(sessionHeader)
	if a.status != 200 || id == "" {
		t.Fatalf("initialize answers %d, %s", a.status, a.body)
	}
	return id
}

// call is the body of a call of a tool.
func call(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

// modernBody is a request of 2026-07-28; params begins and ends without braces, meta too.
func modernBody(method, params, meta string) string {
	if params != "" {
		params += ","
	}
	if meta != "" {
		meta = "," + meta
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}%s}}}`, method, params, meta)
}

func modernHeaders(method, name string) []string {
	h := []string{versionHeader, newest, "Mcp-Method", method}
	if name != "" {
		h = append(h, "Mcp-Name", name)
	}
	return h
}

// eras calls f once for each protocol era, with a way to call a tool in it.
func eras(t *testing.T, change func(*toolset.Site), f func(t *testing.T, g *rig, call func(t *testing.T, tool, arguments string) answer)) {
	t.Run(older, func(t *testing.T) {
		g := newRig(t, change)
		id := g.open(t, "")
		f(t, g, func(t *testing.T, tool, arguments string) answer {
			t.Helper()
			return g.post(t, call(2, tool, arguments), sessionHeader, id, versionHeader, older)
		})
	})
	t.Run(newest, func(t *testing.T) {
		g := newRig(t, change)
		f(t, g, func(t *testing.T, tool, arguments string) answer {
			t.Helper()
			return g.post(t, modernBody("tools/call", fmt.Sprintf(`"name":%q,"arguments":%s`, tool, arguments), ""), modernHeaders("tools/call", tool)...)
		})
	})
}

// client connects the SDK's own client in one of the eras.
func (g *rig) client(t *testing.T, version string) *mcp.ClientSession {
	t.Helper()
	c := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil)
	s, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: g.server.URL, DisableStandaloneSSE: true}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// receive waits for a value, as long as a test can.
func receive[T any](t *testing.T, c <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(bound):
		t.Fatalf("nothing: %s", what)
		panic("unreachable")
	}
}

// eventually waits until something holds that has no channel to tell.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(bound); !holds(); {
		if time.Now().After(end) {
			t.Fatalf("it never holds: %s", what)
		}
		runtime.Gosched()
	}
}

// lines reads a stream line by line into a channel, which is closed at its end.
func lines(r io.Reader) <-chan string {
	c := make(chan string, 64)
	go func() {
		defer close(c)
		for s := bufio.NewScanner(r); s.Scan(); {
			c <- s.Text()
		}
	}()
	return c
}
