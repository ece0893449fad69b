package envelope_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"caddy-netbox-mcp/bridge/secret"
	"caddy-netbox-mcp/mcp/envelope"
)

const (
	v1Token  = "0123456789abcdef0123456789abcdef01234567"
	v2Token  = "nbt_Abc123.secretsecretsecretsecretsecretsecretsecret"
	hex64    = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
	hex39    = "0123456789abcdef0123456789abcdef0123456"
	redacted = "[redacted]"
)

func TestMask(t *testing.T) {
	tests := []struct {
		name, text, want string
		secrets          []string
	}{
		{"nothing to hide", "plain", "plain", []string{"hunter2"}},
		{"configured", "a hunter2 b hunter2", "a [redacted] b [redacted]", []string{"hunter2"}},
		{"too short to blank", "abcde", "abcde", []string{"abcde"}},
		{"empty", "abcde", "abcde", []string{""}},
		{"with quotes", `it is "quo"ted`, "it is [redacted]", []string{`"quo"ted`}},
		{"as quoted in JSON", `{"x":"a\"b\\cdef"}`, `{"x":"[redacted]"}`, []string{`a"b\cdef`}},
		{"one begins like the other", "abcdef123456", redacted, []string{"abcdef", "abcdef123456"}},
		{"v2", "Bearer " + v2Token + ".", "Bearer [redacted].", nil},
		{"v2 without secret", "nbt_Abc123", redacted, nil},
		{"v1", "Token " + v1Token, "Token [redacted]", nil},
		{"v1 in capitals", strings.ToUpper(v1Token), redacted, nil},
		{"64 digits", "(" + hex64 + ")", "([redacted])", nil},
		{"39 digits", hex39, hex39, nil},
		{"41 digits", hex39 + "00", hex39 + "00", nil},
		{"a UUID", "3f2504e0-4f89-11d3-9a0c-0305e82c3301", "3f2504e0-4f89-11d3-9a0c-0305e82c3301", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := envelope.Mask(tt.text, secrets(tt.secrets...)); got != tt.want {
				t.Errorf("Mask gives %q, want %q", got, tt.want)
			}
		})
	}
}

func secrets(values ...string) []secret.Text {
	var s []secret.Text
	for _, v := range values {
		s = append(s, secret.New(v))
	}
	return s
}

