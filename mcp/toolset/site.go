package toolset

import (
	"time"

	"caddy-netbox-mcp/bridge/secret"
)

// Site is what one configuration serves at one endpoint. It is immutable: a reload makes another one, and each request
// carries the one it arrived at to its end.
type Site struct {
	// Instance names the endpoint's upstream in titles, dry runs and records.
	Instance string
	// Tools are the tools with the handlers of this configuration.
	Tools *Set
	// ReadOnly leaves out every tool that only writes and closes the gate of the others, whoever asks.
	ReadOnly bool
	// CallTimeout bounds one call of a tool; a write that was sent runs to its own end.
	CallTimeout time.Duration
	// MaxSessions bounds the sessions of clients that use protocol revisions with sessions (2025-11-25 and older).
	MaxSessions int
	// SessionTimeout ends a session that has had neither a request nor an open stream for so long.
	SessionTimeout time.Duration
	// Recorder hears of every call; required.
	Recorder Recorder
	// Secrets lists the configured secrets as they are now, so that failures can be freed of them; required.
	Secrets func() []secret.Text
}

// Serves reports whether a principal may know of a tool. A tool that is not served is as unknown as one that never was.
func (s *Site) Serves(p Principal, t *Tool) bool {
	return !t.OnlyWrites || !(s.ReadOnly || p.ReadOnly)
}

// Principal is who makes a call.
type Principal struct {
	// Name is the caller's name in logs and records: "shared" for callers of a shared token, "stdio" for a local client.
	Name string
	// Credential is what this caller is in the upstream; empty means anonymous there.
	Credential secret.Text
	// AllowMutations is the write gate as it stands for this caller.
	AllowMutations bool
	// ReadOnly wins over everything: tools that only write are not served, and others refuse to write.
	ReadOnly bool
	// CallToken permits the per-call token argument in place of Credential.
	CallToken bool
}

// MayWrite reports whether the write gate is open for a principal at this site.
func (s *Site) MayWrite(p Principal) bool {
	return p.AllowMutations && !s.ReadOnly && !p.ReadOnly
}
