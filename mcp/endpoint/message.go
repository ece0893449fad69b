package endpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"unicode/utf8"

	"caddy-netbox-mcp/bridge/strictjson"
)

const (
	// maxMessageDepth leaves a plugin's arguments their 32 levels inside the envelope of a call, and headers room.
	maxMessageDepth = 64
	// maxMessageNodes bounds what parsing a message can cost in memory; the largest honest message, a bulk write of
	// thousands of objects, stays under it.
	maxMessageNodes = 200_000
)

const (
	// maxMethod is the longest name of a method, in characters: names come back in errors, and the longest one of the
	// protocol has half of that.
	maxMethod = 128
	// maxToolName is how much of a tool's name is kept for logs, in bytes; names may have 128 characters.
	maxToolName = 128
)

// maxID is the largest integer that every JSON implementation keeps exact (RFC 8259 section 6). The SDK reads ids as doubles, so
// it would answer to another id than a larger one.
const maxID = 1<<53 - 1

// JSON-RPC 2.0 error codes for messages that are refused before the SDK sees them.
const (
	codeParseError     = -32700
	codeInvalidRequest = -32600
	codeMethodNotFound = -32601
	codeInternalError  = -32603
)

// Message is what must be known of a JSON-RPC message before it is dispatched.
type Message struct {
	// Method is empty for an answer of the client.
	Method string
	// ID is the id's JSON text, nil for notifications.
	ID json.RawMessage
	// Progress is set when the caller gave a progress token.
	Progress bool
	// Tool is the tool's name in a tools/call, as the caller gave it and of at most 128 bytes.
	Tool string
}

// Call reports whether the message takes a place among the calls in progress.
func (m Message) Call() bool {
	switch m.Method {
	case "tools/call", "resources/read", "completion/complete":
		return true
	}
	return false
}

// ReadMessage looks at a request body without giving it to the SDK. A nil error means that it is one JSON-RPC object
// without duplicate keys and within the bounds of depth, size and names; the error otherwise is a [Refusal].
func ReadMessage(body []byte) (Message, *Refusal) {
	doc, err := strictjson.Parse(body, strictjson.Limits{Depth: maxMessageDepth, Nodes: maxMessageNodes})
	if err != nil {
		return Message{}, &Refusal{Status: http.StatusBadRequest, Code: codeParseError, Message: "reading the message: " + problem(err)}
	}
	switch doc.Kind {
	case strictjson.Array:
		return Message{}, &Refusal{Status: http.StatusBadRequest, Code: codeInvalidRequest, Message: "batches are not supported: send each message in a request of its own"}
	case strictjson.Object:
	default:
		return Message{}, &Refusal{Status: http.StatusBadRequest, Code: codeInvalidRequest, Message: "a message is a JSON object"}
	}
	var m Message
	if id, ok := doc.Get("id"); ok {
		if !validID(id) {
			return Message{}, &Refusal{Status: http.StatusBadRequest, Code: codeInvalidRequest, Message: "an id is a string, or an integer of at most 2^53-1"}
		}
		m.ID = id.AppendCompact(nil)
	}
	method, ok := doc.Get("method")
	if ok && method.Kind != strictjson.String {
		return Message{}, &Refusal{Status: http.StatusBadRequest, Code: codeInvalidRequest, ID: m.ID, Message: "a method is a string"}
	}
	if utf8.RuneCountInString(method.Text) > maxMethod {
		return Message{}, &Refusal{Status: http.StatusBadRequest, Code: codeInvalidRequest, ID: m.ID, Message: "the name of a method has at most " + strconv.Itoa(maxMethod) + " characters"}
	}
	if _, result := doc.Get("result"); !ok && !result {
		if _, failure := doc.Get("error"); !failure {
			return Message{}, &Refusal{Status: http.StatusBadRequest, Code: codeInvalidRequest, ID: m.ID, Message: "a message has a method, or is the result or error of a request"}
		}
	}
	m.Method = method.Text
	params, _ := doc.Get("params")
	if meta, ok := params.Get("_meta"); ok {
		_, m.Progress = meta.Get("progressToken")
	}
	if m.Method == "tools/call" {
		name, _ := params.Get("name")
		m.Tool = cutBytes(name.Text, maxToolName)
	}
	return m, nil
}

// cutBytes is the start of s that is whole characters within n bytes.
func cutBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// validID reports whether an id comes back to the client as it was sent.
func validID(id strictjson.Value) bool {
	if id.Kind == strictjson.String {
		return true
	}
	n, err := strconv.ParseInt(id.Text, 10, 64)
	return id.Kind == strictjson.Number && err == nil && n >= -maxID && n <= maxID
}

// problem is a parse error in words for the caller.
func problem(err error) string {
	if e, ok := errors.AsType[*strictjson.Error](err); ok {
		return e.Error()
	}
	return "it is not valid JSON"
}

// Refusal is a request that is refused before the protocol sees it.
type Refusal struct {
	// Status is the HTTP status; Code the JSON-RPC error code.
	Status, Code int
	// ID is the id of the message, where it could be read.
	ID json.RawMessage
	// Message says what to do instead.
	Message string
}

// line is the refusal as a JSON-RPC error, on one line with its break.
func (f *Refusal) line() []byte {
	id := f.ID
	if id == nil {
		id = json.RawMessage("null")
	}
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	// Encoding a struct of strings, numbers and valid JSON text cannot fail.
	_ = enc.Encode(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   any             `json:"error"`
	}{"2.0", id, struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}{f.Code, f.Message}})
	return body.Bytes()
}

// WriteTo answers a request with the refusal, as a JSON-RPC error.
func (f *Refusal) WriteTo(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Del("Content-Length")
	w.WriteHeader(f.Status)
	_, _ = w.Write(f.line())
}
