package discovery

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/transport"
)

// Select reads one plugin's manifest: the listing, the plugin's root, then the manifest. A plugin that advertised the last
// time is asked for all three at once; they are judged as if they had come one after the other, so the result is the same.
// It fails closed: any error is an [*Error], or the context's; a panic becomes an error too. What is no plugin's name is
// unknown without a request.
func (d *Discoverer) Select(ctx context.Context, src Source, plugin string) (m *manifest.Manifest, err error) {
	if !manifest.PluginName(plugin) {
		return nil, &Error{Kind: UnknownPlugin, Plugin: cut(plugin, maxLabel), Err: errName}
	}
	defer caught(&err)
	ctx, cancel := context.WithTimeoutCause(ctx, MaxTime, errTime)
	defer cancel()

	if d.known.has(plugin) {
		documents := d.atOnce(ctx, src, plugin)
		m, err = d.judge(ctx, plugin, documents.get)
		// The verdict may not need all documents, and then does not wait for them either.
		cancel()
		if panicked := documents.group.Wait(); panicked != nil {
			return nil, panicked
		}
	} else {
		m, err = d.judge(ctx, plugin, d.inOrder(ctx, src, plugin, transport.NewCounter(d.maxBytes)))
	}
	if err == nil {
		d.known.set(plugin, true)
	} else if e, ok := errors.AsType[*Error](err); ok && (e.Kind == UnknownPlugin || e.Kind == NotAdvertised) {
		d.known.set(plugin, false)
	}
	return m, err
}

// errName explains an unknown plugin.
var errName = errors.New("a plugin's name has 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or digit")

// inOrder fetches the documents one by one, as they are asked for. counter may be nil.
func (d *Discoverer) inOrder(ctx context.Context, src Source, plugin string, counter *transport.Counter) func(i int) *document {
	return func(i int) *document {
		switch i {
		case 0:
			return fetch(ctx, src, listingPath, manifest.MaxRootBytes, boundRoot, counter)
		case 1:
			return fetch(ctx, src, rootPath(plugin), manifest.MaxRootBytes, boundRoot, counter)
		default:
			return fetch(ctx, src, manifestPath(plugin), d.maxManifest, boundManifest, counter)
		}
	}
}

// parallelDocuments are the three documents of a selection while they are fetched in parallel.
type parallelDocuments struct {
	group     errgroup.Group
	documents [3]*document
	ready     [3]chan struct{} // closed when the document is there, or never will be
}

// atOnce begins to fetch the documents. They have no counter: which of them count is known only when they are judged, and
// their own limits let no more than an eighth over [MaxBytes] arrive, whatever lower bound is configured.
func (d *Discoverer) atOnce(ctx context.Context, src Source, plugin string) *parallelDocuments {
	p := &parallelDocuments{}
	fetch := d.inOrder(ctx, src, plugin, nil)
	for i := range p.documents {
		p.ready[i] = make(chan struct{})
		guarded(&p.group, func() {
			defer close(p.ready[i])
			p.documents[i] = fetch(i)
		})
	}
	return p
}

// get waits for a document.
func (p *parallelDocuments) get(i int) *document {
	<-p.ready[i]
	if p.documents[i] == nil {
		return &document{err: errPanicked}
	}
	return p.documents[i]
}

// errPanicked stands for a document whose reader panicked; the group's error says more and replaces it.
var errPanicked = errors.New("reading the document failed")

// judge believes the documents in order. Each is charged to the aggregate limit when its turn comes, so a document that was
// fetched in vain costs nothing, as if it had never been asked for.
func (d *Discoverer) judge(ctx context.Context, plugin string, get func(i int) *document) (*manifest.Manifest, error) {
	var total int64
	next := func(i int) (*document, error) {
		doc := get(i)
		if doc.err != nil {
			if err := ended(ctx, plugin); err != nil {
				return nil, err
			}
		}
		if total += doc.charged(); total > d.maxBytes {
			return nil, &Error{Kind: Limit, Plugin: plugin, Bound: boundAggregate, Max: d.maxBytes}
		}
		return doc, nil
	}
	doc, err := next(0)
	if err != nil {
		return nil, err
	}
	l, err := d.parseListing(doc)
	if err != nil {
		return nil, err
	}
	if !l.roots[plugin] {
		for _, p := range l.problems {
			if p.Plugin == plugin {
				return nil, refused(UnknownPlugin, plugin, p.err)
			}
		}
		return nil, &Error{Kind: UnknownPlugin, Plugin: plugin}
	}
	if doc, err = next(1); err != nil {
		return nil, err
	}
	ok, err := d.advertises(plugin, doc)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, &Error{Kind: NotAdvertised, Plugin: plugin}
	}
	if doc, err = next(2); err != nil {
		return nil, err
	}
	return d.parseManifest(plugin, doc)
}
