package caddymodule

import "strings"

// discoveryDocuments are where clients look for OAuth (RFC 9728, RFC 8414, OpenID Connect Discovery).
var discoveryDocuments = []string{
	"/.well-known/oauth-protected-resource",
	"/.well-known/oauth-authorization-server",
	"/.well-known/openid-configuration",
}

// isDiscovery reports whether a path is one of the discovery documents, for the whole host or for the endpoint. NetBox would
// answer with a page for people or a redirect, which sends clients into a login that does not exist.
func isDiscovery(path, endpoint string) bool {
	path = strings.TrimSuffix(path, "/")
	for _, d := range discoveryDocuments {
		if path == d || path == d+endpoint {
			return true
		}
	}
	return false
}
