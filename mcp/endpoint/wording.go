package endpoint

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// notJSONRPC says what is wrong with JSON that the SDK cannot read as a message; its own words name Go types.
const notJSONRPC = `this is no JSON-RPC 2.0 message: jsonrpc is "2.0", a request has a method, and an answer the id of its request with a result or an error`

// reworded is an error of the SDK as a client should see it. The SDK leaves some of a client's mistakes without a code and
// words them for Go programmers, repeating the params at any length.
func reworded(e *jsonrpc.Error) *jsonrpc.Error {
	code, message := e.Code, e.Message
	switch {
	case code == 0 && strings.HasSuffix(message, "is invalid during session initialization"):
		code, message = jsonrpc.CodeInvalidRequest, "initialize first: send initialize, then notifications/initialized, and then this request in the same session"
	case code == 0 && strings.HasPrefix(message, `duplicate "initialize"`):
		code, message = jsonrpc.CodeInvalidRequest, "this session is initialized already: go on with other requests, or initialize without a session to open another one"
	case code == 0 && strings.HasSuffix(message, `missing required "params"`):
		code, message = jsonrpc.CodeInvalidParams, `this method needs params`
	case (code == 0 || code == jsonrpc.CodeInvalidParams) && strings.Contains(message, "unmarshaling ") && strings.Contains(message, " into a *"):
		code, message = jsonrpc.CodeInvalidParams, "the params do not have the form that this method needs: compare them with the protocol's schema"
	case code == 0:
		code = jsonrpc.CodeInternalError
	default:
		return e
	}
	return &jsonrpc.Error{Code: code, Message: message, Data: e.Data}
}

// eventHead is how the SDK begins an event; two line breaks end it.
const eventHead = "event: message\ndata: "

// rewordWritten rewords the error that the SDK writes to an HTTP client: an event or a whole answer with one message in
// it. Everything else comes back as it is, results after a look at their first members only.
func rewordWritten(p []byte) []byte {
	text, event := bytes.CutPrefix(p, []byte(eventHead))
	if !isFailure(text) {
		return p
	}
	var m struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id,omitempty"`
		Error   *jsonrpc.Error  `json:"error"`
	}
	if err := json.Unmarshal(text, &m); err != nil || m.Error == nil {
		return p
	}
	better := reworded(m.Error)
	if better == m.Error {
		return p
	}
	m.Error = better
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	// What was decoded from JSON can be encoded.
	_ = enc.Encode(m)
	text = bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if event {
		return slices.Concat([]byte(eventHead), text, []byte("\n\n"))
	}
	return text
}

// isFailure reports whether a message of the SDK is an error: it writes jsonrpc, the id and then the result or the error.
func isFailure(text []byte) bool {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return false
	}
	for _, name := range []string{"jsonrpc", "id"} {
		t, err := d.Token()
		if err != nil || t != name {
			return err == nil && t == "error"
		}
		if _, err := d.Token(); err != nil {
			return false
		}
	}
	t, err := d.Token()
	return err == nil && t == "error"
}
