package caddymodule

import (
	"context"
	"log/slog"
	"regexp"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"caddy-netbox-mcp/bridge/secret"
	"caddy-netbox-mcp/mcp/endpoint"
	"caddy-netbox-mcp/mcp/toolset"
)

const (
	defaultPath     = "/mcp"
	defaultInstance = "netbox"
	// sharedCaller is the name of whoever holds one of the site's auth_tokens.
	sharedCaller = "shared"
	// defaultCallTimeout stays under the 60 s that clients allow for a tool.
	defaultCallTimeout = 55 * time.Second
	// defaultMaxRequest bounds a request's body in bytes.
	defaultMaxRequest = 4 << 20
	// maxCalls is how many calls may be in progress; more are told to come back.
	maxCalls = 64
	// readTime is how long the body of a message may take to arrive.
	readTime = 30 * time.Second
	// hurryTime is how long a body may still take when its server begins to stop.
	hurryTime = 5 * time.Second
	// defaultMaxSessions and defaultSessionTimeout bound the sessions of clients of 2025-11-25 and older.
	defaultMaxSessions    = 256
	defaultSessionTimeout = 8 * time.Hour
)

// validPath has no character that the two sides of a proxy could read in different ways.
var validPath = regexp.MustCompile(`^(?:/[A-Za-z0-9._~-]+)+$`)

// validInstance is fit for logs, titles and the instructions that a model reads.
var validInstance = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

func init() { caddy.RegisterModule(Handler{}) }

// Handler serves the Model Context Protocol (MCP) in front of a NetBox: agents call the tools that NetBox's plugins publish,
// behind a bearer token. Requests outside its path go to the next handler, usually a `reverse_proxy` to NetBox itself.
//
// It sets these placeholders on the requests it serves:
//
// Placeholder | Description
// ------------|------------
// `{http.auth.user.id}` | The caller's name; access logs show it
// `{http.netbox_mcp.instance}` | The instance's name
// `{http.netbox_mcp.tool}` | The tool of a `tools/call`
//
// Every call of a tool is logged to `http.handlers.netbox_mcp.audit`. Do not set `write_timeout` on a server with this handler:
// it would cut event streams.
type Handler struct {
	// The path of the endpoint, with and without a slash at its end. Default: `/mcp`.
	Path string `json:"path,omitempty"`

	// The name of this instance in the server's title, dry runs and logs. Sessions survive a reload under it. Two
	// handlers of the same name must have the same settings. Default: `netbox`.
	Instance string `json:"instance,omitempty"`

	// The NetBox to serve. Required.
	NetBox *NetBox `json:"netbox,omitempty"`

	// Bearer tokens of callers; all of them are one caller, named `shared`. Several are for rotation. Use `{env.NAME}` or
	// `{file./path}`; a file is looked at again when it is used, at most every 30 seconds. Required: there is no endpoint
	// without authentication.
	AuthTokens []string `json:"auth_tokens,omitempty"`

	// Whether tools may change something in NetBox. Default: what the environment variable `NETBOX_MCP_ALLOW_MUTATIONS`
	// says (`1`, `true`, `yes` or `on`), else closed.
	AllowMutations *bool `json:"allow_mutations,omitempty"`

	// Closes the write gate whatever else says that it is open. Default: false.
	ReadOnly bool `json:"read_only,omitempty"`

	// Who is asked before a write. The only value is `off`: nobody. It is required where the write gate is open.
	Approval string `json:"approval,omitempty"`

	// The origins of browser pages that may call, such as `https://inspector.example.com`; CORS is answered for exactly these.
	// Default: none. Clients that are no browser send no `Origin` and need no entry.
	AllowOrigins []string `json:"allow_origins,omitempty"`

	// Whether callers may bring a NetBox token of their own for one call, in the argument `token` of the tools. It replaces the
	// configured one for that call, so what agents may do is then decided by any NetBox token that they come by. Default: true.
	CallToken *bool `json:"call_token,omitempty"`

	// How many bytes, decompressed, the plugin documents of one discovery may have together: 1024 to 2097152, which is the
	// plugin bridge's limit and the default.
	MaxScanBytes int64 `json:"max_scan_bytes,omitempty"`

	// How many bytes, decompressed, the manifest of one plugin may have: 1024 to 262144, which is the plugin bridge's limit and
	// the default.
	MaxManifestBytes int64 `json:"max_manifest_bytes,omitempty"`

	// How many bytes, decompressed, the answer of a plugin's tool may have: 1024 to 262144, which is the plugin bridge's limit
	// and the default. Lower it for agents with little context.
	MaxResultBytes int64 `json:"max_result_bytes,omitempty"`

	// What to do with requests for OAuth's discovery documents below `/.well-known/`: `pass` hands them to the next handler.
	// Default: they are answered with 404, because NetBox's own pages there send clients into a login that does not exist.
	WellKnown string `json:"well_known,omitempty"`

	logger   *zap.Logger
	bearers  bearerTable
	token    *secretValue // NetBox's, nil for none
	secrets  []*secretValue
	site     *toolset.Site
	endpoint *endpoint.Endpoint
	release  func() error // drops the reference to endpoint; nil while there is none
	gate     bool

	calls      chan struct{}   // places for calls in progress
	streams    context.Context // ends long streams
	endStreams context.CancelFunc

	// build makes the endpoint; a test build sets another one.
	build func(h *Handler, tools *toolset.Set, logger *slog.Logger) error
}

// CaddyModule returns the Caddy module information.
func (Handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.netbox_mcp", New: func() caddy.Module { return new(Handler) }}
}

// principal is a caller as the tools see it.
func (h *Handler) principal(name string) toolset.Principal {
	p := toolset.Principal{Name: name, AllowMutations: h.gate, CallToken: h.callToken()}
	if h.token != nil {
		p.Credential = h.token.get()
	}
	return p
}

func (h *Handler) callToken() bool { return h.CallToken == nil || *h.CallToken }

// currentSecrets are the configured secrets as they are now.
func (h *Handler) currentSecrets() []secret.Text {
	values := make([]secret.Text, len(h.secrets))
	for i, s := range h.secrets {
		values[i] = s.get()
	}
	return values
}
