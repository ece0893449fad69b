package toolset

import (
	"context"
	"time"
)

// Recorder hears of every call of a tool exactly once, whatever came of it. Record must not block on the network and
// must not keep the entry.
type Recorder interface {
	Record(ctx context.Context, entry *Entry)
}

// Entry is what is recorded of one call. It holds names and outcomes, never values: no argument, body or credential.
type Entry struct {
	// Time is when the call began.
	Time time.Time
	// Instance, Caller and Tool say where, who and what.
	Instance, Caller, Tool string
	// Target narrows the tool: for a plugin's tool its qualified name ("plugin.tool").
	Target string
	// OwnCredential is set when the call brought a credential of its own for the upstream.
	OwnCredential bool
	// Effect is read, write or destructive; empty when the call ended before it was known.
	Effect string
	// DryRun is set when the caller asked for a preview.
	DryRun bool
	// Outcome is "ok" or the error code of the failure.
	Outcome string
	// Status is the HTTP status of the upstream's answer, 0 without one.
	Status int
	// RequestID is the upstream's X-Request-ID, which its change log carries too.
	RequestID string
	// Duration is how long the call took.
	Duration time.Duration
}
