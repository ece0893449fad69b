package caddymodule

import (
	"bytes"
	"fmt"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"
)

func init() { caddy.RegisterModule(App{}) }

// App keeps the instances of one configuration apart. It has no options and is created on demand: each netbox_mcp handler
// registers with it.
type App struct {
	// Caddy provisions modules one after the other, so there is nothing to lock.
	instances map[string]*instance
}

// instance is a named endpoint of a configuration.
type instance struct {
	settings []byte // the handler's JSON
	warnings []string
	logger   *zap.Logger
}

// CaddyModule returns the Caddy module information.
func (App) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "netbox_mcp", New: func() caddy.Module { return new(App) }}
}

// register notes a handler. Caddy repeats a site for each of its addresses, so the same name with the same settings is one
// instance; with different settings it would be unclear whose sessions, records and figures a name stands for.
func (a *App) register(name string, settings []byte, warnings []string, logger *zap.Logger) error {
	if a.instances == nil {
		a.instances = make(map[string]*instance)
	}
	if i := a.instances[name]; i != nil && !bytes.Equal(i.settings, settings) {
		return fmt.Errorf("two netbox_mcp handlers are named %q and have different settings; give each an instance name of its own", name)
	}
	a.instances[name] = &instance{settings: settings, warnings: warnings, logger: logger}
	return nil
}

// Start implements [caddy.App]. Each start says what an operator should know of the sites: open gates, writes without a
// question, certificates that are not verified.
func (a *App) Start() error {
	for name, i := range a.instances {
		for _, w := range i.warnings {
			i.logger.Warn(w, zap.String("instance", name))
		}
	}
	return nil
}

// Stop implements [caddy.App].
func (*App) Stop() error { return nil }

// Interface guard
var _ caddy.App = (*App)(nil)
