package manifest

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"caddy-netbox-mcp/bridge/strictjson"
)

// Origins are the places at which one NetBox is known: links in its answers
// must lead there. It is immutable; the zero Origins knows no place and accepts
// links without an origin only.
type Origins struct {
	sites []site
}

// site is one origin (RFC 6454 section 4) with the path prefix NetBox has there.
type site struct {
	scheme, host, port, prefix string
}

// NewOrigins returns the origins of a NetBox: its base URL, which may have a
// path prefix, and further public URLs, each with its own. Of a base URL with
// another scheme than http and https, such as a Unix socket's, nothing can be
// compared: NetBox then takes itself for http://localhost. Nil URLs are skipped.
func NewOrigins(base *url.URL, public ...*url.URL) Origins {
	var o Origins
	if base != nil && !webScheme(strings.ToLower(base.Scheme)) {
		base = &url.URL{Scheme: "http", Host: "localhost"}
	}
	for _, u := range append([]*url.URL{base}, public...) {
		if u == nil {
			continue
		}
		scheme := strings.ToLower(u.Scheme)
		if !webScheme(scheme) {
			continue
		}
		// A host that no link can spell gives "", which no link's host equals;
		// the prefix still counts for links without an origin.
		host, _ := canonicalHost(u.Hostname())
		port := u.Port()
		if port == "" {
			port = defaultPort(scheme)
		}
		o.sites = append(o.sites, site{scheme, host, port, strings.TrimRight(u.EscapedPath(), "/")})
	}
	return o
}

func webScheme(scheme string) bool { return scheme == "http" || scheme == "https" }

func defaultPort(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}

// NormalizeValue is [Origins.Normalize] for a JSON value, which must be a
// string.
func (o Origins) NormalizeValue(link strictjson.Value) (string, error) {
	if link.Kind != strictjson.String {
		return "", linkError("must be a string")
	}
	return o.Normalize(link.Text)
}

// Normalize returns the path that a link of NetBox's leads to, without the
// path prefix: always /api/…/. A link is a path, with the prefix or without, or
// an http or https URL of one of the origins. Surrounding ASCII whitespace is
// ignored. The error is an [*Error].
//
// The link is taken apart here rather than by net/url, and everything that URL
// parsers are known to read in different ways is refused first: what is
// accepted has one reading.
func (o Origins) Normalize(link string) (string, error) {
	link = strings.Trim(link, " \t\r\n\v\f")
	if link == "" || len(link) > MaxLink {
		e := linkError("must have 1 to " + strconv.Itoa(MaxLink) + " characters")
		if link != "" {
			e.Bound, e.Max = boundLink, MaxLink
		}
		return "", e
	}
	for _, c := range []byte(link) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\\%?#\"<>^`{|}", c) >= 0 {
			return "", linkError("must not contain a query, a fragment, %, a backslash, spaces, control or other characters outside a plain URL")
		}
	}
	sites, path := o.sites, link
	if link[0] != '/' || strings.HasPrefix(link, "//") {
		var err error
		if sites, path, err = o.absolute(link); err != nil {
			return "", err
		}
	}
	for _, s := range sites {
		if rest, ok := strings.CutPrefix(path, s.prefix); ok && s.prefix != "" && strings.HasPrefix(rest, "/api/") {
			path = rest
			break
		}
	}
	if !strings.HasPrefix(path, "/api/") || !cleanPath(path[1:]) {
		return "", linkError("must lead to a path below /api/ that ends in a slash and has no empty or dot segments")
	}
	return path, nil
}

// absolute takes a URL apart and returns the sites of its origin and its path.
func (o Origins) absolute(link string) ([]site, string, error) {
	scheme, rest, ok := strings.Cut(link, "://")
	scheme = strings.ToLower(scheme)
	slash := strings.IndexByte(rest, '/')
	if !ok || !webScheme(scheme) || slash < 1 {
		return nil, "", linkError("must be an absolute path or an http or https URL")
	}
	host, port, ok := splitAuthority(rest[:slash])
	if !ok {
		return nil, "", linkError("has a host or port that is not a plain one")
	}
	if port == "" {
		port = defaultPort(scheme)
	}
	var sites []site
	for _, s := range o.sites {
		if s.scheme == scheme && s.host == host && s.port == port {
			sites = append(sites, s)
		}
	}
	if len(sites) == 0 {
		return nil, "", linkError("must have the same origin (scheme, host and port) as the configured NetBox; behind a TLS proxy NetBox needs the proxy's X-Forwarded headers, or set public_url")
	}
	return sites, rest[slash:], nil
}

// splitAuthority reads host or host:port. User information, an empty port and a
// port that is not written the shortest way are refused.
func splitAuthority(authority string) (host, port string, ok bool) {
	host = authority
	if i := strings.LastIndexByte(authority, ':'); i > strings.LastIndexByte(authority, ']') {
		host, port = authority[:i], authority[i+1:]
		if port == "" || len(port) > 5 || port[0] == '0' || strings.Trim(port, "0123456789") != "" {
			return "", "", false
		}
	}
	if inner, bracketed := strings.CutPrefix(host, "["); bracketed {
		inner, bracketed = strings.CutSuffix(inner, "]")
		if !bracketed || !strings.Contains(inner, ":") {
			return "", "", false
		}
		host = inner
	} else if strings.Contains(host, ":") {
		return "", "", false
	}
	host, ok = canonicalHost(host)
	return host, port, ok
}

// canonicalHost returns a host in the form it is compared in: lower case, and
// IPv6 addresses in their shortest form. It reports false for what is no host.
func canonicalHost(host string) (string, bool) {
	if strings.Contains(host, ":") {
		addr, err := netip.ParseAddr(host)
		if err != nil || addr.Zone() != "" {
			return "", false
		}
		return addr.String(), true
	}
	if host == "" {
		return "", false
	}
	for _, c := range []byte(host) {
		if c >= 0x80 || !lower(c|0x20) && !decimal(c) && c != '-' && c != '.' && c != '_' {
			return "", false
		}
	}
	return strings.ToLower(host), true
}

// ManifestPath returns the path of a plugin's manifest if the advertised link
// leads there: it must normalize to exactly /api/plugins/<plugin>/mcp/. The
// error is an [*Error].
func (o Origins) ManifestPath(link, plugin string) (string, error) {
	path, err := o.Normalize(link)
	if err != nil {
		return "", err
	}
	if !PluginName(plugin) || path != "/api/plugins/"+plugin+"/mcp/" {
		return "", linkError("the advertised manifest path must be /api/plugins/<plugin>/mcp/ of the advertising plugin")
	}
	return path, nil
}

func linkError(rule string) *Error {
	e := failure("the link "+rule, nil)
	if strings.HasPrefix(rule, "the ") {
		e = failure(rule, nil)
	}
	e.Advertisement = true
	return e
}
