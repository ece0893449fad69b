package caddymodule

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/netboxapi"
	"caddy-netbox-mcp/bridge/secret"
	"caddy-netbox-mcp/bridge/transport"
	"caddy-netbox-mcp/mcp/envelope"
)

// pluginURL is a plugin's API root in a NetBox.
type pluginURL struct {
	base   netboxapi.Address
	plugin string
}

// parsePluginURL reads the URL of a plugin's manifest or API root.
func parsePluginURL(s string) (pluginURL, error) {
	const form = "write https://netbox.example.com/api/plugins/example/mcp/, or the plugin's API root, the same without mcp/"
	const plugins = "/api/plugins/"
	i := strings.LastIndex(s, plugins)
	if i < 0 {
		return pluginURL{}, errors.New("the URL is not that of a plugin: " + form)
	}
	base, err := netboxapi.ParseAddress(s[:i])
	switch {
	case err != nil:
		return pluginURL{}, fmt.Errorf("the URL: %w", err)
	case base.Socket != "":
		return pluginURL{}, errors.New("the URL begins with http:// or https://: " + form)
	}
	plugin, ok := strings.CutSuffix(s[i+len(plugins):], "/")
	plugin = strings.TrimSuffix(plugin, "/mcp")
	if !ok || !manifest.PluginName(plugin) {
		return pluginURL{}, errors.New("the URL does not end in the name of a plugin and a slash, or in that and mcp/: " + form)
	}
	return pluginURL{base, plugin}, nil
}

// root is the path of the plugin's API root, without NetBox's path prefix.
func (u pluginURL) root() string { return "/api/plugins/" + u.plugin + "/" }

// check asks for both documents of a plugin, judges them and prints what is wrong with them.
func (u pluginURL) check(ctx context.Context, out io.Writer) error {
	session, token, done, err := u.session()
	if err != nil {
		return err
	}
	defer done()
	asked := asked{session: session, credential: !token.Empty(), p: printer{out, func(s string) string {
		return envelope.Mask(s, []secret.Text{token})
	}}}
	advertised := u.checkRoot(ctx, asked)
	served := asked.read(ctx, u.root()+"mcp/", manifest.MaxManifestBytes, func(body []byte) error {
		return checkManifest(body, u.plugin, asked.p)
	})
	a, rootUnread := errors.AsType[*unread](advertised)
	b, manifestUnread := errors.AsType[*unread](served)
	switch {
	case advertised == nil:
		return served
	case served == nil:
		return advertised
	case rootUnread && manifestUnread && a.advice == b.advice:
		return &unread{a.path + " and " + b.path, a.advice}
	}
	return fmt.Errorf("%w; %w", advertised, served)
}

// session is how this NetBox is asked: with the credential of the environment only where the URL lies below the NetBox that
// the environment names, else as nobody.
func (u pluginURL) session() (netboxapi.Session, secret.Text, func(), error) {
	n := &NetBox{URL: u.base.URL.String()}
	token, err := u.token()
	if err == nil {
		n.TLS, err = tlsFromEnvironment(u.base.URL.Scheme)
	}
	if err != nil {
		return netboxapi.Session{}, secret.Text{}, nil, err
	}
	ctx, cancel, err := aside()
	if err != nil {
		return netboxapi.Session{}, secret.Text{}, nil, err
	}
	if err := n.provision(ctx); err != nil {
		cancel()
		return netboxapi.Session{}, secret.Text{}, nil, err
	}
	if n.insecure() {
		caddy.Log().Warn("NetBox's certificate is not verified", zap.String("variable", verifyVariable), zap.Bool("token is sent", !token.Empty()))
	}
	return n.client.As(token), token, func() { n.client.CloseIdle(); cancel() }, nil
}

// token is the credential for this URL, empty for none.
func (u pluginURL) token() (secret.Text, error) {
	configured := os.Getenv(urlVariable)
	if configured == "" {
		return secret.Text{}, nil
	}
	address, err := netboxapi.ParseAddress(configured)
	if err != nil {
		return secret.Text{}, fmt.Errorf("%s: %w", urlVariable, err)
	}
	if !sameNetBox(u.base, address) {
		return secret.Text{}, nil
	}
	reference, err := tokenFromEnvironment()
	if err != nil || reference == "" {
		return secret.Text{}, err
	}
	value, err := newSecret("the NetBox token", reference, netboxapi.CheckToken, caddy.Log())
	if err != nil {
		return secret.Text{}, err
	}
	return value.get(), nil
}

