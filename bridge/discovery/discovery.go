package discovery

import (
	"context"

	"caddy-netbox-mcp/bridge/manifest"
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
	// Manifests keeps manifests that were read before, by their content; nil keeps none.
	Manifests *manifest.Cache
	// MaxBytes and MaxManifestBytes lower the bounds of those names, of this package and of package manifest, in bytes; 0 and
	// whatever is higher leave them as they are.
	MaxBytes         int64
	MaxManifestBytes int64
}

// Discoverer discovers the tools of one NetBox's plugins. Its methods may be called concurrently.
type Discoverer struct {
	origins   manifest.Origins
	manifests *manifest.Cache
	known     *known

	maxBytes, maxManifest int64
}

// New makes a Discoverer.
func New(cfg Config) *Discoverer {
	return &Discoverer{
		origins: cfg.Origins, manifests: cfg.Manifests, known: newKnown(maxKnown),
		maxBytes: lowered(MaxBytes, cfg.MaxBytes), maxManifest: lowered(manifest.MaxManifestBytes, cfg.MaxManifestBytes),
	}
}

// lowered is the contract's bound, or a configured one below it.
func lowered(bound, configured int64) int64 {
	if configured < 1 {
		return bound
	}
	return min(bound, configured)
}

// rootPath and manifestPath are the only places where contract version 1 has these documents.
func rootPath(plugin string) string     { return listingPath + plugin + "/" }
func manifestPath(plugin string) string { return rootPath(plugin) + "mcp/" }