// failureText decodes a failure's text, which must be JSON whatever is in it.
func failureText(t *testing.T, text []byte) (code, message string, details map[string]any) {
	t.Helper()
	var doc struct {
		Error struct {
			Code    string         `json:"code"`
			Message string         `json:"message"`
			Details map[string]any `json:"details"`
		} `json:"error"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return doc.Error.Code, doc.Error.Message, doc.Error.Details
}

func TestTextIsJSONAndMasked(t *testing.T) {
	tests := []struct {
		name, message, want string
		secrets             []string
	}{
		{"plain", "try <again> & ünïcode", "try <again> & ünïcode", nil},
		{"token after an escape", "\nbt_abc.def and \nbt_", "\nbt_abc.def and \nbt_", nil},
		{"real token after a line break", "\nnbt_abc.def", "\n[redacted]", nil},
		{"digits after an escape", "\f" + hex39, "\f" + hex39, nil},
		{"configured secret that looks like an escape", "x\n12345y", "x\n12345y", []string{"n12345"}},
		{"configured secret that looks like a member", `code message`, `code message`, []string{`"message":`, `{"error":`}},
		{"configured secret with quotes", `a"b"c"d"e`, redacted, []string{`a"b"c"d"e`}},
		{"invalid UTF-8", "a\xffb", "a\ufffdb", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := envelope.Errorf(envelope.UpstreamError, "%s", tt.message).
				With("answer", tt.message).With("list", []string{tt.message}).With("deep", map[string]any{"x": []any{tt.message, 7}})
			code, message, details := failureText(t, f.Text(secrets(tt.secrets...)))
			if code != "upstream_error" || message != tt.want {
				t.Errorf("code %q, message %q, want %q", code, message, tt.want)
			}
			deep := details["deep"].(map[string]any)["x"].([]any)
			for name, got := range map[string]any{"answer": details["answer"], "list": details["list"].([]any)[0], "deep": deep[0]} {
				if got != tt.want {
					t.Errorf("detail %s is %q, want %q", name, got, tt.want)
				}
			}
		})
	}
}

func TestTextShape(t *testing.T) {
	if got := string(envelope.Errorf(envelope.Internal, "x").Text(nil)); got != `{"error":{"code":"internal","message":"x"}}` {
		t.Errorf("without details: %s", got)
	}
	f := envelope.Errorf(envelope.LimitExceeded, "é <x>").With("max", int64(9007199254740993)).With("limit", "bytes")
	if got := string(f.Text(nil)); got != `{"error":{"code":"limit_exceeded","message":"é <x>","details":{"limit":"bytes","max":9007199254740993}}}` {
		t.Errorf("with details: %s", got)
	}
	// Details that cannot be encoded cost the details, not the failure.
	if got := string(envelope.Errorf(envelope.Internal, "x").With("bad", math.NaN()).Text(nil)); got != `{"error":{"code":"internal","message":"x"}}` {
		t.Errorf("with bad details: %s", got)
	}
}

func TestEncode(t *testing.T) {
	got, err := envelope.Encode(struct {
		Body json.RawMessage `json:"body"`
		Name string          `json:"name"`
	}{json.RawMessage(`{"a":7.0,"b":9007199254740993,"c":1e2}`), "Zürich <&> 東京"})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"body":{"a":7.0,"b":9007199254740993,"c":1e2},"name":"Zürich <&> 東京"}`; string(got) != want {
		t.Errorf("Encode gives %s, want %s", got, want)
	}
	if _, err := envelope.Encode(func() {}); err == nil {
		t.Error("a function was encoded")
	}
}

func TestCleanQuoteCut(t *testing.T) {
	if got := envelope.Clean("a\u202eb\u2066c\u200fd\x00e\x1b[31mf\ng\th\u2028i\ufeffj\U000E0041k\xffl\u0085m"); got != "abcde[31mf\ng\thijklm" {
		t.Errorf("Clean gives %q", got)
	}
	if got := envelope.Quote(" a\n\tb  c\u202e "); got != "a b c" {
		t.Errorf("Quote gives %q", got)
	}
	if got := envelope.Quote(strings.Repeat("é", 201)); got != strings.Repeat("é", 200)+"…" {
		t.Errorf("Quote gives %q", got)
	}
	if got := envelope.Quote(strings.Repeat("é", 200)); got != strings.Repeat("é", 200) {
		t.Errorf("Quote gives %q", got)
	}
	if got := envelope.Cut("abc", 2); got != "ab…" {
		t.Errorf("Cut gives %q", got)
	}
}

func FuzzTextIsJSON(f *testing.F) {
	f.Add("\nbt_abc", "n12345")
	f.Add(`a"b\c`, `"b\c`)
	f.Fuzz(func(t *testing.T, message, hidden string) {
		text := envelope.Errorf(envelope.Internal, "%s", message).With("answer", message).Text(secrets(hidden))
		if !json.Valid(text) {
			t.Fatalf("no JSON: %s", text)
		}
	})
}

// An upstream can send back what it was sent: known secrets do not reach the caller, and everything else stays as it is.
func TestEncodeMasked(t *testing.T) {
	secrets := []secret.Text{secret.New("nbt_key.abcdef"), secret.New(`quo"ted\secret`), secret.New("tiny")}
	tests := []struct{ name, in, want string }{
		{"nothing to mask", `{"a":1.0,"digest":"0123456789abcdef0123456789abcdef01234567","t":"tiny"}`, `{"a":1.0,"digest":"0123456789abcdef0123456789abcdef01234567","t":"tiny"}`},
		{"in a string", `{"n":9007199254740993,"s":"Bearer nbt_key.abcdef!"}`, `{"n":9007199254740993,"s":"Bearer [redacted]!"}`},
		{"in a member's name", `{"nbt_key.abcdef":[{"x":"nbt_key.abcdef"}]}`, `{"[redacted]":[{"x":"[redacted]"}]}`},
		{"with escapes", `{"s":"<quo\"ted\\secret>"}`, `{"s":"<[redacted]>"}`},
		{"in JSON inside a string", `{"s":"{\"b\":\"quo\\\"ted\\\\secret\"}"}`, `{"s":"{\"b\":\"[redacted]\"}"}`},
		{"an escape that runs into it", `{"s":"\nbt_key.abcdef"}`, `{"s":"\nbt_key.abcdef"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := envelope.EncodeMasked(json.RawMessage(tt.in), secrets)
			if err != nil || string(got) != tt.want {
				t.Errorf("%s, %v; want %s", got, err, tt.want)
			}
		})
	}
}
