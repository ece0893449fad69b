package caddymodule

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"caddy-netbox-mcp/mcp/endpoint"
)

// ServeHTTP implements [caddyhttp.MiddlewareHandler]. The order of the checks is part of what operators rely on: a caller
// without a token learns nothing but that, and no body is read before the caller is known.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	if r.URL.Path != h.Path && r.URL.Path != h.Path+"/" {
		if h.WellKnown == "" && isDiscovery(r.URL.Path, h.Path) {
			refuseUnread(w, r, http.StatusNotFound, "not_found", "there is no OAuth here: send the configured bearer token")
			return nil
		}
		// A client that asks beside the endpoint does not hand its token to NetBox.
		h.bearers.strip(r.Header)
		return next.ServeHTTP(w, r)
	}
	origin, listed := h.listedOrigin(r)
	if origin != "" {
		allowBrowser(w, origin)
	}
	if preflight(w, r, origin) {
		return nil
	}
	caller, ok := h.bearers.caller(r)
	if !ok {
		refuseUnread(w, r, http.StatusUnauthorized, "unauthorized", "")
		return nil
	}
	h.placeholders(r, caller)
	if !listed {
		refuseUnread(w, r, http.StatusForbidden, "forbidden_origin", "requests of this page's origin are not accepted: an administrator can list it with allow_origin")
		return nil
	}
	body, message, ok := h.read(w, r)
	if !ok {
		return nil
	}
	if message.Tool != "" {
		setPlaceholder(r, "http.netbox_mcp.tool", message.Tool)
	}
	if message.Call() {
		select {
		case h.calls <- struct{}{}:
			defer func() { <-h.calls }()
		default:
			w.Header().Set("Retry-After", "1")
			refuse(w, http.StatusTooManyRequests, "too_many_calls", "too many calls are in progress: try again in a moment")
			return nil
		}
	}
	if endpoint.LongStream(r, message) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		stop := context.AfterFunc(h.streams, cancel)
		defer stop()
		r = r.WithContext(ctx)
	}
	h.endpoint.Serve(w, r, &endpoint.Binding{Site: h.site, Principal: h.principal(caller)}, body, message)
	return nil
}

// read checks the method and reads the bounded body once. When it returns false, the request has been answered.
func (h *Handler) read(w http.ResponseWriter, r *http.Request) ([]byte, endpoint.Message, bool) {
	switch r.Method {
	case http.MethodPost:
	case http.MethodGet, http.MethodDelete:
		if r.ContentLength != 0 {
			// Nobody would read it, and net/http would wait for it before it answers.
			refuseUnread(w, r, http.StatusBadRequest, "bad_request", "only a POST has a body here")
			return nil, endpoint.Message{}, false
		}
		return nil, endpoint.Message{}, true
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		refuseUnread(w, r, http.StatusMethodNotAllowed, "method_not_allowed", "send messages with POST")
		return nil, endpoint.Message{}, false
	}
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mediaType != "application/json" {
		refuseUnread(w, r, http.StatusUnsupportedMediaType, "unsupported_media_type", "send Content-Type: application/json")
		return nil, endpoint.Message{}, false
	}
	if r.ContentLength > defaultMaxRequest {
		tooLarge(w, r)
		return nil, endpoint.Message{}, false
	}
	body, err := h.readBody(w, r)
	if err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			tooLarge(w, r)
		} else {
			refuseUnread(w, r, http.StatusBadRequest, "bad_request", "the body did not arrive")
		}
		return nil, endpoint.Message{}, false
	}
	message, refusal := endpoint.ReadMessage(body)
	if refusal != nil {
		refusal.WriteTo(w)
		return nil, endpoint.Message{}, false
	}
	return body, message, true
}

// readBody reads a body that is still arriving, for a limited time: one that never ends would keep its server from stopping.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	control := http.NewResponseController(w)
	var mu sync.Mutex // keeps the callback off a writer whose handler has returned
	reading := true
	deadline := func(t time.Time) {
		mu.Lock()
		defer mu.Unlock()
		if reading {
			_ = control.SetReadDeadline(t) // writers that know no deadlines are tests' own
		}
	}
	deadline(time.Now().Add(readTime))
	stop := context.AfterFunc(h.streams, func() { deadline(time.Now().Add(hurryTime)) })
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, defaultMaxRequest))
	stop()
	deadline(time.Time{})
	mu.Lock()
	defer mu.Unlock()
	reading = false
	return body, err
}

func tooLarge(w http.ResponseWriter, r *http.Request) {
	refuseUnread(w, r, http.StatusRequestEntityTooLarge, "request_too_large", "the message is over the limit of 4 MiB: send less at a time")
}

// placeholders makes the caller known to access logs and other handlers.
func (h *Handler) placeholders(r *http.Request, caller string) {
	setPlaceholder(r, "http.auth.user.id", caller)
	setPlaceholder(r, "http.netbox_mcp.instance", h.Instance)
}

func setPlaceholder(r *http.Request, name, value string) {
	if repl, ok := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer); ok {
		repl.Set(name, value)
	}
}

// Interface guard
var _ caddyhttp.MiddlewareHandler = (*Handler)(nil)
