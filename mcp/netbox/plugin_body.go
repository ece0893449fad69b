package netbox

import (
	"encoding/json"
	"fmt"
	"net/http"

	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/netboxapi"
	"caddy-netbox-mcp/bridge/strictjson"
	"caddy-netbox-mcp/bridge/transport"
	"caddy-netbox-mcp/mcp/envelope"
)

// pluginBody judges the body of a plugin tool's answer: strict JSON within its limits whatever the status, and by the output
// schema where the answer is a success. It returns JSON text whose numbers are NetBox's to the digit.
func pluginBody(tool manifest.Tool, resp *transport.Response) (json.RawMessage, error) {
	if noBody(tool.Method, resp.Status) {
		return json.RawMessage(`null`), nil
	}
	if resp.Status == http.StatusNotModified {
		return nil, envelope.Errorf(envelope.ResponseInvalid, "NetBox answered with HTTP 304 and no content, because nothing changed: leave the header If-None-Match out to get it").
			With("status", resp.Status)
	}
	if netboxapi.IsHTML(resp) {
		return nil, envelope.Errorf(envelope.ResponseInvalid, "NetBox answered with HTTP %d and an HTML page, which is no answer of its API: check the base URL, and what stands between this server and NetBox", resp.Status).
			With("status", resp.Status)
	}
	doc, err := strictjson.Parse(resp.Body, manifest.InstanceLimits())
	if err != nil {
		return nil, responseInvalid(resp.Status, fmt.Errorf("it must be strict, finite JSON: %w", err))
	}
	if resp.Status >= 200 && resp.Status < 300 {
		if err := tool.ValidateOutput(doc); err != nil {
			return nil, responseInvalid(resp.Status, err)
		}
	}
	return doc.AppendCompact(nil), nil
}

func responseInvalid(status int, err error) error {
	return envelope.Errorf(envelope.ResponseInvalid, "the plugin's answer breaks its own contract; tell the plugin's author: %s", envelope.Cut(envelope.Clean(err.Error()), envelope.MaxMessage)).
		With("status", status).Explained("response", err)
}
