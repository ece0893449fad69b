package netboxapi

import (
	"errors"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
)

// Address is where a NetBox is reached.
type Address struct {
	// URL has scheme, host and, without a slash at its end, the path prefix NetBox is served under (its BASE_PATH).
	URL *url.URL
	// Socket is the path of a unix socket to connect to in place of URL's host.
	Socket string
}

// ParseAddress reads a base URL: "http://host[:port][/prefix]", "https://…" or "unix//path/of/socket". The error says
// what the URL may not have; it never repeats credentials.
func ParseAddress(s string) (Address, error) {
	if path, ok := strings.CutPrefix(s, "unix/"); ok {
		if !strings.HasPrefix(path, "/") || strings.HasSuffix(path, "/") {
			return Address{}, errors.New("a unix socket is written unix//path/of/socket")
		}
		if strings.ContainsFunc(path, unicode.IsControl) {
			return Address{}, errors.New("the path of a unix socket has no control characters")
		}
		return Address{URL: &url.URL{Scheme: "http", Host: "localhost"}, Socket: path}, nil
	}
	u, err := ParseURL(s)
	if err != nil {
		return Address{}, err
	}
	return Address{URL: u}, nil
}

// ParseURL reads an http or https URL that has nothing but a host, a port and a path prefix. An international name is
// written in its ASCII form, because that is how it stands in NetBox's links and in Host.
func ParseURL(s string) (*url.URL, error) {
	for _, b := range []byte(s) {
		if b <= ' ' || b >= 0x7f || b == '\\' {
			return nil, errors.New("a URL has no spaces, control characters, backslashes or letters outside ASCII (write those of a host as xn--…)")
		}
	}
	u, err := url.Parse(s)
	if err != nil {
		// The error of net/url quotes its input, which may hold a password.
		return nil, errors.New("it is not a URL; write http://host, https://host or unix//path/of/socket")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("a URL begins with http:// or https://")
	case u.User != nil:
		return nil, errors.New("a URL has no user and password; credentials have options of their own")
	case u.Hostname() == "" || u.Opaque != "":
		return nil, errors.New("a URL has a host")
	case !plainHost(u.Hostname()):
		return nil, errors.New("a host is a name of letters, digits, dots, hyphens and underscores, or an IP address")
	case u.RawQuery != "" || u.ForceQuery:
		return nil, errors.New("a URL has no query")
	case strings.Contains(s, "#"):
		return nil, errors.New("a URL has no fragment")
	}
	if p := u.Port(); p != "" || strings.HasSuffix(u.Host, ":") {
		// One with zeros in front would equal no port of a link.
		if n, err := strconv.ParseUint(p, 10, 16); err != nil || n == 0 || p[0] == '0' {
			return nil, errors.New("a port is a number from 1 to 65535")
		}
	}
	prefix := strings.TrimRight(u.EscapedPath(), "/")
	if err := checkPrefix(prefix); err != nil {
		return nil, err
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: prefix}, nil
}

// plainHost reports whether a host is an IP address or made of what names are made of.
func plainHost(host string) bool {
	if strings.Contains(host, ":") {
		_, err := netip.ParseAddr(host)
		return err == nil
	}
	return !strings.ContainsFunc(host, func(r rune) bool { return !plain(r) && r != '_' })
}

// checkPrefix judges a path prefix. It has the characters that no URL parser, proxy or framework changes (RFC 3986 section
// 2.3), so that it can be compared with what stands in links.
func checkPrefix(prefix string) error {
	switch {
	case prefix == "":
		return nil
	case strings.ContainsFunc(prefix, func(r rune) bool { return !plain(r) && !strings.ContainsRune("_~/", r) }):
		return errors.New("a path prefix has only letters, digits and . _ ~ - between its slashes, no percent-encoding")
	case strings.HasSuffix(prefix, "/api"):
		return errors.New("the base URL ends before /api; leave /api out")
	}
	for segment := range strings.SplitSeq(prefix[1:], "/") {
		if segment == "" || segment == "." || segment == ".." {
			return errors.New("a path prefix has no empty and no dot segments")
		}
	}
	return nil
}

// plain reports whether r is an ASCII letter or digit, a dot or a hyphen.
func plain(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '.' || r == '-'
}
