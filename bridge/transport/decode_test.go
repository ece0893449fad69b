package transport

import (
	"bytes"
	stdgzip "compress/gzip"
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

func gzipped(s string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.Bytes()
}

// zstded streams, so that the frame states a window instead of its size.
func zstded(s string, opts ...zstd.EOption) []byte {
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, append([]zstd.EOption{zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true)}, opts...)...)
	if err != nil {
		panic(err)
	}
	io.WriteString(w, s)
	w.Flush()
	w.Close()
	return b.Bytes()
}

// bomb is size zero bytes as the given writer makes them.
func bomb(t testing.TB, size int, open func(io.Writer) io.WriteCloser) []byte {
	t.Helper()
	var b bytes.Buffer
	w := open(&b)
	block := make([]byte, 1<<20)
	for range size >> 20 {
		if _, err := w.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipBomb(t testing.TB, size int) []byte {
	return bomb(t, size, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
}

func zstdBomb(t testing.TB, size, window int) []byte {
	return bomb(t, size, func(w io.Writer) io.WriteCloser {
		z, err := zstd.NewWriter(w, zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		return z
	})
}

// decodes reads a body outside of an exchange.
func decodes(t testing.TB, b *Budget, c coding, src io.Reader, limit int64, counter *Counter) ([]byte, int64, error) {
	t.Helper()
	ctx := context.Background()
	s, err := b.enter(ctx, worst(c, -1, limit))
	if err != nil {
		t.Fatal(err)
	}
	defer s.release()
	r := &reading{ctx: ctx, share: s, limit: limit, counter: counter}
	err = r.run(c, src)
	if int64(len(s.held)) > s.most {
		t.Errorf("%d chunks held, the worst case said %d", len(s.held), s.most)
	}
	return r.body.copyOut(r.body.size), r.received, err
}

func budget(t testing.TB) *Budget {
	t.Helper()
	b, err := NewBudget(DefaultBudget)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestDecode(t *testing.T) {
	text := strings.Repeat("The quick brown fox. ", 5000)
	join := func(parts ...[]byte) string { return string(bytes.Join(parts, nil)) }
	skippable := []byte("\x50\x2a\x4d\x18\x04\x00\x00\x00skip")
	tests := []struct {
		name   string
		coding coding
		in     string
		limit  int64
		want   string
		bound  string // of the limit error
		kind   Kind
	}{
		{"gzip members", codingGzip, join(gzipped("a"), gzipped(""), gzipped(text)), 1 << 20, "a" + text, "", ""},
		{"zstd frames", codingZstd, join(zstded("a"), zstded(""), zstded(text)), 1 << 20, "a" + text, "", ""},
		{"zstd skippable frames", codingZstd, join(skippable, zstded("a"), skippable, zstded("b"), skippable), 2, "ab", "", ""},
		{"zstd small window then large", codingZstd, join(zstded("a", zstd.WithWindowSize(1<<10)), zstded(text, zstd.WithWindowSize(8<<20))), 1 << 20, "a" + text, "", ""},
		{"gzip at the limit", codingGzip, join(gzipped(text)), int64(len(text)), text, "", ""},
		{"zstd at the limit", codingZstd, join(zstded(text)), int64(len(text)), text, "", ""},
		{"gzip over the limit", codingGzip, join(gzipped(text)), int64(len(text)) - 1, text, BoundDecompressed, KindLimit},
		{"zstd over the limit", codingZstd, join(zstded(text)), int64(len(text)) - 1, text, BoundDecompressed, KindLimit},
		{"gzip members over the limit", codingGzip, join(gzipped("abc"), gzipped("def")), 5, "abcdef", BoundDecompressed, KindLimit},
		{"zstd frames over the limit", codingZstd, join(zstded("abc"), zstded("def")), 5, "abcdef", BoundDecompressed, KindLimit},
		{"gzip garbage behind", codingGzip, join(gzipped("abc"), []byte("garbage, more than a header")), 99, "abc", "", KindEncoding},
		{"gzip one byte behind", codingGzip, join(gzipped("abc"), []byte{0}), 99, "abc", "", KindEncoding},
		{"zstd garbage behind", codingZstd, join(zstded("abc"), []byte("garbage")), 99, "abc", "", KindEncoding},
		{"zstd one byte behind", codingZstd, join(zstded("abc"), []byte{0x28}), 99, "abc", "", KindEncoding},
		{"gzip in gzip is data", codingGzip, join(gzipped(string(gzipped("abc")))), 99, string(gzipped("abc")), "", ""},
		{"gzip checksum", codingGzip, flip(join(gzipped("abc")), -8), 99, "abc", "", KindEncoding},
		{"zstd checksum", codingZstd, flip(join(zstded("abc", zstd.WithEncoderCRC(true))), -1), 99, "abc", "", KindEncoding},
		{"zstd window of 64 MiB", codingZstd, join(zstded(text, zstd.WithWindowSize(64<<20))), 1 << 20, "", BoundWindow, KindLimit},
		{"zstd one segment of 9 MiB", codingZstd, "\x28\xb5\x2f\xfd\xa0\x00\x00\x90\x00\x01\x00\x00", 1 << 20, "", BoundWindow, KindLimit},
		{"gzip empty", codingGzip, "", 9, "", "", KindEncoding},
	}
	b := budget(t)
	for _, tt := range tests {
		for how, wrap := range map[string]func(io.Reader) io.Reader{
			"": func(r io.Reader) io.Reader { return r }, " byte by byte": iotest.OneByteReader, " data with EOF": iotest.DataErrReader,
		} {
			t.Run(tt.name+how, func(t *testing.T) {
				counter := NewCounter(1 << 40)
				got, n, err := decodes(t, b, tt.coding, wrap(strings.NewReader(tt.in)), tt.limit, counter)
				var e *Error
				if errors.As(err, &e); err != nil && e == nil || err == nil && tt.kind != "" || e != nil && (e.Kind != tt.kind || e.Bound != tt.bound) {
					t.Fatalf("got error %v, want %s %s", err, tt.kind, tt.bound)
				}
				want := tt.want[:min(int64(len(tt.want)), tt.limit+1)]
				if tt.kind == KindEncoding && len(got) < len(want) {
					want = want[:len(got)] // how much comes before the error is the decoder's business
				}
				if string(got) != want || n != int64(len(got)) || counter.Used() != n {
					t.Errorf("got %d bytes, received %d, charged %d, want %d", len(got), n, counter.Used(), len(want))
				}
			})
		}
	}
}

func flip(s string, at int) string {
	b := []byte(s)
	b[len(b)+at] ^= 1
	return string(b)
}

// Every truncation is an error, wherever it falls.
func TestTruncated(t *testing.T) {
	var named bytes.Buffer
	w := gzip.NewWriter(&named)
	w.Name, w.Comment, w.Extra = "name", "comment", []byte("extra")
	io.WriteString(w, "hello hello hello hello")
	w.Close()
	b := budget(t)
	for name, tt := range map[string]struct {
		coding coding
		whole  []byte
		cuts   map[int]bool // where a stream may end
	}{
		"gzip":         {codingGzip, named.Bytes(), nil},
		"gzip members": {codingGzip, append(gzipped("abc"), named.Bytes()...), map[int]bool{len(gzipped("abc")): true}},
		"zstd":         {codingZstd, zstded("hello hello hello hello"), map[int]bool{0: true}},
		"zstd frames":  {codingZstd, append(zstded("abc"), zstded("hello")...), map[int]bool{0: true, len(zstded("abc")): true}},
	} {
		t.Run(name, func(t *testing.T) {
			for n := range tt.whole {
				_, _, err := decodes(t, b, tt.coding, bytes.NewReader(tt.whole[:n]), 1000, nil)
				var e *Error
				if tt.cuts[n] {
					continue
				}
				if !errors.As(err, &e) || e.Kind != KindEncoding {
					t.Errorf("cut to %d of %d bytes: got %v, want an encoding error", n, len(tt.whole), err)
				}
			}
			if _, _, err := decodes(t, b, tt.coding, bytes.NewReader(tt.whole), 1000, nil); err != nil {
				t.Errorf("whole: %v", err)
			}
		})
	}
}

func TestBombs(t *testing.T) {
	const limit = 1 << 20
	for name, tt := range map[string]struct {
		coding coding
		in     []byte
	}{
		"gzip":                {codingGzip, gzipBomb(t, 256<<20)},
		"gzip members":        {codingGzip, bytes.Repeat(gzipBomb(t, 1<<20), 64)},
		"zstd window 8 MiB":   {codingZstd, zstdBomb(t, 256<<20, 8<<20)},
		"zstd window 128 KiB": {codingZstd, zstdBomb(t, 256<<20, 128<<10)},
		"zstd frames":         {codingZstd, bytes.Repeat(zstdBomb(t, 1<<20, 8<<20), 256)},
	} {
		t.Run(name, func(t *testing.T) {
			b := budget(t)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			counter := NewCounter(1 << 40)
			src := bytes.NewReader(tt.in)
			s, err := b.enter(context.Background(), worst(tt.coding, -1, limit))
			if err != nil {
				t.Fatal(err)
			}
			r := &reading{ctx: context.Background(), share: s, limit: limit, counter: counter}
			err = r.run(tt.coding, src)
			s.release()
			runtime.ReadMemStats(&after)
			var e *Error
			if !errors.As(err, &e) || e.Bound != BoundDecompressed || e.Limit != limit {
				t.Fatalf("got %v, want the decompressed limit", err)
			}
			if r.received != limit+1 || counter.Used() != limit+1 {
				t.Errorf("received %d, charged %d, want %d", r.received, counter.Used(), limit+1)
			}
			// All that was ever allocated, garbage included.
			if grown, most := after.TotalAlloc-before.TotalAlloc, uint64(limit+wireLimit(limit)+zstdCost+1<<20); grown > most {
				t.Errorf("allocated %d bytes for a limit of %d, want at most %d", grown, limit, most)
			}
		})
	}
}

// A second bomb finds the memory of the first and needs next to none of its own.
func TestBombsLeaveNoGarbage(t *testing.T) {
	b := budget(t)
	in := zstdBomb(t, 64<<20, 8<<20)
	const rounds = 20
	decodes(t, b, codingZstd, bytes.NewReader(in), 1<<20, nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range rounds {
		s, err := b.enter(context.Background(), worst(codingZstd, -1, 1<<20))
		if err != nil {
			t.Fatal(err)
		}
		if err := (&reading{ctx: context.Background(), share: s, limit: 1 << 20}).run(codingZstd, bytes.NewReader(in)); err == nil {
			t.Fatal("no error")
		}
		s.release()
	}
	runtime.ReadMemStats(&after)
	// Without reuse it would be 9 MiB of window a round; the collector may empty the pool of chunks now and then.
	if per := (after.TotalAlloc - before.TotalAlloc) / rounds; per > 2<<20 {
		t.Errorf("%d bytes a bomb, want under 2 MiB", per)
	}
}

// FuzzDecode compares with a plain decoder: what one of them reads in full the other does too, to the same bytes, and what is
// read before an error is the beginning of what there is.
func FuzzDecode(f *testing.F) {
	long := strings.Repeat("hello ", 9000)
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	f.Add(true, gzipped("hello"), int64(5))
	f.Add(false, zstded("hello"), int64(4))
	f.Add(false, zstded(long), int64(70000))
	f.Add(true, gzipped(long), int64(1000))
	f.Add(false, []byte("\x50\x2a\x4d\x18\x01\x00\x00\x00x"), int64(1))
	f.Add(true, gzipped(string(gzipped(long))), int64(5000))
	f.Add(true, gzipped(string(zstded(long))), int64(5000))
	f.Add(false, zstded(string(zstded(string(gzipped(long))))), int64(5000))
	f.Add(true, join(gzipped("a"), gzipped(""), gzipped("bc"), gzipped("")), int64(3))
	f.Add(true, join(gzipped("abc"), gzipped("def")), int64(5))
	f.Add(true, bytes.Repeat(gzipped(""), 40), int64(1))
	f.Add(true, join(gzipped("abc"), []byte("garbage behind")), int64(99))
	f.Add(true, gzipped(long)[:60], int64(1<<20))
	f.Add(false, join(zstded("a"), zstded(""), zstded("bc", zstd.WithWindowSize(1<<10))), int64(3))
	f.Add(false, join([]byte("\x5f\x2a\x4d\x18\x00\x00\x00\x00"), zstded("ab"), []byte("\x50\x2a\x4d\x18\x02\x00\x00\x00xy")), int64(2))
	f.Add(false, zstded(long, zstd.WithWindowSize(16<<20)), int64(1<<20))
	f.Add(false, zstded(long)[:40], int64(1<<20))
	// Frames that are written by hand: 1,000 times one byte in a block of its own, and 16 MiB in a window too large.
	f.Add(false, []byte("\x28\xb5\x2f\xfd\x00\x00\x43\x1f\x00x"), int64(1000))
	f.Add(false, []byte("\x28\xb5\x2f\xfd\x00\x70\x43\x1f\x00x"), int64(1000))
	f.Add(true, []byte{}, int64(1))
	f.Add(false, []byte{}, int64(1))
	b, err := NewBudget(DefaultBudget)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, isGzip bool, in []byte, limit int64) {
		if limit < 1 || limit > 1<<20 {
			return
		}
		c := codingZstd
		if isGzip {
			c = codingGzip
		}
		counter := NewCounter(1 << 40)
		got, n, err := decodes(t, b, c, bytes.NewReader(in), limit, counter)
		if n != int64(len(got)) || n > limit+1 || counter.Used() != n {
			t.Fatalf("%d bytes, received %d, charged %d, limit %d", len(got), n, counter.Used(), limit)
		}
		var e *Error
		if err == nil && n > limit || err != nil && !errors.As(err, &e) {
			t.Fatalf("%d bytes with limit %d: %v", n, limit, err)
		}
		if e != nil && e.Kind != KindLimit && e.Kind != KindEncoding {
			t.Fatalf("kind %s", e.Kind)
		}
		plain := plainZstd
		if isGzip {
			plain = plainGzip
		}
		want, plainErr := plain(in, limit+1)
		if short := min(len(want), len(got)); !bytes.Equal(want[:short], got[:short]) {
			t.Fatalf("%d bytes are not the beginning of the %d that there are", len(got), len(want))
		}
		if err == nil && (plainErr != nil || len(got) != len(want)) {
			t.Fatalf("%d bytes, a plain decoder says %v after %d", len(got), plainErr, len(want))
		}
		within := int64(len(want)) <= limit && int64(len(in)) <= wireLimit(limit)
		if err != nil && plainErr == nil && within && !(isGzip && reservedFlag(in)) {
			t.Fatalf("%v, a plain decoder reads %d bytes", err, len(want))
		}
	})
}

// plainGzip reads at most most bytes by the standard library.
func plainGzip(in []byte, most int64) ([]byte, error) {
	z, err := stdgzip.NewReader(bytes.NewReader(in))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(z, most))
}

// reservedFlag reports whether a member has one of the flags that RFC 1952 section 2.3.1.2 wants refused. The standard library
// passes over them, our decoder refuses them.
func reservedFlag(in []byte) bool {
	for len(in) > 3 {
		at := bytes.Index(in, []byte{0x1f, 0x8b, 8})
		if at < 0 || at+3 >= len(in) {
			return false
		}
		if in[at+3]&0xe0 != 0 {
			return true
		}
		in = in[at+3:]
	}
	return false
}

func plainZstd(in []byte, most int64) ([]byte, error) {
	z, err := zstd.NewReader(bytes.NewReader(in), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(MaxWindow))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return io.ReadAll(io.LimitReader(z, most))
}
