package netboxsim

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Token is a credential and the rights of the user it belongs to.
type Token struct {
	// Value is the whole token: "nbt_<key>.<secret>" for version 2, anything else is
	// taken for version 1.
	Value string
	// User is the name of the token's user.
	User string
	// Superuser grants everything.
	Superuser bool
	// ReadOnly is a token that may not write, whoever owns it.
	ReadOnly bool
	// View are the resources an ordinary user may see, as in "dcim/sites"; items of
	// the plugin are "plugins/<slug>". Nil means all of them.
	View []string
	// Write lets an ordinary user also write what it may view.
	Write bool
	// AllowedFrom are the addresses the token may be used from; empty means any. As
	// in NetBox the address is X-Real-IP, else the first of X-Forwarded-For, else the
	// peer's.
	AllowedFrom []netip.Prefix
	// Expired is a token whose time is over.
	Expired bool
}

// Texts of NetBox 4.7 (netbox/api/authentication.py) and Django REST framework.
const (
	textNoCredentials = "Authentication credentials were not provided."
	textNoPermission  = "You do not have permission to perform this action."
	textBadHeader     = `Invalid authorization header: Must be in the form "Bearer <key>.<token>" or "Token <token>"`
	textBadV2         = "Invalid authorization header: Could not parse key from v2 token. Did you mean to use 'Token' instead of 'Bearer'?"
)

// newToken makes a random version 2 token.
func newToken() string {
	return "nbt_" + rand.Text()[:12] + "." + rand.Text() + rand.Text()[:14]
}

// Tokens returns a copy of the tokens that work now.
func (s *Server) Tokens() []Token {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tokens)
}

// SetTokens replaces the tokens, as an administrator does who revokes one. Requests
// that are already authenticated are not affected.
func (s *Server) SetTokens(tokens ...Token) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tokens = slices.Clone(tokens)
}

// authenticate finds the token of a request. A refusal is the text that NetBox puts
// into its 403; both results are nil and empty for a request without credentials.
func (s *Server) authenticate(r *http.Request) (*Token, string) {
	header := r.Header.Get("Authorization")
	scheme, value, _ := strings.Cut(strings.TrimSpace(header), " ")
	if !strings.EqualFold(scheme, "Bearer") && !strings.EqualFold(scheme, "Token") {
		return nil, ""
	}
	if value = strings.TrimSpace(value); value == "" || strings.ContainsAny(value, " \t") {
		return nil, textBadHeader
	}
	refusal := "Invalid v1 token"
	if rest, ok := strings.CutPrefix(value, "nbt_"); ok {
		if !strings.Contains(rest, ".") {
			return nil, textBadV2
		}
		refusal = "Invalid v2 token"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var found *Token
	for i := range s.tokens {
		if subtle.ConstantTimeCompare([]byte(s.tokens[i].Value), []byte(value)) == 1 {
			token := s.tokens[i]
			found = &token
		}
	}
	switch {
	case found == nil:
		return nil, refusal
	case !found.admits(clientAddress(r)):
		return nil, "Source IP " + clientAddress(r) + " is not permitted to authenticate using this token."
	case found.Expired:
		return nil, "Token expired"
	}
	return found, ""
}

// clientAddress is the address NetBox believes a request to come from. NetBox trusts
// these headers because it expects a proxy in front of it.
func clientAddress(r *http.Request) string {
	if ip := r.Header.Get("X-Real-IP"); ip != "" {
		return strings.TrimSpace(ip)
	}
	if ip, _, _ := strings.Cut(r.Header.Get("X-Forwarded-For"), ","); ip != "" {
		return strings.TrimSpace(ip)
	}
	if peer, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		return peer.Addr().Unmap().String()
	}
	return r.RemoteAddr
}

func (t *Token) admits(address string) bool {
	if len(t.AllowedFrom) == 0 {
		return true
	}
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(t.AllowedFrom, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// may says whether the token's user holds the permission that a method needs on a
// resource; an empty resource needs none. The two halves of NetBox's rule: the token
// must be enabled for writing and the user must hold the permission.
func (t *Token) may(method, resource string) bool {
	reads := method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
	if !reads && t.ReadOnly {
		return false
	}
	if t.Superuser || resource == "" {
		return true
	}
	if t.View != nil && !slices.Contains(t.View, resource) {
		return false
	}
	return reads || t.Write
}
