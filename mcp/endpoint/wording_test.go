package endpoint

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

func TestRewordWritten(t *testing.T) {
	event := func(s string) string { return "event: message\ndata: " + s + "\n\n" }
	const (
		early  = `{"jsonrpc":"2.0","id":"x<y","error":{"code":0,"message":"method \"tools/list\" is invalid during session initialization"}}`
		first  = `{"jsonrpc":"2.0","id":"x<y","error":{"code":-32600,"message":"initialize first: send initialize, then notifications/initialized, and then this request in the same session"}}`
		large  = `{"jsonrpc":"2.0","id":9007199254740991,"error":{"code":-32602,"message":"invalid params: unmarshaling \"[]\" into a *mcp.X: json: no","data":{"a":1}}}`
		params = `{"jsonrpc":"2.0","id":9007199254740991,"error":{"code":-32602,"message":"the params do not have the form that this method needs: compare them with the protocol's schema","data":{"a":1}}}`
	)
	tests := []struct{ name, in, want string }{
		{"event", event(early), event(first)},
		{"whole answer", early, first},
		{"params", event(large), event(params)},
		{"no id", `{"jsonrpc":"2.0","error":{"code":0,"message":"x"}}`, `{"jsonrpc":"2.0","error":{"code":-32603,"message":"x"}}`},
		{"params are missing", `{"jsonrpc":"2.0","id":1,"error":{"code":0,"message":"handling 'initialize': missing required \"params\""}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"this method needs params"}}`},
		{"proper error", event(`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown tool \"x\""}}`), event(`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unknown tool \"x\""}}`)},
		{"result that looks like an error", event(`{"jsonrpc":"2.0","id":1,"result":{"error":{"code":0,"message":"x"}}}`), event(`{"jsonrpc":"2.0","id":1,"result":{"error":{"code":0,"message":"x"}}}`)},
		{"id that looks like an error", event(`{"jsonrpc":"2.0","id":"error","result":{}}`), event(`{"jsonrpc":"2.0","id":"error","result":{}}`)},
		{"notification", event(`{"jsonrpc":"2.0","method":"x","params":{"error":1}}`), event(`{"jsonrpc":"2.0","method":"x","params":{"error":1}}`)},
		{"no JSON", "nothing", "nothing"},
		{"empty", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(rewordWritten([]byte(tt.in))); got != tt.want {
				t.Errorf("%q\ninstead of %q", got, tt.want)
			}
		})
	}
}

// mistakes are messages that the SDK refuses with an error that has no code or names Go types.
func mistakes() []struct {
	name, body string
	inSession  bool
	code       int
	words      string
} {
	return []struct {
		name, body string
		inSession  bool
		code       int
		words      string
	}{
		{"before initialize", `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, false, -32600, "initialize first"},
		{"call before initialize", call(7, "echo", `{}`), false, -32600, "initialize first"},
		{"second initialize", strings.Replace(initialize, `"id":1`, `"id":7`, 1), true, -32600, "initialized already"},
		{"initialize with other params", `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":7,"x":"` + strings.Repeat("x", 5000) + `"}}`, false, -32602, "params"},
		{"initialize without params", `{"jsonrpc":"2.0","id":7,"method":"initialize","params":null}`, false, -32602, "params"},
		{"call with other params", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":7}}`, true, -32602, "params"},
	}
}

func TestMistakesOverHTTP(t *testing.T) {
	for _, tt := range mistakes() {
		t.Run(tt.name, func(t *testing.T) {
			g := newRig(t, nil)
			var headers []string
			if tt.inSession {
				headers = []string{sessionHeader, g.open(t, "")}
			}
			a := g.post(t, tt.body, headers...)
			m := a.message(t)
			if a.status != http.StatusOK || string(m.ID) != "7" || m.Error.Code != tt.code || !strings.Contains(m.Error.Message, tt.words) {
				t.Errorf("status %d, %s", a.status, a.body)
			}
			if strings.Contains(a.body, "mcp.") || len(a.body) > 1000 {
				t.Errorf("answer %s", a.body)
			}
			// The SDK takes such mistakes for errors of the server; the log of level info has nothing of them.
			if log := g.log.String(); log != "" {
				t.Errorf("the log has %s", log)
			}
		})
	}
}

// What the SDK logs of a mistake is there at level debug, without what it logs of every request.
func TestQuiet(t *testing.T) {
	log := &safeBuffer{}
	logger := slog.New(quiet{slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})}).With("a", 1).WithGroup("g")
	logger.Info("of every request")
	logger.Error("of a mistake", "b", 2)
	if got := log.String(); !strings.HasSuffix(got, "level=DEBUG msg=\"of a mistake\" a=1 g.b=2\n") || strings.Contains(got, "of every request") {
		t.Errorf("the log has %s", got)
	}
	log = &safeBuffer{}
	slog.New(quiet{slog.NewTextHandler(log, nil)}).Error("of a mistake")
	if log.String() != "" {
		t.Errorf("at level info the log has %s", log)
	}
}
