package endpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"caddy-netbox-mcp/bridge/secret"
	"caddy-netbox-mcp/bridge/strictjson"
	"caddy-netbox-mcp/mcp/envelope"
	"caddy-netbox-mcp/mcp/toolset"
)

// call is the SDK's handler of every registered tool: it finds the tool in the request's own site and runs it.
func (e *Endpoint) call(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	b, tool, err := served(ctx, req)
	if err != nil {
		return nil, err
	}
	// In a session the call may outlive its request: its client can drop the connection.
	e.activity.join()
	defer e.activity.leave()
	if id := req.Session.ID(); id != "" && e.sessions.enter(id, b.Principal.Name) {
		defer e.sessions.leave(id, b.limits())
	}
	text, failed := e.run(ctx, b, tool, req.Params.Arguments)
	// An error of the tool is a result, not a protocol error, because the model can act on it.
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, IsError: failed}, nil
}

// served finds the tool that a request calls in its own site. Not for this caller and not there look the same, down to the
// text of the error.
func served(ctx context.Context, req *mcp.CallToolRequest) (*Binding, *toolset.Tool, error) {
	b, err := bindingOf(ctx, req)
	if err != nil {
		return nil, nil, err
	}
	tool, ok := b.tool(req.Params.Name)
	if !ok {
		return nil, nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("unknown tool %q", envelope.Quote(req.Params.Name))}
	}
	return b, tool, nil
}

// tool finds a tool in the binding's site that its caller may know of.
func (b *Binding) tool(name string) (*toolset.Tool, bool) {
	tool, ok := b.Site.Tools.Lookup(name)
	return tool, ok && b.Site.Serves(b.Principal, tool)
}

// run runs one call of a tool for a caller: deadline, arguments, handler, record.
func (e *Endpoint) run(ctx context.Context, b *Binding, tool *toolset.Tool, raw json.RawMessage) (text []byte, failed bool) {
	ctx, cancel := context.WithTimeout(ctx, b.Site.CallTimeout)
	defer cancel()
	entry := &toolset.Entry{Time: time.Now(), Instance: b.Site.Instance, Caller: b.Principal.Name, Tool: tool.Name, Outcome: "ok"}
	call := &toolset.Call{Tool: tool.Name, Site: b.Site, Principal: b.Principal, Entry: entry}
	text, err := e.answer(ctx, tool, raw, call)
	secrets := secretsOf(call)
	if err != nil {
		failure := envelope.From(err)
		switch failure.Code {
		case envelope.Internal:
			e.logger.Error("a tool failed unexpectedly", "tool", tool.Name, "error", envelope.Mask(failure.Error(), secrets))
		case envelope.UpstreamUnreachable:
			// Why is for an administrator, and only the log says it.
			e.logger.Warn("the upstream cannot be reached", "instance", b.Site.Instance, "error", envelope.Mask(failure.Error(), secrets))
		}
		entry.Outcome = string(failure.Code)
		text = failure.Text(secrets)
	}
	// Both come from outside: the one from the caller, the other from the upstream.
	entry.Target, entry.RequestID = envelope.Mask(entry.Target, secrets), envelope.Mask(entry.RequestID, secrets)
	entry.Duration = time.Since(entry.Time)
	// Cancelled calls are recorded too, so the record must not depend on the call's own context.
	b.Site.Recorder.Record(context.WithoutCancel(ctx), entry)
	return text, err != nil
}

// secretsOf lists what must leave a call neither in its answer nor in its record.
func secretsOf(call *toolset.Call) []secret.Text {
	return slices.Concat(call.Site.Secrets(), call.Secrets, []secret.Text{call.Principal.Credential})
}

// answer is a call up to its encoded result. It never panics.
func (e *Endpoint) answer(ctx context.Context, tool *toolset.Tool, raw json.RawMessage, call *toolset.Call) (text []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			e.logPanic(tool.Name, p)
			text, err = nil, envelope.Errorf(envelope.Internal, "the tool failed unexpectedly; the server's log has the details")
		}
	}()
	if call.Arguments, err = parseArguments(raw); err != nil {
		return nil, err
	}
	if err := tool.Validate(call.Arguments); err != nil {
		return nil, envelope.BadArguments("", err)
	}
	result, err := tool.Handle(ctx, call)
	if err != nil {
		return nil, err
	}
	return envelope.EncodeMasked(result, secretsOf(call))
}

// parseArguments reads the arguments from their bytes on the wire; absent ones are an empty object.
func parseArguments(raw json.RawMessage) (strictjson.Value, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return strictjson.Value{Kind: strictjson.Object}, nil
	}
	v, err := strictjson.Parse(raw, strictjson.Limits{Depth: maxMessageDepth, Nodes: maxMessageNodes})
	if err != nil {
		return strictjson.Value{}, envelope.Errorf(envelope.InvalidArguments, "reading the arguments: %s", problem(err))
	}
	return v, nil
}
