package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stdio serves an input to its end and returns the messages that came out.
func (g *rig) stdio(t *testing.T, in io.Reader, out io.WriteCloser, written func() string) []message {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- g.ServeStdio(t.Context(), io.NopCloser(in), out, g.binding("stdio")) }()
	if err := receive(t, done, "ServeStdio returns"); err != nil {
		t.Errorf("ServeStdio: %v", err)
	}
	var messages []message
	for line := range strings.Lines(written()) {
		var m message
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%v: %.200q", err, line)
		}
		messages = append(messages, m)
	}
	return messages
}

func (g *rig) stdioText(t *testing.T, in string) []message {
	t.Helper()
	out := &safeBuffer{}
	return g.stdio(t, strings.NewReader(in), closer{out}, out.String)
}

// padded is a call whose line has n bytes.
func padded(n int) string {
	const a, b = `{"jsonrpc":"2.0","id":8,"method":"ping","params":{"_meta":{"x":"`, `"}}}`
	return a + strings.Repeat("x", n-len(a)-len(b)) + b
}

// A line that cannot be served is answered, and the session goes on.
func TestStdioLines(t *testing.T) {
	tests := []struct {
		name, line string
		id         string // of the one answer; none if empty
		code       int
	}{
		{"garbage", "garbage", "null", -32700},
		{"a part of a message", `{"jsonrpc":"2.0",`, "null", -32700},
		{"two messages", `{"jsonrpc":"2.0","id":8,"method":"ping"} {"jsonrpc":"2.0","id":9,"method":"ping"}`, "null", -32700},
		{"batch", `[{"jsonrpc":"2.0","id":8,"method":"ping"}]`, "null", -32600},
		{"duplicate key", `{"jsonrpc":"2.0","id":8,"method":"ping","id":9}`, "null", -32700},
		{"too deep", strings.Repeat("[", 200_000), "null", -32700},
		{"bad id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, "null", -32600},
		{"invalid UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"\xff\"}", "null", -32700},
		{"long method", `{"jsonrpc":"2.0","id":8,"method":"` + strings.Repeat("x", 129) + `"}`, "8", -32600},
		{"another JSON-RPC", `{"jsonrpc":"1.0","id":8,"method":"ping"}`, "8", -32600},
		{"version is a number", `{"jsonrpc":2,"id":8,"method":"ping"}`, "8", -32600},
		{"answer without id", `{"jsonrpc":"2.0","result":{}}`, "null", -32600},
		{"longest line", padded(maxLine), "8", 0},
		{"longest line, with a carriage return", padded(maxLine) + "\r", "8", 0},
		{"too long", padded(maxLine + 1), "null", -32600},
		{"much too long", padded(3 * maxLine), "null", -32600},
		{"spaces around it", " \t" + `{"jsonrpc":"2.0","id":8,"method":"ping"}` + " \r", "8", 0},
		{"unknown method", `{"jsonrpc":"2.0","id":8,"method":"fly"}`, "8", -32601},
		{"unknown notification", `{"jsonrpc":"2.0","method":"notifications/fly"}`, "", 0},
		{"answer to nothing", `{"jsonrpc":"2.0","id":8,"result":{}}`, "", 0},
		{"empty", "", "", 0},
		{"spaces", " \t\r", "", 0},
	}
	for _, tt := range tests {
		for _, last := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, last %t", tt.name, last), func(t *testing.T) {
				g := newRig(t, nil)
				in, answers := initialize+"\n"+tt.line, 1
				if !last {
					in, answers = in+"\n\n"+call(2, "echo", `{}`), 2
				}
				found := tt.id == ""
				if !found {
					answers++
				}
				messages := g.stdioText(t, in)
				if len(messages) != answers {
					t.Errorf("%d answers, want %d: %.500s", len(messages), answers, fmt.Sprint(messages))
				}
				for _, m := range messages {
					switch id := string(m.ID); {
					case id == "2":
						if text, failed := m.tool(t); failed || text != `{"arguments":{},"caller":"stdio"}` {
							t.Errorf("afterwards: %s", text)
						}
					case id == tt.id && m.Error.Code == tt.code && len(m.Error.Message) < 300:
						found = true
					case id != "1":
						t.Errorf("answer %s, %+v", id, m.Error)
					}
				}
				if !found {
					t.Errorf("no answer %s with code %d in %+v", tt.id, tt.code, messages)
				}
			})
		}
	}
}

