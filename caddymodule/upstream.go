package caddymodule

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"caddy-netbox-mcp/bridge/discovery"
	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/netboxapi"
	"caddy-netbox-mcp/bridge/transport"
	"caddy-netbox-mcp/mcp/netbox"
)

const (
	// keptManifests bounds the manifests that are kept in the form that was made of them, in bytes of what was read: as much as
	// two discoveries may read.
	keptManifests = 2 * discovery.MaxBytes
	// maxTimeout keeps a write that NetBox never answers from holding its call for hours.
	maxTimeout = 10 * time.Minute
	// defaultMaxConnections is how many requests are in progress to one NetBox at a time.
	defaultMaxConnections = 32
)

// budget is the memory that answers in progress of all instances may take together.
var budget = mustBudget()

func mustBudget() *transport.Budget {
	b, err := transport.NewBudget(transport.DefaultBudget)
	if err != nil {
		panic(err) // a constant of our own
	}
	return b
}

// NetBox is the NetBox that an endpoint serves, and how it is reached.
type NetBox struct {
	// Where NetBox is reached: `http://host:port`, `https://host` or `unix//path/of/socket`, with the path prefix of
	// NetBox's `BASE_PATH` if it has one. Placeholders of the environment are allowed. Required.
	URL string `json:"url,omitempty"`

	// The NetBox API token to use for callers that bring none of their own. v1 and v2 tokens are told apart by their shape.
	// Use `{env.NAME}` or `{file./path}`; a file is looked at again when the token is used, at most every 30 seconds.
	// Default: none, which NetBox treats as anonymous.
	Token string `json:"token,omitempty"`

	// How people reach this NetBox, when that differs from `url`. It is sent as `Host` and `X-Forwarded-Proto`, so that
	// NetBox's `ALLOWED_HOSTS` accepts the request, and links of plugins may have this origin. Default: none.
	PublicURL string `json:"public_url,omitempty"`

	// How long one request to NetBox may take, from connecting to the last byte of the answer; at most `10m`. A write that was sent
	// is bounded by this alone. Default: `30s`.
	Timeout caddy.Duration `json:"timeout,omitempty"`

	// How many requests to NetBox may be in progress at a time. Default: 32.
	MaxConnections int `json:"max_connections,omitempty"`

	// How to verify NetBox's certificate and which client certificate to present, with the options of `reverse_proxy`'s HTTP
	// transport. Only for `https` URLs. Default: the system's trusted authorities.
	TLS *reverseproxy.TLSConfig `json:"tls,omitempty"`

	address netboxapi.Address
	public  *url.URL
	client  *netboxapi.Client
}

// parse checks everything that needs no other module. It expands placeholders.
func (n *NetBox) parse() error {
	if n.URL == "" {
		return errors.New("netbox: a base URL is required")
	}
	expanded, err := caddy.NewReplacer().ReplaceOrErr(n.URL, true, true)
	if err != nil {
		return fmt.Errorf("netbox: %w", err)
	}
	if n.address, err = netboxapi.ParseAddress(expanded); err != nil {
		return fmt.Errorf("netbox: %w", err)
	}
	if n.PublicURL != "" {
		if expanded, err = caddy.NewReplacer().ReplaceOrErr(n.PublicURL, true, true); err != nil {
			return fmt.Errorf("netbox: public_url: %w", err)
		}
		if n.public, err = netboxapi.ParseURL(expanded); err != nil {
			return fmt.Errorf("netbox: public_url: %w", err)
		}
	}
	switch {
	case n.TLS != nil && n.address.URL.Scheme != "https":
		return errors.New("netbox: TLS options need an https base URL")
	case n.Timeout < 0 || time.Duration(n.Timeout) > maxTimeout:
		return fmt.Errorf("netbox: timeout must be positive and at most %s", maxTimeout)
	case n.MaxConnections < 0:
		return errors.New("netbox: max_connections must be positive")
	}
	return nil
}

// provision makes the client. It does no network I/O.
func (n *NetBox) provision(ctx caddy.Context) error {
	if err := n.parse(); err != nil {
		return err
	}
	if n.MaxConnections == 0 {
		n.MaxConnections = defaultMaxConnections
	}
	var tlsConfig *tls.Config
	var err error
	if n.TLS != nil {
		if tlsConfig, err = n.TLS.MakeTLSClientConfig(ctx); err != nil {
			return fmt.Errorf("netbox: %w", err)
		}
	}
	n.client, err = netboxapi.New(netboxapi.Config{
		Address:        n.address,
		PublicURL:      n.public,
		TLS:            tlsConfig,
		MaxConnections: n.MaxConnections,
		Timeout:        time.Duration(n.Timeout),
		Budget:         budget,
		UserAgent:      netbox.ServerName + "/" + version(),
	})
	return err
}

// tools are what the NetBox tools of this site work with.
func (h *Handler) tools() netbox.Config {
	n := h.NetBox
	var public []*url.URL
	if n.public != nil {
		public = append(public, n.public)
	}
	return netbox.Config{
		API: n.client,
		Plugins: discovery.New(discovery.Config{
			Origins:          manifest.NewOrigins(n.address.URL, public...),
			Manifests:        manifest.NewCache(keptManifests),
			MaxBytes:         h.MaxScanBytes,
			MaxManifestBytes: h.MaxManifestBytes,
		}),
		CallToken:      h.callToken(),
		MaxResultBytes: h.MaxResultBytes,
	}
}

// insecure reports whether NetBox's certificate is not verified.
func (n *NetBox) insecure() bool { return n.TLS != nil && n.TLS.InsecureSkipVerify }
