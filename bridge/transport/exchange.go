package transport

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
)

// Response is a complete answer. 3xx answers other than 304 are errors instead.
type Response struct {
	Status   int
	Header   http.Header // as received, but without Content-Encoding and Content-Length when the body was decoded
	Body     []byte      // decoded and complete; empty for HEAD, 204, 205 and 304
	Received int64       // decoded bytes, all of them charged to the Counter
}

// errAggregate is the cause of a context that a Counter ended.
var errAggregate = errors.New("the sum of all answers is over its limit")

// exchange is the state of one Do.
type exchange struct {
	request  Request
	caller   context.Context
	note     note
	status   int
	header   http.Header
	received int64
	excerpt  []byte
}

// Do performs one exchange. Every error is an [*Error]. The time for it is the shorter of ctx's and [Config].Timeout,
// from the wait for a free connection and for memory to the last byte of the body; when it is over, the connection is
// closed and nothing of the exchange goes on. For a write that was sent, [Config].Timeout alone counts; see
// [Request].Write.
func (c *Client) Do(ctx context.Context, r Request) (*Response, error) {
	x := &exchange{request: r, caller: ctx}
	if r.Write {
		ctx = context.WithoutCancel(ctx)
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	ctx, done := context.WithTimeout(ctx, c.timeout)
	defer done()
	if r.Counter != nil {
		defer context.AfterFunc(r.Counter.over, func() { stop(errAggregate) })()
		if r.Counter.Exceeded() {
			stop(errAggregate)
		}
	}
	if r.Write {
		x.note.caller = x.caller
		leave := func() {
			if !x.note.seal() {
				stop(x.caller.Err())
			}
		}
		if x.caller.Err() != nil {
			leave() // AfterFunc would do it, but some time later
		}
		defer context.AfterFunc(x.caller, leave)()
	}
	body, err := c.exchange(ctx, x)
	if err != nil {
		return nil, x.failure(ctx, err)
	}
	return &Response{Status: x.status, Header: x.header, Body: body, Received: x.received}, nil
}

func (c *Client) exchange(ctx context.Context, x *exchange) ([]byte, error) {
	traced := httptrace.WithClientTrace(context.WithValue(ctx, dialKey{}, ctx), &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if own, ok := info.Conn.(*conn); ok {
				own.note.Store(&x.note)
			}
		},
	})
	req, err := c.build(traced, x.request)
	if err != nil {
		return nil, &Error{Kind: KindRequest, Err: err}
	}
	if err := c.enter(ctx); err != nil {
		return nil, fmt.Errorf("waiting for a connection: %w", err)
	}
	defer c.leave()
	transport := c.reads
	if x.request.Write {
		transport = c.writes
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return nil, fmt.Errorf("sending the request: %w", err)
	}
	// Closing before the end of the body closes the connection instead of reading on.
	defer resp.Body.Close()
	x.status, x.header = resp.StatusCode, resp.Header
	if resp.ProtoMajor != 1 || resp.StatusCode < 200 || resp.StatusCode > 599 {
		return nil, &Error{Kind: KindProtocol, Err: errors.New("the answer is not a final answer of HTTP/1.1")}
	}
	body, err := c.receive(ctx, x, resp)
	if resp.StatusCode >= 300 && resp.StatusCode < 400 && resp.StatusCode != http.StatusNotModified {
		// Its body is read only to be charged and quoted, so it does not matter how well that went.
		return nil, &Error{Kind: KindRedirect}
	}
	return body, err
}

// receive reads the body of an answer within all bounds.
func (c *Client) receive(ctx context.Context, x *exchange, resp *http.Response) ([]byte, error) {
	if x.request.Method == http.MethodHead || resp.ContentLength == 0 {
		return nil, nil
	}
	switch resp.StatusCode {
	case http.StatusNoContent, http.StatusResetContent, http.StatusNotModified:
		return nil, nil // RFC 9110 sections 15.3.5, 15.3.6 and 15.4.5: no content
	}
	coded, err := codingOf(resp.Header)
	if err != nil {
		return nil, err
	}
	most := x.request.Limit
	if coded != codingIdentity {
		most = wireLimit(x.request.Limit)
	}
	if resp.ContentLength > most {
		return nil, overLimit(BoundContentLength, most)
	}
	chunks := worst(coded, resp.ContentLength, x.request.Limit)
	if !c.budget.fits(chunks) {
		return nil, badEncoding("%s was not offered for an answer of this size", coded)
	}
	s, err := c.budget.enter(ctx, chunks)
	if err != nil {
		return nil, err
	}
	defer s.release()
	r := &reading{ctx: ctx, share: s, limit: x.request.Limit, counter: x.request.Counter}
	err = r.run(coded, resp.Body)
	x.received = r.received
	if x.request.Write {
		x.excerpt = r.body.copyOut(ExcerptBytes)
	}
	if err != nil {
		return nil, fmt.Errorf("reading the answer: %w", err)
	}
	if coded != codingIdentity {
		resp.Header.Del("Content-Encoding")
		resp.Header.Del("Content-Length")
	}
	return r.body.copyOut(r.body.size), nil
}

// failure turns whatever went wrong into the one type of error.
func (x *exchange) failure(ctx context.Context, err error) *Error {
	sent := x.note.seal()
	e := x.classify(err, context.Cause(ctx), x.over(ctx, sent))
	e.Sent = sent
	x.header.Del("Location")
	e.Status, e.Header, e.Received, e.Excerpt = x.status, x.header, x.received, x.excerpt
	return e
}

// over is why the exchange had to end, nil if it had not. A write that was not sent ends with its caller, even if the
// caller left so recently that the exchange's own context does not show it yet.
func (x *exchange) over(ctx context.Context, sent bool) error {
	if x.request.Write && !sent && x.caller.Err() != nil {
		return x.caller.Err()
	}
	return ctx.Err()
}

// classify finds the kind. What this package decided itself about an answer stands; other failures that come with the
// end of the exchange are its consequence, as a closed connection is.
func (x *exchange) classify(err, cause, over error) *Error {
	var ours *Error
	if errors.As(err, &ours) && ours.Kind != KindUnreachable && ours.Kind != KindTLS {
		return ours
	}
	if over != nil {
		switch {
		case cause == errAggregate:
			return overLimit(BoundAggregate, x.request.Counter.limit)
		case errors.Is(over, context.DeadlineExceeded):
			return &Error{Kind: KindDeadline, Err: context.DeadlineExceeded}
		}
		return &Error{Kind: KindCancelled, Err: context.Canceled}
	}
	if ours != nil {
		return ours
	}
	if headerTooLarge(err) {
		return overLimit(BoundHeader, MaxHeaderBytes)
	}
	// With TLS 1.3 a server judges the client's certificate after the client's handshake is over. crypto/tls reports
	// alerts only by these two words.
	var op *net.OpError
	if errors.As(err, &op) && (op.Op == "remote error" || op.Op == "local error") {
		return &Error{Kind: KindTLS, Err: err}
	}
	return &Error{Kind: KindProtocol, Err: err}
}

// headerTooLarge recognises net/http's refusal of an oversize header block, which has no type of its own.
func headerTooLarge(err error) bool {
	text := fmt.Sprintf("net/http: server response headers exceeded %d bytes; aborted", MaxHeaderBytes)
	for ; err != nil; err = errors.Unwrap(err) {
		if err.Error() == text {
			return true
		}
	}
	return false
}
