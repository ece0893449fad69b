package transport

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// script is what a server does with one connection after it has read a request.
type script func(c net.Conn, r *http.Request)

// peer is a server on loopback that speaks byte by byte.
type peer struct {
	url      *url.URL
	requests atomic.Int64
	conns    atomic.Int64
}

// listen serves every request of every connection with the given script. Connections end with the test.
func listen(t *testing.T, do script) *peer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{url: &url.URL{Scheme: "http", Host: l.Addr().String()}}
	serve(t, l, p, do)
	return p
}

func serve(t *testing.T, l net.Listener, p *peer, do script) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	open := map[net.Conn]bool{}
	wg.Add(1)
	go func() {
		defer wg.Done()
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			p.conns.Add(1)
			mu.Lock()
			open[c] = true
			mu.Unlock()
			wg.Add(1)
			go func() {
				defer wg.Done()
				defer c.Close()
				br := bufio.NewReader(c)
				for {
					r, err := http.ReadRequest(br)
					if err != nil {
						return
					}
					body, err := io.ReadAll(r.Body)
					if err != nil {
						return
					}
					r.Body = io.NopCloser(bytes.NewReader(body))
					p.requests.Add(1)
					do(c, r)
				}
			}()
		}
	}()
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		for c := range open {
			c.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
}

// say answers with the given bytes.
func say(text string) script {
	return func(c net.Conn, _ *http.Request) { io.WriteString(c, text) }
}

// sayAndClose answers with the given bytes and ends the connection.
func sayAndClose(text string) script {
	return func(c net.Conn, _ *http.Request) {
		io.WriteString(c, text)
		c.Close()
	}
}

// sayAndReset answers with the given bytes and then resets the connection.
func sayAndReset(text string) script {
	return func(c net.Conn, _ *http.Request) {
		io.WriteString(c, text)
		c.(*net.TCPConn).SetLinger(0)
		c.Close()
	}
}

// sayAndStall answers with the given bytes and then nothing, until the client has gone.
func sayAndStall(text string) script {
	return func(c net.Conn, _ *http.Request) {
		io.WriteString(c, text)
		c.Read(make([]byte, 1))
	}
}

// client makes one for a peer; the changes are made to its configuration.
func client(t testing.TB, u *url.URL, changes ...func(*Config)) *Client {
	t.Helper()
	cfg := Config{BaseURL: u, Timeout: 20 * time.Second}
	for _, change := range changes {
		change(&cfg)
	}
	c, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	return c
}

func get(limit int64) Request { return Request{Method: "GET", Path: "/", Limit: limit} }

func post(limit int64) Request {
	return Request{Method: "POST", Path: "/", Limit: limit, Body: []byte(`{"a":1}`), Write: true}
}

// fails performs a request that must not succeed.
func fails(t testing.TB, c *Client, r Request) *Error {
	t.Helper()
	resp, err := c.Do(context.Background(), r)
	if err == nil {
		t.Fatalf("got status %d with %d bytes, want an error", resp.Status, len(resp.Body))
	}
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error is a %T, want *Error: %v", err, err)
	}
	if len(e.Error()) > 600 {
		t.Errorf("message of %d bytes", len(e.Error()))
	}
	return e
}

// settles waits until no more goroutines run than at the beginning.
func settles(t *testing.T, before int) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
		}
		runtime.Gosched()
	}
}

// answer is a complete answer with the given header lines.
func answer(body string, lines ...string) string {
	head := "HTTP/1.1 200 OK\r\n"
	for _, l := range lines {
		head += l + "\r\n"
	}
	return head + "Content-Length: " + itoa(len(body)) + "\r\n\r\n" + body
}

func chunked(body string, lines ...string) string {
	var b strings.Builder
	b.WriteString("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n")
	for _, l := range lines {
		b.WriteString(l + "\r\n")
	}
	b.WriteString("\r\n")
	for len(body) > 0 {
		n := min(len(body), 4000)
		b.WriteString(hex(n) + "\r\n" + body[:n] + "\r\n")
		body = body[n:]
	}
	b.WriteString("0\r\n\r\n")
	return b.String()
}
