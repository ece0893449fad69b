package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"caddy-netbox-mcp/bridge/contract"
	"caddy-netbox-mcp/bridge/transport"
	"caddy-netbox-mcp/mcp/endpoint"
	"caddy-netbox-mcp/mcp/toolset"
)

const (
	// stdioCaller is the name of the caller at the other end of standard input and output.
	stdioCaller = "stdio"
	// stdioGrace is how long the end of the process waits for a write that was sent: one request's time, and a little.
	stdioGrace = transport.DefaultTimeout + 2*time.Second
)

func serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serves MCP over standard input and output, or over HTTP",
		Long: `
Serves MCP for the NetBox of the environment (NETBOX_URL, NETBOX_TOKEN and so on; see caddy netbox-mcp --help).

With --transport stdio, the default, a client starts this command and speaks with it over its standard input and
output; logs go to standard error. With --transport streamable-http it listens for clients, which must send a
bearer token: NETBOX_MCP_AUTH_TOKEN, also on a loopback address, because other users and programs of this machine
reach those too.`,
		Args: cobra.NoArgs,
	}
	cmd.Flags().String("transport", "stdio", "How clients connect: stdio or streamable-http")
	cmd.Flags().String("host", "127.0.0.1", "The address to listen on, for streamable-http")
	cmd.Flags().Int("port", 8000, "The port to listen on, for streamable-http")
	cmd.Flags().String("auth-token", "", "The bearer token of HTTP callers; other users see it in the process list, so prefer "+authVariable)
	cmd.Flags().Bool("allow-mutations", false, "Open the write gate; writes then happen without a question")
	cmd.Flags().String("netbox-version", "", "Pin NetBox's release line, for example 4.7")
	cmd.Flags().String("api-version", "", "The same as --netbox-version")
	cmd.Flags().String("tls", "", "TLS for streamable-http: internal (a certificate of Caddy's own authority) or off; default off on a loopback address, internal otherwise")
	cmd.Flags().String("upstream", "netbox", "What to serve; only netbox")
	cmd.RunE = caddycmd.WrapCommandFuncForCobra(runServe)
	return cmd
}

func runServe(fl caddycmd.Flags) (int, error) {
	if _, err := versionFlags(fl); err != nil {
		return caddy.ExitCodeFailedStartup, err
	}
	handler, err := localHandler(fl)
	if err == nil {
		switch transport := fl.String("transport"); transport {
		case "stdio":
			for _, name := range []string{"host", "port", "tls", "auth-token"} {
				if fl.Changed(name) {
					caddy.Log().Warn("a flag has no effect on stdio", zap.String("flag", "--"+name))
				}
			}
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			context.AfterFunc(ctx, stop) // a second signal ends the process at once
			err = serveStdio(ctx, handler, os.Stdin, os.Stdout)
		case "streamable-http":
			err = serveHTTP(fl, handler)
		default:
			err = fmt.Errorf("--transport %q: it is stdio or streamable-http", transport)
		}
	}
	if err != nil {
		return caddy.ExitCodeFailedStartup, err
	}
	return caddy.ExitCodeSuccess, nil
}

// localHandler is the handler that the environment and the flags describe.
func localHandler(fl caddycmd.Flags) (*Handler, error) {
	if upstream := fl.String("upstream"); upstream != "netbox" {
		return nil, fmt.Errorf("--upstream %q is not available in this version; there is netbox", upstream)
	}
	n, err := netboxFromEnvironment()
	if err != nil {
		return nil, err
	}
	h := &Handler{NetBox: n, Approval: approvalOff}
	if fl.Bool("allow-mutations") {
		h.AllowMutations = new(true)
	}
	return h, nil
}

// versionFlags reads the pinned release line; the two flags are one.
func versionFlags(fl caddycmd.Flags) (contract.Line, error) {
	pin, alias := fl.String("netbox-version"), fl.String("api-version")
	if pin != "" && alias != "" && pin != alias {
		return "", errors.New("--netbox-version and --api-version are the same; give one")
	}
	if pin == "" {
		pin = alias
	}
	return pinnedLine(pin, caddy.Log())
}

// serveStdio serves the one client at the other end of two streams, until the input ends or ctx does.
func serveStdio(ctx context.Context, h *Handler, in io.ReadCloser, out io.WriteCloser) error {
	cancel, err := h.standalone()
	if err != nil {
		return err
	}
	defer cancel()
	defer func() { _ = h.Cleanup() }()
	ended := make(chan error, 1)
	go func() {
		ended <- h.endpoint.ServeStdio(ctx, in, out, &endpoint.Binding{Site: h.site, Principal: h.stdioPrincipal()})
	}()
	select {
	case err = <-ended:
	case <-ctx.Done():
		// A write that was sent may end; a client that does not read its answers may not keep the process.
		select {
		case <-ended:
		case <-time.After(stdioGrace):
		}
	}
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// stdioPrincipal is the client at the other end of standard input and output.
func (h *Handler) stdioPrincipal() toolset.Principal { return h.principal(stdioCaller) }

// serveHTTP runs a Caddy with the endpoint until it is told to stop.
func serveHTTP(fl caddycmd.Flags, h *Handler) error {
	if err := authFromFlags(fl, h); err != nil {
		return err
	}
	host, port := fl.String("host"), fl.Int("port")
	if port < 1 || port > 65535 {
		return fmt.Errorf("--port %d: it is a number from 1 to 65535", port)
	}
	l := localServer{
		listen:   net.JoinHostPort(host, strconv.Itoa(port)),
		handler:  h,
		fallback: []any{object{"handler": "static_response", "status_code": 404, "body": "The MCP endpoint is " + defaultPath + ".\n"}},
	}
	switch mode := fl.String("tls"); mode {
	case "":
		l.tls = !loopback(host)
	case "internal":
		l.tls = true
	case "off":
	default:
		return fmt.Errorf("--tls %q: it is internal or off", mode)
	}
	if !l.tls && !loopback(host) {
		caddy.Log().Warn("without TLS everyone on the way can read the bearer token", zap.String("listen", l.listen))
	}
	if err := l.checkFree("--host and --port"); err != nil {
		return err
	}
	caddy.TrapSignals()
	if err := l.run(); err != nil {
		return err
	}
	if l.tls {
		fmt.Fprintf(os.Stderr, "Clients must trust %s\nThe certificate is for the names %s; for another one write a Caddyfile\n",
			caFile(), strings.Join(l.subjects(), ", "))
	}
	fmt.Fprintf(os.Stderr, "Serving MCP at %s\n", l.url())
	select {} // until a signal; Caddy's handler of signals ends the process
}

// authFromFlags takes the bearer token of HTTP callers, the flag before the variable. There is no network endpoint without one.
func authFromFlags(fl caddycmd.Flags, h *Handler) error {
	if token := fl.String("auth-token"); token != "" {
		caddy.Log().Warn("other users of this machine see --auth-token in the process list; use " + authVariable)
		// The configuration then refers to the variable either way, and never holds the token itself.
		if err := os.Setenv(authVariable, token); err != nil {
			return fmt.Errorf("keeping the token: %w", err)
		}
	}
	if os.Getenv(authVariable) == "" {
		return fmt.Errorf("an auth_token is required to serve HTTP at %s, also on a loopback address, which other users and programs of this machine reach too: set %s, for example to the output of \"openssl rand -hex 32\"",
			fl.String("host"), authVariable)
	}
	h.AuthTokens = []string{"{env." + authVariable + "}"}
	return nil
}

// loopback reports whether a host is this machine only.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
