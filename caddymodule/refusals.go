package caddymodule

import (
	"encoding/json"
	"net/http"
	"time"
)

// challenge is the answer to a missing or wrong bearer token. It has no resource_metadata: there is no OAuth here, and
// clients that believe otherwise drop the token they were configured with.
const challenge = `Bearer realm="netbox-mcp"`

// refuse answers a request that never reaches the protocol. Messages say what to do; they hold nothing of the request.
func refuse(w http.ResponseWriter, r *http.Request, status int, code, message string) {
	body := map[string]string{"error": code}
	if message != "" {
		body["message"] = message
	}
	// A map of strings always encodes.
	text, _ := json.Marshal(body)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if unread(r) {
		// net/http would otherwise wait for a body that nobody reads before it sends the answer, for as long as the client likes.
		h.Set("Connection", "close")
		_ = http.NewResponseController(w).SetReadDeadline(time.Now())
	}
	if status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", challenge)
	}
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n'))
}

// unread reports whether a request has a body that may still be on its way. HTTP/2 can end a request without it.
func unread(r *http.Request) bool { return r.ProtoMajor == 1 && r.ContentLength != 0 }
