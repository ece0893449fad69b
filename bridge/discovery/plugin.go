package discovery

import (
	"errors"

	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/netboxapi"
)

// advertises judges a plugin's root document: whether it has a valid advertisement. The error's kind tells an unreadable root
// from an invalid advertisement.
func (d *Discoverer) advertises(plugin string, root *document) (bool, error) {
	body, err := root.body(plugin)
	if err != nil {
		if e, ok := errors.AsType[*Error](err); ok {
			return false, e
		}
		return false, &Error{Kind: Root, Plugin: plugin, Err: err}
	}
	adv, err := manifest.ParseRoot(body, plugin)
	if err != nil {
		kind := Root
		if e, ok := errors.AsType[*manifest.Error](err); ok && e.Advertisement {
			kind = Advertisement
		}
		return false, refused(kind, plugin, err)
	}
	if adv == nil {
		return false, nil
	}
	if _, err := d.origins.ManifestPath(adv.Manifest, plugin); err != nil {
		return false, refused(Advertisement, plugin, err)
	}
	return true, nil
}

// parseManifest judges a manifest.
func (d *Discoverer) parseManifest(plugin string, doc *document) (*manifest.Manifest, error) {
	body, err := doc.body(plugin)
	if err != nil {
		if e, ok := errors.AsType[*Error](err); ok {
			return nil, e
		}
		return nil, &Error{Kind: Manifest, Plugin: plugin, Err: err}
	}
	m, err := d.manifests.Parse(body, plugin)
	if err != nil {
		return nil, refused(Manifest, plugin, err)
	}
	return m, nil
}

// refused is the error of a document whose content breaks the contract, with the name of the limit if it was one.
func refused(kind Kind, plugin string, err error) *Error {
	e := &Error{Kind: kind, Plugin: plugin, Err: err}
	if of, ok := errors.AsType[*manifest.Error](err); ok {
		e.Bound, e.Max = of.Bound, of.Max
	}
	return e
}

// forbidden reports whether a root could not be read because this caller may not: in a scan that is no problem worth
// telling, since the plugin may be none of the caller's business. A manifest is another matter: its plugin advertised it to
// this very caller.
func forbidden(err error) bool {
	of, ok := errors.AsType[*Error](err)
	if !ok || of.Kind != Root {
		return false
	}
	e, ok := errors.AsType[*netboxapi.StatusError](of.Err)
	return ok && (e.Status == 401 || e.Status == 403 || e.Status == 404)
}
