package netboxapi

import (
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"strings"
)

// callerHeaders are the request headers that a caller may set: none of them carries identity, origin, routing or framing.
var callerHeaders = map[string]bool{
	"Accept-Language": true, "If-Match": true, "If-None-Match": true, "X-Request-Id": true,
}

// resultHeaders are the headers of an answer that a caller is shown: never cookies.
var resultHeaders = []string{
	"Content-Type", "Content-Length", "Etag", "Last-Modified", "Retry-After", "X-Request-Id", "Allow", "Api-Version",
}

// maxShown bounds the value of a header that a caller is shown, in bytes: cut short it would be wrong, so a longer one is
// left out.
const maxShown = 1024

// identity reports whether a request header would tell NetBox who asks, from where, or whom it asked: NetBox believes what
// its proxy says in them, and on loopback the proxy is us. Servers may read "_" as "-".
func identity(name string) bool {
	name = textproto.CanonicalMIMEHeaderKey(strings.ReplaceAll(name, "_", "-"))
	switch name {
	case "Authorization", "Cookie", "Forwarded", "Remote-User", "Via", "X-Http-Method-Override", "X-Real-Ip", "X-Remote-User":
		return true
	}
	return strings.HasPrefix(name, "X-Forwarded-")
}

// ParseHeaders reads headers in the form "Name: value" or "Name=value", whichever separator comes first. Of several with
// one name the last counts. The error names a header that may not be set; values are not repeated.
func ParseHeaders(lines []string) (http.Header, error) {
	h := make(http.Header)
	for _, line := range lines {
		i := strings.IndexAny(line, ":=")
		if i < 0 {
			return nil, errors.New(`a header is written "Name: value"`)
		}
		name, value := strings.Trim(line[:i], " \t"), strings.Trim(line[i+1:], " \t")
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		if !callerHeaders[canonical] {
			return nil, fmt.Errorf("the header %.100q may not be set; only Accept-Language, If-Match, If-None-Match and X-Request-ID may", name)
		}
		for _, b := range []byte(value) {
			if b < ' ' && b != '\t' || b == 0x7f {
				return nil, fmt.Errorf("the value of the header %s has control characters", canonical)
			}
		}
		h.Set(canonical, value)
	}
	return h, nil
}

// ResultHeaders picks the headers of an answer that a caller is shown, with lower-case names. A value that is longer than
// 1,024 bytes or not plain ASCII text is left out.
func ResultHeaders(h http.Header) map[string]string {
	shown := make(map[string]string)
	for _, name := range resultHeaders {
		if v := h.Get(name); v != "" && len(v) <= maxShown && plainText(v) {
			shown[strings.ToLower(name)] = v
		}
	}
	return shown
}

// plainText reports whether s is printable ASCII.
func plainText(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}
