package caddymodule

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	"caddy-netbox-mcp/bridge/contract"
)

func toolsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tools",
		Short: "Prints what would be served, as JSON",
		Long: `
Prints the instance, the pinned NetBox release line, the write gate, the identity towards NetBox and the tools that
"caddy netbox-mcp serve" would serve with this environment. It asks NetBox nothing.`,
		Args: cobra.NoArgs,
	}
	cmd.Flags().Bool("names", false, "Print the tools' names only, one a line")
	cmd.Flags().Bool("allow-mutations", false, "As with the write gate open")
	cmd.Flags().String("netbox-version", "", "As with this NetBox release line pinned")
	cmd.Flags().String("api-version", "", "The same as --netbox-version")
	cmd.Flags().String("upstream", "netbox", "What to serve; only netbox")
	cmd.RunE = caddycmd.WrapCommandFuncForCobra(func(fl caddycmd.Flags) (int, error) {
		if err := printTools(fl, os.Stdout); err != nil {
			return caddy.ExitCodeFailedStartup, err
		}
		return caddy.ExitCodeSuccess, nil
	})
	return cmd
}

// surface is what the tools subcommand prints.
type surface struct {
	Instance string         `json:"instance"`
	Contract *contract.Line `json:"contract"` // the pinned line; null: the connected NetBox's
	Gate     string         `json:"gate"`
	Identity string         `json:"identity"`
	Tools    []surfaceTool  `json:"tools"`
}

type surfaceTool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	InputSchema json.RawMessage `json:"inputSchema"`
	Annotations object          `json:"annotations"`
}

func printTools(fl caddycmd.Flags, out io.Writer) error {
	line, err := versionFlags(fl)
	if err != nil {
		return err
	}
	h, err := localHandler(fl)
	if err != nil {
		return err
	}
	cancel, err := h.standalone()
	if err != nil {
		return err
	}
	defer cancel()
	defer func() { _ = h.Cleanup() }()

	s := surface{Instance: h.Instance, Gate: "closed", Identity: h.identity()}
	if line != "" {
		s.Contract = &line
	}
	if h.gate {
		s.Gate = "open"
	}
	p := h.stdioPrincipal()
	for _, t := range h.site.Tools.All() {
		if !h.site.Serves(p, t) {
			continue
		}
		if fl.Bool("names") {
			fmt.Fprintln(out, t.Name)
			continue
		}
		s.Tools = append(s.Tools, surfaceTool{t.Name, t.Title, t.Description, t.InputSchema, object{
			"readOnlyHint": t.Hints.ReadOnly, "destructiveHint": t.Hints.Destructive,
			"idempotentHint": t.Hints.Idempotent, "openWorldHint": t.Hints.OpenWorld,
		}})
	}
	if fl.Bool("names") {
		return nil
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(s)
}

// identity says what callers without a token of their own are in NetBox.
func (h *Handler) identity() string {
	switch {
	case h.token == nil:
		return "anonymous"
	case len(h.token.get().Reveal()) > 4 && h.token.get().Reveal()[:4] == "nbt_":
		return "the configured v2 token"
	default:
		return "the configured v1 token"
	}
}
