package caddymodule

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	_ "github.com/caddyserver/caddy/v2/modules/standard"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"caddy-netbox-mcp/bridge/netboxsim"
)

// testToken is the bearer token of test sites.
const testToken = "a-test-token-of-more-than-32-characters"

// testTokenVariable holds testToken, so that the token stands in no configuration.
const testTokenVariable = "TEST_MCP_AUTH_TOKEN"

// eras are the protocol revisions that every behaviour is tested over: the newest of each era.
var eras = []string{"2025-11-25", "2026-07-28"}

// adapt turns a Caddyfile into JSON.
func adapt(t *testing.T, text string) ([]byte, error) {
	t.Helper()
	adapter := caddyfile.Adapter{ServerType: httpcaddyfile.ServerType{}}
	config, _, err := adapter.Adapt([]byte(text), map[string]any{"filename": "Caddyfile"})
	return config, err
}

// load runs Caddy with a Caddyfile until the test ends. A second load is a reload.
func load(t *testing.T, text string) {
	t.Helper()
	if err := tryLoad(t, text); err != nil {
		t.Fatal(err)
	}
}

func tryLoad(t *testing.T, text string) error {
	t.Helper()
	config, err := adapt(t, "{\n\tadmin off\n\tpersist_config off\n\tskip_install_trust\n\tauto_https disable_redirects\n\tstorage file_system "+
		storage(t)+"\n\tgrace_period 20s\n\tlog {\n\t\toutput file "+storage(t)+"/caddy.log {\n\t\t\troll_disabled\n\t\t}\n\t\tlevel DEBUG\n\t}\n}\n"+text)
	if err != nil {
		return err
	}
	t.Cleanup(func() { _ = caddy.Stop() })
	return caddy.Load(config, true)
}

// storages remembers the storage folder of each test, so that a reload finds what the load before it wrote.
var storages = make(map[string]string)

func storage(t *testing.T) string {
	t.Helper()
	if storages[t.Name()] == "" {
		storages[t.Name()] = t.TempDir()
		t.Cleanup(func() { delete(storages, t.Name()) })
	}
	return storages[t.Name()]
}

// freeAddress is a loopback address that nothing listened on a moment ago.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// site is a running test site.
type site struct {
	t    *testing.T
	url  string // without a path
	http *http.Client
}

// plainSite loads a site without TLS; options are lines of the netbox_mcp block, rest what stands beside it.
func plainSite(t *testing.T, netbox, options, rest string) *site {
	t.Helper()
	address := freeAddress(t)
	load(t, siteText("http://"+address, netbox, options, rest))
	return &site{t: t, url: "http://" + address, http: &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{}}}
}

// tlsSite loads a site with a certificate of Caddy's internal authority.
func tlsSite(t *testing.T, netbox, options, rest string) *site {
	t.Helper()
	_, port, _ := net.SplitHostPort(freeAddress(t))
	address := "https://localhost:" + port
	load(t, siteText(address, netbox, options, "\ttls internal\n"+rest))
	if err := awaitTLS(t.Context(), "localhost:"+port); err != nil {
		t.Fatal(err)
	}
	return &site{t: t, url: address, http: &http.Client{Timeout: 30 * time.Second, Transport: trusting(t, filepath.Join(storage(t), "pki", "authorities", "local", "root.crt"))}}
}

// logText is what Caddy has logged in this test.
func logText(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(storage(t), "caddy.log"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// trusting is a transport that trusts the authority in a file, over HTTP/1.1 and HTTP/2.
func trusting(t *testing.T, caFile string) *http.Transport {
	t.Helper()
	pem, err := os.ReadFile(caFile)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		t.Fatalf("no certificate in %s", caFile)
	}
	return &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}
}

func siteText(address, netbox, options, rest string) string {
	return fmt.Sprintf("%s {\n\tnetbox_mcp {\n\t\tauth_token {env.%s}\n\t\t%s\n\t\t%s\n\t}\n%s\n}\n", address, testTokenVariable, netbox, options, rest)
}

// simulated starts an in-memory NetBox and returns it with the netbox line of a site in front of it.
func simulated(t *testing.T, cfg netboxsim.Config, token string) (*netboxsim.Server, string) {
	t.Helper()
	sim := netboxsim.New(cfg)
	server := httptest.NewServer(sim)
	t.Cleanup(server.Close)
	return sim, fmt.Sprintf("netbox %s%s {\n\t\t\ttoken %s\n\t\t}", server.URL, cfg.BasePath, token)
}

// bearerTransport adds the bearer token to every request.
type bearerTransport struct {
	next  http.RoundTripper
	token string
}

func (b bearerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(r)
}

// client connects an MCP client of one era.
func (s *site) client(era string) *mcp.ClientSession {
	s.t.Helper()
	return s.clientAs(era, testToken)
}

func (s *site) clientAs(era, token string) *mcp.ClientSession {
	s.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(s.t.Context(), &mcp.StreamableClientTransport{
		Endpoint:   s.url + "/mcp",
		HTTPClient: &http.Client{Transport: bearerTransport{s.http.Transport, token}},
	}, &mcp.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = session.Close() })
	if got := session.InitializeResult().ProtocolVersion; got != era {
		s.t.Fatalf("the session speaks %s, want %s", got, era)
	}
	return session
}

// callResult is a tool's result as an agent sees it.
type callResult struct {
	text   string
	failed bool
}

// call calls a tool; arguments are JSON text.
func call(t *testing.T, session *mcp.ClientSession, tool, arguments string) callResult {
	t.Helper()
	result, err := tryCall(t.Context(), session, tool, arguments)
	if err != nil {
		t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	return result
}

// tryCall is call for goroutines, which must not end a test.
func tryCall(ctx context.Context, session *mcp.ClientSession, tool, arguments string) (callResult, error) {
	ctx, cancel := context.WithTimeout(ctx, 60*time.Second)
	defer cancel()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		return callResult{}, err
	}
	if len(result.Content) != 1 {
		return callResult{}, fmt.Errorf("%d content blocks, want 1", len(result.Content))
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok {
		return callResult{}, fmt.Errorf("the content is a %T", result.Content[0])
	}
	return callResult{text.Text, result.IsError}, nil
}

// decode reads a successful result.
func (r callResult) decode(t *testing.T, target any) {
	t.Helper()
	if r.failed {
		t.Fatalf("the call failed: %s", r.text)
	}
	if err := json.Unmarshal([]byte(r.text), target); err != nil {
		t.Fatalf("the result is not JSON: %v: %s", err, r.text)
	}
}

// failure is a failed result.
type failure struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

// fails checks that a result is a failure with a code.
func (r callResult) fails(t *testing.T, code string) failure {
	t.Helper()
	var f struct {
		Error failure `json:"error"`
	}
	if !r.failed {
		t.Fatalf("the call succeeded, want %s: %s", code, r.text)
	}
	if err := json.Unmarshal([]byte(r.text), &f); err != nil {
		t.Fatalf("the failure is not JSON: %v: %s", err, r.text)
	}
	if f.Error.Code != code {
		t.Fatalf("code %q, want %q: %s", f.Error.Code, code, r.text)
	}
	return f.Error
}

// do sends a request and returns status, header and body.
func (s *site) do(method, path, body string, header http.Header) (int, http.Header, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	resp, err := s.http.Transport.RoundTrip(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(b)
}
