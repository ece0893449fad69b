package discovery

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/errgroup"

	"caddy-netbox-mcp/bridge/netboxapi"
	"caddy-netbox-mcp/bridge/transport"
)

// document is one fetched document before anything in it is believed.
type document struct {
	path     string
	limit    int64
	bound    string // the name of the limit
	response *transport.Response
	err      error
}

// fetch reads a document. counter may be nil.
func fetch(ctx context.Context, src Source, path string, limit int64, bound string, counter *transport.Counter) *document {
	d := &document{path: path, limit: limit, bound: bound}
	d.response, d.err = src.Get(ctx, path, limit, counter)
	return d
}

// fetchInTime is fetch for a plugin's document in a scan, with [documentTime] for it.
func fetchInTime(ctx context.Context, src Source, path string, limit int64, bound string, counter *transport.Counter) *document {
	ctx, cancel := context.WithTimeoutCause(ctx, documentTime, errDocumentTime)
	defer cancel()
	d := fetch(ctx, src, path, limit, bound, counter)
	if d.err != nil && context.Cause(ctx) == errDocumentTime {
		d.err = fmt.Errorf("%w: %w", errDocumentTime, d.err)
	}
	return d
}

// errDocumentTime is the cause of a context that ended because one document of a scan took too long.
var errDocumentTime = fmt.Errorf("no answer within %v; ask for this plugin by name, which allows %v, or tell its author", documentTime, MaxTime)

// charged is how many bytes of the body were received: at most limit + 1, whatever the answer's status.
func (d *document) charged() int64 {
	if e, ok := errors.AsType[*transport.Error](d.err); ok {
		return e.Received
	}
	if d.response != nil {
		return d.response.Received
	}
	return 0
}

// body returns the body of a successful answer. The error is a limit of this package, the transport's error, or a
// [netboxapi.StatusError].
func (d *document) body(plugin string) ([]byte, error) {
	if oversize(d.err) {
		return nil, &Error{Kind: Limit, Plugin: plugin, Bound: d.bound, Max: d.limit, Err: d.err}
	}
	if d.err != nil {
		return nil, d.err
	}
	if err := netboxapi.CheckStatus(d.path, d.response); err != nil {
		return nil, err
	}
	if netboxapi.IsHTML(d.response) {
		// A login page, or no NetBox at all: saying that it is no JSON would help nobody.
		return nil, &netboxapi.StatusError{Path: d.path, Status: d.response.Status, HTML: true}
	}
	return d.response.Body, nil
}

// oversize reports whether a document failed because its body has more bytes than it may. The other limits of package
// transport, such as that of the header block, are not this package's and are passed on as they are.
func oversize(err error) bool {
	e, ok := errors.AsType[*transport.Error](err)
	if !ok || e.Kind != transport.KindLimit {
		return false
	}
	return e.Bound == transport.BoundContentLength || e.Bound == transport.BoundCompressed || e.Bound == transport.BoundDecompressed
}

// ended is the error of a discovery whose own time or whose caller's interest is over; nil while neither is. The plugin is
// empty for a scan.
func ended(ctx context.Context, plugin string) error {
	switch {
	case ctx.Err() == nil:
		return nil
	case errors.Is(context.Cause(ctx), errTime):
		return &Error{Kind: Limit, Plugin: plugin, Bound: boundTime, Max: int64(MaxTime.Seconds()), Err: context.DeadlineExceeded}
	default:
		return ctx.Err()
	}
}

// errTime is the cause of a context that ended because discovery took too long.
var errTime = errors.New("plugin discovery took too long")

// guarded runs f in a group. A panic becomes the group's error: on a goroutine of its own it would end the process.
func guarded(g *errgroup.Group, f func()) {
	g.Go(func() (err error) {
		defer caught(&err)
		f()
		return nil
	})
}

// caught, deferred, turns a panic into an error. It is for the log only, which is why it has the stack.
func caught(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic in plugin discovery: %.200v\n%s", p, debug.Stack())
	}
}
