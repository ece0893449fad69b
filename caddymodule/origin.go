package caddymodule

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const (
	// corsRequestHeaders are the request headers that browser clients of MCP send.
	corsRequestHeaders = "Accept, Authorization, Content-Type, Last-Event-ID, Mcp-Method, Mcp-Name, Mcp-Protocol-Version, Mcp-Session-Id"
	// corsResponseHeaders are the response headers that they must be able to read.
	corsResponseHeaders = "Mcp-Session-Id, Retry-After, WWW-Authenticate"
)

// checkOrigin reports why a value is no web origin (RFC 6454 §6.2) that can be listed.
func checkOrigin(origin string) error {
	u, err := url.Parse(origin)
	switch {
	case origin == "*":
		return errors.New("every origin is none: list the origins of the pages that may call")
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || origin != u.Scheme+"://"+u.Host:
		return fmt.Errorf("%.100q is no origin: write scheme://host or scheme://host:port", origin)
	case u.Scheme == "https" && u.Port() == "443", u.Scheme == "http" && u.Port() == "80", strings.HasSuffix(u.Host, ":"):
		return fmt.Errorf("%.100q: browsers leave a default port out", origin)
	case strings.ContainsFunc(origin, func(r rune) bool { return r > 0x7e }):
		return fmt.Errorf("%.100q: browsers send names in their ASCII form (xn--…)", origin)
	case origin != strings.ToLower(origin):
		return fmt.Errorf("%.100q: browsers send origins in lower case", origin)
	}
	return nil
}

// listedOrigin returns a request's Origin if it is one of the allowed ones. ok is false for any other, and true without an
// origin for requests that do not come from a browser's page. A page of another site must not reach the endpoint through its
// visitor, who may be inside the network that it listens on (DNS rebinding), so same-origin is no argument.
func (h *Handler) listedOrigin(r *http.Request) (origin string, ok bool) {
	values := r.Header.Values("Origin")
	if len(values) == 0 {
		return "", true
	}
	if len(values) > 1 || !slices.Contains(h.AllowOrigins, values[0]) {
		return "", false
	}
	return values[0], true
}

// allowBrowser adds the CORS headers of an answer to a page of a listed origin.
func allowBrowser(w http.ResponseWriter, origin string) {
	header := w.Header()
	header.Add("Vary", "Origin")
	header.Set("Access-Control-Allow-Origin", origin)
	header.Set("Access-Control-Expose-Headers", corsResponseHeaders)
}

// preflight answers a browser's question whether a listed origin may send a request. It carries no token by design of CORS.
func preflight(w http.ResponseWriter, r *http.Request, origin string) bool {
	if origin == "" || r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" || r.ContentLength != 0 {
		return false
	}
	header := w.Header()
	header.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	header.Set("Access-Control-Allow-Headers", corsRequestHeaders)
	header.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}
