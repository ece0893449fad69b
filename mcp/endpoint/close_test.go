package endpoint

import (
	"context"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Close lets calls in progress end and their answers out, in both eras, and then ends sessions and streams.
func TestCloseWaitsForCalls(t *testing.T) {
	g := newRig(t, nil)
	id := g.open(t, "")
	stream, err := http.DefaultClient.Do(g.request(t.Context(), "GET", "", sessionHeader, id, "Accept", "text/event-stream"))
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	listen, err := http.DefaultClient.Do(g.request(t.Context(), "POST", modernBody("subscriptions/listen", `"notifications":{}`, ""), modernHeaders("subscriptions/listen", "")...))
	if err != nil {
		t.Fatal(err)
	}
	defer listen.Body.Close()
	answers := make(chan answer, 2)
	for _, r := range []*http.Request{
		g.request(t.Context(), "POST", call(2, "wait", `{}`), sessionHeader, id),
		g.request(t.Context(), "POST", modernBody("tools/call", `"name":"wait","arguments":{}`, ""), modernHeaders("tools/call", "wait")...),
	} {
		go func() {
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				answers <- answer{body: err.Error()}
				return
			}
			defer resp.Body.Close()
			body, _ := io.ReadAll(resp.Body)
			answers <- answer{resp.StatusCode, resp.Header, string(body)}
		}()
		receive(t, g.entered, "the tool runs")
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		g.Close()
	}()
	// As soon as Close has begun, nothing new is let in.
	eventually(t, "new requests are refused", func() bool {
		g.activity.mu.Lock()
		defer g.activity.mu.Unlock()
		return g.activity.closed
	})
	a := g.post(t, `{"jsonrpc":"2.0","id":9,"method":"ping"}`, sessionHeader, id)
	if m := a.message(t); a.status != 503 || a.header.Get("Retry-After") == "" || m.Error.Code != -32603 || string(m.ID) != "9" {
		t.Errorf("status %d, %s", a.status, a.body)
	}
	select {
	case <-closed:
		t.Fatal("Close did not wait")
	default:
	}
	close(g.release)
	for range 2 {
		if text, failed := receive(t, answers, "an answer").message(t).tool(t); failed || text != `"released"` {
			t.Errorf("result %s", text)
		}
	}
	receive(t, closed, "Close returns")
	for name, body := range map[string]io.Reader{"stream": stream.Body, "subscription": listen.Body} {
		ended := make(chan error, 1)
		go func() {
			_, err := io.Copy(io.Discard, body)
			ended <- err
		}()
		if err := receive(t, ended, "the "+name+" ends"); err != nil {
			t.Errorf("the %s ended with %v", name, err)
		}
	}
	if g.Sessions() != 0 || g.sdkSessions() != 0 {
		t.Errorf("%d sessions, %d in the SDK", g.Sessions(), g.sdkSessions())
	}
	g.Close() // once more does no harm
}

// A call whose client is gone is waited for too, and is not cancelled by the end of another one.
func TestCloseWaitsForDetachedCalls(t *testing.T) {
	g := newRig(t, nil)
	id := g.open(t, "")
	for n := range 2 {
		ctx, drop := context.WithCancel(t.Context())
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			_, _ = http.DefaultClient.Do(g.request(ctx, "POST", call(2+n, "wait", `{}`), sessionHeader, id))
		}()
		receive(t, g.entered, "the tool runs")
		drop()
		receive(t, gone, "the connection is gone")
	}
	eventually(t, "both requests are over, and their calls are not", func() bool {
		g.activity.mu.Lock()
		defer g.activity.mu.Unlock()
		return g.uses(id) == 2 && g.activity.count == 2
	})
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		g.Close()
	}()
	g.release <- struct{}{}
	if err := receive(t, g.left, "the first call ends"); err != nil {
		t.Errorf("the first call ended with %v", err)
	}
	eventually(t, "the first call is recorded", func() bool { return len(g.record.all()) == 1 })
	select {
	case <-closed:
		t.Error("Close did not wait for the second call")
	case err := <-g.left:
		t.Errorf("the second call ended with %v", err)
	default:
	}
	g.release <- struct{}{}
	if err := receive(t, g.left, "the second call ends"); err != nil {
		t.Errorf("the second call ended with %v", err)
	}
	receive(t, closed, "Close returns")
}

// Nothing is left running after Close.
func TestCloseLeavesNoGoroutine(t *testing.T) {
	g := newRig(t, nil)
	g.heartbeat = time.Millisecond
	for _, caller := range []string{"alice", "alice", "bob", "carol"} {
		id := g.open(t, caller)
		resp, err := http.DefaultClient.Do(g.request(t.Context(), "GET", "", sessionHeader, id, callerHeader, caller, "Accept", "text/event-stream"))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		g.post(t, call(2, "panics", `{}`), sessionHeader, id, callerHeader, caller)
	}
	g.Close()
	noGoroutineLeft(t)
}

// noGoroutineLeft waits until only goroutines of the test itself are left.
func noGoroutineLeft(t *testing.T) {
	t.Helper()
	eventually(t, "no goroutine of this package or of the SDK's server is left", func() bool {
		buf := make([]byte, 1<<20)
		for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			if strings.Contains(stack, t.Name()) || strings.Contains(stack, "tRunner") {
				continue
			}
			if strings.Contains(stack, "mcp/endpoint.") || strings.Contains(stack, "go-sdk") {
				return false
			}
		}
		return true
	})
}
