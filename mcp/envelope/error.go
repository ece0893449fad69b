package envelope

import (
	"fmt"
	"maps"
)

// Error is a failure in the product's own terms. Its message says what to do next and holds nothing secret.
type Error struct {
	Code    Code
	Message string
	// Details are facts worth having beside the sentence; they must encode as JSON.
	Details map[string]any

	cause error // of an internal failure; for the server's log only
}

// Error implements error. The text is for the server's log: unlike [Error.Text] it names the cause of an internal failure.
func (e *Error) Error() string {
	s := string(e.Code) + ": " + e.Message
	if e.cause != nil {
		s += ": " + e.cause.Error()
	}
	return s
}

// Errorf makes a failure.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// With returns a copy of the failure that has one more detail.
func (e *Error) With(name string, value any) *Error {
	c := *e
	c.Details = maps.Clone(e.Details)
	if c.Details == nil {
		c.Details = make(map[string]any)
	}
	c.Details[name] = value
	return &c
}
