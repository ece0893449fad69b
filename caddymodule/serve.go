package caddymodule

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"caddy-netbox-mcp/mcp/endpoint"
)

// ServeHTTP implements [caddyhttp.MiddlewareHandler]. The order of the checks is part of what operators rely on: a caller
// without a token learns nothing but that, and no body is read before the caller is known.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	if r.URL.Path != h.Path && r.URL.Path != h.Path+"/" {
		if h.WellKnown == "" && isDiscovery(r.URL.Path, h.Path) {
			refuse(w, http.StatusNotFound, "not_found", "there is no OAuth here: send the configured bearer token")
			return nil
		}
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
		refuse(w, http.StatusUnauthorized, "unauthorized", "")
		return nil
	}
	h.placeholders(r, caller)
	if !listed {
		refuse(w, http.StatusForbidden, "forbidden_origin", "requests of this page's origin are not accepted: an administrator can list it with allow_origin")
		return nil
	}
	body, message, ok := h.read(w, r)
	if !ok {
		return nil
	}
	if message.Tool != "" {
		setPlaceholder(r, "http.netbox_mcp.tool", message.Tool)
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
		return nil, endpoint.Message{}, true
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		refuse(w, http.StatusMethodNotAllowed, "method_not_allowed", "send messages with POST")
		return nil, endpoint.Message{}, false
	}
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mediaType != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, "unsupported_media_type", "send Content-Type: application/json")
		return nil, endpoint.Message{}, false
	}
	if r.ContentLength > defaultMaxRequest {
		tooLarge(w)
		return nil, endpoint.Message{}, false
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, defaultMaxRequest))
	if err != nil {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			tooLarge(w)
		} else {
			refuse(w, http.StatusBadRequest, "bad_request", "the body could not be read")
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

func tooLarge(w http.ResponseWriter) {
	refuse(w, http.StatusRequestEntityTooLarge, "request_too_large", "the message is over the limit of 4 MiB: send less at a time")
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
