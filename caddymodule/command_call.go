package caddymodule

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	"caddy-netbox-mcp/bridge/strictjson"
	"caddy-netbox-mcp/mcp/endpoint"
	"caddy-netbox-mcp/mcp/envelope"
)

// shellCaller is the name of whoever runs the call subcommand.
const shellCaller = "shell"

func callCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "call TOOL [JSON]",
		Short: "Calls one tool and prints its result, as JSON",
		Long: `
Calls a tool as a client of "caddy netbox-mcp serve" would, with the NetBox of the environment, and prints its result.

TOOL is plugin_list_tools or plugin_call_tool, or a plugin's own tool as plugin.tool. JSON is the object of its
arguments, {} unless it is given; - reads it from standard input and @FILE from a file.

A tool that reads needs nothing else. One that writes needs the open write gate (--allow-mutations, or
NETBOX_MCP_ALLOW_MUTATIONS=1) and a confirmation (--confirm, or NETBOX_SDK_CONFIRM_WRITE=1); --dry-run shows the
request that it would send and needs neither.

The exit status is 0 for a result, 1 for a failure, which is JSON on standard output too, and 2 for a command that
is written wrong. Ctrl-C ends a read; a write that was sent runs to its end.`,
		Example: `  caddy netbox-mcp call plugin_list_tools
  caddy netbox-mcp call example.list_items '{"limit": 5}'
  caddy netbox-mcp call example.create_item @item.json --dry-run`,
		Args: cobra.ArbitraryArgs, // counted below, for the exit status
	}
	cmd.Flags().Bool("dry-run", false, "Show the request instead of sending it")
	cmd.Flags().Bool("confirm", false, "Confirm a write, which needs the open write gate too")
	cmd.Flags().Bool("compact", false, "Print the result on one line")
	cmd.Flags().Bool("allow-mutations", false, "Open the write gate")
	cmd.Flags().String("netbox-version", "", "Pin NetBox's release line, for example 4.7")
	cmd.Flags().String("api-version", "", "The same as --netbox-version")
	cmd.Flags().String("upstream", "netbox", "What to call; only netbox")
	cmd.RunE = caddycmd.WrapCommandFuncForCobra(func(fl caddycmd.Flags) (int, error) {
		return runCall(fl, os.Stdin, os.Stdout, func() (context.Context, context.CancelFunc) {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			context.AfterFunc(ctx, stop) // a second signal ends the process at once
			return ctx, stop
		})
	})
	return cmd
}

// runCall makes one call. What interruptible returns bounds it; before, when nothing is in progress but the reading of standard
// input, a signal ends the process.
func runCall(fl caddycmd.Flags, in io.Reader, out io.Writer, interruptible func() (context.Context, context.CancelFunc)) (int, error) {
	if n := len(fl.Args()); n < 1 || n > 2 {
		return exitUsage, errors.New("write caddy netbox-mcp call TOOL [JSON]: one tool, and its arguments as one word of the shell, in quotes")
	}
	name, arguments, err := toolCall(fl.Args(), in)
	if err != nil {
		return exitUsage, err
	}
	ctx, stop := interruptible()
	defer stop()
	if _, err := versionFlags(fl); err != nil {
		return caddy.ExitCodeFailedStartup, err
	}
	h, err := localHandler(fl)
	if err != nil {
		return caddy.ExitCodeFailedStartup, err
	}
	cancel, err := h.standalone()
	if err != nil {
		return caddy.ExitCodeFailedStartup, err
	}
	defer cancel()
	defer func() { _ = h.Cleanup() }()

	if fl.Bool("dry-run") {
		if arguments, err = h.dryRun(name, arguments); err != nil {
			return exitUsage, err
		}
	}
	// The effect of a plugin's tool stands in its manifest, so the tool itself decides whether this is a write. Without a
	// confirmation it meets a closed gate.
	p := h.principal(shellCaller)
	confirmed := fl.Bool("confirm") || truthy(os.Getenv(confirmVariable))
	p.AllowMutations = p.AllowMutations && confirmed
	text, failed, err := h.endpoint.Call(ctx, &endpoint.Binding{Site: h.site, Principal: p}, name, arguments.AppendCompact(nil))
	if err != nil {
		return exitUsage, fmt.Errorf("%w; there are %s, and the tools of plugins, which are written plugin.tool", err, h.toolNames())
	}
	if err := printResult(out, text, fl.Bool("compact")); err != nil {
		return caddy.ExitCodeFailedStartup, err
	}
	if failed {
		return caddy.ExitCodeFailedStartup, callFailed(text, h.gate, confirmed)
	}
	return caddy.ExitCodeSuccess, nil
}

