package endpoint

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"caddy-netbox-mcp/mcp/toolset"
)

func TestSessionLimits(t *testing.T) {
	for total, want := range map[int]int{1: 1, 3: 1, 4: 1, 8: 2, 256: 64} {
		if got := (sessionLimits{total: total}).perCaller(); got != want {
			t.Errorf("of %d sessions a caller may hold %d, want %d", total, got, want)
		}
	}
}

// fill opens n sessions for a caller in the bookkeeping alone; they stay in use.
func fill(t *testing.T, s *sessions, limits sessionLimits, caller string, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if !s.reserve(caller, limits) {
			t.Fatalf("no place for %s", id)
		}
		s.open(id, caller)
	}
}

func TestReserve(t *testing.T) {
	limits := sessionLimits{total: 8} // two a caller
	synctest.Test(t, func(t *testing.T) {
		var ended []string
		s := newSessions(func(id string) { ended = append(ended, id) })
		fill(t, s, limits, "a", "a1", "a2")
		if s.reserve("a", limits) {
			t.Error("a third session although both are in use")
		}
		// The oldest idle one makes room.
		s.leave("a2", limits)
		time.Sleep(time.Second) // in the test's own time
		s.leave("a1", limits)
		fill(t, s, limits, "a", "a3")
		if !slices.Equal(ended, []string{"a2"}) {
			t.Errorf("ended %v", ended)
		}
		// Another caller's idle sessions never do.
		fill(t, s, limits, "b", "b1", "b2")
		fill(t, s, limits, "c", "c1", "c2")
		fill(t, s, limits, "d", "d1", "d2")
		if s.reserve("e", limits) {
			t.Error("a ninth session")
		}
		if s.count() != 8 {
			t.Errorf("%d sessions", s.count())
		}
	})
}

// Places that are being filled count, so that a crowd at the door does not get in at once.
func TestReserveCountsPlaces(t *testing.T) {
	limits := sessionLimits{total: 8}
	s := newSessions(func(string) {})
	for range 2 {
		if !s.reserve("a", limits) {
			t.Error("a caller cannot reserve its two places")
		}
	}
	if s.reserve("a", limits) {
		t.Error("a caller reserved a third place")
	}
	s.release("a")
	if !s.reserve("a", limits) {
		t.Error("a place that was given up is lost")
	}
	for _, other := range []string{"b", "b", "c", "c", "d", "d"} {
		if !s.reserve(other, limits) {
			t.Errorf("no place for %s", other)
		}
	}
	if s.reserve("e", limits) {
		t.Error("a ninth place")
	}
	for _, other := range []string{"b", "b", "c", "c", "d", "d"} {
		s.release(other)
	}
	s.open("a1", "a")
	s.release("a")
	if len(s.opening) != 0 || s.count() != 1 {
		t.Errorf("places %v, %d sessions", s.opening, s.count())
	}
}

func TestIdleTime(t *testing.T) {
	limits := sessionLimits{total: 8, idle: time.Hour}
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var ended []string
		s := newSessions(func(id string) {
			mu.Lock()
			defer mu.Unlock()
			ended = append(ended, id)
		})
		pass := func(d time.Duration, want ...string) {
			t.Helper()
			time.Sleep(d) // in the test's own time
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			if !slices.Equal(ended, want) {
				t.Errorf("ended %v, want %v", ended, want)
			}
		}
		fill(t, s, limits, "a", "a1", "a2")
		s.leave("a1", limits)
		pass(59 * time.Minute)
		if !s.enter("a1", "a") { // a stream
			t.Fatal("a1 is gone")
		}
		pass(5 * time.Hour)
		s.leave("a1", limits)
		pass(59 * time.Minute)
		pass(time.Minute, "a1")
		if s.enter("a1", "a") || s.count() != 1 {
			t.Error("a1 is still there")
		}
		// After stop no time runs any more.
		s.leave("a2", limits)
		s.stop()
		pass(2*time.Hour, "a1")
		if s.reserve("a", limits) {
			t.Error("a place after stop")
		}
	})
}

