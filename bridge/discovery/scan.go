package discovery

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/transport"
)

// Catalog is what a scan found.
type Catalog struct {
	// Manifests of the plugins that advertise, in the order of their names.
	Manifests []*manifest.Manifest
	// Problems with members of the listing in its order, then with plugins in the order of their names.
	Problems []Problem
}

// Problem is a plugin that could not be used; it hides no other.
type Problem struct {
	// Plugin is the plugin's name, or the listing's label for it; at most 64 characters.
	Plugin string `json:"plugin"`
	// Error says what is wrong, at most 2,000 characters.
	Error string `json:"error"`

	err error
}

// problem makes a Problem of an error.
func problem(label string, err error) Problem {
	return Problem{Plugin: cut(label, maxLabel), Error: cut(err.Error(), manifest.MaxProblem), err: err}
}

// cut shortens s to n characters.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}

// finding is what one plugin of a scan came to.
type finding struct {
	manifest *manifest.Manifest
	err      error
}

// Scan reads the manifests of all plugins that advertise one. A plugin that cannot be used is a problem; one that does not
// advertise, or whose root this caller may not read, is passed over. An error, of the listing or of a bound of the whole scan,
// is an [*Error], or the context's; a panic becomes an error too.
func (d *Discoverer) Scan(ctx context.Context, src Source) (_ *Catalog, err error) {
	defer caught(&err)
	ctx, cancel := context.WithTimeoutCause(ctx, MaxTime, errTime)
	defer cancel()

	counter := transport.NewCounter(d.maxBytes)
	doc := fetch(ctx, src, listingPath, manifest.MaxRootBytes, boundRoot, counter)
	l, err := d.parseListing(doc)
	if err != nil {
		if timeErr := ended(ctx, ""); timeErr != nil {
			return nil, timeErr
		}
		// A site's own limit may be lower than what the listing alone may have.
		if counter.Exceeded() {
			return nil, &Error{Kind: Limit, Bound: boundAggregate, Max: d.maxBytes}
		}
		return nil, err
	}
	slugs := l.slugs()
	found := make([]finding, len(slugs))
	var g errgroup.Group
	g.SetLimit(parallel)
	for i, slug := range slugs {
		guarded(&g, func() {
			// Past the counter's limit or the deadline the verdict is certain, so there is nothing more to ask.
			if !counter.Exceeded() && ctx.Err() == nil {
				found[i] = d.read(ctx, src, slug, counter)
			}
		})
	}
	if err := g.Wait(); err != nil {
		return nil, fmt.Errorf("scanning the plugins: %w", err)
	}
	if err := ended(ctx, ""); err != nil {
		return nil, err
	}
	// The sum of what was received decides, not who read last: a reader in sequence would have passed the limit too.
	if counter.Exceeded() {
		return nil, &Error{Kind: Limit, Bound: boundAggregate, Max: d.maxBytes}
	}
	return d.collect(l, slugs, found)
}

// read reads one plugin of a scan: its root and, if it advertises, its manifest, each in [documentTime].
func (d *Discoverer) read(ctx context.Context, src Source, plugin string, counter *transport.Counter) finding {
	ok, err := d.advertises(plugin, fetchInTime(ctx, src, rootPath(plugin), manifest.MaxRootBytes, boundRoot, counter))
	if err != nil || !ok {
		return finding{err: err}
	}
	m, err := d.parseManifest(plugin, fetchInTime(ctx, src, manifestPath(plugin), d.maxManifest, boundManifest, counter))
	return finding{m, err}
}

// collect puts the findings of a complete scan together.
func (d *Discoverer) collect(l *listing, slugs []string, found []finding) (*Catalog, error) {
	c := &Catalog{Problems: l.problems}
	tools := 0
	for i, f := range found {
		if f.err == nil {
			d.known.set(slugs[i], f.manifest != nil)
		}
		switch {
		case f.manifest != nil:
			c.Manifests = append(c.Manifests, f.manifest)
			tools += len(f.manifest.Tools)
		case f.err != nil && !forbidden(f.err):
			c.Problems = append(c.Problems, problem(slugs[i], f.err))
		}
	}
	if tools > MaxCatalogTools {
		return nil, &Error{Kind: Limit, Bound: boundTools, Max: MaxCatalogTools}
	}
	return c, nil
}
