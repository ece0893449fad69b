package manifest

import (
	"bytes"
	"encoding/json"
	"fmt"

	"caddy-netbox-mcp/bridge/schema"
	"caddy-netbox-mcp/bridge/strictjson"
)

// Effect is what a tool does to NetBox, as its manifest declares and its method
// confirms.
type Effect string

// The effects of plugin bridge version 1.
const (
	// Read changes nothing; exactly the tools with GET or HEAD.
	Read Effect = "read"
	// Write changes something.
	Write Effect = "write"
	// Destructive may remove or overwrite; every tool with DELETE.
	Destructive Effect = "destructive"
)

// Annotations are the four hints of the Model Context Protocol; on the bridge
// all are mandatory.
type Annotations struct {
	// ReadOnly is true exactly for effect read.
	ReadOnly bool `json:"readOnlyHint"`
	// Destructive is true exactly for effect destructive.
	Destructive bool `json:"destructiveHint"`
	// Idempotent is the plugin's word only.
	Idempotent bool `json:"idempotentHint"`
	// OpenWorld is the plugin's word only.
	OpenWorld bool `json:"openWorldHint"`
}

// Manifest is one plugin's valid manifest. It is not to be changed: it may be
// shared between calls.
type Manifest struct {
	// SchemaVersion is "1".
	SchemaVersion string
	// Plugin is the plugin's name, the same as in its API's path.
	Plugin string
	// Tools are its 1 to 64 tools in document order, with different names.
	Tools []Tool
}

// Tool returns the tool called name.
func (m *Manifest) Tool(name string) (Tool, bool) {
	for i := range m.Tools {
		if m.Tools[i].Name == name {
			return m.Tools[i], true
		}
	}
	return Tool{}, false
}

// Tool is one tool of a manifest. Title and Description are the plugin's words
// and may say anything.
type Tool struct {
	// Name is unique in its manifest; see [ToolName].
	Name string
	// Title has 1 to 200 characters.
	Title string
	// Description has 1 to 2000 characters.
	Description string
	// Method is GET, HEAD, POST, PUT, PATCH or DELETE.
	Method string
	// Path is relative to the plugin's API root and ends in a slash.
	Path string
	// Effect agrees with Method and Annotations.
	Effect Effect
	// InputSchema is compact JSON.
	InputSchema json.RawMessage
	// OutputSchema is compact JSON; nil when the manifest has none.
	OutputSchema json.RawMessage
	// Annotations agree with Effect.
	Annotations Annotations

	input, output *schema.Schema
}

// ValidateInput judges a call's arguments by [InstanceLimits] and InputSchema.
// The error is nil, a *schema.Error, or wraps a *strictjson.Error for a limit.
func (t Tool) ValidateInput(v strictjson.Value) error {
	if err := v.Check(InstanceLimits()); err != nil {
		return fmt.Errorf("measuring the arguments: %w", err)
	}
	if t.input == nil {
		return nil
	}
	return t.input.Validate(v)
}

// ValidateOutput judges a successful response's body by [InstanceLimits] and, if
// there is one, OutputSchema. Errors are as for ValidateInput.
func (t Tool) ValidateOutput(v strictjson.Value) error {
	if err := v.Check(InstanceLimits()); err != nil {
		return fmt.Errorf("measuring the response: %w", err)
	}
	if t.output == nil {
		return nil
	}
	return t.output.Validate(v)
}

// RequestPath returns the path to call: /api/plugins/<plugin>/<path>. The path
// prefix of a NetBox that has one is not part of it.
func (t Tool) RequestPath(plugin string) string {
	return "/api/plugins/" + plugin + "/" + t.Path
}

// descriptor is a tool's form on the wire.
type descriptor struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	Method       string          `json:"method"`
	Path         string          `json:"path"`
	Effect       Effect          `json:"effect"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema"`
	Annotations  Annotations     `json:"annotations"`
}

func (t Tool) descriptor() descriptor {
	return descriptor{
		t.Name, t.Title, t.Description, t.Method, t.Path, t.Effect, t.InputSchema, t.OutputSchema, t.Annotations,
	}
}

// listed is a descriptor with what a catalogue adds to it.
type listed struct {
	descriptor
	Plugin        string `json:"plugin"`
	QualifiedName string `json:"qualified_name"`
	RequestPath   string `json:"request_path"`
}

// MarshalJSON returns the descriptor with its wire names: name, title,
// description, method, path, effect, inputSchema, outputSchema (null when
// absent) and annotations.
func (t Tool) MarshalJSON() ([]byte, error) { return compact(t.descriptor()) }

// CompactDescriptor returns the descriptor as MarshalJSON does, followed by
// plugin, qualified_name (plugin.tool) and request_path.
func (t Tool) CompactDescriptor(plugin string) (json.RawMessage, error) {
	return compact(listed{t.descriptor(), plugin, plugin + "." + t.Name, t.RequestPath(plugin)})
}

// compact encodes v without the escaping of HTML that json.Marshal does: the
// reader is a model, and each escape costs it tokens.
func compact(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encoding a tool descriptor: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
