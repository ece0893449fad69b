package discovery

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/strictjson"
)

const (
	listingPath = "/api/plugins/"
	// builtin is the one member of every listing that is no plugin: the administrators' list of installed plugins.
	builtin = "installed-plugins"
	// maxLabel bounds a foreign name in a problem, in characters: no plugin's name is longer.
	maxLabel = 64
)

// listing is what /api/plugins/ says.
type listing struct {
	roots    map[string]bool // by the slug in the path: the member's key is only a label
	problems []Problem       // members that are no plugin root, in document order
}

// slugs returns the plugins in order.
func (l *listing) slugs() []string { return slices.Sorted(maps.Keys(l.roots)) }

// parseListing judges the listing. Its failure is the whole discovery's.
func (d *Discoverer) parseListing(doc *document) (*listing, error) {
	body, err := doc.body("")
	if err != nil {
		if e, ok := errors.AsType[*Error](err); ok {
			return nil, e
		}
		return nil, &Error{Kind: Listing, Err: err}
	}
	root, err := manifest.ParseListing(body)
	if err != nil {
		return nil, refused(Listing, "", err)
	}
	if len(root.Members) > MaxRoots {
		return nil, &Error{Kind: Limit, Bound: boundRoots, Max: MaxRoots}
	}
	l := &listing{roots: make(map[string]bool)}
	for _, m := range root.Members {
		slug, err := d.rootSlug(m.Value)
		switch {
		case err != nil:
			l.problems = append(l.problems, problem(m.Name, err))
		case slug != builtin:
			l.roots[slug] = true
		}
	}
	return l, nil
}

// rootSlug reads the slug out of a link to a plugin's root.
func (d *Discoverer) rootSlug(link strictjson.Value) (string, error) {
	path, err := d.origins.NormalizeValue(link)
	if err != nil {
		return "", fmt.Errorf("the plugin API root link: %w", err)
	}
	slug, ok := strings.CutPrefix(path, listingPath)
	slug, ok2 := strings.CutSuffix(slug, "/")
	if !ok || !ok2 || !manifest.PluginName(slug) {
		return "", errors.New("the plugin API root link is not of the form /api/plugins/<plugin>/")
	}
	return slug, nil
}
