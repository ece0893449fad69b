package envelope_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"caddy-netbox-mcp/bridge/discovery"
	"caddy-netbox-mcp/bridge/netboxapi"
	"caddy-netbox-mcp/bridge/schema"
	"caddy-netbox-mcp/bridge/strictjson"
	"caddy-netbox-mcp/bridge/transport"
	"caddy-netbox-mcp/mcp/envelope"
)

// TestLimitsInDetails sees to it that whichever limit fired stands in the details with its value.
func TestLimitsInDetails(t *testing.T) {
	tooDeep := &strictjson.Error{Reason: strictjson.TooDeep, Limit: 24}
	of := func(kind discovery.Kind) error {
		return &discovery.Error{Kind: kind, Plugin: "x", Bound: "manifest depth", Max: 24, Err: tooDeep}
	}
	tests := []struct {
		name  string
		err   *envelope.Error
		code  envelope.Code
		limit any
		max   any
	}{
		{"a scan", envelope.From(&discovery.Error{Kind: discovery.Limit, Bound: "plugin root count", Max: 128}), envelope.LimitExceeded, "plugin root count", int64(128)},
		{"listing", envelope.From(of(discovery.Listing)), envelope.ResponseInvalid, "manifest depth", int64(24)},
		{"root", envelope.From(of(discovery.Root)), envelope.ResponseInvalid, "manifest depth", int64(24)},
		{"advertisement", envelope.From(of(discovery.Advertisement)), envelope.AdvertisementInvalid, "manifest depth", int64(24)},
		{"manifest", envelope.From(of(discovery.Manifest)), envelope.ManifestInvalid, "manifest depth", int64(24)},
		{"manifest that is no limit", envelope.From(&discovery.Error{Kind: discovery.Manifest, Plugin: "x", Err: errors.New("wrong")}), envelope.ManifestInvalid, nil, nil},
		{"transport", envelope.From(&transport.Error{Kind: transport.KindLimit, Bound: transport.BoundDecompressed, Limit: 9}), envelope.LimitExceeded, transport.BoundDecompressed, int64(9)},
		{"arguments", envelope.BadArguments("arguments", fmt.Errorf("measuring: %w", tooDeep)), envelope.InvalidArguments, "arguments depth", int64(24)},
		{"arguments that are no limit", envelope.BadArguments("arguments", &strictjson.Error{Reason: strictjson.Syntax}), envelope.InvalidArguments, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.err.Code != tt.code || tt.err.Details["limit"] != tt.limit || tt.err.Details["max"] != tt.max {
				t.Errorf("got %s, limit %v, max %v", tt.err.Code, tt.err.Details["limit"], tt.err.Details["max"])
			}
		})
	}
}

