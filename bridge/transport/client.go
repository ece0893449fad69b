package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// Config describes one upstream. Exactly one of BaseURL and Socket is set.
type Config struct {
	// BaseURL names the scheme (http or https), host and port. It has no user, query or fragment. Its path is not used:
	// each Request carries the whole path, prefix included.
	BaseURL *url.URL
	// Socket is the path of a unix socket that speaks plain HTTP.
	Socket string
	// Host is sent as Host instead of BaseURL's; a socket without one gets "localhost".
	Host string
	// ForwardedProto is sent as X-Forwarded-Proto unless it is empty; it is http or https.
	ForwardedProto string
	// TLS is cloned; a minimum version under 1.2 is raised to 1.2. Nil means the defaults of crypto/tls. The server's
	// name is BaseURL's host unless TLS names another.
	TLS *tls.Config
	// MaxConnections bounds the exchanges in progress at one time; 0 means DefaultConnections.
	MaxConnections int
	// Timeout bounds one exchange from the wait for a place to the last byte of the body; 0 means DefaultTimeout.
	Timeout time.Duration
	// UserAgent is sent as User-Agent; empty sends none.
	UserAgent string
	// Budget is shared by all clients of a process; nil gives the client one of DefaultBudget for itself.
	Budget *Budget
}

// Client exchanges requests and answers with one upstream. It is safe for use by many goroutines. A client that is no
// longer used needs no closing: its idle connections end by themselves within two seconds.
type Client struct {
	origin  url.URL // scheme and host, as net/http needs them to pick a connection
	host    string
	proto   string
	agent   string
	timeout time.Duration
	places  chan struct{}
	budget  *Budget
	reads   *http.Transport
	writes  *http.Transport // never reuses a connection, hence net/http never repeats what goes through it
}

// New checks the configuration and returns a client. It does no I/O. Its errors are of [KindRequest].
func New(cfg Config) (*Client, error) {
	c, err := newClient(cfg)
	if err != nil {
		return nil, &Error{Kind: KindRequest, Err: err}
	}
	return c, nil
}

func newClient(cfg Config) (*Client, error) {
	c := &Client{host: cfg.Host, proto: cfg.ForwardedProto, agent: cfg.UserAgent, timeout: cfg.Timeout, budget: cfg.Budget}
	dial := dialer{socket: cfg.Socket, connect: ConnectTime}
	switch {
	case (cfg.BaseURL == nil) == (cfg.Socket == ""):
		return nil, errors.New("give either a base URL or a socket")
	case cfg.Socket != "":
		c.origin = url.URL{Scheme: "http", Host: "localhost"}
	default:
		u := cfg.BaseURL
		if u.Scheme != "http" && u.Scheme != "https" {
			return nil, errors.New("the base URL must begin with http:// or https://")
		}
		if u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
			return nil, errors.New("the base URL must have a host, and no user, query or fragment")
		}
		c.origin = url.URL{Scheme: u.Scheme, Host: u.Host}
		dial.tls = tlsConfig(cfg.TLS, u.Hostname())
	}
	if c.host != "" && !validHost(c.host) {
		return nil, errors.New("the host must be a name or address with an optional port")
	}
	if c.proto != "" && c.proto != "http" && c.proto != "https" {
		return nil, errors.New("the forwarded protocol must be http or https")
	}
	if !validValue(c.agent) {
		return nil, errors.New("the user agent contains characters that a header cannot carry")
	}
	if cfg.Timeout < 0 || cfg.MaxConnections < 0 {
		return nil, errors.New("the timeout and the number of connections cannot be negative")
	}
	if c.timeout == 0 {
		c.timeout = DefaultTimeout
	}
	places := cfg.MaxConnections
	if places == 0 {
		places = DefaultConnections
	}
	c.places = make(chan struct{}, places)
	if c.budget == nil {
		b, err := NewBudget(DefaultBudget)
		if err != nil {
			return nil, fmt.Errorf("making a memory budget: %w", err)
		}
		c.budget = b
	}
	c.reads, c.writes = newTransport(dial), newTransport(dial)
	c.reads.MaxIdleConnsPerHost = places
	c.writes.DisableKeepAlives = true
	return c, nil
}

// newTransport is net/http's client without everything that could send a request elsewhere, twice, or decode an answer
// without bounds.
func newTransport(dial dialer) *http.Transport {
	var h1 http.Protocols
	h1.SetHTTP1(true)
	return &http.Transport{
		Proxy:                  nil,
		DialContext:            dial.plain,
		DialTLSContext:         dial.secure,
		Protocols:              &h1,
		DisableCompression:     true,
		IdleConnTimeout:        idleTime,
		MaxResponseHeaderBytes: MaxHeaderBytes,
	}
}

func tlsConfig(given *tls.Config, host string) *tls.Config {
	cfg := &tls.Config{}
	if given != nil {
		cfg = given.Clone()
	}
	cfg.MinVersion = max(cfg.MinVersion, tls.VersionTLS12)
	cfg.NextProtos = []string{"http/1.1"}
	if cfg.ServerName == "" {
		cfg.ServerName = host
	}
	return cfg
}

// validHost says whether s can stand in a Host header.
func validHost(s string) bool {
	u, err := url.Parse("http://" + s)
	return err == nil && u.Host == s && u.Hostname() != "" && u.User == nil
}

// CloseIdle closes connections that no exchange uses. It never hurts an exchange in progress, and the client stays usable.
func (c *Client) CloseIdle() { c.reads.CloseIdleConnections() }

// enter waits for a place among the exchanges in progress.
func (c *Client) enter(ctx context.Context) error {
	select {
	case c.places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *Client) leave() { <-c.places }
