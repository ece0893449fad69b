package endpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// closer makes a writer a WriteCloser.
type closer struct{ io.Writer }

func (closer) Close() error { return nil }

// The SDK's client over pipes, in both eras; every byte that comes out is protocol.
func TestStdio(t *testing.T) {
	for _, version := range []string{older, newest} {
		t.Run(version, func(t *testing.T) {
			g := newRig(t, nil)
			serverIn, clientOut := io.Pipe()
			clientIn, serverOut := io.Pipe()
			var written bytes.Buffer
			done := make(chan error, 1)
			go func() {
				done <- g.ServeStdio(t.Context(), serverIn, struct {
					io.Writer
					io.Closer
				}{io.MultiWriter(&written, serverOut), serverOut}, g.binding("stdio"))
			}()
			c := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil)
			s, err := c.Connect(t.Context(), &mcp.IOTransport{Reader: clientIn, Writer: clientOut}, &mcp.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			if got := s.InitializeResult().ProtocolVersion; got != version {
				t.Errorf("version %s", got)
			}
			for _, tool := range []string{"echo", "panics"} {
				r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool})
				if err != nil {
					t.Fatal(err)
				}
				if r.IsError != (tool == "panics") {
					t.Errorf("%s: %+v", tool, r.Content[0])
				}
			}
			if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "nothing"}); err == nil || !strings.Contains(err.Error(), `unknown tool "nothing"`) {
				t.Errorf("error %v", err)
			}
			_ = s.Close()
			if err := receive(t, done, "ServeStdio returns"); err != nil {
				t.Error(err)
			}
			for line := range strings.Lines(written.String()) {
				var m struct{ JSONRPC string }
				if err := json.Unmarshal([]byte(line), &m); err != nil || m.JSONRPC != "2.0" {
					t.Errorf("no protocol: %q", line)
				}
			}
			if e := g.record.all(); len(e) != 2 || e[0].Caller != "stdio" {
				t.Errorf("entries %+v", e)
			}
		})
	}
}

// Requests from a file get all their answers, although the input ends before the calls do.
func TestStdioAnswersAfterTheEndOfInput(t *testing.T) {
	g := newRig(t, nil)
	input := initialize + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + call(2, "wait", `{}`) + "\n" + call(3, "echo", `{"a":9007199254740993}`) + "\n"
	var out safeBuffer
	done := make(chan error, 1)
	go func() {
		done <- g.ServeStdio(t.Context(), io.NopCloser(strings.NewReader(input)), closer{&out}, g.binding("stdio"))
	}()
	receive(t, g.entered, "the tool runs")
	eventually(t, "the other call is answered", func() bool { return strings.Contains(out.String(), "9007199254740993") })
	close(g.release)
	if err := receive(t, done, "ServeStdio returns"); err != nil {
		t.Error(err)
	}
	for _, want := range []string{`"id":1,`, `"id":2,`, `"id":3,`, "released"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is missing in %s", want, out.String())
		}
	}
}

// A subscription has no answer; it does not keep a connection whose input has ended.
func TestStdioEndsWithASubscription(t *testing.T) {
	g := newRig(t, nil)
	input := modernBody("subscriptions/listen", `"notifications":{}`, "") + "\n"
	done := make(chan error, 1)
	go func() {
		done <- g.ServeStdio(t.Context(), io.NopCloser(strings.NewReader(input)), closer{io.Discard}, g.binding("stdio"))
	}()
	if err := receive(t, done, "ServeStdio returns"); err != nil {
		t.Error(err)
	}
}

func TestStdioEndsWithItsContext(t *testing.T) {
	g := newRig(t, nil)
	in, _ := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- g.ServeStdio(ctx, in, closer{io.Discard}, g.binding("stdio")) }()
	eventually(t, "it is connected", func() bool { return g.sdkSessions() == 1 })
	cancel()
	if err := receive(t, done, "ServeStdio returns"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
