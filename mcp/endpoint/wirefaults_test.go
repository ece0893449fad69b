package endpoint

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"caddy-netbox-mcp/bridge/netboxsim"
)

// wireFault is an answer that is wrong on the wire, and what a read that meets it comes to.
type wireFault struct {
	name  string
	fault netboxsim.Fault
	code  string
	limit string // in the details
}

// patience is how long a request that meets the fault may take.
func (f wireFault) patience() time.Duration {
	if f.code == "deadline_exceeded" {
		return impatience
	}
	return eternity
}

// says writes bytes and ends the connection; resets writes them and resets it; stalls leaves it open until the client goes.
func says(text string) netboxsim.Fault {
	return netboxsim.Fault{Wire: func(c net.Conn) { _, _ = io.WriteString(c, text) }}
}

func resets(text string) netboxsim.Fault {
	return netboxsim.Fault{Wire: func(c net.Conn) {
		_, _ = io.WriteString(c, text)
		_ = c.(*countedConn).SetLinger(0)
	}}
}

func stalls(text string) netboxsim.Fault {
	return netboxsim.Fault{Wire: func(c net.Conn) {
		_, _ = io.WriteString(c, text)
		_, _ = c.Read(make([]byte, 1))
	}}
}

// repeats writes the same again and again, until the client has had enough.
func repeats(begin, again string) netboxsim.Fault {
	return netboxsim.Fault{Wire: func(c net.Conn) {
		block := []byte(strings.Repeat(again, 1+8000/len(again)))
		for b := []byte(begin); ; b = block {
			if _, err := c.Write(b); err != nil {
				return
			}
		}
	}}
}

// dribbles writes a byte every few milliseconds.
func dribbles(begin string) netboxsim.Fault {
	return netboxsim.Fault{Wire: func(c net.Conn) {
		for b := []byte(begin); ; b = []byte(" ") {
			if _, err := c.Write(b); err != nil {
				return
			}
			_ = c.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
			if _, err := c.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
				return
			}
		}
	}}
}

// encoded is a complete answer with a content encoding.
func encoded(encoding string, body []byte) netboxsim.Fault {
	return netboxsim.Fault{Header: http.Header{"Content-Encoding": {encoding}}, Body: body}
}

const (
	ok200   = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	chunked = ok200 + "Transfer-Encoding: chunked\r\n\r\n"
	bomb    = 64 << 20
)

