package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"
)

// The places of a bomb.
const (
	inListing = "listing" // the list of plugins, which may have 1 MiB
	inAnswer  = "answer"  // the answer of a tool, which may have 256 KiB
)

// bombOptions describe a hostile answer that decompresses to far more than it may.
type bombOptions struct {
	Place  string        // inListing or inAnswer
	Coding string        // gzip or zstd
	Size   int           // bytes when decompressed
	Hold   time.Duration // how long the answer pauses when it is just under the limit of its place
}

// bomb is a compressed body in two parts. With the first part the reader holds as much as it ever will; the second passes
// the limit.
type bomb struct {
	coding        string
	first, second []byte
	hold          time.Duration
}

// belowLimit is how far under its limit a bomb pauses, so that what is framing does not pass it.
const belowLimit = 64 << 10

// newBomb makes a bomb for a place that allows limit bytes.
func newBomb(o bombOptions, limit int) (*bomb, error) {
	b := &bomb{coding: o.Coding, hold: o.Hold}
	var err error
	switch o.Coding {
	case "gzip":
		b.first, b.second, err = gzipBomb(o.Size, limit-belowLimit)
	case "zstd":
		b.first, b.second = zstdBomb(o.Size, limit-belowLimit)
	default:
		err = fmt.Errorf("no bomb is made with %.20q", o.Coding)
	}
	return b, err
}

// gzipBomb compresses zeros. The first part decompresses to pause bytes.
func gzipBomb(size, pause int) (first, second []byte, err error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, nil, fmt.Errorf("making a gzip bomb: %w", err)
	}
	zeros := make([]byte, 64<<10)
	write := func(n int) {
		for n > 0 && err == nil {
			var written int
			written, err = z.Write(zeros[:min(n, len(zeros))])
			n -= written
		}
	}
	write(pause)
	if err == nil {
		err = z.Flush()
	}
	mark := out.Len()
	write(size - pause)
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return nil, nil, fmt.Errorf("making a gzip bomb: %w", err)
	}
	return out.Bytes()[:mark], out.Bytes()[mark:], nil
}

// Parts of a zstd frame (RFC 8878 sections 3.1.1.1 and 3.1.1.2). The frame is written by hand: all that it needs is blocks
// that are stored and blocks that repeat one byte.
const (
	zstdMagic = "\x28\xb5\x2f\xfd"
	// zstdHeader says: no checksum, no dictionary, no content size, and a window of 8 MiB, the largest that RFC 9659 allows.
	zstdHeader = "\x00\x68"
	zstdBlock  = 128 << 10 // the largest block
	zstdRaw    = 0
	zstdRepeat = 1
)

// zstdBomb begins with noise, which is as large compressed as it is decompressed: a reader that holds the compressed form
// until it is complete then holds both. Repeated bytes follow.
func zstdBomb(size, noise int) (first, second []byte) {
	block := func(out []byte, kind, n int, last bool) []byte {
		header := uint32(kind<<1 | n<<3)
		if last {
			header |= 1
		}
		return append(out, binary.LittleEndian.AppendUint32(nil, header)[:3]...)
	}
	first = []byte(zstdMagic + zstdHeader)
	random := rand.NewChaCha8([32]byte{}) // the same bytes each time
	for left := noise; left > 0; left -= zstdBlock {
		n := min(left, zstdBlock)
		stored := make([]byte, n)
		_, _ = random.Read(stored) // it never fails
		first = append(block(first, zstdRaw, n, false), stored...)
	}
	for left := size - noise; left > 0; left -= zstdBlock {
		second = append(block(second, zstdRepeat, min(left, zstdBlock), left <= zstdBlock), 0)
	}
	return first, second
}

// ServeHTTP sends the bomb without a Content-Length, which would give it away.
func (b *bomb) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Encoding", b.coding)
	_, _ = w.Write(b.first) // a client that went away has seen enough
	_ = http.NewResponseController(w).Flush()
	if pause(r, b.hold) {
		_, _ = w.Write(b.second)
	}
}
