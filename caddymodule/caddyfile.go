package caddymodule

import (
	"slices"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"caddy-netbox-mcp/bridge/netboxapi"
)

func init() {
	httpcaddyfile.RegisterHandlerDirective("netbox_mcp", parseCaddyfile)
	// After the authentication directives, whose requests it must see, and before everything that answers.
	httpcaddyfile.RegisterDirectiveOrder("netbox_mcp", httpcaddyfile.After, "encode")
}

func parseCaddyfile(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	handler := new(Handler)
	err := handler.UnmarshalCaddyfile(h.Dispenser)
	return handler, err
}

// UnmarshalCaddyfile sets up the handler from Caddyfile tokens. Syntax:
//
//	netbox_mcp [<matcher>] {
//	    path            <path>
//	    instance        <name>
//	    netbox <base_url> {
//	        token                    <secret>
//	        public_url               <url>
//	        timeout                  <duration>
//	        max_connections          <n>
//	        tls
//	        tls_trust_pool           <module> { … }
//	        tls_server_name          <name>
//	        tls_client_auth          <automate_name> | <cert_file> <key_file>
//	        tls_insecure_skip_verify
//	    }
//	    auth_token      <secret>...
//	    allow_mutations [on|off]
//	    read_only       [on|off]
//	    approval        off
//	    call_token      [on|off]
//	    allow_origin    <origin>...
//	    well_known      pass
//	    max_scan_bytes | max_manifest_bytes | max_result_bytes <size>
//	}
//
// An option that is not known, or stands twice, is an error: ignoring a typo could leave a gate open.
func (h *Handler) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the directive's name
	if d.NextArg() {
		return d.ArgErr()
	}
	seen := make(once)
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		option := d.Val()
		if option != "auth_token" && option != "allow_origin" {
			if err := seen.check(d); err != nil {
				return err
			}
		}
		var err error
		switch option {
		case "path":
			err = oneArg(d, &h.Path)
		case "instance":
			err = oneArg(d, &h.Instance)
		case "netbox":
			h.NetBox = new(NetBox)
			err = h.NetBox.unmarshalCaddyfile(d)
		case "auth_token":
			args := d.RemainingArgs()
			if len(args) == 0 {
				return d.ArgErr()
			}
			if slices.Contains(args, "") {
				return d.Err("auth_token is empty")
			}
			h.AuthTokens = append(h.AuthTokens, args...)
		case "allow_mutations":
			h.AllowMutations = new(bool)
			err = onOff(d, h.AllowMutations)
		case "read_only":
			err = onOff(d, &h.ReadOnly)
		case "approval":
			if err = oneArg(d, &h.Approval); err == nil {
				if policy := checkApproval(false, h.Approval); policy != nil {
					err = d.WrapErr(policy)
				}
			}
		case "call_token":
			h.CallToken = new(bool)
			err = onOff(d, h.CallToken)
		case "allow_origin":
			args := d.RemainingArgs()
			if len(args) == 0 {
				return d.ArgErr()
			}
			for _, origin := range args {
				if err := checkOrigin(origin); err != nil {
					return d.WrapErr(err)
				}
			}
			h.AllowOrigins = append(h.AllowOrigins, args...)
		case "well_known":
			if err = oneArg(d, &h.WellKnown); err == nil && h.WellKnown != "pass" {
				err = d.Errf("well_known %q: the only value is pass", h.WellKnown)
			}
		case "max_scan_bytes", "max_manifest_bytes", "max_result_bytes":
			err = h.unmarshalBridgeLimit(d)
		default:
			return d.Errf("unrecognized netbox_mcp option %q; there are path, instance, netbox, auth_token, allow_mutations, read_only, approval, call_token, allow_origin, well_known, max_scan_bytes, max_manifest_bytes and max_result_bytes", option)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case h.NetBox == nil:
		return d.Err("netbox_mcp needs a netbox to serve: netbox <base_url>")
	case len(h.AuthTokens) == 0:
		return d.Err("netbox_mcp needs an auth_token: there is no endpoint without authentication")
	case h.AllowMutations != nil && *h.AllowMutations && !h.ReadOnly:
		if err := checkApproval(true, h.Approval); err != nil {
			return d.WrapErr(err)
		}
	}
	return nil
}