func TestSessionCaps(t *testing.T) {
	g := newRig(t, nil) // eight in all, two a caller
	first, second := g.open(t, "alice"), g.open(t, "alice")
	third := g.open(t, "alice")
	if g.Sessions() != 2 {
		t.Errorf("%d sessions", g.Sessions())
	}
	ping := `{"jsonrpc":"2.0","id":9,"method":"ping"}`
	if a := g.post(t, ping, sessionHeader, first); a.status != 404 || a.message(t).Error.Message != "session not found: initialize a new one" || string(a.message(t).ID) != "9" {
		t.Errorf("the oldest one answers %d, %s", a.status, a.body)
	}
	for _, id := range []string{second, third} {
		if a := g.post(t, ping, sessionHeader, id); a.status != 200 {
			t.Errorf("status %d, %s", a.status, a.body)
		}
	}
	// None of them idle: no place.
	for _, id := range []string{second, third} {
		go func() {
			_, _ = http.DefaultClient.Do(g.request(context.WithoutCancel(t.Context()), "POST", call(2, "wait", `{}`), sessionHeader, id))
		}()
		receive(t, g.entered, "the tool runs")
	}
	a := g.post(t, initialize)
	if m := a.message(t); a.status != 429 || a.header.Get("Retry-After") == "" || m.Error.Code != -32600 || string(m.ID) != "1" {
		t.Errorf("status %d, %s", a.status, a.body)
	}
	close(g.release)
}

// Many at once do not get past the caps.
func TestSessionCapsInACrowd(t *testing.T) {
	g := newRig(t, nil)
	var wg sync.WaitGroup
	for range 24 {
		wg.Go(func() {
			if resp, err := http.DefaultClient.Do(g.request(t.Context(), "POST", initialize)); err == nil {
				_ = resp.Body.Close()
			}
		})
	}
	wg.Wait()
	if n := g.Sessions(); n < 1 || n > 2 {
		t.Errorf("%d sessions", n)
	}
	eventually(t, "the SDK holds as many", func() bool { return g.sdkSessions() == g.Sessions() })
}

func (g *rig) sdkSessions() (n int) {
	for range g.Endpoint.server.Sessions() {
		n++
	}
	return n
}

func TestSessionOfAnotherCaller(t *testing.T) {
	g := newRig(t, nil)
	id := g.open(t, "alice")
	for _, method := range []string{"POST", "GET", "DELETE"} {
		a := send(t, g.request(t.Context(), method, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, sessionHeader, id, callerHeader, "mallory", "Accept", "application/json, text/event-stream"))
		if a.status != 404 || a.message(t).Error.Message != "session not found: initialize a new one" {
			t.Errorf("%s: status %d, %s", method, a.status, a.body)
		}
	}
	if a := g.post(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, sessionHeader, id); a.status != 200 {
		t.Errorf("for its owner: status %d", a.status)
	}
}

func TestDelete(t *testing.T) {
	g := newRig(t, nil)
	id := g.open(t, "")
	if a := send(t, g.request(t.Context(), "DELETE", "", sessionHeader, id)); a.status != 204 {
		t.Errorf("status %d, %s", a.status, a.body)
	}
	if g.Sessions() != 0 || g.sdkSessions() != 0 {
		t.Errorf("%d sessions, %d in the SDK", g.Sessions(), g.sdkSessions())
	}
	if a := g.post(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, sessionHeader, id); a.status != 404 {
		t.Errorf("afterwards: status %d", a.status)
	}
}

