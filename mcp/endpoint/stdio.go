package endpoint

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stdioKey carries the binding of a stdio connection in its context.
type stdioKey struct{}

// ServeStdio serves one client over a pair of streams, one JSON-RPC message a line, until in ends and every call is answered, or
// until ctx ends. Whoever holds the streams is the caller of the binding: on stdio the operating system has authenticated it.
func (e *Endpoint) ServeStdio(ctx context.Context, in io.ReadCloser, out io.WriteCloser, b *Binding) error {
	if !b.ok() {
		return errIncomplete
	}
	return e.server.Run(context.WithValue(ctx, stdioKey{}, b), patient{&mcp.IOTransport{Reader: in, Writer: out}})
}

// patient is a transport whose connections tell of the end of the input only when every call was answered. The SDK would
// cancel what is in progress, so that requests from a pipe or a file would get no answer.
type patient struct{ mcp.Transport }

// Connect implements [mcp.Transport].
func (p patient) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := p.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &patientConn{Connection: c, open: make(map[jsonrpc.ID]bool), closed: make(chan struct{})}, nil
}

type patientConn struct {
	mcp.Connection
	closing sync.Once
	closed  chan struct{}

	mu   sync.Mutex
	open map[jsonrpc.ID]bool // calls without an answer yet
	none chan struct{}       // closed when there are no more, nil while nobody waits
}

// Read implements [mcp.Connection].
func (c *patientConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if errors.Is(err, io.EOF) {
		c.await(ctx)
	}
	// A subscription has no answer as long as it lives.
	if r, ok := m.(*jsonrpc.Request); ok && err == nil && r.IsCall() && r.Method != "subscriptions/listen" {
		c.mu.Lock()
		c.open[r.ID] = true
		c.mu.Unlock()
	}
	return m, err
}

// await waits until no call is open, the connection is closed or ctx is over.
func (c *patientConn) await(ctx context.Context) {
	c.mu.Lock()
	none := make(chan struct{})
	c.none = none
	c.settle()
	c.mu.Unlock()
	select {
	case <-none:
	case <-c.closed:
	case <-ctx.Done():
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
	err := c.Connection.Write(ctx, m)
	if r, ok := m.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.open, r.ID)
		c.settle()
		c.mu.Unlock()
	}
	return err
}

// Close implements [mcp.Connection].
func (c *patientConn) Close() error {
	c.closing.Do(func() { close(c.closed) })
	return c.Connection.Close()
}
