package transport

import (
	"fmt"
	"time"
)

const (
	// DefaultConnections is how many exchanges a client has in progress at one time.
	DefaultConnections = 32
	// ConnectTime bounds connecting to the upstream, TLS handshake included. A peer that does not speak TLS is commonly
	// silent instead of refusing; that should not look like an upstream that is slow to answer. A shorter Timeout still
	// ends the exchange first.
	ConnectTime = 10 * time.Second
	// DefaultTimeout bounds one exchange as a whole.
	DefaultTimeout = 30 * time.Second
	// MaxHeaderBytes bounds the header block of an answer in bytes, interim answers included.
	MaxHeaderBytes = 64 << 10
	// MaxWindow is the largest zstd window in bytes: RFC 9659 allows no more for HTTP.
	MaxWindow = 8 << 20
	// ExcerptBytes bounds the part of an answer that the error of a write carries.
	ExcerptBytes = 2 << 10

	// idleTime is how long an unused connection is kept. Gunicorn closes after 2 s by default; being earlier keeps
	// requests from running into a connection that is just being closed.
	idleTime = 1500 * time.Millisecond
)

// wireLimit bounds the bytes of a compressed body whose decoded form may have limit bytes. Data that cannot be
// compressed grows by far less than a 64th; what is on top covers the headers of short streams. The bound is what ends
// a stream that never decodes to anything: empty gzip members, skippable zstd frames.
func wireLimit(limit int64) int64 { return limit + limit/64 + 16<<10 }

// chunksFor is the number of chunks that n bytes need.
func chunksFor(n int64) int64 { return (n + chunkSize - 1) / chunkSize }

func overLimit(bound string, limit int64) *Error {
	return &Error{Kind: KindLimit, Bound: bound, Limit: limit}
}

func badEncoding(format string, args ...any) *Error {
	return &Error{Kind: KindEncoding, Err: fmt.Errorf(format, args...)}
}
