package envelope

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"

	"caddy-netbox-mcp/bridge/discovery"
	"caddy-netbox-mcp/bridge/netboxapi"
	"caddy-netbox-mcp/bridge/schema"
	"caddy-netbox-mcp/bridge/strictjson"
	"caddy-netbox-mcp/bridge/transport"
)

// From maps any error to a failure. It is the one place where errors of the layers below become codes; an error it does
// not know is internal, and its text stays in the server.
func From(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*discovery.Error](err); ok {
		return fromDiscovery(e)
	}
	if e, ok := errors.AsType[*transport.Error](err); ok {
		return fromTransport(e)
	}
	if e, ok := errors.AsType[*netboxapi.StatusError](err); ok {
		return fromStatus(e)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return Errorf(DeadlineExceeded, "the call did not end in time: ask for less, or try again when NetBox is less busy")
	case errors.Is(err, context.Canceled):
		return Errorf(Cancelled, "the call was cancelled")
	}
	return internal("the tool failed unexpectedly; the server's log has the details", err)
}

// internal is a mistake of this server, whose cause stays in it.
func internal(message string, cause error) *Error {
	return &Error{Code: Internal, Message: message, cause: cause}
}

// BadArguments is the failure of arguments that break their schema. what names the arguments concerned; "" means the tool's.
func BadArguments(what string, err error) *Error {
	if what == "" {
		what = "arguments"
	}
	return Errorf(InvalidArguments, "invalid %s: %s", what, Cut(Clean(err.Error()), MaxMessage)).Explained("arguments", err)
}

// Explained returns the failure with what err knows beside its text in the details: the problems of a [*schema.Error], and the
// limit of strict JSON that was exceeded. what is the kind of document, such as "arguments", for the name of the limit.
func (e *Error) Explained(what string, err error) *Error {
	if s, ok := errors.AsType[*schema.Error](err); ok {
		problems := make([]string, len(s.Problems))
		for i, p := range s.Problems {
			problems[i] = Clean(p.String())
		}
		e = e.With("problems", problems)
	}
	if of, ok := errors.AsType[*strictjson.Error](err); ok && of.Reason.IsLimit() {
		return e.limited(what+" "+string(of.Reason), int64(of.Limit))
	}
	return e
}

// limited returns the failure with the name of the limit that was exceeded and its value in its details; "" is none.
func (e *Error) limited(bound string, limit int64) *Error {
	if bound == "" {
		return e
	}
	return e.With("limit", bound).With("max", limit)
}

func fromDiscovery(e *discovery.Error) *Error {
	switch e.Kind {
	case discovery.Limit:
		code := LimitExceeded
		if errors.Is(e.Err, context.DeadlineExceeded) {
			code = DeadlineExceeded
		}
		return Errorf(code, "%s", Cut(Clean(e.Error()), MaxMessage)).limited(e.Bound, e.Max)
	case discovery.UnknownPlugin:
		return Errorf(NotAdvertised, "%s; plugin_list_tools without a plugin lists those that have tools", Cut(Clean(e.Error()), MaxMessage)).limited(e.Bound, e.Max)
	case discovery.NotAdvertised:
		return Errorf(NotAdvertised, "%s: it has no tools for you. plugin_list_tools without a plugin lists those that have", e.Error())
	case discovery.Advertisement:
		return Errorf(AdvertisementInvalid, "%s; tell the plugin's author", Cut(Clean(e.Error()), MaxMessage)).limited(e.Bound, e.Max)
	}
	// A document that could not be had fails as its request did; what it says wrong is the plugin's mistake.
	if below, ok := errors.AsType[*transport.Error](e.Err); ok {
		return prefixed(e, fromTransport(below))
	}
	if below, ok := errors.AsType[*netboxapi.StatusError](e.Err); ok {
		return prefixed(e, fromStatus(below))
	}
	switch {
	case e.Kind == discovery.Manifest:
		return Errorf(ManifestInvalid, "%s; tell the plugin's author", Cut(Clean(e.Error()), MaxMessage)).limited(e.Bound, e.Max)
	default:
		return Errorf(ResponseInvalid, "%s", Cut(Clean(e.Error()), MaxMessage)).limited(e.Bound, e.Max)
	}
}

