package endpoint

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

const (
	// firstModern is the first protocol revision without initialize and sessions.
	firstModern = "2026-07-28"

	versionHeader = "Mcp-Protocol-Version"
	sessionHeader = "Mcp-Session-Id"
)

// modern reports whether a request speaks 2026-07-28 or later. An absent header is the older era.
func modern(r *http.Request) bool { return r.Header.Get(versionHeader) >= firstModern }

// LongStream reports whether a request opens a stream that lives until somebody ends it, rather than an answer.
func LongStream(r *http.Request, m Message) bool {
	return r.Method == http.MethodGet || m.Method == "subscriptions/listen"
}

// Serve answers one authenticated request. body is the request's body, read and bounded by the caller, and m what
// [ReadMessage] found in it; both are zero for GET and DELETE. Long streams end when the request's context does, or with
// [Endpoint.Close], after which every request is refused with status 503.
func (e *Endpoint) Serve(w http.ResponseWriter, r *http.Request, b *Binding, body []byte, m Message) {
	if !b.ok() {
		// Unreachable but for a mistake of ours, which must not become access.
		(&Refusal{Status: http.StatusUnauthorized, Code: codeInvalidRequest, ID: m.ID, Message: "unauthorized"}).WriteTo(w)
		return
	}
	if !e.activity.enter() {
		w.Header().Set("Retry-After", "1")
		(&Refusal{Status: http.StatusServiceUnavailable, Code: codeInternalError, ID: m.ID, Message: "this server is stopping: try again"}).WriteTo(w)
		return
	}
	if LongStream(r, m) {
		e.activity.leave() // Close ends it instead of waiting for it
	} else {
		defer e.activity.leave()
	}
	// Nothing that this request started may outlive it but what the SDK detaches on purpose.
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	out := newResponse(w, e.heartbeat, m.ID)
	out.sessions = !modern(r)
	defer out.close()
	r = b.bind(r.WithContext(ctx), out)
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.ContentLength = int64(len(body))
	acceptDefault(r)
	switch {
	case modern(r) && (m.Progress || m.Method == "subscriptions/listen"):
		e.statelessSSE.ServeHTTP(out, r)
	case modern(r):
		e.statelessJSON.ServeHTTP(out, r)
	case r.Header.Get(sessionHeader) != "":
		e.serveSession(out, r, b, m)
	case m.Method == "initialize":
		e.openSession(out, r, b, m)
	default:
		e.stateful.ServeHTTP(out, r)
	}
}

// acceptDefault reads a missing Accept as RFC 9110 does: anything. The SDK would refuse the request.
func acceptDefault(r *http.Request) {
	if len(r.Header.Values("Accept")) == 0 {
		r.Header.Set("Accept", "application/json, text/event-stream")
	}
}

// limits are the bounds of sessions at a binding's site.
func (b *Binding) limits() sessionLimits {
	return sessionLimits{total: b.Site.MaxSessions, idle: b.Site.SessionTimeout}
}

// openSession serves the initialize request of the older era, whose clients hold a session.
func (e *Endpoint) openSession(w *response, r *http.Request, b *Binding, m Message) {
	caller := b.Principal.Name
	if !e.sessions.reserve(caller, b.limits()) {
		w.Header().Set("Retry-After", "30")
		(&Refusal{Status: http.StatusTooManyRequests, Code: codeInvalidRequest, ID: m.ID, Message: "too many sessions are open: end one, or try again later"}).WriteTo(w)
		return
	}
	opened := false
	w.onHeader = func(h http.Header) {
		if id := h.Get(sessionHeader); id != "" {
			opened = true
			e.sessions.open(id, caller)
		}
	}
	e.stateful.ServeHTTP(w, r)
	id := w.Header().Get(sessionHeader)
	switch {
	case !opened:
		e.sessions.release(caller)
		if id != "" {
			// The client left before it was told the id, so nobody else would ever end this session.
			e.closeSession(id)
		}
	case !e.hasSession(id):
		// The SDK has ended it already, because initialize failed.
		e.sessions.forget(id)
	default:
		e.sessions.leave(id, b.limits())
	}
}

// serveSession serves a request in a session.
func (e *Endpoint) serveSession(w *response, r *http.Request, b *Binding, m Message) {
	id := r.Header.Get(sessionHeader)
	notFound := &Refusal{Status: http.StatusNotFound, Code: codeInvalidRequest, ID: m.ID, Message: "session not found: initialize a new one"}
	if !e.sessions.enter(id, b.Principal.Name) {
		// Not there and not this caller's look the same; 404 makes clients initialize anew.
		notFound.WriteTo(w)
		return
	}
	defer e.sessions.leave(id, b.limits())
	messages := e.sessions.messages(id)
	switch {
	case r.Method == http.MethodDelete:
		// The SDK writes no answer any more once a session is closing. Calls end by their deadline.
		messages.close()
	case LongStream(r, m):
	case !messages.enter():
		notFound.WriteTo(w)
		return
	default:
		defer messages.leave()
	}
	e.stateful.ServeHTTP(w, r)
	if r.Method == http.MethodDelete || w.status == http.StatusNotFound {
		e.sessions.forget(id)
	}
}
