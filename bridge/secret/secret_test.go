package secret

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
)

func TestTextNeverPrints(t *testing.T) {
	const value = "hunter2-hunter2"
	nested := struct{ Token Text }{New(value)}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "direct", New(value), "nested", nested)
	encoded, err := json.Marshal(nested)
	if err != nil {
		t.Fatal(err)
	}
	shown := []string{log.String(), string(encoded)}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		shown = append(shown, fmt.Sprintf(verb, New(value)), fmt.Sprintf(verb, nested), fmt.Sprintf(verb, &nested))
	}
	for _, s := range shown {
		if strings.Contains(s, value) || strings.Contains(s, fmt.Sprintf("%x", value)) {
			t.Errorf("the value shows in %q", s)
		}
		if !strings.Contains(s, redacted) {
			t.Errorf("%q does not say that a value was left out", s)
		}
	}
	if got := New(value).Reveal(); got != value {
		t.Errorf("Reveal() = %q, want the value", got)
	}
}

func TestTextEqual(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"abc", "abc", true}, {"abc", "abd", false}, {"abc", "abcd", false}, {"", "", true}, {"", "a", false},
	}
	for _, tt := range tests {
		if got := New(tt.a).Equal(New(tt.b)); got != tt.want {
			t.Errorf("Equal(%q, %q) = %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
	if !New("").Empty() || New("x").Empty() {
		t.Error("Empty() is wrong")
	}
}
