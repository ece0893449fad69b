package caddymodule

import (
	"bufio"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"caddy-netbox-mcp/bridge/netboxsim"
)

// TestUnfinishedBody: a body that never arrives holds up neither the refusal nor the end of the process, with a token or without
// and without a grace period.
func TestUnfinishedBody(t *testing.T) {
	const authorization = "Authorization: Bearer " + testToken + "\r\n"
	tests := []struct{ name, method, header, answer string }{
		{"POST without token", "POST", "", "401"},
		{"POST with token", "POST", authorization + "Content-Type: application/json\r\n", ""},
		{"POST of another type", "POST", authorization, "415"},
		{"GET with token", "GET", authorization, "400"},
		{"DELETE with token", "DELETE", authorization, "400"},
		{"preflight", "OPTIONS", "Origin: https://a.example\r\nAccess-Control-Request-Method: POST\r\n", "401"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, address := t.TempDir(), freeAddress(t)
			file := filepath.Join(dir, "Caddyfile")
			text := "{\n\tadmin off\n}\n" + siteText("http://"+address, "netbox http://127.0.0.1:1", "allow_origin https://a.example", "")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			output, stop := start(t, caddyCommand(t, dir, []string{testTokenVariable + "=" + testToken}, "run", "--config", file))
			s := &site{t: t, url: "http://" + address, http: &http.Client{Transport: &http.Transport{}}}
			eventually(t, "Caddy starts", func() bool {
				conn, err := net.Dial("tcp", address)
				if err == nil {
					_ = conn.Close()
				}
				return err == nil
			})
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_, _ = fmt.Fprintf(conn, "%s /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n%sContent-Length: 1000\r\n\r\n{", tt.method, tt.header)
			if tt.answer != "" {
				_ = conn.SetReadDeadline(time.Now().Add(5 * time.Second))
				status, err := bufio.NewReader(conn).ReadString('\n')
				if err != nil || !strings.Contains(status, tt.answer) {
					t.Errorf("the refusal: %q, %v", status, err)
				}
			} else {
				// Another exchange proves that the server has taken up the unfinished one, which came first.
				liveList(t, s.client(eras[1]))
			}
			begin := time.Now()
			if err := stop(); err != nil {
				t.Errorf("%v\n%s", err, output)
			}
			if took := time.Since(begin); took > 12*time.Second {
				t.Errorf("stopping took %s", took)
			}
		})
	}
}

// TestRefusalReachesSlowSender: a client that is still sending when it is refused gets the answer, not a reset.
func TestRefusalReachesSlowSender(t *testing.T) {
	_, line := simulated(t, netboxsim.Testbed(), netboxsim.TestbedToken)
	s := plainSite(t, line, "", "")
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const size = 1 << 20
	_, _ = fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n", size)
	chunk := []byte(strings.Repeat(" ", 16<<10))
	pace := time.NewTicker(5 * time.Millisecond)
	defer pace.Stop()
	for sent := 0; sent < size; sent += len(chunk) {
		<-pace.C
		if _, err := conn.Write(chunk); err != nil {
			t.Fatalf("after %d bytes: %v", sent, err)
		}
	}
	status, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || !strings.Contains(status, "401") {
		t.Errorf("the refusal: %q, %v", status, err)
	}
}

