package transport

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestCounterBoundary(t *testing.T) {
	p := listen(t, say(answer(strings.Repeat("x", 1000))))
	c := client(t, p.url)
	counter := NewCounter(3000)
	r := get(1000)
	r.Counter = counter
	for i := range 3 {
		if _, err := c.Do(context.Background(), r); err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
	}
	if counter.Used() != 3000 || counter.Exceeded() {
		t.Errorf("used %d, exceeded %v at exactly the limit", counter.Used(), counter.Exceeded())
	}
	if e := fails(t, c, r); e.Kind != KindLimit || e.Bound != BoundAggregate || e.Limit != 3000 || !e.Sent {
		t.Errorf("got %s %s %d", e.Kind, e.Bound, e.Limit)
	}
	if !counter.Exceeded() {
		t.Error("not exceeded")
	}
	requests := p.requests.Load()
	if e := fails(t, c, r); e.Bound != BoundAggregate || e.Sent || p.requests.Load() != requests {
		t.Errorf("after it was exceeded: %s, sent %v", e.Bound, e.Sent)
	}
}

func TestCounterChargesWhateverArrives(t *testing.T) {
	gz := answer(string(gzipped(strings.Repeat("hello ", 100))), "Content-Encoding: gzip")
	zs := answer(string(zstded(strings.Repeat("hello ", 100))), "Content-Encoding: zstd")
	tests := map[string]struct {
		do   script
		want int64
	}{
		"404":               {say("HTTP/1.1 404 Not Found\r\nContent-Length: 7\r\n\r\nmissing"), 7},
		"redirect":          {say("HTTP/1.1 302 Found\r\nContent-Length: 7\r\n\r\nmissing"), 7},
		"cut":               {sayAndClose("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nmiss"), 4},
		"over the limit":    {say(chunked(strings.Repeat("x", 5000))), 1001},
		"length over limit": {sayAndStall("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n"), 0},
		"gzip":              {say(gz), 600},
		"gzip cut":          {sayAndClose(gz[:len(gz)-4]), 600},
		"zstd":              {say(zs), 600},
		"zstd cut behind":   {sayAndClose(zs[:len(zs)-4]), 600},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := listen(t, tt.do)
			r := get(1000)
			r.Counter = NewCounter(1 << 20)
			var received int64
			if got, err := client(t, p.url).Do(context.Background(), r); err != nil {
				received = err.(*Error).Received
			} else {
				received = got.Received
			}
			if r.Counter.Used() != tt.want || received != tt.want {
				t.Errorf("charged %d, received %d, want %d", r.Counter.Used(), received, tt.want)
			}
		})
	}
}

// One answer over the sum ends those that only wait for the network.
func TestCounterStopsEverybody(t *testing.T) {
	stalled := make(chan struct{}, 4)
	p := listen(t, func(c net.Conn, r *http.Request) {
		if r.URL.Path == "/big" {
			io.WriteString(c, chunked(strings.Repeat("x", 5000)))
			return
		}
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
		stalled <- struct{}{}
		c.Read(make([]byte, 1))
	})
	c := client(t, p.url, func(c *Config) { c.Timeout = time.Minute })
	ctx, stop := context.WithTimeout(context.Background(), 15*time.Second)
	defer stop()
	counter := NewCounter(3000)
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_, err := c.Do(ctx, Request{Method: "GET", Path: "/slow", Limit: 100, Counter: counter})
			if e, ok := err.(*Error); !ok || e.Kind != KindLimit || e.Bound != BoundAggregate || e.Limit != 3000 {
				t.Errorf("got %v, want the aggregate limit", err)
			}
		}()
	}
	for range 4 {
		<-stalled
	}
	if e := fails(t, c, Request{Method: "GET", Path: "/big", Limit: 10000, Counter: counter}); e.Bound != BoundAggregate {
		t.Errorf("got %v", e)
	}
	wg.Wait()
	if ctx.Err() != nil {
		t.Error("the others ended only with their deadline")
	}
}
