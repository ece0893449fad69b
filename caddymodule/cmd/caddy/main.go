// Command caddy is Caddy with its standard modules and this project's: the binary that stands next to NetBox.
package main

import (
	_ "time/tzdata"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"

	_ "caddy-netbox-mcp/caddymodule"
	_ "github.com/caddyserver/caddy/v2/modules/standard"
)

func main() {
	caddycmd.Main()
}