// TestReloadsUnderHTTP2: many streams whose bodies arrive while the configuration is loaded anew.
func TestReloadsUnderHTTP2(t *testing.T) {
	_, line := simulated(t, netboxsim.Testbed(), netboxsim.TestbedToken)
	s := tlsSite(t, line, "", "")
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(s.url, "https://"))
	text := siteText("https://localhost:"+port, line, "", "\ttls internal\n")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	var workers sync.WaitGroup
	for range 6 {
		transport := trusting(t, filepath.Join(storage(t), "pki", "authorities", "local", "root.crt"))
		for range 8 {
			workers.Go(func() {
				for ctx.Err() == nil {
					r, err := http.NewRequestWithContext(ctx, "POST", s.url+"/mcp", strings.NewReader(modernBody("tools/list", "", "")))
					if err != nil {
						return
					}
					r.Header = modernHeader("tools/list", "")
					if resp, err := transport.RoundTrip(r); err == nil {
						_, _ = io.Copy(io.Discard, resp.Body)
						_ = resp.Body.Close()
					}
				}
			})
		}
	}
	for i := 0; ctx.Err() == nil; i++ {
		load(t, strings.Replace(text, "auth_token", fmt.Sprintf("auth_token token-of-reload-number-%d\n\t\tauth_token", i), 1))
	}
	workers.Wait()
	// A panic in a callback would have ended the process.
	if err := awaitTLS(t.Context(), "localhost:"+port); err != nil {
		t.Fatal(err)
	}
	liveList(t, s.client(eras[1]))
}

// TestTooManyCalls: calls beyond the bound are told to come back, before the protocol sees them; lists are not.
func TestTooManyCalls(t *testing.T) {
	sim, line := simulated(t, netboxsim.Testbed(), netboxsim.TestbedToken)
	remove := sim.Inject("GET /api/plugins/", netboxsim.Fault{Hang: true})
	s := plainSite(t, strings.Replace(line, "{\n", "{\n\t\t\ttimeout 5s\n", 1), "", "")
	s.http.Transport = &http.Transport{MaxIdleConnsPerHost: maxCalls}
	body, header := modernBody("tools/call", `"name":"plugin_list_tools","arguments":{}`, ""), modernHeader("tools/call", "plugin_list_tools")
	var statuses sync.Map
	var calls sync.WaitGroup
	for i := range maxCalls + 8 {
		calls.Go(func() {
			r, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"/mcp", strings.NewReader(body))
			if err != nil {
				return
			}
			r.Header = header.Clone()
			resp, err := s.http.Transport.RoundTrip(r)
			if err != nil {
				return
			}
			defer resp.Body.Close()
			_, _ = io.Copy(io.Discard, resp.Body)
			statuses.Store(i, resp.StatusCode)
			if resp.StatusCode == http.StatusTooManyRequests && resp.Header.Get("Retry-After") == "" {
				statuses.Store(i, 0)
			}
		})
	}
	eventually(t, "calls beyond the bound are refused", func() bool {
		refused := 0
		statuses.Range(func(_, status any) bool {
			if status == http.StatusTooManyRequests {
				refused++
			}
			return true
		})
		return refused == 8
	})
	if status, _, _ := s.do("POST", "/mcp", modernBody("tools/list", "", ""), modernHeader("tools/list", "")); status != 200 {
		t.Errorf("tools/list meanwhile: status %d", status)
	}
	calls.Wait()
	remove()
	if status, _, _ := s.do("POST", "/mcp", body, header); status != 200 {
		t.Errorf("afterwards: status %d", status)
	}
}

// TestBearerStaysHere: a client that asks beside the endpoint does not hand its token to NetBox.
func TestBearerStaysHere(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	behind := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.URL.Path+" "+r.Header.Get("Authorization"))
	}))
	defer behind.Close()
	_, line := simulated(t, netboxsim.Testbed(), netboxsim.TestbedToken)
	s := plainSite(t, line, "", "\treverse_proxy "+strings.TrimPrefix(behind.URL, "http://"))
	paths := []string{"/mcp/sse", "/sse", "/MCP", "/mcp;x", "/register", "/"}
	for _, path := range paths {
		s.do("GET", path, "", http.Header{"Authorization": {"Bearer " + testToken}})
	}
	basic := "Basic " + base64.StdEncoding.EncodeToString([]byte("agent:"+testToken))
	for _, values := range [][]string{{"Bearer  " + testToken}, {"Bearer\t" + testToken}, {"Token " + testToken}, {testToken}, {"Bearer " + testToken + ", x"}, {basic}, {basic, "Bearer " + testToken}} {
		paths = append(paths, "/odd")
		s.do("GET", "/odd", "", http.Header{"Authorization": values})
	}
	s.do("GET", "/api/", "", http.Header{"Authorization": {"Token of-netbox"}})
	mu.Lock()
	defer mu.Unlock()
	for i, path := range paths {
		if seen[i] != path+" " {
			t.Errorf("%s: NetBox saw %q", path, seen[i])
		}
	}
	if got := seen[len(paths)]; got != "/api/ Token of-netbox" {
		t.Errorf("NetBox's own credentials arrive as %q", got)
	}
}

