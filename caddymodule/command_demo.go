package caddymodule

import (
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	"caddy-netbox-mcp/bridge/netboxsim"
)

// demoListen is where the demo listens unless it is told otherwise.
const demoListen = "localhost:8443"

func demoCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Serves an embedded demo NetBox, or yours, with TLS and a bearer token",
		Long: `
Starts an embedded NetBox with made-up data and a plugin that publishes tools, and a TLS endpoint in front of it,
and prints how to connect. With NETBOX_URL set (and NETBOX_TOKEN) it serves that NetBox instead.`,
		Args: cobra.NoArgs,
	}
	cmd.Flags().String("listen", demoListen, "The address to listen on")
	cmd.Flags().Bool("allow-mutations", false, "Open the write gate; writes then happen without a question")
	cmd.RunE = caddycmd.WrapCommandFuncForCobra(func(fl caddycmd.Flags) (int, error) {
		caddy.TrapSignals()
		stop, err := startDemo(fl.String("listen"), fl.Bool("allow-mutations"), os.Stdout)
		if err != nil {
			return caddy.ExitCodeFailedStartup, err
		}
		defer stop()
		select {} // until a signal; Caddy's handler of signals ends the process
	})
	return cmd
}

// startDemo starts the demo and prints how to connect. stop ends the embedded NetBox; Caddy is stopped by itself.
func startDemo(listen string, allowMutations bool, out io.Writer) (func(), error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil || port == "" {
		return nil, fmt.Errorf("--listen %q: write host:port", listen)
	}
	if host == "" {
		host = "localhost"
	}
	h := &Handler{AuthTokens: []string{"{env." + authVariable + "}"}, Approval: approvalOff}
	if allowMutations {
		h.AllowMutations = new(true)
	}
	l := localServer{listen: net.JoinHostPort(host, port), tls: true, handler: h}
	if err := l.checkFree("--listen"); err != nil {
		return nil, err
	}
	stop := func() {}
	embedded := os.Getenv(urlVariable) == ""
	if embedded {
		h.Instance = "demo"
		h.NetBox, stop, err = startDemoNetBox()
	} else {
		h.NetBox, err = netboxFromEnvironment()
	}
	if err != nil {
		return nil, err
	}
	if err := l.start(embedded); err != nil {
		stop()
		return nil, err
	}
	printDemo(out, l, embedded)
	return stop, nil
}

// start runs the Caddy of the demo, with a token made up unless the environment has one.
func (l localServer) start(embedded bool) error {
	if os.Getenv(authVariable) == "" {
		if err := os.Setenv(authVariable, rand.Text()+rand.Text()); err != nil {
			return fmt.Errorf("keeping the token: %w", err)
		}
	}
	proxy, err := proxyTo(l.handler.NetBox, embedded)
	if err != nil {
		return err
	}
	l.fallback = []any{proxy}
	return l.run()
}

// startDemoNetBox starts the embedded NetBox on a free port of the loopback address.
func startDemoNetBox() (*NetBox, func(), error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, fmt.Errorf("starting the demo NetBox: %w", err)
	}
	sim := netboxsim.New(netboxsim.Demo())
	if err := os.Setenv(tokenVariable, sim.Tokens()[0].Value); err != nil {
		return nil, nil, fmt.Errorf("keeping the demo NetBox's token: %w", err)
	}
	server := &http.Server{Handler: sim, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }() // ends with Close
	return &NetBox{URL: "http://" + listener.Addr().String(), Token: "{env." + tokenVariable + "}"}, func() { _ = server.Close() }, nil
}

// printDemo tells how to connect.
func printDemo(out io.Writer, l localServer, embedded bool) {
	token, url, ca := os.Getenv(authVariable), l.url(), caFile()
	netbox, rest := "an embedded demo NetBox", "is passed on to it"
	gate := "closed; " + mutationsVariable + "=1 in the environment, or --allow-mutations, opens it"
	if !embedded {
		netbox, rest = "the NetBox of "+urlVariable, "is passed on to it; to log in, use its own address"
	}
	if gateOpen(l.handler.AllowMutations) {
		gate = "open: tools may change NetBox without a question"
	}
	fmt.Fprintf(out, `
Serving MCP for %s.

  URL         %s
  Token       %s
  CA file     %s
  Write gate  %s
  All else    %s

Try it:

  %s

Connect Claude Code:

  export NODE_EXTRA_CA_CERTS=%s
  claude mcp add --transport http netbox %s --header "Authorization: Bearer %s"

Any other client, as JSON:

  {"mcpServers":{"netbox":{"type":"http","url":"%s","headers":{"Authorization":"Bearer %s"}}}}

Stop with Ctrl-C.
`, netbox, url, token, ca, gate, rest, curlLine(ca, token, url), shellQuote(ca), url, token, url, token)
}

// curlLine lists the tools from a shell.
func curlLine(ca, token, url string) string {
	const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"plugin_list_tools","arguments":{},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
		`"io.modelcontextprotocol/clientInfo":{"name":"curl","version":"1"}}}}`
	return strings.Join([]string{
		"curl --cacert " + shellQuote(ca) + " " + url,
		`-H "Authorization: Bearer ` + token + `"`,
		"-H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream'",
		"-H 'Mcp-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' -H 'Mcp-Name: plugin_list_tools'",
		"-d '" + message + "'",
	}, " ")
}

// shellQuote quotes a path for a POSIX shell where it needs that.
func shellQuote(s string) string {
	if strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
