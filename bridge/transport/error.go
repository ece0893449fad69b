package transport

import (
	"fmt"
	"net/http"
	"strings"
)

// Kind says what sort of failure an [Error] is.
type Kind string

// The kinds of failure.
const (
	// KindRequest is a request that cannot be sent as given: a bad method, path, header, limit. Nothing was sent.
	KindRequest Kind = "request"
	// KindUnreachable is an upstream that could not be connected to: name not found, refused, no route, or
	// nobody there within [ConnectTime].
	KindUnreachable Kind = "unreachable"
	// KindTLS is a failed TLS handshake, one that did not end within [ConnectTime], or an alert of the peer after it.
	KindTLS Kind = "tls"
	// KindDeadline is an exchange that did not end in time: [Config].Timeout or the deadline of the context. For a write
	// that was sent the latter does not count.
	KindDeadline Kind = "deadline"
	// KindCancelled is an exchange whose context was cancelled; for a write, before it was sent.
	KindCancelled Kind = "cancelled"
	// KindLimit is an answer over one of the bounds; [Error].Bound says which and [Error].Limit where it lies.
	KindLimit Kind = "limit"
	// KindEncoding is an answer with an unknown or stacked Content-Encoding, or a corrupt compressed stream.
	KindEncoding Kind = "encoding"
	// KindRedirect is a 3xx answer other than 304. It is never followed and its Location is not passed on.
	KindRedirect Kind = "redirect"
	// KindProtocol is an answer that is not HTTP/1.1, ends before it is complete, or a connection that was reset.
	KindProtocol Kind = "protocol"
)

// The bounds that an [Error] of [KindLimit] names.
const (
	// BoundContentLength is a Content-Length over what may be read; no byte of the body was read.
	BoundContentLength = "content-length"
	// BoundCompressed is more bytes on the wire than a compressed answer may have.
	BoundCompressed = "compressed"
	// BoundDecompressed is more decoded bytes than [Request].Limit.
	BoundDecompressed = "decompressed"
	// BoundAggregate is more decoded bytes, over all requests that share a [Counter], than its limit.
	BoundAggregate = "aggregate"
	// BoundHeader is a header block over [MaxHeaderBytes].
	BoundHeader = "header"
	// BoundWindow is a zstd frame that needs a window over [MaxWindow].
	BoundWindow = "window"
)

// Error is the only type of error that this package returns.
type Error struct {
	Kind     Kind
	Bound    string      // for KindLimit: one of the Bound constants
	Limit    int64       // for KindLimit: the bound in bytes
	Status   int         // the answer's status, 0 when none arrived
	Sent     bool        // at least one byte of the request was handed to the connection; false is a promise that none ever will be
	Received int64       // decoded bytes of the body that were received, all of them charged to the Counter
	Excerpt  []byte      // for writes: up to ExcerptBytes of what was decoded of the answer
	Header   http.Header // the answer's header without Location, nil when none arrived
	Err      error       // the cause, if there is more to say than the kind
}

// Error describes the failure and what to look at; it never contains a header value or a part of a body.
func (e *Error) Error() string {
	var what string
	switch e.Kind {
	case KindRequest:
		what = "the request cannot be sent"
	case KindUnreachable:
		what = "the upstream cannot be reached; check its address and that it is running"
	case KindTLS:
		what = "the TLS connection to the upstream failed; check its certificate and the configured CA"
	case KindDeadline:
		what = "the exchange with the upstream did not end in time"
	case KindCancelled:
		what = "the exchange with the upstream was cancelled"
	case KindLimit:
		what = fmt.Sprintf("the upstream's answer is over the %s limit of %d bytes; ask for less", e.Bound, e.Limit)
	case KindEncoding:
		what = "the upstream's answer has a content encoding that cannot be decoded"
	case KindRedirect:
		what = fmt.Sprintf("the upstream answered with a redirect (status %d), which is never followed; check its configured address", e.Status)
	case KindProtocol:
		what = "the upstream's answer is broken or incomplete"
	default:
		what = "the exchange with the upstream failed"
	}
	if e.Err == nil {
		return what
	}
	return what + ": " + clip(e.Err.Error())
}

// Unwrap gives the cause, so that errors.Is and errors.As see it.
func (e *Error) Unwrap() error { return e.Err }

// maxCause bounds the text of a cause inside a message: it may quote what the upstream sent.
const maxCause = 200

func clip(s string) string {
	if len(s) <= maxCause {
		return s
	}
	return strings.ToValidUTF8(s[:maxCause], "") + "…"
}