func TestFrom(t *testing.T) {
	status := func(status int, detail string, html bool) error {
		return &netboxapi.StatusError{Path: "/api/x/", Status: status, Detail: detail, HTML: html}
	}
	tests := []struct {
		name string
		err  error
		code envelope.Code
		want string // in the message
	}{
		{"one of ours, wrapped", fmt.Errorf("doing: %w", envelope.Errorf(envelope.ToolNotFound, "no such tool")), envelope.ToolNotFound, "no such tool"},
		{"deadline", context.DeadlineExceeded, envelope.DeadlineExceeded, "did not end in time"},
		{"cancelled", fmt.Errorf("doing: %w", context.Canceled), envelope.Cancelled, "cancelled"},
		{"unknown", errors.New("password=hunter2"), envelope.Internal, "server's log"},

		{"request", &transport.Error{Kind: transport.KindRequest}, envelope.Internal, "server's log"},
		{"unreachable", &transport.Error{Kind: transport.KindUnreachable}, envelope.UpstreamUnreachable, "cannot be reached"},
		{"tls", &transport.Error{Kind: transport.KindTLS}, envelope.UpstreamUnreachable, "tls_trust_pool"},
		{"transport deadline", &transport.Error{Kind: transport.KindDeadline, Err: context.DeadlineExceeded}, envelope.DeadlineExceeded, "in time"},
		{"transport cancelled", &transport.Error{Kind: transport.KindCancelled, Err: context.Canceled}, envelope.Cancelled, "cancelled"},
		{"limit", &transport.Error{Kind: transport.KindLimit, Bound: transport.BoundDecompressed, Limit: 4096}, envelope.LimitExceeded, "size limit of 4096 bytes (decompressed)"},
		{"redirect", &transport.Error{Kind: transport.KindRedirect, Status: 302}, envelope.RedirectRefused, "redirects are not allowed"},
		{"encoding", &transport.Error{Kind: transport.KindEncoding}, envelope.ResponseInvalid, "content encoding"},
		{"protocol", &transport.Error{Kind: transport.KindProtocol}, envelope.ResponseInvalid, "cut off"},
		{"transport, wrapped", fmt.Errorf("doing: %w", &transport.Error{Kind: transport.KindUnreachable}), envelope.UpstreamUnreachable, "cannot be reached"},

		{"401", status(401, "Invalid token", false), envelope.UpstreamUnauthorized, "(HTTP 401: Invalid token)"},
		{"401 without words", status(401, "", true), envelope.UpstreamUnauthorized, "(HTTP 401)"},
		{"403 of authentication", status(403, "Invalid v2 token", false), envelope.UpstreamUnauthorized, "HTTP 403"},
		{"403 of permission", status(403, "You do not have permission to perform this action.", false), envelope.UpstreamForbidden, "permission"},
		{"403 without words", status(403, "", false), envelope.UpstreamForbidden, "(HTTP 403)"},
		{"403 of a proxy", status(403, "", true), envelope.UpstreamError, "HTML page"},
		{"404", status(404, "Not found.", false), envelope.UpstreamError, "HTTP 404: Not found."},
		{"404 without words", status(404, "", false), envelope.UpstreamError, "HTTP 404"},
		{"500", status(500, "", false), envelope.UpstreamError, "NetBox's log"},
		{"502 of a proxy", status(502, "", true), envelope.UpstreamError, "HTML page"},

		{"bound of a scan", &discovery.Error{Kind: discovery.Limit, Bound: "plugin root count", Max: 128}, envelope.LimitExceeded, "plugin root count"},
		{"bound of a document", &discovery.Error{Kind: discovery.Limit, Plugin: "x", Bound: "manifest bytes", Max: 262144, Err: &transport.Error{Kind: transport.KindLimit}}, envelope.LimitExceeded, "size limit"},
		{"time of a scan", &discovery.Error{Kind: discovery.Limit, Bound: "deadline in seconds", Max: 30, Err: context.DeadlineExceeded}, envelope.DeadlineExceeded, "deadline"},
		{"unknown plugin", &discovery.Error{Kind: discovery.UnknownPlugin, Plugin: "x"}, envelope.NotAdvertised, "plugin_list_tools without a plugin"},
		{"no bridge", &discovery.Error{Kind: discovery.NotAdvertised, Plugin: "x"}, envelope.NotAdvertised, "does not advertise an MCP bridge"},
		{"advertisement", &discovery.Error{Kind: discovery.Advertisement, Plugin: "x", Err: errors.New("wrong")}, envelope.AdvertisementInvalid, "wrong"},
		{"manifest", &discovery.Error{Kind: discovery.Manifest, Plugin: "x", Err: errors.New("wrong")}, envelope.ManifestInvalid, "plugin's author"},
		{"root", &discovery.Error{Kind: discovery.Root, Plugin: "x", Err: errors.New("wrong")}, envelope.ResponseInvalid, "wrong"},
		{"listing", &discovery.Error{Kind: discovery.Listing, Err: errors.New("wrong")}, envelope.ResponseInvalid, "wrong"},
		{"listing unreachable", &discovery.Error{Kind: discovery.Listing, Err: &transport.Error{Kind: transport.KindUnreachable}}, envelope.UpstreamUnreachable, "reading the list of NetBox's plugins: NetBox cannot"},
		{"listing refused", &discovery.Error{Kind: discovery.Listing, Err: status(403, "Invalid token", false)}, envelope.UpstreamUnauthorized, "reading the list of NetBox's plugins: "},
		{"root refused", &discovery.Error{Kind: discovery.Root, Plugin: "x", Err: status(500, "", false)}, envelope.UpstreamError, "reading the API root of plugin x: "},
		{"manifest redirected", &discovery.Error{Kind: discovery.Manifest, Plugin: "x", Err: &transport.Error{Kind: transport.KindRedirect, Status: 301}}, envelope.RedirectRefused, "reading the MCP manifest of plugin x: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := envelope.From(tt.err)
			if f.Code != tt.code || !strings.Contains(f.Message, tt.want) {
				t.Errorf("From gives %s, %q; want %s with %q", f.Code, f.Message, tt.code, tt.want)
			}
			if strings.Contains(f.Message, "hunter2") {
				t.Errorf("the message has the text of an unknown error: %q", f.Message)
			}
			if strings.HasSuffix(f.Message, ": ") || strings.Contains(f.Message, ": )") {
				t.Errorf("the message announces words that are not there: %q", f.Message)
			}
		})
	}
}

