package caddymodule

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/strictjson"
	"caddy-netbox-mcp/mcp/envelope"
)

func manifestCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "manifest FILE|URL|-",
		Short: "Checks the manifest of a plugin's tools, for the plugin's author",
		Long: `
Checks a plugin's manifest by the rules that plugin_list_tools goes by, and prints everything that is wrong with it,
one line each: where, as a JSON pointer, and the rule. - reads standard input.

A URL is that of the manifest, https://netbox.example.com/api/plugins/example/mcp/, or of the plugin's API root, the
same without mcp/. Then the advertisement in that root is checked too. NETBOX_TOKEN (or NETBOX_TOKEN_KEY and
NETBOX_TOKEN_SECRET) is sent only to a URL below NETBOX_URL; every other one is asked anonymously. NETBOX_CA_FILE and
NETBOX_SSL_VERIFY count for all of them.

The exit status is 0 for a valid manifest, 1 for one that is not, or cannot be read, and 2 for a command that is
written wrong. --schema prints a JSON Schema of manifests for the tests of a plugin; it says which rules JSON Schema
cannot express.`,
		Example: `  caddy netbox-mcp manifest manifest.json
  caddy netbox-mcp manifest https://netbox.example.com/api/plugins/example/mcp/
  caddy netbox-mcp manifest --schema > manifest.schema.json`,
		Args: cobra.ArbitraryArgs, // counted below, for the exit status
	}
	cmd.Flags().String("plugin", "", "The plugin that serves the manifest of a file; without it the document's own word is taken")
	cmd.Flags().Bool("schema", false, "Print a JSON Schema of manifests")
	cmd.RunE = caddycmd.WrapCommandFuncForCobra(func(fl caddycmd.Flags) (int, error) {
		return runManifest(context.Background(), fl, os.Stdin, os.Stdout)
	})
	return cmd
}

func runManifest(ctx context.Context, fl caddycmd.Flags, in io.Reader, out io.Writer) (int, error) {
	plugin, args := fl.String("plugin"), fl.Args()
	switch {
	case fl.Bool("schema") && (len(args) > 0 || plugin != ""):
		return exitUsage, errors.New("--schema stands alone: it prints the schema of every manifest")
	case fl.Bool("schema"):
		if _, err := out.Write(manifest.DescriptorSchema()); err != nil {
			return caddy.ExitCodeFailedStartup, fmt.Errorf("printing the schema: %w", err)
		}
		return caddy.ExitCodeSuccess, nil
	case len(args) != 1:
		return exitUsage, errors.New("write caddy netbox-mcp manifest FILE, or a URL, or - for standard input")
	case plugin != "" && !manifest.PluginName(plugin):
		return exitUsage, fmt.Errorf("--plugin %q: a plugin's name has 1 to %d of a-z, 0-9, _ and -, a letter or digit first", envelope.Quote(plugin), manifest.MaxName)
	}
	if strings.Contains(args[0], "://") {
		if plugin != "" {
			return exitUsage, errors.New("--plugin is for files: a URL names its plugin")
		}
		target, err := parsePluginURL(args[0])
		if err != nil {
			return exitUsage, err
		}
		return exitStatus(target.check(ctx, out))
	}
	body, err := manifestText(args[0], in)
	if err != nil {
		return caddy.ExitCodeFailedStartup, err
	}
	return exitStatus(checkManifest(body, plugin, printer{w: out}))
}

// exitStatus is that of a check.
func exitStatus(err error) (int, error) {
	if err != nil {
		return caddy.ExitCodeFailedStartup, err
	}
	return caddy.ExitCodeSuccess, nil
}

// manifestText reads a manifest from a file, or from in for "-".
func manifestText(name string, in io.Reader) ([]byte, error) {
	if name == "-" {
		return readBounded(in, manifest.MaxManifestBytes, "the manifest")
	}
	return readFile(name, manifest.MaxManifestBytes, "the manifest")
}

// readFile reads a file of at most limit bytes.
func readFile(name string, limit int, what string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", what, err)
	}
	defer f.Close()
	return readBounded(f, limit, what)
}

// readBounded reads at most limit bytes; more are an error.
func readBounded(in io.Reader, limit int, what string) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(in, int64(limit)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", what, err)
	case len(text) > limit:
		return nil, fmt.Errorf("reading %s: over the size limit of %d bytes", what, limit)
	}
	return text, nil
}

// lineOf says where in a text a [*strictjson.Error] was noticed, as people count: from 1, in characters.
func lineOf(text []byte, err error) string {
	e, ok := errors.AsType[*strictjson.Error](err)
	if !ok {
		return ""
	}
	before := text[:min(e.Offset, len(text))]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return fmt.Sprintf(", at line %d, column %d", bytes.Count(before, []byte("\n"))+1, utf8.RuneCount(line)+1)
}

// printer prints lines with foreign words in them.
type printer struct {
	w    io.Writer
	mask func(string) string // hides secrets; nil where there are none
}

// line prints one line, whatever is in it.
func (p printer) line(format string, args ...any) {
	fmt.Fprintln(p.w, p.text(fmt.Sprintf(format, args...)))
}

// text makes foreign words fit for a line.
func (p printer) text(s string) string {
	s = envelope.Cut(strings.Join(strings.Fields(envelope.Clean(s)), " "), envelope.MaxMessage)
	if p.mask != nil {
		s = p.mask(s)
	}
	return s
}

// checkManifest judges a manifest and prints what is wrong with it, or what it says. The error is for a person, and means that
// it is not valid.
func checkManifest(body []byte, plugin string, p printer) error {
	report, err := manifest.Check(body, plugin)
	if err != nil {
		return fmt.Errorf("%w%s", err, lineOf(body, err))
	}
	if report.Manifest == nil {
		for _, problem := range report.Problems {
			p.line("%s", problem)
		}
		found := fmt.Sprint(len(report.Problems))
		if report.More {
			found = "more than " + found
			p.line("(root): has %s problems; the rest is not listed", found)
		}
		return fmt.Errorf("the manifest is invalid: problems found: %s", found)
	}
	m := report.Manifest
	p.line("The manifest of plugin %s is valid: %d tools, %d of %d bytes.", m.Plugin, len(m.Tools), len(body), manifest.MaxManifestBytes)
	table := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	for _, t := range m.Tools {
		fmt.Fprintf(table, "  %s.%s\t%s\t%s\t%s\n", m.Plugin, t.Name, t.Method, t.RequestPath(m.Plugin), t.Effect)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("printing the tools: %w", err)
	}
	return nil
}
