package transport

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestBudgetSizes(t *testing.T) {
	if _, err := NewBudget(MinBudget - 1); err == nil {
		t.Error("a budget under the minimum was accepted")
	}
	for _, size := range []int64{MinBudget, MinBudget + 12345, DefaultBudget} {
		b, err := NewBudget(size)
		if err != nil {
			t.Fatal(err)
		}
		if !b.fits(worst(codingGzip, -1, b.MaxLimit())) || b.fits(worst(codingGzip, -1, b.MaxLimit()+chunkSize)) {
			t.Errorf("%d bytes: MaxLimit %d is not the largest that fits", size, b.MaxLimit())
		}
		if !b.fits(worst(codingZstd, -1, 256<<10)) {
			t.Errorf("%d bytes: 256 KiB of zstd do not fit", size)
		}
	}
}

// Many large and compressed answers, far more than fit at one time, all come through: shares cannot deadlock.
func TestBudgetMakesProgress(t *testing.T) {
	b, err := NewBudget(MinBudget)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("The quick brown fox. ", 80000)
	bodies := map[coding][]byte{codingIdentity: []byte(text), codingGzip: gzipped(text), codingZstd: zstded(text)}
	var wg sync.WaitGroup
	for range 20 {
		for c, in := range bodies {
			wg.Add(1)
			go func() {
				defer wg.Done()
				got, _, err := decodes(t, b, c, bytes.NewReader(in), 1800000, nil)
				if err != nil || string(got) != text {
					t.Errorf("%s: %d bytes, %v", c, len(got), err)
				}
			}()
		}
	}
	wg.Wait()
	if !b.entries.TryAcquire(entryCost) || !b.large.TryAcquire(b.maxLarge) || len(b.turns) != 0 {
		t.Error("not all of the budget came back")
	}
}

// Slow long answers hold the large part and slow compressed ones wait for their bytes; short answers pass them all.
func TestSlowAnswersDoNotStopShortOnes(t *testing.T) {
	b := budget(t)
	long := "HTTP/1.1 200 OK\r\nContent-Length: 15000000\r\n\r\n" + strings.Repeat("x", 200000)
	zs := chunked(string(zstdBomb(t, 1<<20, 8<<20)), "Content-Encoding: zstd")
	p := listen(t, func(c net.Conn, r *http.Request) {
		switch r.URL.Path {
		case "/long":
			sayAndStall(long)(c, r)
		case "/zstd":
			sayAndStall(zs[:len(zs)-5])(c, r)
		default:
			io.WriteString(c, zs)
		}
	})
	c := client(t, p.url, func(c *Config) { c.Budget = b })
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for range 8 {
		for path, limit := range map[string]int64{"/long": 16 << 20, "/zstd": 8 << 20} {
			wg.Add(1)
			go func() {
				defer wg.Done()
				c.Do(ctx, Request{Method: "GET", Path: path, Limit: limit})
			}()
		}
	}
	for p.requests.Load() < 16 {
		runtime.Gosched()
	}
	for b.large.TryAcquire(b.maxLarge) { // until a long answer holds a part of it
		b.large.Release(b.maxLarge)
		runtime.Gosched()
	}
	got, err := c.Do(context.Background(), Request{Method: "GET", Path: "/short", Limit: 20 << 10})
	if e, ok := err.(*Error); !ok || e.Bound != BoundDecompressed {
		t.Errorf("got %v, %v, want the limit of the short answer", got, err)
	}
	stop()
	wg.Wait()
}

// Decoding that outgrows its entry gives the decoder back before it waits, so nobody who holds memory waits for it.
func TestWaitingForMemoryHoldsNoDecoder(t *testing.T) {
	b := budget(t)
	text := strings.Repeat("The quick brown fox. ", 50000)
	in := zstded(text)
	if err := b.large.Acquire(context.Background(), b.maxLarge); err != nil {
		t.Fatal(err)
	}
	counter := NewCounter(1 << 40)
	var wg sync.WaitGroup
	const waiting = 2 * zstdDecoders
	for range waiting {
		wg.Add(1)
		go func() {
			defer wg.Done()
			got, n, err := decodes(t, b, codingZstd, bytes.NewReader(in), 2<<20, counter)
			if err != nil || string(got) != text || n != int64(len(text)) {
				t.Errorf("%d bytes, received %d, %v", len(got), n, err)
			}
		}()
	}
	for counter.Used() < waiting*(entryChunks-1)*chunkSize { // one chunk of each entry holds the compressed body
		runtime.Gosched()
	}
	got, _, err := decodes(t, b, codingZstd, bytes.NewReader(zstded("short")), 100, nil)
	if err != nil || string(got) != "short" {
		t.Errorf("got %q, %v", got, err)
	}
	b.large.Release(b.maxLarge)
	wg.Wait()
	if want := int64(waiting * len(text)); counter.Used() != want {
		t.Errorf("charged %d, want %d", counter.Used(), want)
	}
}

// Waiting for memory is part of the exchange's time.
func TestWaitForMemoryEnds(t *testing.T) {
	b := budget(t)
	p := listen(t, say(answer(strings.Repeat("x", 200000))))
	c := client(t, p.url, func(c *Config) { c.Budget = b; c.Timeout = 80 * time.Millisecond })
	if err := b.large.Acquire(context.Background(), b.maxLarge); err != nil {
		t.Fatal(err)
	}
	if e := fails(t, c, get(1<<20)); e.Kind != KindDeadline || e.Received != entryChunks*chunkSize {
		t.Errorf("got %s after %d bytes", e.Kind, e.Received)
	}
	b.large.Release(b.maxLarge)
	if _, err := c.Do(context.Background(), get(1<<20)); err != nil {
		t.Error(err)
	}
}

// Sixty-four exchanges at a time, each with a bomb, cost no more than the budget.
func TestManyBombs(t *testing.T) {
	bodies := []string{
		chunked(string(zstdBomb(t, 64<<20, 8<<20)), "Content-Encoding: zstd"),
		chunked(string(gzipBomb(t, 64<<20)), "Content-Encoding: gzip"),
	}
	p := listen(t, func(c net.Conn, r *http.Request) { io.WriteString(c, bodies[len(r.URL.RawQuery)%2]) })
	b := budget(t)
	c := client(t, p.url, func(c *Config) { c.Budget = b; c.MaxConnections = 64 })
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	var wg sync.WaitGroup
	done := make(chan struct{})
	for i := range 64 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 3 {
				r := get(4 << 20)
				r.Query = strings.Repeat("x", i%2)
				_, err := c.Do(context.Background(), r)
				if e, ok := err.(*Error); !ok || e.Bound != BoundDecompressed {
					t.Errorf("got %v, want the decompressed limit", err)
				}
			}
		}()
	}
	go func() { wg.Wait(); close(done) }()
	var most uint64
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-tick.C:
		}
		runtime.ReadMemStats(&now)
		most = max(most, now.HeapInuse+now.StackInuse)
	}
	if grown := int64(most) - int64(before.HeapInuse+before.StackInuse); grown > 96<<20 {
		t.Errorf("heap and stacks grew by %d MiB, want at most 96", grown>>20)
	} else {
		t.Logf("heap and stacks grew by %d MiB", grown>>20)
	}
}
