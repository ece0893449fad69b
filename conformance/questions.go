//lint:file-ignore SA1019 The suite of 2025-11-25 requires sampling, which SEP-2577 deprecates.

package conformance

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// defaultsSchema asks for one member of each primitive type, with defaults (SEP-1034).
const defaultsSchema = `{"type":"object","properties":{
	"name": {"type":"string","description":"User name","default":"John Doe"},
	"age": {"type":"integer","description":"User age","default":30},
	"score": {"type":"number","description":"User score","default":95.5},
	"status": {"type":"string","description":"User status","enum":["active","inactive","pending"],"default":"active"},
	"verified": {"type":"boolean","description":"Verification status","default":true}
},"required":[]}`

// enumsSchema asks for one member of each kind of choice (SEP-1330).
const enumsSchema = `{"type":"object","properties":{
	"untitledSingle": {"type":"string","enum":["option1","option2","option3"]},
	"titledSingle": {"type":"string","oneOf":[{"const":"value1","title":"First Option"},
		{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
	"legacyEnum": {"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
	"untitledMulti": {"type":"array","minItems":1,"maxItems":3,"items":{"type":"string","enum":["option1","option2","option3"]}},
	"titledMulti": {"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[{"const":"value1","title":"First Option"},
		{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]}}
},"required":[]}`

// mountQuestions adds the tools that ask the client in mid-call, as the revisions up to 2025-11-25 do.
func mountQuestions(s *mcp.Server) {
	addTool(s, "test_elicitation", "Asks the person for a name and an address",
		`{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}`,
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			var in struct{ Message string }
			if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
				return failure("reading the arguments: " + err.Error()), nil
			}
			return ask(ctx, req, in.Message, `{"type":"object","properties":{
				"username":{"type":"string","description":"User's response"},
				"email":{"type":"string","description":"User's email address"}
			},"required":["username","email"]}`)
		})
	addTool(s, "test_elicitation_sep1034_defaults", "Asks with default values", noArguments,
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return ask(ctx, req, "Please review and update the form fields with defaults", defaultsSchema)
		})
	addTool(s, "test_elicitation_sep1330_enums", "Asks with choices", noArguments,
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return ask(ctx, req, "Please select options from the enum fields", enumsSchema)
		})
	addTool(s, "test_sampling", "Asks the client's model",
		`{"type":"object","properties":{"prompt":{"type":"string"}},"required":["prompt"]}`, sample)
}

func ask(ctx context.Context, req *mcp.CallToolRequest, message, schema string) (*mcp.CallToolResult, error) {
	r, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: message, RequestedSchema: json.RawMessage(schema)})
	if err != nil {
		return failure("asking: " + err.Error()), nil
	}
	content, err := json.Marshal(r.Content)
	if err != nil {
		return nil, fmt.Errorf("writing the answer: %w", err)
	}
	return text(fmt.Sprintf("User response: action=%s, content=%s", r.Action, content)), nil
}

func sample(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct{ Prompt string }
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return failure("reading the arguments: " + err.Error()), nil
	}
	r, err := req.Session.CreateMessage(ctx, samplingOf(in.Prompt))
	if err != nil {
		return failure("sampling: " + err.Error()), nil
	}
	if c, ok := r.Content.(*mcp.TextContent); ok {
		return text("LLM response: " + c.Text), nil
	}
	return text("LLM response without text"), nil
}

func samplingOf(prompt string) *mcp.CreateMessageParams {
	return &mcp.CreateMessageParams{
		Messages:  []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: prompt}}},
		MaxTokens: 100,
	}
}