// sameNetBox reports whether two addresses are one NetBox: the same origin (RFC 6454 section 4) and path prefix. A difference
// that does not matter, such as another spelling of an IPv6 address, counts: then no credential is sent.
func sameNetBox(a, b netboxapi.Address) bool {
	return a.Socket == "" && b.Socket == "" && a.URL.Scheme == b.URL.Scheme && a.URL.Path == b.URL.Path &&
		strings.EqualFold(dialAddress(a.URL, ""), dialAddress(b.URL, ""))
}

// checkRoot judges the advertisement in the plugin's API root and prints what is wrong with it.
func (u pluginURL) checkRoot(ctx context.Context, asked asked) error {
	return asked.read(ctx, u.root(), manifest.MaxRootBytes, func(body []byte) error {
		problem := func(pointer, rule string) { asked.p.line("advertisement: %s: %s", pointer, rule) }
		adv, err := manifest.ParseRoot(body, u.plugin)
		switch e, ok := errors.AsType[*manifest.Error](err); {
		case ok && e.Advertisement:
			for _, p := range e.Problems {
				problem(p.Pointer, p.Rule)
			}
			return errors.New("the advertisement is invalid")
		case err != nil:
			return fmt.Errorf("%s%s", asked.p.text(err.Error()), lineOf(body, err))
		case adv == nil:
			problem("/mcp", "is required: without it no client finds the manifest")
			return errors.New("the plugin does not advertise its manifest")
		}
		// What else the link says is foreign, so only the rule it breaks is told.
		if _, err := manifest.NewOrigins(u.base.URL).ManifestPath(adv.Manifest, u.plugin); err != nil {
			problem("/mcp/manifest", err.Error())
			return errors.New("the advertisement is invalid")
		}
		asked.p.line("The API root %s advertises the manifest.", u.root())
		return nil
	})
}

// asked is a NetBox that is asked for documents.
type asked struct {
	session    netboxapi.Session
	credential bool // one is sent
	p          printer
}

// read reads a document and gives it to judge. The error says which document it is about, and what to do.
func (a asked) read(ctx context.Context, path string, limit int64, judge func([]byte) error) error {
	resp, err := a.session.Get(ctx, path, limit, nil)
	if err == nil {
		err = netboxapi.CheckStatus(path, resp)
	}
	switch {
	case err != nil:
	case netboxapi.IsHTML(resp):
		err = &netboxapi.StatusError{Path: path, Status: resp.Status, HTML: true}
	default:
		return judge(resp.Body)
	}
	return &unread{path, a.p.text(a.advice(err, limit))}
}

// unread is a document that was not to be had.
type unread struct{ path, advice string }

func (u *unread) Error() string { return "reading " + u.path + ": " + u.advice }

// advice says of a document of at most limit bytes that was not to be had why, and what to do.
func (a asked) advice(err error, limit int64) string {
	if e, ok := errors.AsType[*netboxapi.StatusError](err); ok {
		return a.statusAdvice(e)
	}
	e, ok := errors.AsType[*transport.Error](err)
	switch {
	case ok && e.Kind == transport.KindRedirect:
		return fmt.Sprintf("NetBox answered with a redirect (HTTP %d), which is never followed: check http or https, the host and the path prefix, and that the view does not send its caller to a login", e.Status)
	case ok && e.Kind == transport.KindLimit && e.Bound != transport.BoundHeader && e.Bound != transport.BoundWindow:
		return fmt.Sprintf("it is over the size limit of %d bytes", limit)
	case ok && e.Kind == transport.KindTLS:
		return err.Error() + "; for an authority of your own set " + caFileVariable
	}
	return err.Error()
}

func (a asked) statusAdvice(e *netboxapi.StatusError) string {
	said := fmt.Sprintf("HTTP %d", e.Status)
	if e.Detail != "" {
		said += ": " + envelope.Quote(e.Detail)
	}
	switch {
	case (e.Status == 401 || e.Status == 403) && !a.credential:
		return fmt.Sprintf("NetBox wants a credential (%s) and got none: set %s and %s; the token is sent only to URLs below %s", said, urlVariable, tokenVariable, urlVariable)
	case e.Status == 401 || e.Status == 403:
		return fmt.Sprintf("NetBox refuses this to the configured token (%s): check the token, its expiry, its allowed addresses and its permissions", said)
	case e.HTML:
		return fmt.Sprintf("an HTML page came with HTTP %d, which is no answer of an API: check the host and the path prefix, and what stands in front of NetBox", e.Status)
	case e.Status == 404:
		return fmt.Sprintf("there is no such document (%s): check the plugin's name and that it is installed there, and that it has a view at this path", said)
	case e.Status >= 500:
		return fmt.Sprintf("NetBox failed (%s): its log has the reason", said)
	}
	return "NetBox answered with " + said
}
