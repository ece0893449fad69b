package transport

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

func itoa(n int) string { return strconv.Itoa(n) }
func hex(n int) string  { return strconv.FormatInt(int64(n), 16) }

func TestAnswers(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 10000)
	tests := []struct {
		name   string
		method string
		say    string
		limit  int64
		status int
		body   string
	}{
		{"length", "GET", answer("hello"), 100, 200, "hello"},
		{"exactly the limit", "GET", answer("hello"), 5, 200, "hello"},
		{"chunked exactly the limit", "GET", chunked("hello"), 5, 200, "hello"},
		{"one chunk exactly", "GET", chunked(long[:chunkSize]), chunkSize, 200, long[:chunkSize]},
		{"entry exactly", "GET", chunked(long[:entryChunks*chunkSize]), entryChunks * chunkSize, 200, long[:entryChunks*chunkSize]},
		{"beyond the entry", "GET", chunked(long), 1 << 20, 200, long},
		{"beyond the entry with length", "GET", answer(long), 1 << 20, 200, long},
		{"gzip", "GET", chunked(string(gzipped(long)), "Content-Encoding: gzip"), 1 << 20, 200, long},
		{"zstd", "GET", chunked(string(zstded(long)), "Content-Encoding: zstd"), 1 << 20, 200, long},
		{"zstd with length", "GET", answer(string(zstded(long)), "Content-Encoding: zstd"), 1 << 20, 200, long},
		{"x-gzip", "GET", answer(string(gzipped("hello")), "Content-Encoding: X-GZip"), 5, 200, "hello"},
		{"spaces and case", "GET", answer(string(zstded("hello")), "Content-Encoding: \t ZStd  "), 5, 200, "hello"},
		{"identity", "GET", answer("hello", "Content-Encoding: identity"), 5, 200, "hello"},
		{"identity twice", "GET", answer("hello", "Content-Encoding: identity", "Content-Encoding: , Identity"), 5, 200, "hello"},
		{"identity and gzip", "GET", answer(string(gzipped("hello")), "Content-Encoding: identity, gzip"), 5, 200, "hello"},
		{"encoded answer to a write", "POST", answer(string(gzipped("hello")), "Content-Encoding: gzip"), 5, 200, "hello"},
		{"empty and encoded", "GET", answer("", "Content-Encoding: gzip"), 5, 200, ""},
		{"head over the limit", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 4097\r\nContent-Encoding: br\r\n\r\n", 4096, 200, ""},
		{"204", "DELETE", "HTTP/1.1 204 No Content\r\n\r\n", 5, 204, ""},
		{"205 with a body", "POST", "HTTP/1.1 205 Reset Content\r\nContent-Length: 5\r\n\r\nhello", 1, 205, ""},
		{"304", "GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5000\r\nContent-Encoding: gzip\r\n\r\n", 5, 304, ""},
		{"404", "GET", "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}", 5, 404, "{}"},
		{"500", "GET", "HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\n{}", 5, 500, "{}"},
		{"until the connection ends", "GET", "HTTP/1.0 200 OK\r\n\r\nhello", 5, 200, "hello"},
		{"interim answers", "GET", "HTTP/1.1 103 Hints\r\nLink: <a>\r\n\r\n" + answer("hello"), 5, 200, "hello"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := listen(t, sayAndClose(tt.say))
			c := client(t, p.url)
			counter := NewCounter(1 << 30)
			got, err := c.Do(context.Background(), Request{Method: tt.method, Path: "/", Limit: tt.limit, Counter: counter})
			if err != nil {
				t.Fatal(err)
			}
			if got.Status != tt.status || string(got.Body) != tt.body {
				t.Errorf("got %d with %d bytes, want %d with %d", got.Status, len(got.Body), tt.status, len(tt.body))
			}
			if got.Received != int64(len(tt.body)) || counter.Used() != got.Received {
				t.Errorf("received %d, charged %d, want %d", got.Received, counter.Used(), len(tt.body))
			}
		})
	}
}

