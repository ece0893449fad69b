package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/errgroup"
)

func init() { caddy.RegisterModule(baseline{}) }

// baseline is what the product is compared with: the SDK's own handler in the same Caddy, with one tool that sends the
// same requests to NetBox as a call of a known plugin's tool, by a plain client, and checks nothing.
type baseline struct {
	// Path is where it is served.
	Path string `json:"path"`
	// Upstream is NetBox's base URL.
	Upstream string `json:"upstream"`

	handler http.Handler
	client  *http.Client
}

// baselineTool is the name of its tool; it has the arguments that the scenarios give plugin_call_tool.
const baselineTool = "baseline_call"

// CaddyModule returns the Caddy module information.
func (baseline) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.netbox_mcp_bench_baseline", New: func() caddy.Module { return new(baseline) }}
}

// Provision implements [caddy.Provisioner].
func (b *baseline) Provision(caddy.Context) error {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 32 // the product's connections to NetBox
	transport.Proxy = nil
	b.client = &http.Client{Transport: transport}
	server := mcp.NewServer(&mcp.Implementation{Name: "baseline", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: baselineTool, InputSchema: json.RawMessage(`{"type":"object"}`)}, b.call)
	b.handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true, DisableLocalhostProtection: true})
	return nil
}

// ServeHTTP implements [caddyhttp.MiddlewareHandler].
func (b *baseline) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	if r.URL.Path != b.Path {
		return next.ServeHTTP(w, r)
	}
	b.handler.ServeHTTP(w, r)
	return nil
}

// call asks for the three documents at once, then for the answer, and returns the answer's text.
func (b *baseline) call(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	root := "/api/plugins/" + pluginSlug(0) + "/"
	g, wave := errgroup.WithContext(ctx)
	for _, path := range []string{"/api/plugins/", root, root + "mcp/"} {
		g.Go(func() error {
			_, err := b.get(wave, path)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	text, err := b.get(ctx, root+"items/?limit=10")
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, nil
}

func (b *baseline) get(ctx context.Context, path string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.Upstream+path, nil)
	if err != nil {
		return nil, fmt.Errorf("making a request: %w", err)
	}
	resp, err := b.client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("asking NetBox: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("NetBox answered with status %d", resp.StatusCode)
	}
	return io.ReadAll(resp.Body)
}

// Interface guards
var (
	_ caddy.Provisioner           = (*baseline)(nil)
	_ caddyhttp.MiddlewareHandler = (*baseline)(nil)
)
