package caddymodule

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/caddyserver/caddy/v2"

	"caddy-netbox-mcp/conformance"
	"caddy-netbox-mcp/mcp/endpoint"
	"caddy-netbox-mcp/mcp/netbox"
	"caddy-netbox-mcp/mcp/toolset"
)

func init() { caddy.RegisterModule(fixtureHandler{}) }

// fixtureHandler is the product's handler with the conformance suite's fixtures mounted on its endpoint. Everything else, from
// the bearer token to the dispatcher of the two eras, is what ships.
type fixtureHandler struct{ Handler }

func (fixtureHandler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.netbox_mcp_fixtures", New: func() caddy.Module {
		return &fixtureHandler{Handler{build: mountFixtures}}
	}}
}

func mountFixtures(h *Handler, tools *toolset.Set, logger *slog.Logger) (err error) {
	h.endpoint, err = endpoint.New(endpoint.Config{
		Name: netbox.ServerName, Title: "conformance", Version: version(), Tools: tools, Logger: logger, Mount: conformance.Mount,
	})
	return err
}

// conformanceServer runs Caddy with a fixtureHandler, and in front of it the proxy that adds the token which the suite cannot
// send. It prints the URL for the suite and ends on SIGTERM.
func conformanceServer() {
	if err := runConformanceServer(); err != nil {
		fmt.Fprintln(os.Stderr, "conformance server:", err)
		os.Exit(1)
	}
}

func runConformanceServer() error {
	listen := func() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }
	front, err := listen()
	if err != nil {
		return err
	}
	// Caddy listens for itself, so its port is one that was free a moment ago.
	probe, err := listen()
	if err != nil {
		return err
	}
	behind := probe.Addr().String()
	if err := probe.Close(); err != nil {
		return err
	}
	const token = "the-token-of-the-conformance-suite"
	if err := os.Setenv(testTokenVariable, token); err != nil {
		return err
	}
	config, err := json.Marshal(object{
		"admin": object{"disabled": true, "config": object{"persist": false}},
		"apps": object{"http": object{"servers": object{"suite": object{
			"listen": []string{behind}, "automatic_https": object{"disable": true},
			"routes": []any{object{"handle": []any{object{
				"handler": "netbox_mcp_fixtures", "auth_tokens": []string{"{env." + testTokenVariable + "}"},
				"netbox":        object{"url": "http://127.0.0.1:1"},
				"allow_origins": []string{"http://" + front.Addr().String()},
			}}}},
		}}}},
	})
	if err != nil {
		return err
	}
	if err := caddy.Load(config, true); err != nil {
		return err
	}
	proxy := &http.Server{Handler: conformance.Bearer(&url.URL{Scheme: "http", Host: behind}, token), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = proxy.Serve(front) }() // ends with Close
	fmt.Printf("http://%s%s\n", front.Addr(), defaultPath)

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	<-ctx.Done()
	if err := proxy.Close(); err != nil {
		return err
	}
	return caddy.Stop()
}