// TestCallTokenOff: the argument is not there, neither in the list nor in a call.
func TestCallTokenOff(t *testing.T) {
	_, line := simulated(t, netboxsim.Testbed(), netboxsim.TestbedToken)
	for _, tt := range []struct {
		option string
		there  bool
	}{{"call_token off", false}, {"call_token", true}, {"", true}} {
		s := plainSite(t, line, tt.option, "")
		session := s.client(eras[0])
		list, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			if there := strings.Contains(fmt.Sprint(tool.InputSchema), "token"); there != tt.there {
				t.Errorf("%q: %s has a token argument: %v", tt.option, tool.Name, there)
			}
		}
		r := call(t, session, "plugin_list_tools", `{"token":"`+netboxsim.TestbedReaderToken+`"}`)
		if r.failed == tt.there {
			t.Errorf("%q: a call with a token: %s", tt.option, r.text)
		}
		// The endpoint's own token is none of NetBox's.
		call(t, session, "plugin_list_tools", `{"token":"`+testToken+`"}`).fails(t, "invalid_arguments")
	}
}

// TestSecretsInAnswers: an upstream that sends back what it was sent does not hand tokens to agents, nor into the log.
func TestSecretsInAnswers(t *testing.T) {
	t.Setenv("TEST_NETBOX_TOKEN", netboxsim.TestbedToken)
	sim, line := simulated(t, netboxsim.Testbed(), "{env.TEST_NETBOX_TOKEN}")
	s := plainSite(t, line, "", "")
	session := s.client(eras[1])
	defer sim.Inject("GET /api/plugins/testbed/items/", netboxsim.Fault{
		Status: 500, Header: http.Header{"X-Request-Id": {netboxsim.TestbedToken}, "Etag": {netboxsim.TestbedToken}},
		Body: []byte(`{"authorization":"Bearer ` + netboxsim.TestbedToken + `"}`),
	})()
	r := pluginCall(t, session, liveTarget{plugin: "testbed"}, "list_items", `{}`)
	if r.failed || strings.Contains(r.text, netboxsim.TestbedToken) || !strings.Contains(r.text, "[redacted]") {
		t.Errorf("the result: %s", r.text)
	}
	remove := sim.Inject("GET /api/plugins/testbed/mcp/", netboxsim.Fault{Status: 403, Body: []byte(`{"detail":"bad ` + netboxsim.TestbedToken + ` thing"}`)})
	r = call(t, session, "plugin_list_tools", `{}`)
	remove()
	if strings.Contains(r.text, netboxsim.TestbedToken) {
		t.Errorf("the problem: %s", r.text)
	}
	if strings.Contains(logText(t), netboxsim.TestbedToken) {
		t.Error("the log shows the token")
	}
}

// TestTakenPort: serve and demo do not share a port with whoever has it.
func TestTakenPort(t *testing.T) {
	cleanEnvironment(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, listen := range []string{taken.Addr().String(), "no.such.name.invalid:8443", "192.0.2.1:8443", "localhost"} {
		if _, err := startDemo(listen, false, io.Discard); err == nil || !strings.Contains(err.Error(), "--listen") {
			t.Errorf("demo at %s: %v", listen, err)
		}
	}
	t.Setenv(urlVariable, "http://127.0.0.1:1")
	t.Setenv(authVariable, testToken)
	_, port, _ := net.SplitHostPort(taken.Addr().String())
	if _, err := runServe(flags(t, serveCommand(), "--transport", "streamable-http", "--port", port)); err == nil || !strings.Contains(err.Error(), "--port") {
		t.Errorf("serve at a taken port: %v", err)
	}
}
