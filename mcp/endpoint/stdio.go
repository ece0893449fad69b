package endpoint

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lastWrite is how long a client that does not read can hold up the end of its connection.
const lastWrite = 2 * time.Second

// stdioKey carries the local client in the context of its requests.
type stdioKey struct{}

// localClient is the client of a stdio connection.
type localClient struct {
	binding *Binding
	// served ends when the connection should. The SDK hides that from requests, whose contexts only carry its values.
	served context.Context
}

// ServeStdio serves one client over a pair of streams, one JSON-RPC message a line, until in ends and every call is answered.
// When ctx ends first, the calls in progress are cancelled, their answers written, and the error is that of ctx. A line
// that [ReadMessage] refuses, or of more than 4 MiB, is answered with an error and otherwise ignored. Both streams are
// closed. Whoever holds them is the caller of the binding: on stdio the operating system has authenticated it.
func (e *Endpoint) ServeStdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser, b *Binding) error {
	if !b.ok() {
		return errIncomplete
	}
	answers := &wholeLines{WriteCloser: out}
	t := patient{&mcp.IOTransport{Reader: newJudgedLines(in, answers), Writer: answers, MaxLineLength: -1}, ctx}
	// Run would let no answer out any more once its context has ended, hence one that does not.
	return e.server.Run(context.WithValue(context.WithoutCancel(ctx), stdioKey{}, &localClient{b, ctx}), t)
}

// whileServed is ctx of a request, which on stdio ends with the connection's, too.
func whileServed(ctx context.Context) (context.Context, context.CancelFunc) {
	c, ok := ctx.Value(stdioKey{}).(*localClient)
	if !ok {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.served, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// patient is a transport whose connections tell of the end of the input, or of served, only when every call was answered.
// The SDK would cancel what is in progress, so that requests from a pipe or a file would get no answer.
type patient struct {
	mcp.Transport
	served context.Context
}

// Connect implements [mcp.Transport].
func (p patient) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := p.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &patientConn{Connection: c, served: p.served, open: make(map[jsonrpc.ID]bool), closed: make(chan struct{})}, nil
}

type patientConn struct {
	mcp.Connection
	served  context.Context
	closing sync.Once
	closed  chan struct{}

	mu   sync.Mutex
	open map[jsonrpc.ID]bool // calls without an answer yet
	none chan struct{}       // closed when there are no more, nil while nobody waits
}

// Read implements [mcp.Connection]. The SDK's context is left aside, because it never ends.
func (c *patientConn) Read(context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(c.served)
	if err != nil {
		c.await()
		return nil, err
	}
	// A subscription has no answer as long as it lives.
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() && r.Method != "subscriptions/listen" {
		c.mu.Lock()
		c.open[r.ID] = true
		c.mu.Unlock()
	}
	return m, nil
}

// await waits until no call is open or the connection is closed.
func (c *patientConn) await() {
	c.mu.Lock()
	none := make(chan struct{})
	c.none = none
	c.settle()
	c.mu.Unlock()
	select {
	case <-none:
	case <-c.closed:
	}
}

// settle tells who waits when there is nothing to wait for. The caller holds the lock.
func (c *patientConn) settle() {
	if c.none != nil && len(c.open) == 0 {
		close(c.none)
		c.none = nil
	}
}

// Write implements [mcp.Connection].
func (c *patientConn) Write(ctx context.Context, m jsonrpc.Message) error {
	written := make(chan struct{})
	defer close(written)
	stop := context.AfterFunc(c.served, func() {
		select {
		case <-written:
		case <-time.After(lastWrite):
			_ = c.Close()
		}
	})
	defer stop()
	r, ok := m.(*jsonrpc.Response)
	if !ok {
		return c.Connection.Write(ctx, m)
	}
	if r.Error != nil {
		better := *r
		better.Error = reworded(wireError(r.Error))
		m = &better
	}
	err := c.Connection.Write(ctx, m)
	c.mu.Lock()
	delete(c.open, r.ID)
	c.settle()
	c.mu.Unlock()
	return err
}

// wireError is an error as the SDK would write it: with the code of the one that it wraps.
func wireError(err error) *jsonrpc.Error {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	switch {
	case !ok:
		return &jsonrpc.Error{Message: err.Error()}
	case e.Error() == err.Error():
		return e
	}
	return &jsonrpc.Error{Code: e.Code, Message: err.Error()}
}

// Close implements [mcp.Connection].
func (c *patientConn) Close() error {
	c.closing.Do(func() { close(c.closed) })
	return c.Connection.Close()
}