func TestFromKeepsFacts(t *testing.T) {
	tests := []struct {
		name string
		err  error
		key  string
		want any
	}{
		{"status", &netboxapi.StatusError{Status: 418}, "status", 418},
		{"redirect", &transport.Error{Kind: transport.KindRedirect, Status: 307}, "status", 307},
		{"limit", &transport.Error{Kind: transport.KindLimit, Bound: "decompressed", Limit: 9}, "max", int64(9)},
		{"bound", &discovery.Error{Kind: discovery.Limit, Bound: "plugin root count", Max: 128}, "limit", "plugin root count"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := envelope.From(tt.err).Details[tt.key]; got != tt.want {
				t.Errorf("detail %s is %v, want %v", tt.key, got, tt.want)
			}
		})
	}
}

// The cause of an internal failure is for the server's log, never for the caller.
func TestInternalCause(t *testing.T) {
	f := envelope.From(fmt.Errorf("doing: %w", errors.New("disk is full")))
	if !strings.Contains(f.Error(), "disk is full") {
		t.Errorf("the log would say %q", f.Error())
	}
	if text := string(f.Text(nil)); strings.Contains(text, "disk") {
		t.Errorf("the caller is told %s", text)
	}
}

func TestBadArguments(t *testing.T) {
	err := &schema.Error{Problems: []schema.Problem{{Pointer: "/a", Rule: "must be a string"}, {Rule: "b is unknown"}}}
	f := envelope.BadArguments("", err)
	if f.Code != envelope.InvalidArguments || f.Message != "invalid arguments: /a: must be a string; (root): b is unknown" {
		t.Errorf("failure %v", f)
	}
	if got := fmt.Sprint(f.Details["problems"]); got != "[/a: must be a string (root): b is unknown]" {
		t.Errorf("problems %s", got)
	}
	if f := envelope.BadArguments("body", errors.New("no object")); f.Message != "invalid body: no object" || f.Details != nil {
		t.Errorf("failure %v, %v", f, f.Details)
	}
	if f := envelope.BadArguments("", errors.New(strings.Repeat("x", 5000))); len(f.Message) > envelope.MaxMessage+100 {
		t.Errorf("a message of %d bytes", len(f.Message))
	}
}

func TestWithCopies(t *testing.T) {
	f := envelope.Errorf(envelope.Internal, "x")
	g := f.With("a", 1)
	h := g.With("b", 2)
	if f.Details != nil || len(g.Details) != 1 || len(h.Details) != 2 {
		t.Errorf("details %v, %v, %v", f.Details, g.Details, h.Details)
	}
}
