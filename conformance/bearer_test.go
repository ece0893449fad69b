package conformance_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"caddy-netbox-mcp/conformance"
)

func proxy(t *testing.T, backend http.HandlerFunc) *httptest.Server {
	t.Helper()
	upstream := httptest.NewServer(backend)
	t.Cleanup(upstream.Close)
	target, err := url.Parse(upstream.URL)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(conformance.Bearer(target, "a-token"))
	t.Cleanup(front.Close)
	return front
}

func TestBearerAddsOnlyTheToken(t *testing.T) {
	got := make(chan *http.Request, 1)
	front := proxy(t, func(w http.ResponseWriter, r *http.Request) {
		got <- r
		w.Header().Set("Mcp-Session-Id", "a-session")
		w.WriteHeader(http.StatusForbidden)
	})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, front.URL+"/mcp?a=1;b=2", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "evil.example.com"
	req.Header.Set("Origin", "http://evil.example.com")
	req.Header.Set("Authorization", "Bearer the client's own")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden || resp.Header.Get("Mcp-Session-Id") != "a-session" {
		t.Errorf("the answer is %s with session %q", resp.Status, resp.Header.Get("Mcp-Session-Id"))
	}
	r := <-got
	if r.Method != http.MethodDelete || r.RequestURI != "/mcp?a=1;b=2" || r.Host != "evil.example.com" {
		t.Errorf("the upstream saw %s %s of host %s", r.Method, r.RequestURI, r.Host)
	}
	for name, want := range map[string]string{
		"Authorization": "Bearer a-token", "Origin": "http://evil.example.com", "X-Forwarded-For": "", "Forwarded": "",
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestBearerPassesEventsOnAtOnce(t *testing.T) {
	release := make(chan struct{})
	front := proxy(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "data: 1\n\n")
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		<-release
		fmt.Fprint(w, "data: 2\n\n")
	})
	resp, err := http.Get(front.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	events := bufio.NewReader(resp.Body)
	if line, err := events.ReadString('\n'); line != "data: 1\n" || err != nil {
		t.Errorf("first event %q, %v", line, err)
	}
	close(release)
	rest, err := io.ReadAll(events)
	if string(rest) != "\ndata: 2\n\n" || err != nil {
		t.Errorf("the rest is %q, %v", rest, err)
	}
}

// An answer that begins before the request has ended must cut neither.
func TestBearerKeepsTheBodyWhileTheAnswerRuns(t *testing.T) {
	front := proxy(t, func(w http.ResponseWriter, r *http.Request) {
		c := http.NewResponseController(w)
		if err := c.EnableFullDuplex(); err != nil {
			t.Error(err)
		}
		fmt.Fprint(w, "begun,")
		if err := c.Flush(); err != nil {
			t.Error(err)
		}
		body, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s,%v", body, err)
	})
	conn, err := net.Dial("tcp", strings.TrimPrefix(front.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8\r\n\r\nhalf")
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	begun := make([]byte, len("begun,"))
	if _, err := io.ReadFull(resp.Body, begun); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(conn, "rest")
	answer, err := io.ReadAll(resp.Body)
	if string(answer) != "halfrest,<nil>" || err != nil {
		t.Errorf("the answer ends %q, %v", answer, err)
	}
}
