package caddymodule

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"caddy-netbox-mcp/bridge/netboxsim"
)

// TestReloadInMidCall: a call that is in progress when the configuration changes ends as it would have, and its session goes on.
func TestReloadInMidCall(t *testing.T) {
	cfg := netboxsim.Testbed()
	cfg.SlowFor = 700 * time.Millisecond
	sim, line := simulated(t, cfg, netboxsim.TestbedToken)
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			address := freeAddress(t)
			text := siteText("http://"+address, line, "", "")
			load(t, text)
			s := &site{t: t, url: "http://" + address, http: &http.Client{Transport: &http.Transport{}}}
			session := s.client(era)
			sim.Reset()
			var result callResult
			done := make(chan error, 1)
			go func() {
				var err error
				result, err = tryCall(t.Context(), session, "plugin_call_tool", pluginArguments("testbed", "slow", `{}`))
				done <- err
			}()
			eventually(t, "the slow request is under way", func() bool {
				for _, r := range sim.Requests() {
					if strings.HasSuffix(r.Path, "/slow/") {
						return true
					}
				}
				return false
			})
			load(t, strings.Replace(text, "auth_token", "read_only\n\t\tauth_token", 1))
			if err := <-done; err != nil {
				t.Fatalf("the call in progress: %v", err)
			}
			var a pluginAnswer
			result.decode(t, &a)
			if a.Status != 200 {
				t.Errorf("the call in progress ended with status %d", a.Status)
			}
			// The next call of the same session is judged by the new configuration.
			f := pluginCall(t, session, liveTarget{plugin: "testbed"}, "create_item", `{"name":"x"}`).fails(t, "mutations_disabled")
			if !strings.Contains(f.Message, "read-only") {
				t.Errorf("the new configuration is not in force: %s", f.Message)
			}
		})
	}
}

// TestFailedReload: a configuration that does not load leaves the running one as it is.
func TestFailedReload(t *testing.T) {
	_, line := simulated(t, netboxsim.Testbed(), netboxsim.TestbedToken)
	address := freeAddress(t)
	text := siteText("http://"+address, line, "", "")
	load(t, text)
	s := &site{t: t, url: "http://" + address, http: &http.Client{Transport: &http.Transport{}}}
	session := s.client(eras[0])
	for range 3 {
		if err := tryLoad(t, strings.Replace(text, testTokenVariable, "NO_SUCH_VARIABLE_HERE", 1)); err == nil {
			t.Fatal("a configuration without its secret loads")
		}
	}
	liveList(t, session)
	if n := s.openSessions(); n != 1 {
		t.Errorf("%d sessions, want the one", n)
	}
}

// openSessions counts the sessions of the instance.
func (s *site) openSessions() int {
	s.t.Helper()
	e, err := acquireEndpoint(defaultInstance, nil, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = releaseEndpoint(defaultInstance) }()
	return e.Sessions()
}

// openStream opens the stream of a session of the older era and returns what reads its end.
func (s *site) openStream(sessionID string) <-chan error {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+"/mcp", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+testToken)
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Mcp-Session-Id", sessionID)
	r.Header.Set("Mcp-Protocol-Version", eras[0])
	opened := make(chan error, 1)
	ended := make(chan error, 1)
	go func() {
		resp, err := s.http.Transport.RoundTrip(r)
		if err == nil && resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("status %d", resp.StatusCode)
		}
		opened <- err
		if err != nil {
			return
		}
		defer resp.Body.Close()
		lines := bufio.NewScanner(resp.Body)
		for lines.Scan() {
		}
		ended <- lines.Err()
	}()
	select {
	case err := <-opened:
		if err != nil {
			s.t.Fatal(err)
		}
	case <-time.After(10 * time.Second):
		s.t.Fatal("the stream's header does not arrive")
	}
	return ended
}

// rawSession initializes a session by hand and returns its id.
func (s *site) rawSession() string {
	s.t.Helper()
	header := http.Header{"Authorization": {"Bearer " + testToken}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	status, got, body := s.do("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, header)
	if status != 200 || got.Get("Mcp-Session-Id") == "" {
		s.t.Fatalf("initialize: status %d, %s", status, body)
	}
	return got.Get("Mcp-Session-Id")
}

// TestStreamsEnd: an open stream ends when its server goes, at a reload as at the end, and holds up neither.
func TestStreamsEnd(t *testing.T) {
	_, line := simulated(t, netboxsim.Testbed(), netboxsim.TestbedToken)
	address := freeAddress(t)
	text := siteText("http://"+address, line, "", "")
	load(t, text)
	s := &site{t: t, url: "http://" + address, http: &http.Client{Transport: &http.Transport{}}}
	id := s.rawSession()
	ended := s.openStream(id)
	load(t, strings.Replace(text, "auth_token", "read_only\n\t\tauth_token", 1))
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("a reload does not end the stream")
	}
	// The session is still there, and its client opens the stream again.
	ended = s.openStream(id)
	begin := time.Now()
	if err := caddy.Stop(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("stopping took %s", took)
	}
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("the stream goes on after its server has ended")
	}
}

// TestLastHandlerEndsItsEndpoint: when no configuration serves an instance any more, its sessions end.
func TestLastHandlerEndsItsEndpoint(t *testing.T) {
	_, line := simulated(t, netboxsim.Testbed(), netboxsim.TestbedToken)
	s := plainSite(t, line, "", "")
	_ = s.rawSession()
	if _, references := endpoints.References(endpointKey(defaultInstance)); !references {
		t.Fatal("the instance is not in the pool")
	}
	load(t, "http://"+freeAddress(t)+" {\n\trespond ok\n}\n")
	eventually(t, "the endpoint leaves the pool", func() bool {
		_, references := endpoints.References(endpointKey(defaultInstance))
		return !references
	})
}

