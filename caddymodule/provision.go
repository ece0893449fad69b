package caddymodule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"
	"go.uber.org/zap/exp/zapslog"

	"caddy-netbox-mcp/bridge/netboxapi"
	"caddy-netbox-mcp/mcp/netbox"
	"caddy-netbox-mcp/mcp/toolset"
)

// Provision implements [caddy.Provisioner]. It does no network I/O.
func (h *Handler) Provision(ctx caddy.Context) error {
	settings, err := json.Marshal(h) // before the modules inside are loaded, which takes their configuration away
	if err != nil {
		return fmt.Errorf("keeping the settings: %w", err)
	}
	h.logger = ctx.Logger()
	h.calls = make(chan struct{}, maxCalls)
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
	tools, err := toolset.NewSet(netbox.Tools(h.tools())...)
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
		if h.token != nil && h.token.get().Equal(token.get()) {
			return errors.New("auth_token is the same as the NetBox token: agents hold the one and must not hold the other; make one with openssl rand -hex 32")
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
	case !validPath.MatchString(h.Path) || path.Clean(h.Path) != h.Path:
		return fmt.Errorf("path %.100q: write /name or /name/name of letters, digits and . _ ~ -", h.Path)
	case h.Path == "/api" || strings.HasPrefix(h.Path, "/api/"):
		return fmt.Errorf("path %.100q is NetBox's own", h.Path)
	case !validInstance.MatchString(h.Instance):
		return fmt.Errorf("instance %.100q: a name has 1 to 64 letters, digits and . _ -, a letter or digit first", h.Instance)
	case h.WellKnown != "" && h.WellKnown != "pass":
		return fmt.Errorf("well_known %q: the only value is pass", h.WellKnown)
	}
	for _, origin := range h.AllowOrigins {
		if err := checkOrigin(origin); err != nil {
			return fmt.Errorf("allow_origin: %w", err)
		}
	}
	for _, limit := range h.bridgeLimits() {
		if err := limit.check(); err != nil {
			return err
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

// Interface guards
var (
	_ caddy.Provisioner  = (*Handler)(nil)
	_ caddy.Validator    = (*Handler)(nil)
	_ caddy.CleanerUpper = (*Handler)(nil)
)