// toolCall reads the tool's name and arguments. A plugin's tool becomes the call of the one that calls those.
func toolCall(args []string, in io.Reader) (string, strictjson.Value, error) {
	arguments := strictjson.Value{Kind: strictjson.Object}
	if len(args) == 2 {
		text, err := argumentText(args[1], in)
		if err != nil {
			return "", arguments, err
		}
		if arguments, err = strictjson.Parse(text, strictjson.Limits{}); err != nil {
			return "", arguments, fmt.Errorf("reading the arguments: %w%s; write an object in quotes, such as '{\"limit\": 5}'", err, lineOf(text, err))
		}
	}
	plugin, tool, ok := strings.Cut(args[0], ".")
	if !ok {
		return args[0], arguments, nil
	}
	text := func(name, value string) strictjson.Member {
		return strictjson.Member{Name: name, Value: strictjson.Value{Kind: strictjson.String, Text: value}}
	}
	return "plugin_call_tool", strictjson.Value{Kind: strictjson.Object, Members: []strictjson.Member{
		text("plugin", plugin), text("tool", tool), {Name: "arguments", Value: arguments},
	}}, nil
}

// argumentText is the JSON text that a word of the shell stands for.
func argumentText(word string, in io.Reader) ([]byte, error) {
	file, isFile := strings.CutPrefix(word, "@")
	switch {
	case word == "-":
		return readBounded(in, defaultMaxRequest, "the arguments")
	case isFile:
		return readFile(file, defaultMaxRequest, "the arguments")
	case len(word) > defaultMaxRequest:
		return nil, fmt.Errorf("the arguments have more than %d bytes", defaultMaxRequest)
	}
	return []byte(word), nil
}

// dryRun asks for a preview instead of the call.
func (h *Handler) dryRun(name string, arguments strictjson.Value) (strictjson.Value, error) {
	tool, ok := h.site.Tools.Lookup(name)
	if !ok {
		return arguments, nil // which the call itself will say
	}
	input, err := strictjson.Parse(tool.InputSchema, strictjson.Limits{})
	if err != nil {
		return arguments, fmt.Errorf("reading the input schema of %s: %w", name, err)
	}
	properties, _ := input.Get("properties")
	if _, ok := properties.Get("dry_run"); !ok {
		return arguments, fmt.Errorf("--dry-run: %s has no preview, because it changes nothing; leave the flag out", name)
	}
	if arguments.Kind != strictjson.Object {
		return arguments, errors.New("--dry-run: the arguments must be an object")
	}
	wanted := strictjson.Member{Name: "dry_run", Value: strictjson.Value{Kind: strictjson.Bool, Bool: true}}
	for i, m := range arguments.Members {
		if m.Name == wanted.Name {
			arguments.Members[i] = wanted
			return arguments, nil
		}
	}
	arguments.Members = append(arguments.Members, wanted)
	return arguments, nil
}

// toolNames lists the tools that can be called, for a message.
func (h *Handler) toolNames() string {
	var names []string
	for _, t := range h.site.Tools.All() {
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}

// callFailed says for a person what standard output says for a program; of a refused write, what it lacks.
func callFailed(text json.RawMessage, gate, confirmed bool) error {
	var failure struct {
		Error struct {
			Code envelope.Code `json:"code"`
		} `json:"error"`
	}
	if err := json.Unmarshal(text, &failure); err != nil {
		return fmt.Errorf("reading the failure: %w", err)
	}
	const open, confirm = "the open write gate (--allow-mutations, or " + mutationsVariable + "=1)", "a confirmation (--confirm, or " + confirmVariable + "=1)"
	var lacks string
	switch {
	case failure.Error.Code != envelope.MutationsDisabled:
		return fmt.Errorf("the call failed: %s", failure.Error.Code)
	case !gate && !confirmed:
		lacks = open + " and " + confirm
	case !gate:
		lacks = open
	default:
		lacks = confirm
	}
	return fmt.Errorf("nothing was sent: this tool writes, which needs %s; --dry-run shows the request without", lacks)
}

// printResult prints JSON. Characters that a terminal would act upon or not show are escaped: the value stays the same, and
// what comes from a plugin cannot draw on the screen.
func printResult(out io.Writer, text json.RawMessage, compact bool) error {
	var b bytes.Buffer
	if compact {
		b.Write(text)
	} else if err := json.Indent(&b, text, "", "  "); err != nil {
		return fmt.Errorf("printing the result: %w", err)
	}
	b.WriteByte('\n')
	if _, err := out.Write(visible(b.Bytes())); err != nil {
		return fmt.Errorf("printing the result: %w", err)
	}
	return nil
}

// visible escapes, in JSON text, the characters that [envelope.Clean] would remove. They can only stand in strings.
func visible(text []byte) []byte {
	safe := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r >= ' ' && r < 0x7f || r == '\n' || envelope.Clean(string(r)) != "" {
			safe = append(safe, text[:size]...)
		} else {
			for _, unit := range utf16.Encode([]rune{r}) {
				safe = fmt.Appendf(safe, `\u%04x`, unit)
			}
		}
		text = text[size:]
	}
	return safe
}
