package caddymodule

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"

	"caddy-netbox-mcp/bridge/secret"
)

const (
	// maxBearer bounds a presented bearer token in bytes: a longer one is no token of ours.
	maxBearer = 4 << 10
	// minBearer is the length in bytes under which a configured token is warned about.
	minBearer = 16
)

// bearerTable knows the callers of the configured bearer tokens.
type bearerTable struct {
	entries []bearerEntry
}

type bearerEntry struct {
	token  *secretValue
	caller string
}

// caller returns the name of the caller who holds a request's bearer token. Every entry is compared, in constant time, so that
// the time taken tells nothing of any of them.
func (t *bearerTable) caller(r *http.Request) (string, bool) {
	presented, ok := bearer(r)
	if !ok {
		return "", false
	}
	token, caller, found := secret.New(presented), "", false
	for _, e := range t.entries {
		if e.token.get().Equal(token) {
			caller, found = e.caller, true
		}
	}
	return caller, found
}

// strip removes every Authorization that holds one of the tokens, in whatever form, from a request that goes to somebody else.
func (t *bearerTable) strip(h http.Header) {
	values := h["Authorization"]
	kept := slices.DeleteFunc(slices.Clone(values), func(value string) bool {
		_, encoded, _ := strings.Cut(value, " ")
		decoded, _ := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
		return slices.ContainsFunc(t.entries, func(e bearerEntry) bool {
			token := e.token.get().Reveal()
			return strings.Contains(value, token) || strings.Contains(string(decoded), token)
		})
	})
	if len(kept) == 0 {
		h.Del("Authorization")
	} else if len(kept) < len(values) {
		h["Authorization"] = kept
	}
}

// bearer returns a request's bearer token (RFC 6750 §2.1): the scheme in any case, one space, the token exactly.
func bearer(r *http.Request) (string, bool) {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return "", false
	}
	scheme, token, ok := strings.Cut(values[0], " ")
	if !ok || !strings.EqualFold(scheme, "bearer") || token == "" || len(token) > maxBearer {
		return "", false
	}
	return token, true
}