// The end of a session waits for the answers of what is in progress, and lets nothing new begin.
func TestDeleteWaitsForCalls(t *testing.T) {
	g := newRig(t, nil)
	id := g.open(t, "")
	answers := make(chan answer, 2)
	do := func(method, body string) {
		resp, err := http.DefaultClient.Do(g.request(context.WithoutCancel(t.Context()), method, body, sessionHeader, id))
		if err != nil {
			answers <- answer{body: err.Error()}
			return
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		answers <- answer{resp.StatusCode, resp.Header, string(text)}
	}
	go do("POST", call(2, "wait", `{}`))
	receive(t, g.entered, "the tool runs")
	go do("DELETE", "")
	messages := g.sessions.messages(id)
	eventually(t, "the session is ending", func() bool {
		messages.mu.Lock()
		defer messages.mu.Unlock()
		return messages.closed
	})
	if a := g.post(t, `{"jsonrpc":"2.0","id":9,"method":"ping"}`, sessionHeader, id); a.status != 404 || string(a.message(t).ID) != "9" {
		t.Errorf("meanwhile: status %d, %s", a.status, a.body)
	}
	select {
	case a := <-answers:
		t.Fatalf("status %d, %s before the tool ended", a.status, a.body)
	default:
	}
	close(g.release)
	for range 2 {
		if a := receive(t, answers, "an answer"); a.status == 200 {
			if text, failed := a.message(t).tool(t); failed || text != `"released"` {
				t.Errorf("result %s", text)
			}
		} else if a.status != 204 {
			t.Errorf("status %d, %s", a.status, a.body)
		}
	}
	if g.Sessions() != 0 || g.sdkSessions() != 0 {
		t.Errorf("%d sessions, %d in the SDK", g.Sessions(), g.sdkSessions())
	}
}

// An open stream does not keep a session from ending.
func TestDeleteEndsStreams(t *testing.T) {
	g := newRig(t, nil)
	id := g.open(t, "")
	stream, err := http.DefaultClient.Do(g.request(t.Context(), "GET", "", sessionHeader, id, "Accept", "text/event-stream"))
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	if a := send(t, g.request(t.Context(), "DELETE", "", sessionHeader, id)); a.status != 204 {
		t.Errorf("status %d, %s", a.status, a.body)
	}
	if _, err := io.Copy(io.Discard, stream.Body); err != nil {
		t.Errorf("the stream ended with %v", err)
	}
}

// What does not become a session leaves none.
func TestFailedInitialize(t *testing.T) {
	g := newRig(t, nil)
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":7}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":null}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize"}`,
		`{"jsonrpc":"2.0","method":"initialize","params":{}}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
		call(1, "echo", `{}`),
	} {
		g.post(t, body)
		if g.Sessions() != 0 || g.sdkSessions() != 0 || g.places() != 0 {
			t.Errorf("%s leaves %d sessions, %d in the SDK, %d places", body, g.Sessions(), g.sdkSessions(), g.places())
		}
	}
}

// A client that leaves after its session was made and before it is told the id leaves none either.
func TestAbandonedInitialize(t *testing.T) {
	g := newRig(t, nil)
	ctx, leave := context.WithCancel(t.Context())
	g.Endpoint.server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, req)
			leave()
			eventually(t, "the request is over", func() bool { return g.places() == 0 })
			return result, err
		}
	})
	r := httptest.NewRequestWithContext(ctx, "POST", "/", strings.NewReader(initialize))
	r.Header.Set("Content-Type", "application/json")
	g.Serve(httptest.NewRecorder(), r, g.binding(""), []byte(initialize), Message{Method: "initialize", ID: []byte("1")})
	if g.Sessions() != 0 || g.sdkSessions() != 0 {
		t.Errorf("%d sessions, %d in the SDK", g.Sessions(), g.sdkSessions())
	}
}

// places is how many places are taken by sessions that are being opened.
func (g *rig) places() (n int) {
	g.sessions.mu.Lock()
	defer g.sessions.mu.Unlock()
	for _, taken := range g.sessions.opening {
		n += taken
	}
	return n
}

func TestIdleSessionEnds(t *testing.T) {
	g := newRig(t, func(s *toolset.Site) { s.SessionTimeout = time.Millisecond })
	g.open(t, "")
	eventually(t, "the session ends", func() bool { return g.Sessions() == 0 && g.sdkSessions() == 0 })
}

// An open stream keeps a session alive; the end of its request ends the stream.
func TestStreamKeepsASession(t *testing.T) {
	g := newRig(t, nil)
	id := g.open(t, "")
	changed := *g.site
	changed.SessionTimeout = time.Millisecond
	g.site = &changed
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	resp, err := http.DefaultClient.Do(g.request(ctx, "GET", "", sessionHeader, id, "Accept", "text/event-stream"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("status %d, %v", resp.StatusCode, resp.Header)
	}
	if a := g.post(t, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, sessionHeader, id); a.status != 200 {
		t.Errorf("status %d", a.status)
	}
	if g.uses(id) != 1 {
		t.Errorf("%d uses, want the stream's", g.uses(id))
	}
	cancel()
	eventually(t, "the session ends after its stream", func() bool { return g.Sessions() == 0 })
}

// Serve returns when the context of a stream's request ends, as it does when the server starts to stop.
func TestStreamEndsWithItsContext(t *testing.T) {
	g := newRig(t, nil)
	id := g.open(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	r := httptest.NewRequestWithContext(ctx, "GET", "/", nil)
	r.Header.Set(sessionHeader, id)
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.Serve(httptest.NewRecorder(), r, g.binding(""), nil, Message{})
	}()
	eventually(t, "the stream is open", func() bool { return g.uses(id) == 1 })
	cancel()
	receive(t, done, "Serve returns")
}
