package caddymodule

import (
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/caddyserver/caddy/v2"

	"caddy-netbox-mcp/mcp/endpoint"
	"caddy-netbox-mcp/mcp/netbox"
	"caddy-netbox-mcp/mcp/toolset"
)

// endpoints holds the MCP server of each instance over reloads, so that sessions go on: the new configuration takes its
// reference before the old one drops its own.
var endpoints = caddy.NewUsagePool()

// pooledEndpoint is an endpoint that ends with its last configuration.
type pooledEndpoint struct{ *endpoint.Endpoint }

// Destruct implements [caddy.Destructor]. It does not wait: calls in progress still belong to the configuration that is going.
func (p pooledEndpoint) Destruct() error {
	go p.Close()
	return nil
}

// acquireEndpoint takes a reference to an instance's endpoint, made on first use. Every successful call is paired with one
// releaseEndpoint.
func acquireEndpoint(instance string, tools *toolset.Set, logger *slog.Logger) (*endpoint.Endpoint, error) {
	value, _, err := endpoints.LoadOrNew(endpointKey(instance), func() (caddy.Destructor, error) {
		e, err := newEndpoint(instance, tools, logger)
		return pooledEndpoint{e}, err
	})
	if err != nil {
		return nil, err
	}
	return value.(pooledEndpoint).Endpoint, nil
}

// newEndpoint makes the MCP server of an instance.
func newEndpoint(instance string, tools *toolset.Set, logger *slog.Logger) (*endpoint.Endpoint, error) {
	return endpoint.New(endpoint.Config{
		Name:         netbox.ServerName,
		Title:        fmt.Sprintf("NetBox (%s)", instance),
		Version:      version(),
		Instructions: netbox.Instructions(instance),
		Tools:        tools,
		Logger:       logger,
	})
}

func releaseEndpoint(instance string) error {
	_, err := endpoints.Delete(endpointKey(instance))
	return err
}

func endpointKey(instance string) string { return "netbox/" + instance }

// version is this module's version in the running binary, "dev" in one built from a checkout.
func version() string {
	const path = "caddy-netbox-mcp"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range append(info.Deps, &info.Main) {
			if m.Path == path && m.Version != "" && m.Version != "(devel)" {
				return m.Version
			}
		}
	}
	return "dev"
}
