package endpoint

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"caddy-netbox-mcp/mcp/toolset"
)

const (
	// maxInstructions keeps the server's instructions under what clients cut off (about 2,000 characters).
	maxInstructions = 1500
	// listTTL is how long a client may keep the tool list, in milliseconds. Lists change only with the configuration,
	// and nothing is pushed when they do.
	listTTL = 60_000
)

// Config says what an [Endpoint] is.
type Config struct {
	// Name, Title and Version describe the server to clients; Name is required.
	Name, Title, Version string
	// Instructions tell the model how to work with this server, at most 1,500 characters.
	Instructions string
	// Tools are the tools to register. Which of them a request sees, and what answers it, comes from its [Binding].
	Tools *toolset.Set
	// Logger hears of panics and unexpected failures at level error, and of the SDK's warnings at level debug; nil discards.
	Logger *slog.Logger
	// Mount, if set, adds features of the SDK's own to the server, which every caller then sees. It exists for the test
	// build that runs the protocol's conformance suite; the product leaves it nil.
	Mount func(*mcp.Server)
}

// Endpoint is one MCP server. It outlives configurations: sessions go on over a reload, and each request brings the
// configuration it is judged by. Its methods may be called concurrently.
type Endpoint struct {
	server  *mcp.Server
	tools   *toolset.Set
	mounted bool
	logger  *slog.Logger

	sessions  *sessions
	activity  *activity
	heartbeat time.Duration

	// The SDK's handler has one answer format and one session mode, so there is one handler for each combination that is
	// needed, all over the same server.
	stateful, statelessJSON, statelessSSE http.Handler
}

// New makes an endpoint. The error names what is wrong with the configuration.
func New(cfg Config) (*Endpoint, error) {
	switch {
	case cfg.Name == "":
		return nil, errors.New("an endpoint needs a name")
	case cfg.Tools == nil:
		return nil, errors.New("an endpoint needs tools")
	case utf8.RuneCountInString(cfg.Instructions) > maxInstructions:
		return nil, fmt.Errorf("instructions are longer than %d characters", maxInstructions)
	}
	logger := cfg.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	sdkLogger := slog.New(quiet{logger.Handler()})
	e := &Endpoint{tools: cfg.Tools, mounted: cfg.Mount != nil, logger: logger, activity: newActivity(), heartbeat: heartbeat}
	e.server = mcp.NewServer(&mcp.Implementation{Name: cfg.Name, Title: cfg.Title, Version: cfg.Version}, &mcp.ServerOptions{
		Instructions: cfg.Instructions,
		Logger:       sdkLogger,
		// Only what exists: no logging (deprecated by SEP-2577), no list_changed (lists change with the configuration).
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		// Lists differ by caller, and the SDK would otherwise let intermediaries share them.
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.CacheScope, c.TTLMs = "private", listTTL
		},
	})
	for _, t := range cfg.Tools.All() {
		e.server.AddTool(definition(t), e.call)
	}
	if cfg.Mount != nil {
		cfg.Mount(e.server)
	}
	// The last one added is the outermost: a panic in any other middleware must not reach the process either.
	e.server.AddReceivingMiddleware(e.listForCaller)
	e.server.AddReceivingMiddleware(e.refuseUnknown)
	e.server.AddReceivingMiddleware(e.recoverPanics)

	e.sessions = newSessions(e.closeSession)
	e.stateful = e.handler(mcp.StreamableHTTPOptions{}, sdkLogger)
	e.statelessJSON = e.handler(mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}, sdkLogger)
	e.statelessSSE = e.handler(mcp.StreamableHTTPOptions{Stateless: true}, sdkLogger)
	return e, nil
}

// handler makes one of the SDK's handlers behind the middleware that carries a binding to the SDK.
func (e *Endpoint) handler(opts mcp.StreamableHTTPOptions, logger *slog.Logger) http.Handler {
	opts.Logger = logger
	// Host and Origin are checked in front of this package; the SDK's guard would refuse every request that a proxy on
	// this machine passes on with its public host name.
	opts.DisableLocalhostProtection = true
	// A dropped connection ends a call of 2026-07-28; of older revisions only notifications/cancelled and the deadline do.
	opts.PropagateRequestCancellation = true
	// The body was read and bounded in front of this package.
	opts.MaxRequestBodyBytes = -1
	sdk := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return e.server }, &opts)
	return auth.RequireBearerToken(verifyBinding, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})(sdk)
}

// closeSession ends the SDK's session with an id and, by that, its goroutines and streams.
func (e *Endpoint) closeSession(id string) {
	for s := range e.server.Sessions() {
		if s.ID() == id {
			if err := s.Close(); err != nil {
				e.logger.Debug("closing a session", "error", err)
			}
			return
		}
	}
}

// hasSession reports whether the SDK has a session with an id.
func (e *Endpoint) hasSession(id string) bool {
	for s := range e.server.Sessions() {
		if s.ID() == id {
			return true
		}
	}
	return false
}

// Sessions returns how many sessions are open.
func (e *Endpoint) Sessions() int { return e.sessions.count() }

// Close refuses new requests, waits until the calls in progress have ended and their answers are written, and then ends
// every session and stream. A call ends by its deadline at the latest, unless a tool ignores it.
func (e *Endpoint) Close() {
	// The SDK writes no answer any more once a session is closing, hence this order.
	e.activity.close()
	e.sessions.stop()
	for s := range e.server.Sessions() {
		if err := s.Close(); err != nil {
			e.logger.Debug("closing a session", "error", err)
		}
	}
}

// definition is a tool as clients see it.
func definition(t *toolset.Tool) *mcp.Tool {
	return &mcp.Tool{
		Name:        t.Name,
		Title:       t.Title,
		Description: t.Description,
		InputSchema: t.InputSchema,
		Annotations: &mcp.ToolAnnotations{
			Title:           t.Title,
			ReadOnlyHint:    t.Hints.ReadOnly,
			DestructiveHint: &t.Hints.Destructive,
			IdempotentHint:  t.Hints.Idempotent,
			OpenWorldHint:   &t.Hints.OpenWorld,
		},
	}
}

// quiet passes on the SDK's warnings and errors, at level debug: it reports the mistakes of clients as errors, with which
// a client could fill the log. What it logs below, three lines for every stateless request, goes nowhere.
type quiet struct{ slog.Handler }

func (q quiet) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && q.Handler.Enabled(ctx, slog.LevelDebug)
}

func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	r.Level = slog.LevelDebug
	return q.Handler.Handle(ctx, r)
}

func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(attrs)} }
func (q quiet) WithGroup(name string) slog.Handler       { return quiet{q.Handler.WithGroup(name)} }
