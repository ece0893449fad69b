package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// coding is a content coding that can be decoded.
type coding string

const (
	codingIdentity coding = "identity"
	codingGzip     coding = "gzip"
	codingZstd     coding = "zstd"
)

// codingOf reads the Content-Encoding of an answer. RFC 9110 section 8.4.1.3 makes x-gzip another name of gzip.
func codingOf(h http.Header) (coding, error) {
	found := codingIdentity
	for name := range strings.SplitSeq(strings.Join(h.Values("Content-Encoding"), ","), ",") {
		var this coding
		switch strings.ToLower(strings.Trim(name, " \t")) {
		case "", "identity":
			continue
		case "gzip", "x-gzip":
			this = codingGzip
		case "zstd":
			this = codingZstd
		default:
			return "", badEncoding("the Content-Encoding %q is unknown; only gzip and zstd are", clip(name))
		}
		if found != codingIdentity {
			return "", badEncoding("the body is encoded more than once")
		}
		found = this
	}
	return found, nil
}

// worst is the number of chunks that an answer needs in the worst case; length is its Content-Length or negative.
func worst(c coding, length, limit int64) int64 {
	switch {
	case c == codingZstd && length >= 0:
		return chunksFor(length+1) + chunksFor(limit+1)
	case c == codingZstd:
		return chunksFor(wireLimit(limit)+1) + chunksFor(limit+1)
	case c == codingIdentity && length >= 0:
		return chunksFor(length + 1)
	}
	return chunksFor(limit + 1)
}

// reading is the reading of one body.
type reading struct {
	ctx      context.Context
	share    *share
	limit    int64
	counter  *Counter
	body     pile
	received int64
}

// run reads the body from src until its end. After an error the body holds what was decoded before it.
func (r *reading) run(c coding, src io.Reader) error {
	if c == codingIdentity {
		return r.fill(src)
	}
	w := &wire{ctx: r.ctx, src: src, limit: wireLimit(r.limit)}
	var err error
	if c == codingGzip {
		err = r.gunzip(w)
	} else {
		err = r.unzstd(w)
	}
	var ours *Error
	switch {
	case err == nil || errors.As(err, &ours):
		return err
	case w.err != nil:
		return w.err // a decoder only reports that its input ended too early; this is why
	case r.ctx.Err() != nil:
		return r.ctx.Err()
	case errors.Is(err, zstd.ErrWindowSizeExceeded), errors.Is(err, zstd.ErrDecoderSizeExceeded):
		return overLimit(BoundWindow, MaxWindow)
	}
	return badEncoding("decoding %s: %w", c, err)
}

// fill takes decoded bytes from src, charging each piece, and never more than one byte over the limit.
func (r *reading) fill(src io.Reader) error {
	for {
		room, err := r.body.room(r.ctx, r.share)
		if err != nil {
			return err
		}
		n, err := src.Read(room[:min(int64(len(room)), r.limit+1-r.received)])
		r.body.size += n
		r.received += int64(n)
		within := r.counter == nil || r.counter.charge(n)
		switch {
		case r.received > r.limit:
			return overLimit(BoundDecompressed, r.limit)
		case !within:
			return overLimit(BoundAggregate, r.counter.limit)
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}

// gunzip decodes as the bytes arrive. All members of a stream count together, and whatever follows the last one has to
// be another member.
func (r *reading) gunzip(w *wire) error {
	z := r.share.budget.gzip()
	if err := z.Reset(w); err != nil {
		return noEOF(err)
	}
	err := r.fill(z)
	if z.Reset(eof{}) == io.EOF { // lets go of the connection
		r.share.budget.gzips.Put(z)
	}
	return err
}

// unzstd lets all of the compressed body arrive before it takes a decoder, because a decoder holds up to MaxWindow:
// an upstream that sends slowly would keep it from everybody else.
func (r *reading) unzstd(w *wire) error {
	var raw pile
	cut := r.spool(&raw, w)
	if cut != nil && r.ctx.Err() != nil {
		return cut
	}
	err := r.unpack(&raw)
	if err == errOutgrown {
		if err = r.share.grow(r.ctx); err == nil {
			err = r.unpack(&raw)
		}
	}
	var ours *Error
	if cut != nil && !errors.As(err, &ours) {
		return cut // decoded all the same: what arrived is charged
	}
	return err
}

// unpack decodes a pile behind what the body holds already. It starts at the beginning each time, so that the decoder
// need not be kept while the share waits to grow; what is decoded twice is at most an entry.
func (r *reading) unpack(raw *pile) error {
	d, err := r.share.budget.zstd(r.ctx)
	if err != nil {
		return err
	}
	r.share.pinned = true
	var back *zstd.Decoder // stays nil, and a new decoder is made next time, unless this one is known to be clean
	defer func() {
		r.share.pinned = false
		r.share.budget.giveBack(back)
	}()
	err = d.Reset(&pileReader{ctx: r.ctx, pile: raw})
	if err == nil {
		_, err = io.CopyN(io.Discard, d, r.received)
	}
	if err == nil {
		err = r.fill(d)
	}
	if d.Reset(nil) == nil {
		back = d
	}
	return err
}

// spool reads src to its end without decoding.
func (r *reading) spool(raw *pile, src io.Reader) error {
	for {
		room, err := raw.room(r.ctx, r.share)
		if err != nil {
			return err
		}
		n, err := src.Read(room)
		raw.size += n
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// eof is a reader without content. It has no other methods, so that a decoder keeps its own buffer around it.
type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

// noEOF is for places where the end of the input is not the end of a stream.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// wire counts and bounds the bytes of a compressed body and remembers why they ended.
type wire struct {
	ctx   context.Context
	src   io.Reader
	limit int64
	taken int64
	err   error // what ended the input, unless it was its regular end
}

func (w *wire) Read(p []byte) (int, error) {
	if w.err == nil {
		w.err = w.ctx.Err()
	}
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.src.Read(p[:min(int64(len(p)), w.limit+1-w.taken)])
	w.taken += int64(n)
	if w.taken > w.limit {
		w.err = overLimit(BoundCompressed, w.limit)
		return 0, w.err
	}
	if err != io.EOF {
		w.err = err
	}
	return n, err
}
