package endpoint

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestReadMessage(t *testing.T) {
	tests := []struct {
		name, body string
		want       Message
	}{
		{"call", call(7, "echo", `{}`), Message{Method: "tools/call", ID: json.RawMessage(`7`), Tool: "echo"}},
		{"progress token", `{"jsonrpc":"2.0","id":"x\"y","method":"tools/call","params":{"name":"echo","_meta":{"progressToken":1}}}`, Message{Method: "tools/call", ID: json.RawMessage(`"x\"y"`), Tool: "echo", Progress: true}},
		{"name of another method", `{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"echo"}}`, Message{Method: "prompts/get", ID: json.RawMessage(`1`)}},
		{"notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, Message{Method: "notifications/initialized"}},
		{"result", `{"jsonrpc":"2.0","id":-3,"result":{}}`, Message{ID: json.RawMessage(`-3`)}},
		{"error", `{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":""}}`, Message{ID: json.RawMessage(`3`)}},
		{"largest id", `{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}`, Message{Method: "ping", ID: json.RawMessage(`9007199254740991`)}},
		{"longest method", `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("é", 128) + `"}`, Message{Method: strings.Repeat("é", 128), ID: json.RawMessage(`1`)}},
		{"longest name of a tool", call(1, strings.Repeat("x", 128), `{}`), Message{Method: "tools/call", ID: json.RawMessage(`1`), Tool: strings.Repeat("x", 128)}},
		{"too long a name of a tool", call(1, strings.Repeat("x", 127)+"éé", `{}`), Message{Method: "tools/call", ID: json.RawMessage(`1`), Tool: strings.Repeat("x", 127)}},
		{"params is a list", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, Message{Method: "ping", ID: json.RawMessage(`1`)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, refusal := ReadMessage([]byte(tt.body))
			if refusal != nil {
				t.Fatalf("refused: %+v", refusal)
			}
			if m.Method != tt.want.Method || string(m.ID) != string(tt.want.ID) || m.Tool != tt.want.Tool || m.Progress != tt.want.Progress {
				t.Errorf("message %+v, want %+v", m, tt.want)
			}
		})
	}
}

func TestReadMessageRefuses(t *testing.T) {
	tests := []struct {
		name, body string
		code       int
		id, words  string
	}{
		{"empty", ``, -32700, "null", "empty"},
		{"no JSON", `nope`, -32700, "null", "syntax"},
		{"something after it", `{} {}`, -32700, "null", "follows"},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", -32700, "null", "UTF-8"},
		{"duplicate key", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}`, -32700, "null", "twice"},
		{"duplicate key inside", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":{"b":1,"b":2}}}`, -32700, "null", "twice"},
		{"duplicate key by escape", `{"jsonrpc":"2.0","id":1,"method":"ping","m\u0065thod":"x"}`, -32700, "null", "twice"},
		{"too deep", `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + strings.Repeat("[", 65) + strings.Repeat("]", 65) + `}`, -32700, "null", "nesting limit"},
		{"too many values", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[` + strings.Repeat("0,", maxMessageNodes) + `0]}`, -32700, "null", "limit of"},
		{"batch", `[` + call(1, "echo", `{}`) + `]`, -32600, "null", "batches"},
		{"empty batch", `[]`, -32600, "null", "batches"},
		{"text", `"x"`, -32600, "null", "JSON object"},
		{"null", `null`, -32600, "null", "JSON object"},
		{"nothing in it", `{}`, -32600, "null", "has a method"},
		{"no method", `{"jsonrpc":"2.0","id":"a"}`, -32600, `"a"`, "has a method"},
		{"method is a number", `{"jsonrpc":"2.0","id":5,"method":7}`, -32600, "5", "a method is a string"},
		{"method is too long", `{"jsonrpc":"2.0","id":5,"method":"` + strings.Repeat("é", 129) + `"}`, -32600, "5", "128 characters"},
		{"method is null", `{"jsonrpc":"2.0","id":5,"method":null}`, -32600, "5", "a method is a string"},
		{"id is null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600, "null", "an id is"},
		{"id is a list", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, -32600, "null", "an id is"},
		{"id is a fraction", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, -32600, "null", "an id is"},
		{"id is not exact in a double", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, -32600, "null", "an id is"},
		{"id is huge", `{"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}`, -32600, "null", "an id is"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, refusal := ReadMessage([]byte(tt.body))
			if refusal == nil {
				t.Fatal("accepted")
			}
			w := httptest.NewRecorder()
			refusal.WriteTo(w)
			a := answer{w.Code, w.Header(), w.Body.String()}
			m := a.message(t)
			if a.status != 400 || m.Error.Code != tt.code || string(m.ID) != tt.id || !strings.Contains(m.Error.Message, tt.words) {
				t.Errorf("status %d, %s; want %d, id %s, %q", a.status, a.body, tt.code, tt.id, tt.words)
			}
			if a.header.Get("Content-Type") != "application/json" || a.header.Get("Cache-Control") != "no-store" || a.header.Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("headers %v", a.header)
			}
		})
	}
}

func TestMessageCall(t *testing.T) {
	for method, want := range map[string]bool{
		"tools/call": true, "resources/read": true, "completion/complete": true,
		"tools/list": false, "initialize": false, "ping": false, "notifications/cancelled": false, "": false,
	} {
		if got := (Message{Method: method}).Call(); got != want {
			t.Errorf("%q takes a place: %t", method, got)
		}
	}
}

func TestLongStream(t *testing.T) {
	get, post := httptest.NewRequest("GET", "/", nil), httptest.NewRequest("POST", "/", nil)
	if !LongStream(get, Message{}) || !LongStream(post, Message{Method: "subscriptions/listen"}) || LongStream(post, Message{Method: "tools/call"}) {
		t.Error("a stream is taken for an answer, or the other way round")
	}
}

func FuzzReadMessage(f *testing.F) {
	f.Add([]byte(initialize))
	f.Add([]byte(`[{"id":1}]`))
	f.Fuzz(func(t *testing.T, body []byte) {
		m, refusal := ReadMessage(body)
		if refusal == nil && m.ID != nil && !json.Valid(m.ID) {
			t.Fatalf("id %s", m.ID)
		}
		if refusal != nil && (refusal.Status != 400 || refusal.Message == "") {
			t.Fatalf("refusal %+v", refusal)
		}
	})
}