// prefixed says which document a failure concerns.
func prefixed(e *discovery.Error, below *Error) *Error {
	what := "reading the list of NetBox's plugins: "
	switch e.Kind {
	case discovery.Root:
		what = "reading the API root of plugin " + e.Plugin + ": "
	case discovery.Manifest:
		what = "reading the MCP manifest of plugin " + e.Plugin + ": "
	}
	below.Message = what + below.Message
	return below
}

func fromStatus(e *netboxapi.StatusError) *Error {
	// What NetBox says in its answer, if anything.
	said := fmt.Sprintf("HTTP %d", e.Status)
	if e.Detail != "" {
		said += ": " + Quote(e.Detail)
	}
	var f *Error
	switch {
	case e.Unauthenticated():
		f = Errorf(UpstreamUnauthorized, "NetBox does not accept the credential (%s): an administrator must check the NetBox token, its expiry and its allowed addresses", said)
	case e.HTML:
		f = Errorf(UpstreamError, "NetBox answered with HTTP %d and an HTML page: check that the base URL is NetBox's, and what stands between this server and NetBox", e.Status)
	case e.Status == 403:
		f = Errorf(UpstreamForbidden, "NetBox refuses this to the credential (%s): an administrator must grant the permission", said)
	case e.Status >= 500:
		f = Errorf(UpstreamError, "NetBox failed with HTTP %d: try again later; NetBox's log has the reason", e.Status)
	default:
		f = Errorf(UpstreamError, "NetBox answered with %s", said)
	}
	return f.With("status", e.Status)
}

func fromTransport(e *transport.Error) *Error {
	switch e.Kind {
	case transport.KindUnreachable:
		return unreachable(e, "NetBox cannot be reached: an administrator must check that it runs and that the base URL is right")
	case transport.KindTLS:
		return unreachable(e, "no TLS connection to NetBox: "+tlsReason(e))
	case transport.KindDeadline:
		return Errorf(DeadlineExceeded, "NetBox did not answer in time: ask for less, or try again when it is less busy")
	case transport.KindCancelled:
		return Errorf(Cancelled, "the call was cancelled")
	case transport.KindLimit:
		return Errorf(LimitExceeded, "NetBox's answer is over the size limit of %d bytes (%s): ask for less", e.Limit, e.Bound).
			limited(e.Bound, e.Limit)
	case transport.KindRedirect:
		return Errorf(RedirectRefused, "NetBox answered with a redirect (HTTP %d); redirects are not allowed and never followed. If every call does so, an administrator must check the base URL", e.Status).
			With("status", e.Status)
	case transport.KindEncoding:
		return Errorf(ResponseInvalid, "NetBox's answer has a content encoding that cannot be decoded; check what stands between this server and NetBox")
	case transport.KindProtocol:
		return Errorf(ResponseInvalid, "NetBox's answer is broken or was cut off; try again, and check that the base URL has the right scheme, http or https, and what stands between this server and NetBox")
	}
	return internal("the request could not be made; the server's log has the details", e)
}

// unreachable keeps the cause for the server's log: an administrator needs it, and a caller can do nothing with it.
func unreachable(e *transport.Error, message string) *Error {
	f := Errorf(UpstreamUnreachable, "%s", message)
	f.cause = e
	return f
}

// tlsReason says which of the usual mistakes a failed handshake is.
func tlsReason(e *transport.Error) string {
	if _, ok := errors.AsType[x509.UnknownAuthorityError](e); ok {
		return "its certificate is of an unknown authority. An administrator must name the authority with tls_trust_pool (NETBOX_CA_FILE for serve)"
	}
	if _, ok := errors.AsType[x509.HostnameError](e); ok {
		return "its certificate is for another name. An administrator must give the right one with tls_server_name"
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](e); ok && invalid.Reason == x509.Expired {
		return "its certificate has expired or is not valid yet. An administrator must renew it"
	}
	return "an administrator must check that the base URL's scheme is right (is it http?), and the certificate options (tls_trust_pool, or NETBOX_CA_FILE for serve)"
}
