package caddymodule

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"go.uber.org/zap"

	"caddy-netbox-mcp/bridge/netboxapi"
)

// object is a JSON object of a Caddy configuration.
type object = map[string]any

// localServer is the Caddy that serve and demo start: one site, and nothing that another Caddy on this machine could notice.
type localServer struct {
	listen   string // host:port
	tls      bool   // with a certificate of Caddy's internal authority
	handler  *Handler
	fallback []any // handlers for everything that is not the endpoint's
}

// storageFolder keeps certificates apart from those of a Caddy that runs as the same user.
func storageFolder() string { return filepath.Join(caddy.AppDataDir(), "netbox-mcp") }

// caFile is the certificate that clients of a localServer with TLS must trust.
func caFile() string {
	return filepath.Join(storageFolder(), "pki", "authorities", "local", "root.crt")
}

// url is where clients reach the endpoint.
func (l localServer) url() string {
	scheme, path := "http", l.handler.Path
	if l.tls {
		scheme = "https"
	}
	if path == "" {
		path = defaultPath
	}
	host, port, _ := net.SplitHostPort(l.listen)
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() || l.tls && ip != nil && ip.IsLoopback() {
		host = "localhost"
	}
	return scheme + "://" + net.JoinHostPort(host, port) + path
}

// checkFree reports whether the address can be listened on. Caddy shares ports with other Caddys, so without this look two of
// them would start on one address, and clients would reach either.
func (l localServer) checkFree(flag string) error {
	probe, err := net.Listen("tcp", l.listen)
	if err != nil {
		return fmt.Errorf("listening: %w; choose another address with %s", err, flag)
	}
	return probe.Close()
}

// run starts Caddy and returns when clients can connect.
func (l localServer) run() error {
	cfg, err := l.config()
	if err != nil {
		return err
	}
	if err := caddy.Run(cfg); err != nil {
		return err
	}
	if !l.tls {
		return nil
	}
	if err := awaitTLS(context.Background(), l.listen); err != nil {
		return errors.Join(err, caddy.Stop())
	}
	return nil
}

// awaitTLS waits until a server that was just started has its certificate: Caddy obtains it in the background.
func awaitTLS(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	// Whether there is a certificate is all that is asked; nothing is sent that it would have to protect.
	dialer := tls.Dialer{Config: &tls.Config{ServerName: "localhost", InsecureSkipVerify: true}}
	for {
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for the certificate of %s: %w", address, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// subjects are the names in the certificate.
func (l localServer) subjects() []string {
	names := []string{"localhost", "127.0.0.1", "::1"}
	if name, err := os.Hostname(); err == nil && name != "" {
		names = append(names, strings.ToLower(name))
	}
	if host, _, err := net.SplitHostPort(l.listen); err == nil && host != "" {
		if ip := net.ParseIP(host); ip == nil || !ip.IsUnspecified() {
			names = append(names, host)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// config is the configuration of the Caddy to run.
func (l localServer) config() (*caddy.Config, error) {
	server := object{
		"listen":          []string{l.listen},
		"protocols":       []string{"h1"},
		"automatic_https": object{"disable": true},
		"routes": []any{object{"handle": append([]any{
			caddyconfig.JSONModuleObject(l.handler, "handler", "netbox_mcp", nil),
		}, l.fallback...)}},
	}
	apps := object{"http": object{
		"servers": object{"netbox_mcp": server},
		// Calls in progress may end; a client that never goes away must not keep the process.
		"grace_period": "10s",
	}}
	if l.tls {
		// Without HTTP/3, which would bind a UDP port that nobody asked for.
		server["protocols"] = []string{"h1", "h2"}
		server["tls_connection_policies"] = []any{object{"default_sni": "localhost"}}
		apps["tls"] = object{
			"certificates": object{"automate": l.subjects()},
			"automation":   object{"policies": []any{object{"issuers": []any{object{"module": "internal"}}}}},
		}
		apps["pki"] = object{"certificate_authorities": object{"local": object{"install_trust": false}}}
	}
	text, err := json.Marshal(object{
		"admin":   object{"disabled": true, "config": object{"persist": false}},
		"storage": object{"module": "file_system", "root": storageFolder()},
		"logging": object{"logs": object{"default": object{
			// That there is no admin endpoint is as it should be.
			"level": "WARN", "exclude": []string{"admin", "http.handlers.netbox_mcp.audit"},
		}, "audit": object{
			"writer": object{"output": "stderr"}, "include": []string{"http.handlers.netbox_mcp.audit"},
		}}},
		"apps": apps,
	})
	if err != nil {
		return nil, fmt.Errorf("writing the configuration: %w", err)
	}
	var cfg caddy.Config
	if err := caddy.StrictUnmarshalJSON(text, &cfg); err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	return &cfg, nil
}

// proxyTo hands requests on to a NetBox.
func proxyTo(n *NetBox, keepHost bool) (any, error) {
	expanded, err := caddy.NewReplacer().ReplaceOrErr(n.URL, true, true)
	if err != nil {
		return nil, err
	}
	address, err := netboxapi.ParseAddress(expanded)
	if err != nil {
		return nil, err
	}
	proxy := object{"handler": "reverse_proxy", "upstreams": []any{object{"dial": dialAddress(address.URL, address.Socket)}}}
	if address.URL.Scheme == "https" {
		transport := object{"protocol": "http", "tls": object{}}
		if n.TLS != nil {
			transport["tls"] = n.TLS
		}
		proxy["transport"] = transport
	}
	if !keepHost {
		// NetBox answers only to the names of its ALLOWED_HOSTS, and believes X-Forwarded-Host before Host.
		proxy["headers"] = object{"request": object{
			"set": object{"Host": []string{address.URL.Host}}, "delete": []string{"X-Forwarded-Host"},
		}}
	}
	return proxy, nil
}

// dialAddress is an upstream in Caddy's notation.
func dialAddress(u *url.URL, socket string) string {
	if socket != "" {
		return "unix/" + socket
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// aside makes a context in which modules can be provisioned without a server, and without a running configuration's notice.
func aside() (caddy.Context, context.CancelFunc, error) {
	ctx, err := caddy.ProvisionContext(&caddy.Config{
		Admin:      &caddy.AdminConfig{Disabled: true, Config: &caddy.ConfigSettings{Persist: new(bool)}},
		StorageRaw: caddyconfig.JSON(object{"module": "file_system", "root": storageFolder()}, nil),
	})
	if err != nil {
		return caddy.Context{}, nil, err
	}
	child, cancel := caddy.NewContext(ctx)
	return child, cancel, nil
}

// standalone provisions a handler's service without a server, for stdio, for single calls and for looking at what would be served.
func (h *Handler) standalone() (context.CancelFunc, error) {
	child, cancel, err := aside()
	if err != nil {
		return nil, err
	}
	h.logger = caddy.Log().Named("http.handlers.netbox_mcp")
	if err := h.provisionService(child); err != nil {
		cancel()
		return nil, err
	}
	for _, w := range h.warnings() {
		h.logger.Warn(w, zap.String("instance", h.Instance))
	}
	return cancel, checkApproval(h.gate && !h.ReadOnly, h.Approval)
}