// TestSecretFileRotation: a secret that is exactly a file is looked at again when it is used.
func TestSecretFileRotation(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	write := func(value string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(value), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("the-first-value\r\n")
	s, err := newSecret("auth_token", "{file."+file+"}", checkBearer, zap.NewNop())
	if err != nil {
		t.Fatal(err)
	}
	clock := time.Now()
	s.now = func() time.Time { return clock }
	want := func(when, value string) {
		t.Helper()
		if got := s.get().Reveal(); got != value {
			t.Errorf("%s: %q, want %q", when, got, value)
		}
	}
	want("at first", "the-first-value")
	write("the-second-value\n")
	clock = clock.Add(watchEvery - time.Second)
	want("before it is looked at again", "the-first-value")
	clock = clock.Add(2 * time.Second)
	want("after 30 seconds", "the-second-value")
	for name, content := range map[string]string{"empty": "\n", "too long": strings.Repeat("x", maxSecret+1), "not a token": "a b"} {
		write(content)
		clock = clock.Add(watchEvery)
		want(name, "the-second-value")
		if !s.stale {
			t.Errorf("%s: it does not know that the file cannot be used", name)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	clock = clock.Add(watchEvery)
	want("removed", "the-second-value")
	write("the-third-value")
	clock = clock.Add(watchEvery)
	want("there again", "the-third-value")
	if s.stale {
		t.Error("it still takes the file for unusable")
	}
}

// TestTokensForRotation: every auth_token works, and a file's new value does without a reload.
func TestTokensForRotation(t *testing.T) {
	t.Setenv("SECOND_TOKEN", "the-second-token-of-two")
	_, line := simulated(t, netboxsim.Testbed(), netboxsim.TestbedToken)
	s := plainSite(t, line, "auth_token {env.SECOND_TOKEN}", "")
	for _, token := range []string{testToken, "the-second-token-of-two"} {
		liveList(t, s.clientAs(eras[1], token))
	}
}

// TestAuditRecord: each call leaves one flat record without values.
func TestAuditRecord(t *testing.T) {
	t.Setenv("TEST_NETBOX_TOKEN", netboxsim.TestbedToken)
	_, line := simulated(t, netboxsim.Testbed(), "{env.TEST_NETBOX_TOKEN}")
	s := plainSite(t, line, "", "\tlog")
	pluginCall(t, s.client(eras[0]), liveTarget{plugin: "testbed"}, "create_item", `{"name":"a value nobody logs"}`).fails(t, "mutations_disabled")
	text := ""
	eventually(t, "the record is written", func() bool { text = logText(t); return strings.Contains(text, "netbox_mcp.audit") })
	for _, want := range []string{`"caller":"shared"`, `"tool":"plugin_call_tool"`, `"target":"testbed.create_item"`, `"effect":"write"`, `"outcome":"mutations_disabled"`, `"user_id":"shared"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the log lacks %s", want)
		}
	}
	for _, secret := range []string{"a value nobody logs", netboxsim.TestbedToken, testToken} {
		for line := range strings.SplitSeq(text, "\n") {
			if strings.Contains(line, secret) {
				t.Errorf("the log shows %q: %s", secret, line)
			}
		}
	}
}

// TestConcurrentCallsOverReloads: calls from many clients while the configuration is loaded anew, again and again. Every one
// that is answered is answered rightly.
func TestConcurrentCallsOverReloads(t *testing.T) {
	_, line := simulated(t, netboxsim.Testbed(), netboxsim.TestbedToken)
	address := freeAddress(t)
	text := siteText("http://"+address, line, "", "")
	load(t, text)
	s := &site{t: t, url: "http://" + address, http: &http.Client{Transport: &http.Transport{
		// A POST on an idle connection that is closed at that moment is lost with any HTTP server; that is not the question here.
		DisableKeepAlives: true,
	}}}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	failures := make(chan string, 100)
	var answered, lost atomic.Int64
	workers := make(chan struct{}, 8)
	for i := range cap(workers) {
		session := s.client(eras[i%2])
		go func() {
			defer func() { workers <- struct{}{} }()
			for ctx.Err() == nil {
				r, err := tryCall(t.Context(), session, "plugin_call_tool", pluginArguments("testbed", "echo", `{"number":7}`, `"dry_run":true`))
				if err != nil {
					// A connection in the backlog of the listener that a reload closes is lost with any handler, before its
					// request was read: Linux resets what waits on a SO_REUSEPORT socket. Calls in progress have their own test.
					lost.Add(1)
					continue
				}
				answered.Add(1)
				if r.failed {
					select {
					case failures <- r.text:
					default:
					}
				}
			}
		}()
	}
	reload := time.NewTicker(400 * time.Millisecond)
	defer reload.Stop()
	reloads := 0
	for ; ctx.Err() == nil; reloads++ {
		<-reload.C
		load(t, strings.Replace(text, "auth_token", fmt.Sprintf("auth_token {$NOTHING:token-of-reload-%d}\n\t\tauth_token", reloads), 1))
	}
	for range cap(workers) {
		<-workers
	}
	close(failures)
	if a, l := answered.Load(), lost.Load(); a == 0 || l > int64(reloads*cap(workers)) {
		t.Errorf("%d calls were answered and %d lost in %d reloads", a, l, reloads)
	}
	// A call that reached a tool was answered: the lost ones never arrived.
	eventually(t, "every call that was recorded was answered", func() bool {
		return int64(strings.Count(logText(t), `"msg":"tool call"`)) == answered.Load()
	})
	for f := range failures {
		t.Errorf("a call failed: %s", f)
	}
}
