package netbox

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/netboxapi"
	"caddy-netbox-mcp/bridge/strictjson"
	"caddy-netbox-mcp/bridge/transport"
	"caddy-netbox-mcp/mcp/envelope"
	"caddy-netbox-mcp/mcp/toolset"
)

// tokenProperty is the per-call token in an input schema, behind other properties.
const tokenProperty = `, "token": {"type": ["string", "null"], "minLength": 1, "maxLength": 8192, "description": "A NetBox API token to use for this call instead of the configured one"}`

// headerSchema is the input schema of the header argument.
const headerSchema = `{"type": ["array", "null"], "maxItems": 100, "items": {"type": "string", "maxLength": 4096}, "description": "Request headers as \"Name: value\": Accept-Language, If-Match, If-None-Match, X-Request-ID"}`

// pluginResult is the result of plugin_call_tool.
type pluginResult struct {
	Plugin  string            `json:"plugin"`
	Tool    string            `json:"tool"`
	Effect  manifest.Effect   `json:"effect"`
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body"`
}

// pluginPreview is the result of a dry run.
type pluginPreview struct {
	DryRun   bool            `json:"dry_run"`
	Instance string          `json:"instance"`
	Plugin   string          `json:"plugin"`
	Tool     string          `json:"tool"`
	Effect   manifest.Effect `json:"effect"`
	Method   string          `json:"method"`
	Path     string          `json:"path"`
	Query    json.RawMessage `json:"query"`
	Body     json.RawMessage `json:"body"`
	Notice   string          `json:"notice"`
}

const previewNotice = "Local preview only, not server-side validation: nothing was sent to the tool, and the live call may still fail."

func (t *tools) pluginCallTool() toolset.Tool {
	return toolset.Tool{
		Name:  "plugin_call_tool",
		Title: "Call a tool of a NetBox plugin",
		Description: "Use this to run a tool that plugin_list_tools listed. " +
			"Arguments are checked against the tool's input schema before anything is sent. Tools of effect read run at once; " +
			"write and destructive ones need the write gate, which an administrator opens. Preview those with dry_run=true first: " +
			"it shows the exact request without sending it. A write is sent once and never retried; \"outcome_unknown\" means that " +
			"it may have happened.",
		InputSchema: json.RawMessage(`{
			"type": "object",
			"properties": {
				"plugin": {"type": "string", "pattern": "^[a-z0-9][a-z0-9_-]{0,63}$", "description": "The plugin's name"},
				"tool": {"type": "string", "pattern": "^[a-z][a-z0-9_]{0,63}$", "description": "The tool's name: what follows the plugin's and the dot in qualified_name"},
				"arguments": {"type": ["object", "string", "null"], "maxProperties": 500, "maxLength": 262144, "description": "The tool's arguments: an object, or its JSON text"},
				"dry_run": {"type": "boolean", "default": false, "description": "Show the request instead of sending it"},
				"header": ` + headerSchema + t.tokenProperty() + `
			},
			"required": ["plugin", "tool"],
			"additionalProperties": false
		}`),
		Hints:  toolset.Hints{Destructive: true, OpenWorld: true},
		Handle: t.callPluginTool,
	}
}

