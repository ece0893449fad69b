package netboxapi

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"caddy-netbox-mcp/bridge/strictjson"
	"caddy-netbox-mcp/bridge/transport"
)

// maxDetail bounds NetBox's own words in an error, in characters.
const maxDetail = 200

// StatusError is an answer of NetBox other than success.
type StatusError struct {
	// Path is what was asked for, without the base URL's prefix.
	Path string
	// Status is the HTTP status.
	Status int
	// Detail is what NetBox said in its JSON answer, at most 200 characters; empty where it said nothing of the kind.
	Detail string
	// HTML is set for an answer that was a page for people: a proxy's, a login's, or not NetBox's API at all.
	HTML bool
}

// Error implements error.
func (e *StatusError) Error() string {
	s := fmt.Sprintf("NetBox answered %s with HTTP %d", e.Path, e.Status)
	switch {
	case e.Detail != "":
		s += ": " + e.Detail
	case e.HTML:
		s += " and an HTML page"
	}
	return s
}

// Unauthenticated reports whether NetBox did not accept the credential, as opposed to missing a permission or refusing for
// reasons of a plugin's own. NetBox answers all of them with 403, so its words decide: "Authentication credentials were not
// provided.", "Invalid v2 token", "Token expired", "User inactive" and their like. What NetBox says in another language
// counts as a missing permission.
func (e *StatusError) Unauthenticated() bool {
	if e.Status != 403 {
		return e.Status == 401
	}
	said := strings.ToLower(e.Detail)
	if strings.Contains(said, "permission") {
		return false
	}
	for _, word := range []string{"credentials", "token", "authenticat", "user inactive"} {
		if strings.Contains(said, word) {
			return true
		}
	}
	return false
}

// CheckStatus returns nil for a successful answer and a [StatusError] for any other.
func CheckStatus(path string, r *transport.Response) error {
	if r.Status >= 200 && r.Status < 300 {
		return nil
	}
	e := &StatusError{Path: path, Status: r.Status, HTML: IsHTML(r)}
	if doc, err := strictjson.Parse(r.Body, strictjson.Limits{Depth: 8, Nodes: 200}); err == nil {
		if detail, _ := doc.Get("detail"); detail.Kind == strictjson.String {
			e.Detail = oneLine(detail.Text)
		}
	}
	return e
}

// IsHTML reports whether an answer is a page for people: by its Content-Type, or because it begins like one, which JSON never
// does. Proxies are careless about the type of their error pages.
func IsHTML(r *transport.Response) bool {
	return strings.Contains(strings.ToLower(r.Header.Get("Content-Type")), "html") || bytes.HasPrefix(bytes.TrimSpace(r.Body), []byte("<"))
}

// oneLine puts foreign text on one line, without characters that show as nothing or turn the direction of what follows,
// and cuts it.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) || unicode.IsSpace(r) {
			return r
		}
		return -1
	}, s)
	runes := []rune(strings.Join(strings.Fields(s), " "))
	return string(runes[:min(len(runes), maxDetail)])
}
