package transport

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"sync/atomic"
)

// The states of a note.
const (
	untouched int32 = iota
	begun           // a byte was handed to a connection
	sealed          // none was, and none will be
)

// note is what an exchange knows about its own sending. A failed exchange seals it, and from then on connections refuse
// to write for it: "not sent" is thereby a decision, not an observation that a late write could make false.
type note struct{ state atomic.Int32 }

// begin is asked before each write; false forbids it.
func (n *note) begin() bool {
	return n.state.CompareAndSwap(untouched, begun) || n.state.Load() == begun
}

// seal ends the sending and says whether it had begun.
func (n *note) seal() (sent bool) {
	return !n.state.CompareAndSwap(untouched, sealed) && n.state.Load() == begun
}

// conn is a connection that tells the exchange it carries about the first write. net/http's own traces cannot: they
// report bytes that went into a buffer. With TLS it lies above the TLS layer, so a handshake is not a write.
type conn struct {
	net.Conn
	note atomic.Pointer[note]
}

func (c *conn) Write(p []byte) (int, error) {
	if n := c.note.Load(); n != nil && len(p) > 0 && !n.begin() {
		return 0, net.ErrClosed
	}
	return c.Conn.Write(p)
}

// dialKey finds the context of the exchange inside the one that net/http dials with.
type dialKey struct{}

// dialer opens connections to one upstream.
type dialer struct {
	socket string
	tls    *tls.Config
}

// open dials. net/http detaches a dial from the request it is for, so that another request may have the connection; a
// dial that is bound by nothing could then hang on after everybody left. This one ends with its exchange.
func (d dialer) open(ctx context.Context, network, addr string) (net.Conn, error) {
	if d.socket != "" {
		network, addr = "unix", d.socket
	}
	var nd net.Dialer
	raw, err := nd.DialContext(ctx, network, addr)
	if err != nil {
		return nil, &Error{Kind: KindUnreachable, Err: err}
	}
	return raw, nil
}

func (d dialer) plain(ctx context.Context, network, addr string) (net.Conn, error) {
	raw, err := d.open(exchangeContext(ctx), network, addr)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: raw}, nil
}

func (d dialer) secure(ctx context.Context, network, addr string) (net.Conn, error) {
	ctx = exchangeContext(ctx)
	raw, err := d.open(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	tc := tls.Client(raw, d.tls)
	if err := tc.HandshakeContext(ctx); err != nil {
		raw.Close()
		return nil, &Error{Kind: KindTLS, Err: fmt.Errorf("handshake: %w", err)}
	}
	return &conn{Conn: tc}, nil
}

func exchangeContext(ctx context.Context) context.Context {
	if own, ok := ctx.Value(dialKey{}).(context.Context); ok {
		return own
	}
	return ctx
}
