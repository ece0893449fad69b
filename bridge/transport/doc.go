// Package transport carries one HTTP/1.1 exchange with an upstream that is not trusted.
//
// It guarantees that every answer is complete and within bounds, or an [*Error] that names what went wrong: the header
// block, the bytes on the wire, the decoded bytes, the decoder's window, the sum over a scan, the time and the memory of
// the whole process are all bounded, and none of these bounds trusts what the upstream says about itself. An error also
// tells exactly whether any byte of the request was handed to the connection, which is what decides if a failed write
// may be called "not sent" or must be called "outcome unknown".
//
// It refuses to follow redirects, to decode anything but gzip and zstd, to send framing or hop-by-hop headers of a
// caller, to repeat a write, and to use a proxy, a cookie or a cache.
//
// The package knows nothing of NetBox or of any other upstream, and may be used by many goroutines at once.
package transport