func TestMistakesOverStdio(t *testing.T) {
	for _, tt := range mistakes() {
		t.Run(tt.name, func(t *testing.T) {
			g := newRig(t, nil)
			in := tt.body
			if tt.inSession {
				in = initialize + "\n" + in
			}
			messages := g.stdioText(t, in)
			m := messages[len(messages)-1]
			if string(m.ID) != "7" || m.Error.Code != tt.code || !strings.Contains(m.Error.Message, tt.words) || strings.Contains(m.Error.Message, "mcp.") {
				t.Errorf("answers %+v", messages)
			}
			if log := g.log.String(); log != "" {
				t.Errorf("the log has %s", log)
			}
		})
	}
}

// slowly writes byte by byte, so that two writers at once would mix their lines.
type slowly struct{ io.Writer }

func (s slowly) Write(p []byte) (int, error) {
	for i := range p {
		if _, err := s.Writer.Write(p[i : i+1]); err != nil {
			return i, err
		}
		runtime.Gosched()
	}
	return len(p), nil
}

func TestStdioRefusalsAreWholeLines(t *testing.T) {
	g := newRig(t, nil)
	in := initialize + "\n"
	for i := range 100 {
		in += call(10+i, "echo", `{}`) + "\ngarbage\n"
	}
	out := &safeBuffer{}
	count := make(map[int]int)
	for _, m := range g.stdio(t, strings.NewReader(in), closer{slowly{out}}, out.String) {
		count[m.Error.Code]++
	}
	if count[0] != 101 || count[-32700] != 100 || len(count) != 2 {
		t.Errorf("answers by code: %v", count)
	}
}

// The end of the context cancels what is in progress, lets the answers out and leaves nothing behind.
func TestStdioContextCancelsCalls(t *testing.T) {
	g := newRig(t, nil)
	in, client := io.Pipe()
	out := &safeBuffer{}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- g.ServeStdio(ctx, in, closer{out}, g.binding("stdio")) }()
	for _, line := range []string{initialize, call(2, "wait", `{}`), call(3, "wait", `{}`)} {
		if _, err := io.WriteString(client, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		receive(t, g.entered, "the tool runs")
	}
	cancel()
	for range 2 {
		if err := receive(t, g.left, "the tool ends"); !errors.Is(err, context.Canceled) {
			t.Errorf("the tool's context ended with %v", err)
		}
	}
	if err := receive(t, done, "ServeStdio returns"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	for _, want := range []string{`"id":2,`, `"id":3,`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is missing in %s", want, out)
		}
	}
	if n := len(g.record.all()); n != 2 {
		t.Errorf("%d calls were recorded", n)
	}
	for _, e := range g.record.all() {
		if e.Outcome != "cancelled" {
			t.Errorf("entry %+v", e)
		}
	}
	if _, err := client.Write([]byte("x")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the input is open: %v", err)
	}
	g.server.Close()
	noGoroutineLeft(t)
}

// endless is an input that never ends, and goes on when it is closed.
type endless string

func (e endless) Read(p []byte) (int, error) { return copy(p, e), nil }
func (endless) Close() error                 { return nil }

func TestStdioEndsAnEndlessInput(t *testing.T) {
	for _, in := range []endless{"x", "\n", "x\n"} {
		t.Run(fmt.Sprintf("%q", string(in)), func(t *testing.T) {
			g := newRig(t, nil)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- g.ServeStdio(ctx, in, closer{io.Discard}, g.binding("stdio")) }()
			eventually(t, "it is connected", func() bool { return g.sdkSessions() == 1 })
			cancel()
			if err := receive(t, done, "ServeStdio returns"); !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			g.server.Close()
			noGoroutineLeft(t)
		})
	}
}

// stuck is a connection whose client reads nothing.
type stuck struct {
	mcp.Connection
	closed chan struct{}
}

func (s stuck) Write(context.Context, jsonrpc.Message) error {
	<-s.closed
	return io.ErrClosedPipe
}

func (s stuck) Close() error {
	close(s.closed)
	return nil
}

// A client that does not read its answers cannot hold up the end for long.
func TestStdioEndsWhileWriting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c := &patientConn{Connection: stuck{closed: make(chan struct{})}, served: ctx, open: make(map[jsonrpc.ID]bool), closed: make(chan struct{})}
		written := make(chan error, 1)
		go func() { written <- c.Write(ctx, &jsonrpc.Response{}) }()
		time.Sleep(time.Hour) // in the test's own time
		select {
		case err := <-written:
			t.Fatalf("a write ended with %v", err)
		default:
		}
		cancel()
		start := time.Now()
		if err := <-written; !errors.Is(err, io.ErrClosedPipe) || time.Since(start) != lastWrite {
			t.Errorf("the write ended with %v after %v", err, time.Since(start))
		}
	})
}
