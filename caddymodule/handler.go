package caddymodule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"
	"go.uber.org/zap/exp/zapslog"

	"caddy-netbox-mcp/bridge/netboxapi"
	"caddy-netbox-mcp/bridge/secret"
	"caddy-netbox-mcp/mcp/endpoint"
	"caddy-netbox-mcp/mcp/netbox"
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
	// defaultMaxSessions and defaultSessionTimeout bound the sessions of clients of 2025-11-25 and older.
	defaultMaxSessions    = 256
	defaultSessionTimeout = 8 * time.Hour
)

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

	// The name of this instance in the server's title, dry runs, logs and metrics. Sessions survive a reload under it. Two
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

	streams    context.Context // ends long streams
	endStreams context.CancelFunc

	// build makes the endpoint; a test build sets another one.
	build func(h *Handler, tools *toolset.Set, logger *slog.Logger) error
}

// CaddyModule returns the Caddy module information.
func (Handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.netbox_mcp", New: func() caddy.Module { return new(Handler) }}
}

// Provision implements [caddy.Provisioner]. It does no network I/O.
func (h *Handler) Provision(ctx caddy.Context) error {
	settings, err := json.Marshal(h) // before the modules inside are loaded, which takes their configuration away
	if err != nil {
		return fmt.Errorf("keeping the settings: %w", err)
	}
	h.logger = ctx.Logger()
	h.streams, h.endStreams = context.WithCancel(context.Background())
	if err := h.provisionService(ctx); err != nil {
		return err
	}
	if err := h.provisionCallers(); err != nil {
		return err
	}
	app, err := ctx.App("netbox_mcp")
	if err != nil {
		return fmt.Errorf("getting the netbox_mcp app: %w", err)
	}
	if err := app.(*App).register(h.Instance, settings, h.warnings(), h.logger); err != nil {
		return err
	}
	if server, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server); ok {
		// Precisely when this server stops taking requests: an open stream would otherwise hold it up for ever.
		server.RegisterOnShutdown(h.endStreams)
		if server.WriteTimeout > 0 {
			h.logger.Warn("the server's write_timeout cuts event streams; remove it", zap.Duration("write_timeout", time.Duration(server.WriteTimeout)))
		}
	}
	return nil
}

// provisionService makes everything below authentication: the site with its tools, and the protocol endpoint.
func (h *Handler) provisionService(ctx caddy.Context) error {
	if h.Path == "" {
		h.Path = defaultPath
	}
	if h.Instance == "" {
		h.Instance = defaultInstance
	}
	if h.NetBox == nil {
		return errors.New("a netbox to serve is required")
	}
	if err := h.NetBox.provision(ctx); err != nil {
		return err
	}
	if h.NetBox.Token != "" {
		token, err := newSecret("netbox: token", h.NetBox.Token, netboxapi.CheckToken, h.logger)
		if err != nil {
			return err
		}
		h.token = token
		h.secrets = append(h.secrets, token)
	}
	h.gate = gateOpen(h.AllowMutations)
	tools, err := toolset.NewSet(netbox.Tools(h.NetBox.tools())...)
	if err != nil {
		return err
	}
	h.site = &toolset.Site{
		Instance:       h.Instance,
		Tools:          tools,
		ReadOnly:       h.ReadOnly,
		CallTimeout:    defaultCallTimeout,
		MaxSessions:    defaultMaxSessions,
		SessionTimeout: defaultSessionTimeout,
		Recorder:       auditLog{h.logger.Named("audit")},
		Secrets:        h.currentSecrets,
	}
	build := h.build
	if build == nil {
		build = pooled
	}
	return build(h, tools, slog.New(zapslog.NewHandler(h.logger.Core())))
}

// pooled gives the handler its instance's endpoint, shared with the configurations before and after.
func pooled(h *Handler, tools *toolset.Set, logger *slog.Logger) error {
	e, err := acquireEndpoint(h.Instance, tools, logger)
	if err != nil {
		return err
	}
	instance := h.Instance
	h.endpoint, h.release = e, func() error { return releaseEndpoint(instance) }
	return nil
}

// provisionCallers reads the bearer tokens.
func (h *Handler) provisionCallers() error {
	for _, configured := range h.AuthTokens {
		token, err := newSecret("auth_token", configured, checkBearer, h.logger)
		if err != nil {
			return err
		}
		if len(token.get().Reveal()) < minBearer {
			h.logger.Warn("an auth_token is short enough to be guessed; use 32 random bytes", zap.String("instance", h.Instance))
		}
		h.secrets = append(h.secrets, token)
		h.bearers.entries = append(h.bearers.entries, bearerEntry{token: token, caller: sharedCaller})
	}
	return nil
}

// Validate implements [caddy.Validator].
func (h *Handler) Validate() error {
	switch {
	case len(h.bearers.entries) == 0:
		return errors.New("an auth_token is required: there is no endpoint without authentication")
	case !strings.HasPrefix(h.Path, "/") || strings.HasSuffix(h.Path, "/") || strings.ContainsAny(h.Path, "*?#%\\ "):
		return fmt.Errorf("path %q: a path begins with a slash, does not end in one and has no wildcards", h.Path)
	case h.WellKnown != "" && h.WellKnown != "pass":
		return fmt.Errorf("well_known %q: the only value is pass", h.WellKnown)
	}
	for _, origin := range h.AllowOrigins {
		if err := checkOrigin(origin); err != nil {
			return fmt.Errorf("allow_origin: %w", err)
		}
	}
	return checkApproval(h.gate && !h.ReadOnly, h.Approval)
}

// Cleanup implements [caddy.CleanerUpper]. Requests in progress go on: only streams that would never end by themselves do now.
func (h *Handler) Cleanup() error {
	if h.endStreams != nil {
		h.endStreams()
	}
	if h.NetBox != nil && h.NetBox.client != nil {
		h.NetBox.client.CloseIdle()
	}
	release := h.release
	h.release = nil
	if release == nil {
		return nil
	}
	return release()
}

// warnings are what an operator should be told at every start.
func (h *Handler) warnings() []string {
	var w []string
	if h.gate && !h.ReadOnly {
		w = append(w, "the write gate is open: tools may change NetBox", "approval is off: writes happen without a question")
	}
	if h.NetBox.insecure() {
		w = append(w, "NetBox's certificate is not verified (tls_insecure_skip_verify): anyone on the way can read the NetBox token")
	}
	return w
}

// principal is a caller as the tools see it.
func (h *Handler) principal(name string) toolset.Principal {
	p := toolset.Principal{Name: name, AllowMutations: h.gate, CallToken: true}
	if h.token != nil {
		p.Credential = h.token.get()
	}
	return p
}

// currentSecrets are the configured secrets as they are now.
func (h *Handler) currentSecrets() []secret.Text {
	values := make([]secret.Text, len(h.secrets))
	for i, s := range h.secrets {
		values[i] = s.get()
	}
	return values
}

// Interface guards
var (
	_ caddy.Provisioner  = (*Handler)(nil)
	_ caddy.Validator    = (*Handler)(nil)
	_ caddy.CleanerUpper = (*Handler)(nil)
)
