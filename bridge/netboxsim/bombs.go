package netboxsim

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"strings"
)

// Answers that are small on the wire and large for whoever decodes them, for tests of
// bounds. All of them decode to size bytes, at least 2: a JSON string of zeros.

// bombBlock is how much of a bomb is made at a time: the largest block of zstd.
const bombBlock = 128 << 10

// GzipBomb is a gzip stream (RFC 1952) of one member.
func GzipBomb(size int) []byte { return gzipMembers(size, size) }

// GzipMembersBomb is a gzip stream of many members, which decode one after the other.
func GzipMembersBomb(size int) []byte { return gzipMembers(size, bombBlock) }

func gzipMembers(size, member int) []byte {
	var b bytes.Buffer
	for written := 0; written < size; {
		end := min(written+member, size)
		z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err != nil {
			panic(err) // a constant of that package
		}
		for written < end {
			text := bombText(written, min(end-written, bombBlock), size)
			// A buffer takes whatever it is given.
			_, _ = z.Write([]byte(text))
			written += len(text)
		}
		_ = z.Close()
	}
	return b.Bytes()
}

// bombText is the part of a bomb of size bytes that begins at byte from.
func bombText(from, n, size int) string {
	text := []byte(strings.Repeat("0", n))
	if from == 0 {
		text[0] = '"'
	}
	if from+n == size {
		text[n-1] = '"'
	}
	return string(text)
}

// ZstdBomb is a zstd frame (RFC 8878) whose blocks are one byte each that is repeated.
func ZstdBomb(size int) []byte {
	b := zstdHeader(10) // a window of 1 MiB
	block := func(kind, n int, content string, last bool) {
		header := uint32(n)<<3 | uint32(kind)<<1
		if last {
			header |= 1
		}
		b = append(b, byte(header), byte(header>>8), byte(header>>16))
		b = append(b, content...)
	}
	const raw, rle = 0, 1
	block(raw, 1, `"`, false)
	for left := size - 2; left > 0; left -= bombBlock {
		block(rle, min(left, bombBlock), "0", false)
	}
	block(raw, 1, `"`, true)
	return b
}

// ZstdWindow is a zstd frame that asks its reader for a window of 64 MiB and has
// nothing in it.
func ZstdWindow() []byte { return append(zstdHeader(16), 1, 0, 0) }

// zstdHeader is a frame header with a window of 2^(10+exponent) bytes and no size.
func zstdHeader(exponent byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, 0xFD2FB528)
	return append(b, 0, exponent<<3)
}