func TestFaults(t *testing.T) {
	gz, zs := string(gzipped(strings.Repeat("hello ", 3000))), string(zstded(strings.Repeat("hello ", 3000)))
	tests := []struct {
		name  string
		do    script
		kind  Kind
		bound string
	}{
		{"closed without an answer", sayAndClose(""), KindProtocol, ""},
		{"reset without an answer", sayAndReset(""), KindProtocol, ""},
		{"cut in the status line", sayAndClose("HTTP/1.1 20"), KindProtocol, ""},
		{"cut in the header", sayAndClose("HTTP/1.1 200 OK\r\nContent-Le"), KindProtocol, ""},
		{"cut before the body", sayAndClose("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"), KindProtocol, ""},
		{"cut in the body", sayAndClose("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"), KindProtocol, ""},
		{"reset in the body", sayAndReset("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"), KindProtocol, ""},
		{"cut in a chunk", sayAndClose("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"), KindProtocol, ""},
		{"cut between chunks", sayAndClose("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), KindProtocol, ""},
		{"cut before the last line", sayAndClose("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"), KindProtocol, ""},
		{"chunk garbage", say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nhello\r\n0\r\n\r\n"), KindProtocol, ""},
		{"chunk too long", say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhello\r\n0\r\n\r\n"), KindProtocol, ""},
		{"chunk size overflow", say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"), KindProtocol, ""},
		{"not HTTP", say("SSH-2.0-OpenSSH_9.9\r\n\r\n"), KindProtocol, ""},
		{"HTTP/2", say("HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\n{}"), KindProtocol, ""},
		{"upgrade", say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"), KindProtocol, ""},
		{"two lengths", say("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello"), KindProtocol, ""},
		{"bad length", say("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello"), KindProtocol, ""},
		{"unknown transfer coding", say("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n"), KindProtocol, ""},
		{"header line too long", endless("HTTP/1.1 200 OK\r\nX: ", "aaaaaaaaaaaaaaaa"), KindLimit, BoundHeader},
		{"endless header", endless("HTTP/1.1 200 OK\r\n", "A: b\r\n"), KindLimit, BoundHeader},
		{"endless interim answers", endless("", "HTTP/1.1 103 Hints\r\n\r\n"), KindLimit, BoundHeader},
		{"length over the limit", sayAndStall("HTTP/1.1 200 OK\r\nContent-Length: 65537\r\n\r\n"), KindLimit, BoundContentLength},
		{"huge length", sayAndStall("HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n"), KindLimit, BoundContentLength},
		{"compressed length over its limit", sayAndStall("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 99999\r\n\r\n"), KindLimit, BoundContentLength},
		{"chunks over the limit", endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "5\r\nhello\r\n"), KindLimit, BoundDecompressed},
		{"no end", endless("HTTP/1.0 200 OK\r\n\r\n", "hello"), KindLimit, BoundDecompressed},
		{"endless gzip members", endless("HTTP/1.0 200 OK\r\nContent-Encoding: gzip\r\n\r\n", string(gzipped(""))), KindLimit, BoundCompressed},
		{"endless skippable frames", endless("HTTP/1.0 200 OK\r\nContent-Encoding: zstd\r\n\r\n", "\x50\x2a\x4d\x18\x01\x00\x00\x00x"), KindLimit, BoundCompressed},
		{"br", say(answer("hello", "Content-Encoding: br")), KindEncoding, ""},
		{"deflate", say(answer("hello", "Content-Encoding: deflate")), KindEncoding, ""},
		{"compress", say(answer("hello", "Content-Encoding: x-compress")), KindEncoding, ""},
		{"gzip twice", say(answer(gz, "Content-Encoding: gzip, gzip")), KindEncoding, ""},
		{"two encoding lines", say(answer(gz, "Content-Encoding: gzip", "Content-Encoding: zstd")), KindEncoding, ""},
		{"not gzip", say(answer("hello, world", "Content-Encoding: gzip")), KindEncoding, ""},
		{"not zstd", say(answer("hello, world", "Content-Encoding: zstd")), KindEncoding, ""},
		{"nothing where gzip should be", say(chunked("", "Content-Encoding: gzip")), KindEncoding, ""},
		{"gzip cut", sayAndClose(answer(gz, "Content-Encoding: gzip")[:len(answer(gz, "Content-Encoding: gzip"))-9]), KindProtocol, ""},
		{"zstd cut", sayAndClose(answer(zs, "Content-Encoding: zstd")[:len(answer(zs, "Content-Encoding: zstd"))-9]), KindProtocol, ""},
		{"gzip incomplete", say(answer(gz[:len(gz)-1], "Content-Encoding: gzip")), KindEncoding, ""},
		{"zstd incomplete", say(answer(zs[:len(zs)-1], "Content-Encoding: zstd")), KindEncoding, ""},
	}
	for _, tt := range tests {
		for _, r := range []Request{get(64 << 10), post(64 << 10)} {
			t.Run(tt.name+" "+r.Method, func(t *testing.T) {
				before := runtime.NumGoroutine()
				t.Run("", func(t *testing.T) {
					p := listen(t, tt.do)
					c := client(t, p.url)
					e := fails(t, c, r)
					if e.Kind != tt.kind || e.Bound != tt.bound {
						t.Errorf("got %s %q (%v), want %s %q", e.Kind, e.Bound, e, tt.kind, tt.bound)
					}
					if !e.Sent {
						t.Error("the request was sent, but the error denies it")
					}
					if n := p.requests.Load(); n != 1 {
						t.Errorf("the server saw %d requests, want 1", n)
					}
				})
				settles(t, before)
			})
		}
	}
}

// endless says begin once and then again and again the same, until the client has had enough.
func endless(begin, again string) script {
	return func(c net.Conn, _ *http.Request) {
		block := []byte(strings.Repeat(again, 1+8000/len(again)))
		if _, err := c.Write([]byte(begin)); err != nil {
			return
		}
		for {
			if _, err := c.Write(block); err != nil {
				return
			}
		}
	}
}

func TestDeadlines(t *testing.T) {
	gz := string(gzipped(strings.Repeat("hello ", 3000)))
	zs := string(zstded(strings.Repeat("hello ", 3000)))
	tests := []struct {
		name string
		do   script
	}{
		{"no answer", sayAndStall("")},
		{"slow status line", drip("HTTP/1.1 200 OK")},
		{"slow header", sayAndStall("HTTP/1.1 200 OK\r\nA: b\r\n")},
		{"no body", sayAndStall("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")},
		{"slow body", drip("HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\nhello")},
		{"slow gzip", sayAndStall(answer(gz, "Content-Encoding: gzip")[:100])},
		{"slow zstd", sayAndStall(answer(zs, "Content-Encoding: zstd")[:90])},
		{"no last chunk", sayAndStall("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := listen(t, tt.do)
			own := client(t, p.url, func(c *Config) { c.Timeout = 80 * time.Millisecond })
			if e := fails(t, own, get(64<<10)); e.Kind != KindDeadline || !e.Sent {
				t.Errorf("own timeout: got %s, sent %v", e.Kind, e.Sent)
			}
			if e := fails(t, own, post(64<<10)); e.Kind != KindDeadline || !e.Sent {
				t.Errorf("own timeout of a write: got %s, sent %v", e.Kind, e.Sent)
			}
			c := client(t, p.url)
			ctx, stop := context.WithTimeout(context.Background(), 80*time.Millisecond)
			defer stop()
			_, err := c.Do(ctx, get(64<<10))
			if e := err.(*Error); e.Kind != KindDeadline || !e.Sent {
				t.Errorf("caller's deadline: got %s, sent %v", e.Kind, e.Sent)
			}
			done := make(chan struct{})
			cancelled, cancel := context.WithCancel(context.Background())
			go func() {
				defer close(done)
				for p.requests.Load() < 4 {
					runtime.Gosched()
				}
				cancel()
			}()
			_, err = c.Do(cancelled, get(64<<10))
			if e := err.(*Error); e.Kind != KindCancelled || !e.Sent {
				t.Errorf("cancelled: got %s, sent %v", e.Kind, e.Sent)
			}
			<-done
		})
	}
}

// drip answers with text and then one byte a time, each some milliseconds after the other.
func drip(text string) script {
	return func(c net.Conn, _ *http.Request) {
		c.Write([]byte(text))
		for {
			c.SetReadDeadline(time.Now().Add(5 * time.Millisecond))
			if _, err := c.Read(make([]byte, 1)); err == nil || !strings.Contains(err.Error(), "timeout") {
				return
			}
			if _, err := c.Write([]byte("x")); err != nil {
				return
			}
		}
	}
}

func TestRedirects(t *testing.T) {
	target := listen(t, say(answer("stolen")))
	for _, status := range []int{300, 301, 302, 303, 305, 307, 308, 399} {
		for _, r := range []Request{get(100), post(100)} {
			t.Run(itoa(status)+" "+r.Method, func(t *testing.T) {
				p := listen(t, say("HTTP/1.1 "+itoa(status)+" Moved\r\nLocation: "+target.url.String()+"/x\r\nX-Other: kept\r\nContent-Length: 4\r\n\r\ngone"))
				r.Header = http.Header{"Authorization": {"Bearer secret"}}
				r.Counter = NewCounter(100)
				e := fails(t, client(t, p.url), r)
				if e.Kind != KindRedirect || e.Status != status || !e.Sent {
					t.Errorf("got %s, status %d, sent %v", e.Kind, e.Status, e.Sent)
				}
				if e.Header.Get("Location") != "" || e.Header.Get("X-Other") != "kept" || strings.Contains(e.Error(), target.url.Host) {
					t.Errorf("header %v, message %q", e.Header, e)
				}
				if e.Received != 4 || r.Counter.Used() != 4 {
					t.Errorf("received %d, charged %d, want 4", e.Received, r.Counter.Used())
				}
				if want := map[bool]string{true: "gone"}[r.Write]; string(e.Excerpt) != want {
					t.Errorf("excerpt %q, want %q", e.Excerpt, want)
				}
				if p.requests.Load() != 1 {
					t.Errorf("%d requests, want 1", p.requests.Load())
				}
			})
		}
	}
	if n := target.conns.Load(); n != 0 {
		t.Errorf("the redirect's target saw %d connections", n)
	}
}

func TestExcerpt(t *testing.T) {
	body := strings.Repeat("x", 10000)
	p := listen(t, sayAndClose("HTTP/1.1 500 No\r\nContent-Length: 20000\r\n\r\n"+body))
	c := client(t, p.url)
	e := fails(t, c, post(30000))
	if e.Status != 500 || e.Received != 10000 || !bytes.Equal(e.Excerpt, []byte(body[:ExcerptBytes])) {
		t.Errorf("status %d, received %d, excerpt of %d bytes", e.Status, e.Received, len(e.Excerpt))
	}
	if e := fails(t, c, get(30000)); e.Excerpt != nil {
		t.Errorf("a read's error has an excerpt of %d bytes", len(e.Excerpt))
	}
}

// A body shorter than what follows it: the rest must not become part of the body.
func TestExcessIsNotPartOfTheBody(t *testing.T) {
	p := listen(t, say("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}garbage"))
	got, err := client(t, p.url).Do(context.Background(), get(100))
	if err != nil || string(got.Body) != "{}" {
		t.Errorf("got %v, %v", got, err)
	}
}

// net/http reads the environment's proxies once a process and never uses them for loopback addresses, so that this
// can only be seen in the transports themselves.
func TestProxyOfTheEnvironmentIsIgnored(t *testing.T) {
	c := client(t, parse(t, "http://netbox.example.com"))
	if c.reads.Proxy != nil || c.writes.Proxy != nil {
		t.Error("a transport may use a proxy")
	}
}

func TestCookiesAreForgotten(t *testing.T) {
	p := listen(t, func(c net.Conn, r *http.Request) {
		if r.Header.Get("Cookie") != "" {
			t.Error("a cookie came back")
		}
		io.WriteString(c, answer("hello", "Set-Cookie: session=1"))
	})
	c := client(t, p.url)
	for range 2 {
		if _, err := c.Do(context.Background(), get(100)); err != nil {
			t.Fatal(err)
		}
	}
}
