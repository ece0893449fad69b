// Package secret holds values that must never be printed.
//
// A [Text] guarantees that no formatting verb, structured logger or JSON encoder shows its value: the only way to it
// is [Text.Reveal], which is easy to search for. It refuses nothing and compares in constant time.
package secret

import (
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"log/slog"
)

// redacted is what every printing path shows in place of the value.
const redacted = "[redacted]"

// Text is a secret string. The zero value is the empty secret.
type Text struct {
	value string
}

// New wraps a value.
func New(value string) Text { return Text{value: value} }

// Reveal returns the value itself, for the one place that must send or compare it.
func (t Text) Reveal() string { return t.value }

// Empty reports whether there is no value.
func (t Text) Empty() bool { return t.value == "" }

// Equal compares two secrets over their SHA-256 digests, so that the time taken tells neither length nor content.
func (t Text) Equal(other Text) bool {
	a, b := sha256.Sum256([]byte(t.value)), sha256.Sum256([]byte(other.value))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// String implements [fmt.Stringer] without the value.
func (Text) String() string { return redacted }

// GoString implements [fmt.GoStringer] without the value.
func (Text) GoString() string { return redacted }

// Format implements [fmt.Formatter]: without it, verbs such as %x would reach the field by reflection.
func (Text) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// LogValue implements [slog.LogValuer] without the value.
func (Text) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText implements [encoding.TextMarshaler] without the value; encoding/json and zap use it for nested fields.
func (Text) MarshalText() ([]byte, error) { return []byte(redacted), nil }
