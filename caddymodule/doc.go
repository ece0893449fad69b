// Package caddymodule is everything of this project that knows Caddy: the handler http.handlers.netbox_mcp with its Caddyfile
// directive, the app netbox_mcp that keeps its instances apart, and the subcommand "caddy netbox-mcp".
//
// The path of a request, in order: the path of the endpoint (everything else goes to the next handler, but for the OAuth
// discovery documents, which are answered with a plain 404), the bearer token, the Origin, the method, the size, a look at the
// message, then package endpoint with the caller and the site's configuration bound to the request. From there it is
// mcp/netbox (the tools) → bridge/discovery, bridge/manifest → bridge/netboxapi → bridge/transport → NetBox.
//
// It guarantees that there is no way to the tools without a caller, that a reload changes nothing under a request in progress,
// and that secrets are expanded once, into values that cannot be printed.
package caddymodule
