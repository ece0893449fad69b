package netboxapi

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"caddy-netbox-mcp/bridge/secret"
	"caddy-netbox-mcp/bridge/transport"
)

// Config describes a NetBox.
type Config struct {
	// Address is where it is reached; required.
	Address Address
	// PublicURL is how people reach it, when that differs: sent as Host and X-Forwarded-Proto, because NetBox answers only
	// to the names of its ALLOWED_HOSTS and builds the links of its answers from them.
	PublicURL *url.URL
	// TLS, MaxConnections, Timeout and Budget are those of [transport.Config].
	TLS            *tls.Config
	MaxConnections int
	Timeout        time.Duration
	Budget         *transport.Budget
	// UserAgent is sent to NetBox.
	UserAgent string
}

// Client asks one NetBox. Its methods may be called concurrently.
type Client struct {
	transport *transport.Client
	prefix    string
}

// New makes a client. It does no I/O; the error says what is wrong with the configuration.
func New(cfg Config) (*Client, error) {
	if cfg.Address.URL == nil {
		return nil, errors.New("setting up the connection to NetBox: an address is required")
	}
	tc := transport.Config{
		BaseURL: cfg.Address.URL, Socket: cfg.Address.Socket, TLS: cfg.TLS, MaxConnections: cfg.MaxConnections,
		Timeout: cfg.Timeout, Budget: cfg.Budget, UserAgent: cfg.UserAgent,
	}
	if tc.Socket != "" {
		tc.BaseURL = nil
	}
	if cfg.PublicURL != nil {
		tc.Host, tc.ForwardedProto = cfg.PublicURL.Host, cfg.PublicURL.Scheme
	}
	t, err := transport.New(tc)
	if err != nil {
		return nil, fmt.Errorf("setting up the connection to NetBox: %w", err)
	}
	return &Client{transport: t, prefix: cfg.Address.URL.Path}, nil
}

// CloseIdle closes connections that are not in use. Requests in progress go on.
func (c *Client) CloseIdle() { c.transport.CloseIdle() }

// As returns a view of the client that asks as the holder of a token, or anonymously for an empty one.
func (c *Client) As(token secret.Text) Session {
	return Session{client: c, authorization: authorization(token)}
}

// Session asks NetBox as one of its users. It is a small value; the zero Session cannot be used.
type Session struct {
	client        *Client
	authorization string
}

// Request is one request below /api/.
type Request struct {
	Method string
	// Path begins with /api/ and is without the base URL's prefix; it is percent-encoded and has no empty or dot segments.
	Path string
	// Query is the encoded query without "?".
	Query string
	// Header are further headers. Those that carry identity, routing or framing are refused.
	Header http.Header
	// Body is JSON text, nil for none.
	Body []byte
	// Write marks a request that changes something: sent once, over a connection of its own.
	Write bool
	// Limit bounds the decoded answer in bytes; Counter, if set, is charged with it.
	Limit   int64
	Counter *transport.Counter
}

// Do performs one request. Every error is a [*transport.Error].
func (s Session) Do(ctx context.Context, r Request) (*transport.Response, error) {
	if err := checkPath(r.Path); err != nil {
		return nil, &transport.Error{Kind: transport.KindRequest, Err: err}
	}
	h := make(http.Header, len(r.Header)+3)
	for name, values := range r.Header {
		if identity(name) {
			return nil, &transport.Error{Kind: transport.KindRequest, Err: fmt.Errorf("the header %.100q may not be set", name)}
		}
		for _, v := range values {
			h.Add(name, v)
		}
	}
	h.Set("Accept", "application/json")
	if s.authorization != "" {
		h.Set("Authorization", s.authorization)
	}
	if r.Body != nil {
		h.Set("Content-Type", "application/json")
	}
	return s.client.transport.Do(ctx, transport.Request{
		Method: r.Method, Path: s.client.prefix + r.Path, Query: r.Query, Header: h, Body: r.Body,
		Write: r.Write, Limit: r.Limit, Counter: r.Counter,
	})
}

// Get reads one document.
func (s Session) Get(ctx context.Context, path string, limit int64, counter *transport.Counter) (*transport.Response, error) {
	return s.Do(ctx, Request{Method: http.MethodGet, Path: path, Limit: limit, Counter: counter})
}
