package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Request is one request. Do changes nothing in it. After an answer that came early the body may still be read for a
// moment, so the caller must not reuse its memory.
type Request struct {
	// Method is an HTTP method in capitals, for instance GET.
	Method string
	// Path is the escaped path including any prefix; it starts with one "/" and is sent exactly as given.
	Path string
	// Query is the raw query without "?"; it is sent exactly as given.
	Query string
	// Header may not contain framing, hop-by-hop or encoding headers; those are the transport's own.
	Header http.Header
	// Body is sent with its length; empty means no body.
	Body []byte
	// Write marks a request that changes something: it is sent once, on a connection of its own, and never repeated. A
	// request that is not a write may be sent a second time when a reused connection turns out to have been closed by
	// the upstream before the first byte of an answer.
	//
	// A write belongs to its caller only until it is sent. When the context of Do ends before the first byte, it is never
	// sent: the error is of [KindCancelled] or, if the context's deadline passed, [KindDeadline], and not Sent. When the
	// context ends after the first byte, nothing happens: Do goes on to the end of the exchange, bounded by
	// [Config].Timeout, because to stop it would turn an outcome that can be known into one that cannot.
	Write bool
	// Limit bounds the decoded bytes of the answer's body, whatever its status; it must be positive
	// and at most [Budget.MaxLimit].
	Limit int64
	// Counter, if set, is charged with every decoded byte.
	Counter *Counter
}

// refused says whether a header is the transport's own or would change how the message is framed or routed
// (RFC 9110 section 7.6.1, RFC 9112 section 6).
func refused(name string) bool {
	switch name {
	case "Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Expect", "Host", "Http2-Settings",
		"Idempotency-Key", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent", "X-Idempotency-Key":
		return true
	}
	return strings.HasPrefix(name, "Proxy-")
}

// build checks a request and turns it into net/http's.
func (c *Client) build(ctx context.Context, r Request) (*http.Request, error) {
	switch {
	case !validToken(r.Method) || r.Method != strings.ToUpper(r.Method) || r.Method == http.MethodConnect:
		return nil, errors.New("the method must be an HTTP method in capitals, other than CONNECT")
	case !strings.HasPrefix(r.Path, "/") || strings.HasPrefix(r.Path, "//") || !validTarget(r.Path, false):
		return nil, errors.New("the path must start with a single slash and be percent-encoded")
	case !validTarget(r.Query, true):
		return nil, errors.New("the query must be percent-encoded")
	case r.Limit <= 0 || r.Limit > c.budget.MaxLimit():
		return nil, fmt.Errorf("the limit of the answer must be between 1 and %d bytes", c.budget.MaxLimit())
	}
	header := make(http.Header, len(r.Header)+4)
	for name, values := range r.Header {
		name = http.CanonicalHeaderKey(name)
		if !validToken(name) || refused(name) {
			return nil, fmt.Errorf("the header %q cannot be set", clip(name))
		}
		for _, v := range values {
			if !validValue(v) {
				return nil, fmt.Errorf("the header %q has a value with control characters", clip(name))
			}
			header.Add(name, v)
		}
	}
	header.Set("User-Agent", c.agent) // an empty one keeps net/http from sending its own
	if c.proto != "" {
		header.Set("X-Forwarded-Proto", c.proto)
	}
	if r.Method == http.MethodGet && header.Get("Range") == "" {
		header.Set("Accept-Encoding", c.accepted(r.Limit))
	}
	// An opaque URL is the only form whose path net/http sends byte by byte as given.
	target := url.URL{Scheme: c.origin.Scheme, Host: c.origin.Host, Opaque: r.Path, RawQuery: r.Query}
	req := (&http.Request{
		Method: r.Method, URL: &target, Host: c.host, Header: header,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(ctx)
	if len(r.Body) > 0 {
		req.ContentLength = int64(len(r.Body))
		req.Body = io.NopCloser(bytes.NewReader(r.Body))
	}
	if !r.Write {
		repeatable(req, r.Body)
	}
	return req, nil
}

// repeatable lets net/http send a read again whose reused connection was closed under it. It knows that of GET and HEAD
// itself. Of other methods it learns it from a header with no value, which is not sent.
func repeatable(req *http.Request, body []byte) {
	req.Header["Idempotency-Key"] = []string{}
	if len(body) > 0 {
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	}
}

// accepted is the Accept-Encoding for an answer of at most limit bytes: zstd only where the compressed body fits into
// the memory budget beside the decoded one.
func (c *Client) accepted(limit int64) string {
	if c.budget.fits(worst(codingZstd, -1, limit)) {
		return "zstd, gzip"
	}
	return "gzip"
}

// validToken says whether s is a token of RFC 9110 section 5.6.2.
func validToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return s != ""
}

// validValue says whether s is free of control characters; a tab is none here.
func validValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// validTarget says whether s consists of what RFC 3986 allows in a path or a query. Square brackets and a bar are
// allowed in a query too, because programs commonly leave them bare there.
func validTarget(s string, query bool) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~!$&'()*+,;=:@/", c) >= 0:
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			i += 2
		case query && strings.IndexByte("?[]|", c) >= 0:
		default:
			return false
		}
	}
	return true
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
