package caddymodule

import (
	"encoding/json"
	"io"
	"net/http"
	"time"
)

const (
	// challenge is the answer to a missing or wrong bearer token. It has no resource_metadata: there is no OAuth here, and
	// clients that believe otherwise drop the token they were configured with.
	challenge = `Bearer realm="netbox-mcp"`
	// lingerTime and lingerBytes bound what is still read of a body that nobody wants: a client that is still sending when its
	// connection closes sees a reset instead of the answer.
	lingerTime  = 2 * time.Second
	lingerBytes = 2 * defaultMaxRequest
)

// refuse answers a request that never reaches the protocol. Messages say what to do; they hold nothing of the request.
func refuse(w http.ResponseWriter, status int, code, message string) {
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
	if status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", challenge)
	}
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n'))
}

// refuseUnread is refuse for a request whose body may still be on its way. Over HTTP/1 the answer goes out at once and the
// connection closes soon after; net/http would otherwise wait for the body, for as long as the client likes, before it answers.
// HTTP/2 can end a request without its body.
func refuseUnread(w http.ResponseWriter, r *http.Request, status int, code, message string) {
	if r.ProtoMajor != 1 || r.ContentLength == 0 {
		refuse(w, status, code, message)
		return
	}
	w.Header().Set("Connection", "close")
	refuse(w, status, code, message)
	control := http.NewResponseController(w)
	if control.Flush() == nil && control.SetReadDeadline(time.Now().Add(lingerTime)) == nil {
		_, _ = io.CopyN(io.Discard, r.Body, lingerBytes)
	}
	_ = control.SetReadDeadline(time.Now())
}