// unmarshalCaddyfile reads "netbox <base_url> { … }".
func (n *NetBox) unmarshalCaddyfile(d *caddyfile.Dispenser) error {
	if err := oneArg(d, &n.URL); err != nil {
		return err
	}
	if !strings.Contains(n.URL, "{") {
		if _, err := netboxapi.ParseAddress(n.URL); err != nil {
			return d.Errf("netbox: %v", err)
		}
	}
	seen := make(once)
	var transport reverseproxy.HTTPTransport
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		if err := seen.check(d); err != nil {
			return err
		}
		var err error
		switch option := d.Val(); option {
		case "token":
			err = oneArg(d, &n.Token)
		case "public_url":
			if err = oneArg(d, &n.PublicURL); err == nil && !strings.Contains(n.PublicURL, "{") {
				if _, urlErr := netboxapi.ParseURL(n.PublicURL); urlErr != nil {
					err = d.Errf("public_url: %v", urlErr)
				}
			}
		case "timeout":
			err = positiveDuration(d, &n.Timeout)
		case "max_connections":
			err = positiveInt(d, &n.MaxConnections)
		case "tls", "tls_trust_pool", "tls_server_name", "tls_client_auth", "tls_insecure_skip_verify":
			// reverse_proxy's own parser reads its own options, one at a time.
			err = transport.UnmarshalCaddyfile(transportBlock(d))
		default:
			return d.Errf("unrecognized netbox option %q; there are token, public_url, timeout, max_connections, tls, tls_trust_pool, tls_server_name, tls_client_auth and tls_insecure_skip_verify", option)
		}
		if err != nil {
			return err
		}
	}
	n.TLS = transport.TLS
	return nil
}

// transportBlock wraps the option under the cursor, with its block if it has one, in the block that reverse_proxy's parser of
// transport options expects. The tokens keep their file and line.
func transportBlock(d *caddyfile.Dispenser) *caddyfile.Dispenser {
	name, open := d.Token(), d.Token()
	name.Text, open.Text = "http", "{"
	segment := d.NextSegment()
	// A closing brace counts as one only when nothing follows it on its line.
	end := segment[len(segment)-1]
	end.Text, end.Line = "}", end.Line+1
	tokens := append([]caddyfile.Token{name, open}, segment...)
	return caddyfile.NewDispenser(append(tokens, end))
}

// once notices options that stand twice.
type once map[string]bool

func (o once) check(d *caddyfile.Dispenser) error {
	if o[d.Val()] {
		return d.Errf("%s is already specified", d.Val())
	}
	o[d.Val()] = true
	return nil
}

// oneArg reads exactly one argument, which is not empty.
func oneArg(d *caddyfile.Dispenser, target *string) error {
	option := d.Val()
	if !d.AllArgs(target) {
		return d.ArgErr()
	}
	if *target == "" {
		return d.Errf("%s is empty", option)
	}
	return nil
}

// onOff reads an optional on or off; absent means on.
func onOff(d *caddyfile.Dispenser, target *bool) error {
	option := d.Val()
	switch args := d.RemainingArgs(); {
	case len(args) == 0 || len(args) == 1 && args[0] == "on":
		*target = true
	case len(args) == 1 && args[0] == "off":
		*target = false
	default:
		return d.Errf("%s is on or off", option)
	}
	return nil
}

func positiveDuration(d *caddyfile.Dispenser, target *caddy.Duration) error {
	option, text := d.Val(), ""
	if err := oneArg(d, &text); err != nil {
		return err
	}
	value, err := caddy.ParseDuration(text)
	if err != nil || value <= 0 {
		return d.Errf("%s %q: write a positive duration such as 30s", option, text)
	}
	*target = caddy.Duration(value)
	return nil
}

func positiveInt(d *caddyfile.Dispenser, target *int) error {
	option, text := d.Val(), ""
	if err := oneArg(d, &text); err != nil {
		return err
	}
	value, err := strconv.Atoi(text)
	if err != nil || value < 1 {
		return d.Errf("%s %q: write a positive whole number", option, text)
	}
	*target = value
	return nil
}

// Interface guard
var _ caddyfile.Unmarshaler = (*Handler)(nil)
