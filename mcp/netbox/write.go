package netbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/netboxapi"
	"caddy-netbox-mcp/bridge/transport"
	"caddy-netbox-mcp/mcp/envelope"
	"caddy-netbox-mcp/mcp/toolset"
)

const (
	// minWriteTime is the time that must be left of a call for a write to be started.
	minWriteTime = time.Second
	// maxAnswer bounds what is shown of the answer to a write whose outcome is unknown, in bytes.
	maxAnswer = 2 << 10
)

// mutationsDisabled is the refusal of a closed write gate.
func mutationsDisabled(call *toolset.Call) error {
	if call.Site.ReadOnly || call.Principal.ReadOnly {
		return envelope.Errorf(envelope.MutationsDisabled, "mutations are disabled: this endpoint is read-only. Nothing was sent; dry_run=true shows the request")
	}
	return envelope.Errorf(envelope.MutationsDisabled, "mutations are disabled. Nothing was sent; dry_run=true shows the request. "+
		"An administrator opens the gate with allow_mutations and approval off in the site's configuration, or with NETBOX_MCP_ALLOW_MUTATIONS=1 or --allow-mutations where serve or demo runs")
}

// writePlugin runs a tool of effect write or destructive, once. Package transport sees to it that it is not sent any more
// when the call is over, and that it runs to its own end once it was sent.
func (t *tools) writePlugin(ctx context.Context, call *toolset.Call, s netboxapi.Session, plugin string, tool manifest.Tool, r netboxapi.Request) (any, error) {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < minWriteTime {
		return nil, nothingSent(context.DeadlineExceeded)
	}
	resp, err := s.Do(ctx, r)
	if err != nil {
		return nil, writeFailed(call, err)
	}
	note(call, resp.Status, resp.Header)
	if resp.Status < 200 || resp.Status > 299 {
		return nil, outcomeUnknown(resp, netboxapi.CheckStatus(r.Path, resp))
	}
	body, err := pluginBody(tool, resp)
	if err != nil {
		return nil, outcomeUnknown(resp, err)
	}
	return pluginResult{plugin, tool.Name, tool.Effect, resp.Status, netboxapi.ResultHeaders(resp.Header), body}, nil
}

// nothingSent marks an error before the first byte of a write: it is safe to try again.
func nothingSent(err error) error {
	e := *envelope.From(err)
	e.Message += ". The write was not sent; nothing was changed"
	return &e
}

// writeFailed tells a write that was never sent from one whose outcome is unknown.
func writeFailed(call *toolset.Call, err error) error {
	e, ok := errors.AsType[*transport.Error](err)
	if !ok {
		e = &transport.Error{Sent: true, Err: err}
	}
	if !e.Sent {
		return nothingSent(err)
	}
	note(call, e.Status, e.Header)
	resp := &transport.Response{Status: e.Status, Header: e.Header, Body: e.Excerpt}
	return outcomeUnknown(resp, err)
}

// outcomeUnknown says that a write was sent and that its outcome is not known, with what there is of the answer.
func outcomeUnknown(resp *transport.Response, cause error) error {
	e := envelope.Errorf(envelope.OutcomeUnknown, "write outcome unknown; do not retry blindly (%s). "+
		"Look first whether it happened: read the object, or NetBox's change log by object or request id", reason(cause))
	// What is wrong with the answer, where that is why: the problems, or the limit.
	for _, name := range []string{"problems", "limit", "max"} {
		if fact, ok := envelope.From(cause).Details[name]; ok {
			e = e.With(name, fact)
		}
	}
	if resp.Status != 0 {
		e = e.With("status", resp.Status)
	}
	if id := resp.Header.Get("X-Request-Id"); id != "" {
		e = e.With("request_id", envelope.Quote(id))
	}
	if answer := answerText(resp); answer != "" {
		e = e.With("answer", answer)
	}
	return e
}

// reason is what is known of why a write has no good outcome, in NetBox's own words where there are any. What other tools are
// advised to do after a status, such as to try again later, is wrong for a write.
func reason(cause error) string {
	if e, ok := errors.AsType[*transport.Error](cause); ok {
		return lost(e)
	}
	e, ok := errors.AsType[*netboxapi.StatusError](cause)
	switch {
	case !ok:
		return envelope.Quote(envelope.From(cause).Message)
	case e.Detail != "":
		return fmt.Sprintf("NetBox: \"%s\", with HTTP %d", envelope.Quote(e.Detail), e.Status)
	case e.HTML:
		return fmt.Sprintf("NetBox answered with HTTP %d and an HTML page", e.Status)
	default:
		return fmt.Sprintf("NetBox answered with HTTP %d", e.Status)
	}
}

// lost is how the answer to a write was lost. It gives no advice: that of a read, to try again, would be wrong here.
func lost(e *transport.Error) string {
	switch e.Kind {
	case transport.KindDeadline:
		return "NetBox did not answer in time"
	case transport.KindLimit:
		return fmt.Sprintf("NetBox's answer is over the size limit of %d bytes", e.Limit)
	case transport.KindRedirect:
		return fmt.Sprintf("NetBox answered with a redirect, HTTP %d, which is never followed", e.Status)
	case transport.KindEncoding:
		return "NetBox's answer has a content encoding that cannot be decoded"
	default:
		return "NetBox's answer was cut off or is broken"
	}
}

// answerText is the beginning of an answer, fit for showing. Pages for people are named, not shown.
func answerText(resp *transport.Response) string {
	if len(resp.Body) == 0 {
		return ""
	}
	if netboxapi.IsHTML(resp) {
		return "(an HTML page)"
	}
	// A character that the cut went through is left out.
	return envelope.Clean(strings.ToValidUTF8(string(resp.Body[:min(len(resp.Body), maxAnswer)]), ""))
}
