package transport

import (
	"context"
	"io"
)

// pile holds bytes in chunks of a share, so that it grows without copying and without a guess at its final size.
type pile struct {
	chunks []*[chunkSize]byte
	size   int
}

// room gives the free part of the last chunk, taking another chunk when there is none.
func (p *pile) room(ctx context.Context, s *share) ([]byte, error) {
	if p.size == len(p.chunks)*chunkSize {
		c, err := s.chunk(ctx)
		if err != nil {
			return nil, err
		}
		p.chunks = append(p.chunks, c)
	}
	return p.chunks[len(p.chunks)-1][p.size%chunkSize:], nil
}

// copyOut gives the first n bytes, or all if there are fewer, in memory of their own.
func (p *pile) copyOut(n int) []byte {
	out := make([]byte, 0, min(n, p.size))
	for _, c := range p.chunks {
		out = append(out, c[:min(chunkSize, cap(out)-len(out))]...)
	}
	return out
}

// pileReader reads a pile from its beginning. It is deliberately not a bytes.Reader or a bytes.Buffer: the zstd decoder
// would decode those in one go, without a bound.
type pileReader struct {
	ctx  context.Context
	pile *pile
	at   int
}

func (r *pileReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if r.at == r.pile.size {
		return 0, io.EOF
	}
	c := r.pile.chunks[r.at/chunkSize]
	from := r.at % chunkSize
	n := copy(b, c[from:min(chunkSize, from+r.pile.size-r.at)])
	r.at += n
	return n, nil
}
