package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"
)

// The states of a note.
const (
	untouched int32 = iota
	begun           // a byte was handed to a connection
	sealed          // none was, and none will be
)

// note is what an exchange knows about its own sending. A failed exchange seals it, and from then on connections refuse
// to write for it: "not sent" is thereby a decision, not an observation that a late write could make false.
type note struct {
	caller context.Context // without it nothing is begun any more; nil if that does not matter
	state  atomic.Int32
}

// begin is asked before each write; false forbids it.
func (n *note) begin() bool {
	if n.caller != nil && n.caller.Err() != nil {
		// The caller just left, and who seals the note for that has not come to it yet.
		return n.seal()
	}
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
	socket  string
	tls     *tls.Config
	connect time.Duration // ConnectTime but in tests
}

// errConnectTime is the cause of a context that ended because connecting took too long.
var errConnectTime = errors.New("connecting took too long")

// bounded is the context of a dial: the exchange's, with the time for connecting.
func (d dialer) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(exchangeContext(ctx), d.connect, errConnectTime)
}

// slow says whether connecting failed because it took too long. The network may notice a deadline a moment before its
// context does, so past the deadline this waits for the context.
func slow(ctx context.Context) bool {
	if end, ok := ctx.Deadline(); ok && !time.Now().Before(end) {
		<-ctx.Done()
	}
	return context.Cause(ctx) == errConnectTime
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
		if slow(ctx) {
			err = fmt.Errorf("it did not accept a connection within %v; something may drop the packets on the way", d.connect)
		}
		return nil, &Error{Kind: KindUnreachable, Err: err}
	}
	return raw, nil
}

func (d dialer) plain(ctx context.Context, network, addr string) (net.Conn, error) {
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	raw, err := d.open(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: raw}, nil
}

func (d dialer) secure(ctx context.Context, network, addr string) (net.Conn, error) {
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	raw, err := d.open(ctx, network, addr)
	if err != nil {
		return nil, err
	}
	tc := tls.Client(raw, d.tls)
	if err := tc.HandshakeContext(ctx); err != nil {
		raw.Close()
		err = fmt.Errorf("handshake: %w", err)
		if slow(ctx) {
			err = fmt.Errorf("the peer did not finish the handshake within %v and may not speak TLS; check the scheme and the port", d.connect)
		}
		return nil, &Error{Kind: KindTLS, Err: err}
	}
	return &conn{Conn: tc}, nil
}

func exchangeContext(ctx context.Context) context.Context {
	if own, ok := ctx.Value(dialKey{}).(context.Context); ok {
		return own
	}
	return ctx
}
