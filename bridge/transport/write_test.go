package transport

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// leaving is a caller's context that ends when the test says so, and for the reason that the test gives.
type leaving struct {
	context.Context
	done chan struct{}
	mu   sync.Mutex
	err  error
}

func newLeaving() *leaving { return &leaving{Context: context.Background(), done: make(chan struct{})} }

func (l *leaving) Done() <-chan struct{} { return l.done }

func (l *leaving) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

func (l *leaving) end(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.err = err
	close(l.done)
}

// reasons are those for which a caller's context ends.
var reasons = []struct {
	name string
	err  error
	kind Kind
}{
	{"cancelled", context.Canceled, KindCancelled},
	{"deadline", context.DeadlineExceeded, KindDeadline},
}

// The stages before the first byte. Each gives a client and a channel that is closed when a write hangs at that stage.
var stages = []struct {
	name string
	make func(t *testing.T, p *peer) (*Client, <-chan struct{})
}{
	{"already over", func(t *testing.T, p *peer) (*Client, <-chan struct{}) { return client(t, p.url), nil }},
	{"dialing", func(t *testing.T, p *peer) (*Client, <-chan struct{}) {
		c, hangs := client(t, p.url), make(chan struct{})
		c.writes.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			close(hangs)
			<-exchangeContext(ctx).Done()
			return nil, &Error{Kind: KindUnreachable, Err: ctx.Err()}
		}
		return c, hangs
	}},
	{"dialing, and the connection comes all the same", func(t *testing.T, p *peer) (*Client, <-chan struct{}) {
		c, hangs := client(t, p.url), make(chan struct{})
		c.writes.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			close(hangs)
			<-exchangeContext(ctx).Done()
			return dialer{connect: ConnectTime}.plain(context.Background(), network, addr)
		}
		return c, hangs
	}},
	{"TLS handshake", func(t *testing.T, _ *peer) (*Client, <-chan struct{}) {
		hangs := make(chan struct{})
		s := raw(t, func(net.Conn) { close(hangs) })
		return client(t, &url.URL{Scheme: "https", Host: s.url.Host}), hangs
	}},
}

// A write that was not sent is not sent after its caller left.
func TestWriteEndsWithItsCallerBeforeItIsSent(t *testing.T) {
	for _, stage := range stages {
		for _, reason := range reasons {
			t.Run(stage.name+", "+reason.name, func(t *testing.T) {
				before := runtime.NumGoroutine()
				t.Run("", func(t *testing.T) {
					p := listen(t, say(answer("hello")))
					c, hangs := stage.make(t, p)
					caller := newLeaving()
					if hangs == nil {
						caller.end(reason.err)
					}
					result := make(chan error, 1)
					go func() {
						_, err := c.Do(caller, post(100))
						result <- err
					}()
					if hangs != nil {
						<-hangs
						caller.end(reason.err)
					}
					e, ok := errors.AsType[*Error](<-result)
					if !ok || e.Kind != reason.kind || e.Sent || !errors.Is(e, reason.err) {
						t.Errorf("got %v, want %s and not sent", e, reason.kind)
					}
					if n := p.requests.Load(); n != 0 {
						t.Errorf("the server saw %d requests", n)
					}
				})
				settles(t, before)
			})
		}
	}
}

// While it waits for a place, too, and then it neither takes nor gives one back.
func TestWriteEndsWithItsCallerWhileItWaits(t *testing.T) {
	for _, reason := range reasons {
		t.Run(reason.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := client(t, &url.URL{Scheme: "http", Host: "netbox.example.com"}, func(c *Config) { c.MaxConnections = 1 })
				c.places <- struct{}{}
				caller, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				if reason.err == context.Canceled {
					time.AfterFunc(2*time.Second, cancel)
				}
				begin := time.Now()
				_, err := c.Do(caller, post(100))
				e, ok := errors.AsType[*Error](err)
				if !ok || e.Kind != reason.kind || e.Sent {
					t.Errorf("got %v, want %s and not sent", err, reason.kind)
				}
				if took := time.Since(begin); took > 5*time.Second || len(c.places) != 1 {
					t.Errorf("it took %v, and %d places are taken", took, len(c.places))
				}
			})
		})
	}
}

