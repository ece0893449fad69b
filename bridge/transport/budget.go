package transport

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/semaphore"
)

const (
	// DefaultBudget is the memory in bytes that all exchanges of a process together may hold for bodies and decoders.
	DefaultBudget = 48 << 20
	// MinBudget is the smallest budget in bytes that lets every kind of answer make progress.
	MinBudget = 24 << 20

	// chunkSize is the step in which memory for bodies is taken: large enough for most answers in one step, small
	// enough that a short answer costs little.
	chunkSize = 16 << 10
	// entryChunks of chunkSize are what every answer may hold before it needs a share of the large part.
	entryChunks = 6
	// entryCost covers those chunks, a gzip decoder (about 45 KiB, and up to 64 KiB for one field of a gzip header) and
	// the connection's own buffers.
	entryCost = entryChunks*chunkSize + 128<<10
	// zstdDecoders is how many zstd streams are decoded at one time. Decoding is pure computation here (the input is
	// already in memory), so more than a few would only hold more windows.
	zstdDecoders = 2
	// zstdCost covers a window of MaxWindow, the blocks beside it and the decoder's tables.
	zstdCost = 9 << 20
)

// Budget bounds the memory that all clients sharing it hold at one time for answers in progress. Waiting for a share
// counts against the exchange's deadline. A body that Do has returned belongs to the caller and is no longer counted.
//
// The memory has three parts, and an exchange waits for each in one go and always in this order: an entry (entryCost)
// when the body of an answer begins, the whole rest of its worst case when the body outgrows the entry, a zstd decoder
// when all of a compressed body has arrived. Whoever holds a decoder waits for nothing but the processor (it gives the
// decoder back before it waits for a large share), whoever holds a large share waits at most for a decoder, so there is
// no circle to wait in. Short answers never wait for long ones, and an upstream that sends slowly never holds a decoder.
type Budget struct {
	entries  *semaphore.Weighted
	large    *semaphore.Weighted
	maxLarge int64
	turns    chan struct{} // holds an element for each zstd stream that is being decoded
	chunks   sync.Pool     // *[chunkSize]byte; never more than the shares allow
	gzips    sync.Pool     // *gzip.Reader; never more than there are entries

	mu    sync.Mutex
	zstds []*zstd.Decoder // unused ones; the last one used is used first, so that others need no window
}

// NewBudget returns a budget of the given number of bytes; fewer than [MinBudget] is an error of [KindRequest].
func NewBudget(bytes int64) (*Budget, error) {
	if bytes < MinBudget {
		return nil, &Error{Kind: KindRequest, Err: fmt.Errorf("the memory budget is %d bytes; give at least %d", bytes, int64(MinBudget))}
	}
	rest := bytes - zstdDecoders*zstdCost
	b := &Budget{maxLarge: rest - rest/3, turns: make(chan struct{}, zstdDecoders)}
	b.entries = semaphore.NewWeighted(rest / 3)
	b.large = semaphore.NewWeighted(b.maxLarge)
	return b, nil
}

// MaxLimit is the largest [Request].Limit in bytes that fits into the budget.
func (b *Budget) MaxLimit() int64 { return b.maxLarge + (entryChunks-1)*chunkSize }

// fits says whether an answer whose body and compressed form are held together fits into the budget.
func (b *Budget) fits(chunks int64) bool { return (chunks-entryChunks)*chunkSize <= b.maxLarge }

// errOutgrown tells that a share is used up at a moment when it may not wait for more.
var errOutgrown = errors.New("the answer needs a large share of the memory")

// share is what one exchange holds of a budget.
type share struct {
	budget *Budget
	most   int64 // chunks in the worst case
	held   []*[chunkSize]byte
	large  int64
	pinned bool // something is held that others wait for, so this share may not wait
}

// enter takes an entry for an answer that needs at most the given number of chunks.
func (b *Budget) enter(ctx context.Context, most int64) (*share, error) {
	if err := b.entries.Acquire(ctx, entryCost); err != nil {
		return nil, fmt.Errorf("waiting for memory: %w", err)
	}
	return &share{budget: b, most: most}, nil
}

// grow waits for the rest of the worst case.
func (s *share) grow(ctx context.Context) error {
	rest := (s.most - entryChunks) * chunkSize
	if err := s.budget.large.Acquire(ctx, rest); err != nil {
		return fmt.Errorf("waiting for memory: %w", err)
	}
	s.large = rest
	return nil
}

// chunk gives one more chunk, growing the share when the entry is used up.
func (s *share) chunk(ctx context.Context) (*[chunkSize]byte, error) {
	if len(s.held) >= entryChunks && s.large == 0 {
		if s.pinned {
			return nil, errOutgrown
		}
		if err := s.grow(ctx); err != nil {
			return nil, err
		}
	}
	c, ok := s.budget.chunks.Get().(*[chunkSize]byte)
	if !ok {
		c = new([chunkSize]byte)
	}
	s.held = append(s.held, c)
	return c, nil
}

// release gives everything back; nothing that was read into chunks may be used after it.
func (s *share) release() {
	for _, c := range s.held {
		s.budget.chunks.Put(c)
	}
	s.held = nil
	s.budget.large.Release(s.large)
	s.budget.entries.Release(entryCost)
}

// gzip gives a decoder that has no input yet.
func (b *Budget) gzip() *gzip.Reader {
	if z, ok := b.gzips.Get().(*gzip.Reader); ok {
		return z
	}
	return new(gzip.Reader)
}

// zstd waits for a decoder, which must be given back. Concurrency 1 decodes in the caller's goroutine, so an abandoned
// stream leaves nothing behind.
func (b *Budget) zstd(ctx context.Context) (*zstd.Decoder, error) {
	select {
	case b.turns <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for a decoder: %w", ctx.Err())
	}
	b.mu.Lock()
	if last := len(b.zstds) - 1; last >= 0 {
		d := b.zstds[last]
		b.zstds = b.zstds[:last]
		b.mu.Unlock()
		return d, nil
	}
	b.mu.Unlock()
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(MaxWindow))
	if err != nil {
		<-b.turns
		return nil, fmt.Errorf("making a decoder: %w", err)
	}
	return d, nil
}

// giveBack ends a turn. The decoder is nil if it may not be used again.
func (b *Budget) giveBack(d *zstd.Decoder) {
	if d != nil {
		b.mu.Lock()
		b.zstds = append(b.zstds, d)
		b.mu.Unlock()
	}
	<-b.turns
}
