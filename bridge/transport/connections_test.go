package transport

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// once answers the first request of each connection and ends the connection at the second.
func once(end func(net.Conn)) script {
	var mu sync.Mutex
	used := map[net.Conn]bool{}
	return func(c net.Conn, r *http.Request) {
		mu.Lock()
		again := used[c]
		used[c] = true
		mu.Unlock()
		if again {
			end(c)
			return
		}
		if r.Method == http.MethodHead {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
			return
		}
		io.WriteString(c, answer("hello"))
	}
}

// The upstream gives up a connection at the moment it is used again. A read does not notice; a write is never affected.
func TestKeepAliveRace(t *testing.T) {
	ends := map[string]func(net.Conn){
		"close": func(c net.Conn) { c.Close() },
		"reset": func(c net.Conn) { c.(*net.TCPConn).SetLinger(0); c.Close() },
	}
	reads := map[string]Request{
		"GET":  get(100),
		"HEAD": {Method: "HEAD", Path: "/", Limit: 1},
		"POST": {Method: "POST", Path: "/", Limit: 100, Body: []byte(`{"jsonrpc":"2.0"}`)},
	}
	for how, end := range ends {
		for method, r := range reads {
			t.Run(how+" "+method, func(t *testing.T) {
				p := listen(t, once(end))
				c := client(t, p.url)
				for i := range 20 {
					if _, err := c.Do(context.Background(), r); err != nil {
						t.Fatalf("request %d: %v", i, err)
					}
				}
				if p.conns.Load() < 10 {
					t.Errorf("%d connections for 20 requests: the race did not happen", p.conns.Load())
				}
			})
		}
		t.Run(how+" write", func(t *testing.T) {
			p := listen(t, once(end))
			c := client(t, p.url)
			for i := range 20 {
				r := post(100)
				if i%2 == 0 {
					r = get(100) // leaves a connection that a write must not take
				}
				if _, err := c.Do(context.Background(), r); err != nil {
					t.Fatalf("request %d: %v", i, err)
				}
			}
		})
	}
}

func TestReuse(t *testing.T) {
	p := listen(t, say(answer("hello")))
	c := client(t, p.url)
	do := func(r Request, times int, want int64) {
		t.Helper()
		before := p.conns.Load()
		for range times {
			if _, err := c.Do(context.Background(), r); err != nil {
				t.Fatal(err)
			}
		}
		if got := p.conns.Load() - before; got != want {
			t.Errorf("%d new connections for %d requests, want %d", got, times, want)
		}
	}
	do(get(100), 10, 1)
	do(post(100), 5, 5)
	c.CloseIdle()
	do(get(100), 10, 1)
}

func TestIdleConnectionsEnd(t *testing.T) {
	gone := make(chan time.Time, 1)
	p := listen(t, func(c net.Conn, _ *http.Request) {
		io.WriteString(c, answer("hello"))
		if _, err := c.Read(make([]byte, 1)); err == io.EOF {
			gone <- time.Now()
		}
	})
	c := client(t, p.url)
	if _, err := c.Do(context.Background(), get(100)); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	select {
	case at := <-gone:
		if idle := at.Sub(start); idle > 1900*time.Millisecond {
			t.Errorf("idle for %v", idle)
		}
	case <-time.After(10 * time.Second):
		t.Error("the idle connection was not closed")
	}
}

func TestCloseIdleLeavesExchangesAlone(t *testing.T) {
	began, finish := make(chan struct{}), make(chan struct{})
	p := listen(t, func(c net.Conn, _ *http.Request) {
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel")
		close(began)
		<-finish
		io.WriteString(c, "lo")
	})
	c := client(t, p.url)
	result := make(chan error, 1)
	go func() {
		_, err := c.Do(context.Background(), get(100))
		result <- err
	}()
	<-began
	c.CloseIdle()
	close(finish)
	if err := <-result; err != nil {
		t.Error(err)
	}
}

func TestMaxConnections(t *testing.T) {
	const places = 3
	var now, most atomic.Int64
	full := make(chan struct{})
	var once sync.Once
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		for {
			old := most.Load()
			if n <= old || most.CompareAndSwap(old, n) {
				break
			}
		}
		if n == places {
			once.Do(func() { close(full) })
		}
		<-full
		w.Write([]byte("hello"))
	}))
	t.Cleanup(s.Close)
	c := client(t, parse(t, s.URL), func(c *Config) { c.MaxConnections = places })
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r := get(100)
			if i%2 == 0 {
				r = post(100)
			}
			if _, err := c.Do(context.Background(), r); err != nil {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
	if most.Load() != places {
		t.Errorf("%d exchanges at one time, want %d", most.Load(), places)
	}
}

// Waiting for a free connection counts as time of the exchange and sends nothing.
func TestWaitForAPlaceEnds(t *testing.T) {
	p := listen(t, sayAndStall(""))
	c := client(t, p.url, func(c *Config) { c.MaxConnections = 1 })
	first, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.Do(first, get(100))
	}()
	for p.requests.Load() == 0 {
		runtime.Gosched()
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	_, err := c.Do(ctx, post(100))
	if e := err.(*Error); e.Kind != KindDeadline || e.Sent {
		t.Errorf("got %s, sent %v", e.Kind, e.Sent)
	}
	stop()
	<-done
}

func TestNothingOutlivesTheClient(t *testing.T) {
	p := listen(t, say(answer("hello")))
	idle := runtime.NumGoroutine()
	for range 20 {
		c, err := New(Config{BaseURL: p.url})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []Request{get(100), post(100), {Method: "GET", Path: "/", Limit: 2}} {
			c.Do(context.Background(), r)
		}
		c.CloseIdle()
	}
	settles(t, idle)
}

func BenchmarkGet4KiB(b *testing.B) {
	body := []byte(strings.Repeat("0123456789abcdef", 256))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(body) }))
	defer s.Close()
	u := parse(b, s.URL)
	c := client(b, u)
	r := get(1 << 20)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Do(context.Background(), r); err != nil {
			b.Fatal(err)
		}
	}
}
