package caddymodule

import (
	"errors"
	"fmt"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"
)

// exitUsage is the exit status of a command that was written wrong, as opposed to one that failed.
const exitUsage = 2

func init() {
	caddycmd.RegisterCommand(caddycmd.Command{
		Name:  "netbox-mcp",
		Usage: "<serve|demo|tools|call|manifest>",
		Short: "Serves the Model Context Protocol for a NetBox",
		Long: `
Serves the Model Context Protocol (MCP) for a NetBox without a Caddyfile, and helps to try it out:
calls a tool from the shell, and checks what a plugin publishes.

The NetBox comes from the environment: NETBOX_URL, with NETBOX_TOKEN (v1 or v2) or NETBOX_TOKEN_KEY and
NETBOX_TOKEN_SECRET, NETBOX_SSL_VERIFY and NETBOX_CA_FILE. NETBOX_MCP_AUTH_TOKEN is the bearer token of HTTP
callers, and NETBOX_MCP_ALLOW_MUTATIONS=1 opens the write gate. NETBOX_SDK_NETBOX_VERSION pins NetBox's release
line; NETBOX_API_VERSION and NETBOX_VERSION do where they name a supported one.

None of these commands disturbs a Caddy that already runs: no admin endpoint, no autosaved configuration, no
listener on port 80, nothing put into the system's trust store, and a storage folder of its own.`,
		CobraFunc: func(cmd *cobra.Command) {
			cmd.Args = cobra.ArbitraryArgs
			// Without this a misspelt subcommand would print the help and report success.
			cmd.RunE = func(cmd *cobra.Command, args []string) error {
				cmd.PrintErrln(cmd.UsageString())
				if len(args) > 0 {
					return fmt.Errorf("unknown subcommand %q; there are serve, demo, tools, call and manifest", args[0])
				}
				return errors.New("a subcommand is required: serve, demo, tools, call or manifest")
			}
			cmd.AddCommand(serveCommand(), demoCommand(), toolsCommand(), callCommand(), manifestCommand())
		},
	})
}