func (t *tools) callPluginTool(ctx context.Context, call *toolset.Call) (any, error) {
	a := arguments{call.Arguments}
	plugin, name := a.text("plugin"), a.text("tool")
	call.Entry.Target, call.Entry.DryRun = plugin+"."+name, a.flag("dry_run")
	// The shape of everything first, without I/O: a mistake here is safe to correct.
	input, err := a.object("arguments", manifest.InstanceLimits())
	if err != nil {
		return nil, err
	}
	header, err := a.headers()
	if err != nil {
		return nil, err
	}
	session, err := t.session(call, a)
	if err != nil {
		return nil, err
	}
	// The effect stands in the manifest, so this is the one tool that reads before the gate.
	m, err := t.plugins.Select(ctx, session, plugin)
	if err != nil {
		return nil, undiscovered(call, err)
	}
	tool, err := findTool(m, name)
	if err != nil {
		return nil, err
	}
	call.Entry.Effect = string(tool.Effect)
	if err := tool.ValidateInput(input); err != nil {
		return nil, envelope.BadArguments("arguments", err)
	}
	request, err := pluginRequest(m.Plugin, tool, input)
	if err != nil {
		return nil, err
	}
	request.Header, request.Limit = header, t.maxResult
	if a.flag("dry_run") {
		return preview(call.Site.Instance, m.Plugin, tool, input, request), nil
	}
	if tool.Effect == manifest.Read {
		return t.readPlugin(ctx, call, session, m.Plugin, tool, request)
	}
	if !call.Site.MayWrite(call.Principal) {
		return nil, mutationsDisabled(call)
	}
	return t.writePlugin(ctx, call, session, m.Plugin, tool, request)
}

// findTool finds a tool of a manifest; the error names those that there are.
func findTool(m *manifest.Manifest, name string) (manifest.Tool, error) {
	if t, ok := m.Tool(name); ok {
		return t, nil
	}
	names := make([]string, len(m.Tools))
	for i, t := range m.Tools {
		names[i] = t.Name
	}
	return manifest.Tool{}, envelope.Errorf(envelope.ToolNotFound, "plugin tool not found: %s.%s; the plugin has: %s",
		m.Plugin, name, strings.Join(names, ", "))
}

// pluginRequest makes the request that a call of a plugin's tool amounts to.
func pluginRequest(plugin string, tool manifest.Tool, input strictjson.Value) (netboxapi.Request, error) {
	r := netboxapi.Request{Method: tool.Method, Path: tool.RequestPath(plugin)}
	if tool.Effect != manifest.Read {
		// The arguments are the body, also of a DELETE and also when they are empty.
		r.Body, r.Write = input.AppendCompact(nil), true
		return r, nil
	}
	query, err := manifest.EncodeQuery(input)
	if err != nil {
		return r, envelope.BadArguments("arguments", err)
	}
	r.Query = query
	return r, nil
}

// preview shows a request instead of sending it.
func preview(instance, plugin string, tool manifest.Tool, input strictjson.Value, r netboxapi.Request) pluginPreview {
	p := pluginPreview{
		DryRun: true, Instance: instance, Plugin: plugin, Tool: tool.Name, Effect: tool.Effect, Method: r.Method, Path: r.Path,
		Query: json.RawMessage(`{}`), Body: json.RawMessage(`null`), Notice: previewNotice,
	}
	if r.Write {
		p.Body = r.Body
	} else {
		p.Query = input.AppendCompact(nil)
	}
	return p
}

// readPlugin runs a tool of effect read.
func (t *tools) readPlugin(ctx context.Context, call *toolset.Call, s netboxapi.Session, plugin string, tool manifest.Tool, r netboxapi.Request) (any, error) {
	resp, err := s.Do(ctx, r)
	if err != nil {
		if e, ok := errors.AsType[*transport.Error](err); ok {
			note(call, e.Status, e.Header)
		}
		return nil, err
	}
	note(call, resp.Status, resp.Header)
	body, err := pluginBody(tool, resp)
	if err != nil {
		return nil, err
	}
	return pluginResult{plugin, tool.Name, tool.Effect, resp.Status, netboxapi.ResultHeaders(resp.Header), body}, nil
}

// note puts what is known of the upstream's answer into the record of a call.
func note(call *toolset.Call, status int, header http.Header) {
	call.Entry.Status, call.Entry.RequestID = status, envelope.Quote(header.Get("X-Request-Id"))
}

// noBody reports whether an answer has no body by the rules of HTTP.
func noBody(method string, status int) bool {
	return method == http.MethodHead || status == http.StatusNoContent || status == http.StatusResetContent
}
