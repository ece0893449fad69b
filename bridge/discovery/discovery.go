package discovery

import (
	"context"

	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/schema"
	"caddy-netbox-mcp/bridge/transport"
)

// Source reads documents of one NetBox with one caller's credential. Errors are [*transport.Error]; an answer of any status
// but a redirect is a response. Get returns soon after ctx has ended, charges counter, which may be nil, and may be called
// concurrently.
type Source interface {
	Get(ctx context.Context, path string, limit int64, counter *transport.Counter) (*transport.Response, error)
}

// Config describes what to discover.
type Config struct {
	// Origins are the addresses that links of this NetBox may have.
	Origins manifest.Origins
	// Schemas keeps compiled schemas by their content.
	Schemas *schema.Cache
}

// Discoverer discovers the tools of one NetBox's plugins. Its methods may be called concurrently.
type Discoverer struct {
	origins manifest.Origins
	schemas *schema.Cache
	known   *known
}

// New makes a Discoverer.
func New(cfg Config) *Discoverer {
	return &Discoverer{origins: cfg.Origins, schemas: cfg.Schemas, known: newKnown(maxKnown)}
}

// rootPath and manifestPath are the only places where contract version 1 has these documents.
func rootPath(plugin string) string     { return listingPath + plugin + "/" }
func manifestPath(plugin string) string { return rootPath(plugin) + "mcp/" }