// A write that was sent runs to its own end after its caller left: to its answer, or to the client's timeout.
func TestWriteOutlivesItsCallerOnceItIsSent(t *testing.T) {
	for _, reason := range reasons {
		t.Run(reason.name, func(t *testing.T) {
			caller := newLeaving()
			p := listen(t, func(c net.Conn, _ *http.Request) {
				io.WriteString(c, "HTTP/1.1 201 Created\r\nContent-Length: 5\r\n\r\nhe")
				caller.end(reason.err)
				io.WriteString(c, "llo")
			})
			got, err := client(t, p.url).Do(caller, post(100))
			if err != nil || got.Status != 201 || string(got.Body) != "hello" {
				t.Errorf("got %v, %v", got, err)
			}
		})
		t.Run(reason.name+", no answer", func(t *testing.T) {
			caller := newLeaving()
			p := listen(t, func(c net.Conn, _ *http.Request) {
				caller.end(reason.err)
				c.Read(make([]byte, 1))
			})
			c := client(t, p.url, func(c *Config) { c.Timeout = 300 * time.Millisecond })
			begin := time.Now()
			_, err := c.Do(caller, post(100))
			if e, ok := errors.AsType[*Error](err); !ok || e.Kind != KindDeadline || !e.Sent || time.Since(begin) < c.timeout {
				t.Errorf("got %v after %v", err, time.Since(begin))
			}
		})
		t.Run(reason.name+", cut", func(t *testing.T) {
			caller := newLeaving()
			p := listen(t, func(c net.Conn, _ *http.Request) {
				caller.end(reason.err)
				c.Close()
			})
			_, err := client(t, p.url).Do(caller, post(100))
			if e, ok := errors.AsType[*Error](err); !ok || e.Kind != KindProtocol || !e.Sent {
				t.Errorf("got %v, want %s and sent", err, KindProtocol)
			}
		})
	}
}

// The first write asks for the caller itself: that nobody sealed the note yet does not let it through. Later ones go on.
func TestNoteOfACallerWhoLeft(t *testing.T) {
	caller := newLeaving()
	begun, late := note{caller: caller}, note{caller: caller}
	if !begun.begin() {
		t.Error("a write is forbidden while its caller is there")
	}
	caller.end(context.Canceled)
	if !begun.begin() || !begun.seal() {
		t.Error("a write that had begun does not go on")
	}
	for range 2 {
		if late.begin() {
			t.Error("a write begins after its caller left")
		}
	}
	if late.seal() {
		t.Error("a write that was forbidden counts as sent")
	}
}

// Connecting has a time of its own. Its end is not the exchange's, and says what may be wrong.
func TestConnectTime(t *testing.T) {
	tests := []struct {
		name    string
		scheme  string
		connect time.Duration
		kind    Kind
		text    string
	}{
		{"nobody answers", "http", -1, KindUnreachable, "the upstream cannot be reached; check its address and that it is running: it did not accept a connection within -1ns; something may drop the packets on the way"},
		{"nobody answers TLS", "https", -1, KindUnreachable, "the upstream cannot be reached; check its address and that it is running: it did not accept a connection within -1ns; something may drop the packets on the way"},
		{"silence instead of TLS", "https", 50 * time.Millisecond, KindTLS, "the TLS connection to the upstream failed; check its certificate and the configured CA: the peer did not finish the handshake within 50ms and may not speak TLS; check the scheme and the port"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := client(t, &url.URL{Scheme: tt.scheme, Host: silent(t).url.Host})
			d := dialer{tls: tlsConfig(nil, "localhost"), connect: tt.connect}
			c.reads, c.writes = newTransport(d), newTransport(d)
			for _, r := range []Request{get(100), post(100)} {
				begin := time.Now()
				e := fails(t, c, r)
				if e.Kind != tt.kind || e.Sent || e.Error() != tt.text {
					t.Errorf("%s: got %s, sent %v: %v", r.Method, e.Kind, e.Sent, e)
				}
				if took := time.Since(begin); took >= c.timeout/2 {
					t.Errorf("%s: it took %v", r.Method, took)
				}
			}
		})
	}
}

// Connecting is within the time of the exchange, and its time is the documented one.
func TestConnectTimeOfAClient(t *testing.T) {
	d := dialer{connect: ConnectTime}
	ctx, cancel := d.bounded(context.Background())
	defer cancel()
	if end, ok := ctx.Deadline(); !ok || time.Until(end) > ConnectTime || time.Until(end) < ConnectTime/2 {
		t.Errorf("the deadline is %v, %v", end, ok)
	}
	c := client(t, &url.URL{Scheme: "https", Host: silent(t).url.Host}, func(c *Config) { c.Timeout = 50 * time.Millisecond })
	if e := fails(t, c, post(100)); e.Kind != KindDeadline || e.Sent {
		t.Errorf("got %s, sent %v", e.Kind, e.Sent)
	}
}