// wireFaults are all of them, made once, because bombs take a moment.
var wireFaults = sync.OnceValue(func() []wireFault {
	gzipped := func(text string) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = io.WriteString(z, text)
		_ = z.Close()
		return b.String()
	}
	gz := gzipped(`{"a":"` + strings.Repeat("hello ", 3000) + `"}`)
	const decompressed, compressed = "decompressed", "compressed"
	return []wireFault{
		{"no answer", netboxsim.Fault{Hang: true}, "deadline_exceeded", ""},
		{"slow status line", dribbles("HTTP/1.1 200"), "deadline_exceeded", ""},
		{"slow header", stalls(ok200), "deadline_exceeded", ""},
		{"no body", stalls(ok200 + "Content-Length: 5\r\n\r\n"), "deadline_exceeded", ""},
		{"slow body", dribbles(ok200 + "Content-Length: 60000\r\n\r\n{"), "deadline_exceeded", ""},
		{"slow chunks", stalls(chunked + "1\r\n{\r\n"), "deadline_exceeded", ""},
		{"slow gzip", stalls(ok200 + "Content-Encoding: gzip\r\nContent-Length: 500\r\n\r\n" + gz[:20]), "deadline_exceeded", ""},

		{"closed", says(""), "response_invalid", ""},
		{"reset", resets(""), "response_invalid", ""},
		{"cut in the status line", says("HTTP/1.1 20"), "response_invalid", ""},
		{"cut in the header", says("HTTP/1.1 200 OK\r\nContent-Le"), "response_invalid", ""},
		{"cut before the body", says(ok200 + "Content-Length: 5\r\n\r\n"), "response_invalid", ""},
		{"cut in the body", says(ok200 + "Content-Length: 5\r\n\r\n{\"a"), "response_invalid", ""},
		{"reset in the body", resets(ok200 + "Content-Length: 5\r\n\r\n{\"a"), "response_invalid", ""},
		{"cut in a chunk", says(chunked + "5\r\n{\"a"), "response_invalid", ""},
		{"cut between chunks", says(chunked + "2\r\n{}\r\n"), "response_invalid", ""},
		{"cut in gzip", says(ok200 + fmt.Sprintf("Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n", len(gz)) + gz[:len(gz)-9]), "response_invalid", ""},

		{"length too long", says(ok200 + "Content-Length: 9\r\n\r\n{}"), "response_invalid", ""},
		{"length below zero", says(ok200 + "Content-Length: -5\r\n\r\n{}"), "response_invalid", ""},
		{"length that is no number", says(ok200 + "Content-Length: five\r\n\r\n{}"), "response_invalid", ""},
		{"two lengths", says(ok200 + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"), "response_invalid", ""},
		{"length over the limit", stalls(ok200 + "Content-Length: 67108864\r\n\r\n"), "limit_exceeded", "content-length"},
		{"chunk size that is none", says(chunked + "xyz\r\n{}\r\n0\r\n\r\n"), "response_invalid", ""},
		{"chunk without its end", says(chunked + "1\r\n{}\r\n0\r\n\r\n"), "response_invalid", ""},
		{"chunk size that overflows", says(chunked + "fffffffffffffffff\r\n"), "response_invalid", ""},
		{"chunk extension without end", repeats(chunked+"2;", "x"), "response_invalid", ""},
		{"unknown transfer coding", says(ok200 + "Transfer-Encoding: gzip\r\n\r\n"), "response_invalid", ""},

		{"no HTTP", says("SSH-2.0-OpenSSH_9.9\r\n\r\n"), "response_invalid", ""},
		{"HTTP/0.9", says("{\"a\":1}"), "response_invalid", ""},
		{"status 000", says("HTTP/1.1 000 None\r\nContent-Length: 2\r\n\r\n{}"), "response_invalid", ""},
		{"status 101", says("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"), "response_invalid", ""},
		{"endless header", repeats("HTTP/1.1 200 OK\r\n", "A: b\r\n"), "limit_exceeded", "header"},
		{"endless header line", repeats("HTTP/1.1 200 OK\r\nX: ", "aaaaaaaa"), "limit_exceeded", "header"},
		{"endless interim answers", repeats("", "HTTP/1.1 103 Hints\r\n\r\n"), "limit_exceeded", "header"},
		{"redirect to itself", netboxsim.Fault{Handler: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		}}, "redirect_refused", ""},

		{"endless body", repeats("HTTP/1.0 200 OK\r\n\r\n", "hello"), "limit_exceeded", decompressed},
		{"endless chunks", repeats(chunked, "5\r\nhello\r\n"), "limit_exceeded", decompressed},
		{"gzip bomb", encoded("gzip", netboxsim.GzipBomb(bomb)), "limit_exceeded", decompressed},
		{"gzip bomb of many members", encoded("gzip", netboxsim.GzipMembersBomb(bomb)), "limit_exceeded", decompressed},
		{"endless empty gzip members", repeats("HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\n", gzipped("")), "limit_exceeded", compressed},
		{"zstd bomb", encoded("zstd", netboxsim.ZstdBomb(bomb)), "limit_exceeded", decompressed},
		{"endless skippable frames", repeats("HTTP/1.0 200 OK\r\nContent-Encoding: zstd\r\n\r\n", "\x50\x2a\x4d\x18\x01\x00\x00\x00x"), "limit_exceeded", compressed},
		{"zstd window of 64 MiB", encoded("zstd", netboxsim.ZstdWindow()), "limit_exceeded", "window"},
		{"gzip in gzip", encoded("gzip, gzip", []byte(gz)), "response_invalid", ""},
		{"two encodings", netboxsim.Fault{Header: http.Header{"Content-Encoding": {"gzip", "zstd"}}, Body: []byte(gz)}, "response_invalid", ""},
		{"br", encoded("br", []byte("x")), "response_invalid", ""},
		{"deflate", encoded("deflate", []byte("x")), "response_invalid", ""},
		{"no gzip where it should be", encoded("gzip", []byte("hello, world")), "response_invalid", ""},
		{"no zstd where it should be", encoded("zstd", []byte("hello, world")), "response_invalid", ""},
	}
})
