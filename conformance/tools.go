//lint:file-ignore SA1019 The suite of 2025-11-25 requires logging, which SEP-2577 deprecates.

package conformance

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mountContent adds one tool for each kind of content.
func mountContent(s *mcp.Server) {
	plain := &mcp.TextContent{Text: "This is a simple text response for testing."}
	image := &mcp.ImageContent{Data: redPixel(), MIMEType: "image/png"}
	audio := &mcp.AudioContent{Data: silence(), MIMEType: "audio/wav"}
	embedded := func(uri string) mcp.Content {
		return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{
			URI: uri, MIMEType: "text/plain", Text: "This is an embedded resource content.",
		}}
	}
	addTool(s, "test_simple_text", "Gives a text", noArguments, fixed(plain))
	addTool(s, "test_image_content", "Gives an image", noArguments, fixed(image))
	addTool(s, "test_audio_content", "Gives a sound", noArguments, fixed(audio))
	addTool(s, "test_embedded_resource", "Gives a resource", noArguments, fixed(embedded("test://embedded-resource")))
	addTool(s, "test_multiple_content_types", "Gives a text, an image and a resource", noArguments,
		fixed(plain, image, embedded("test://mixed-content-resource")))
	addTool(s, "test_error_handling", "Always fails", noArguments,
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return failure("This tool intentionally returns an error for testing"), nil
		})
}

// mountNotifying adds the tools that send something before their result, and those that change the lists.
func mountNotifying(s *mcp.Server) {
	addTool(s, "test_tool_with_logging", "Logs three messages", noArguments,
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			for _, message := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
				if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: message}); err != nil {
					return nil, fmt.Errorf("logging: %w", err)
				}
			}
			return text("logged"), nil
		})
	// A client of 2026-07-28 that set no log level must get nothing; the SDK sees to that.
	addTool(s, "test_logging_tool", "Logs one message", noArguments,
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: "logged"}); err != nil {
				return nil, fmt.Errorf("logging: %w", err)
			}
			return text("logged where a level was set"), nil
		})
	addTool(s, "test_tool_with_progress", "Reports progress thrice", noArguments,
		func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			token := req.Params.GetProgressToken()
			if token == nil {
				return text("no progress token"), nil
			}
			for _, progress := range []float64{0, 50, 100} {
				err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
					ProgressToken: token, Progress: progress, Total: 100, Message: fmt.Sprintf("Completed step %.0f of 100", progress),
				})
				if err != nil {
					return nil, fmt.Errorf("reporting progress: %w", err)
				}
			}
			return text(fmt.Sprint(token)), nil
		})
	addTool(s, "test_streaming_elicitation", "Gives a result and nothing before it", noArguments,
		fixed(&mcp.TextContent{Text: "this stream holds no request"}))
	addTool(s, "test_trigger_tool_change", "Changes the list of tools", noArguments,
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			addTool(s, "test_added_tool", "Appeared while the server ran", noArguments, fixed(&mcp.TextContent{Text: "here"}))
			return text("changed"), nil
		})
	addTool(s, "test_trigger_prompt_change", "Changes the list of prompts", noArguments,
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			s.AddPrompt(&mcp.Prompt{Name: "test_added_prompt", Description: "Appeared while the server ran"}, fixedPrompt("", user("here")))
			return text("changed"), nil
		})
}

// mountSchemas adds the tools whose descriptors or client requirements are what is judged.
func mountSchemas(s *mcp.Server) {
	addTool(s, "json_schema_2020_12_tool", "Has an input schema of JSON Schema 2020-12", `{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"type": "object",
		"$defs": {"address": {"$anchor": "addressDef", "type": "object",
			"properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
		"properties": {
			"name": {"type": "string"},
			"address": {"$ref": "#/$defs/address"},
			"contactMethod": {"type": "string", "enum": ["phone", "email"]},
			"phone": {"type": "string"},
			"email": {"type": "string"}
		},
		"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
		"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
		"then": {"required": ["phone"]},
		"else": {"required": ["email"]},
		"additionalProperties": false
	}`, fixed(&mcp.TextContent{Text: "called"}))
	// SEP-2243: the argument is repeated in a header, which the server compares.
	addTool(s, "test_x_mcp_header", "Has an argument that a header repeats", `{
		"type": "object",
		"properties": {"region": {"type": "string", "x-mcp-header": "Region"}, "level": {"type": "integer"}}
	}`, fixed(&mcp.TextContent{Text: "called"}))
	// SEP-2575: a capability that the client did not declare must not be relied on.
	addTool(s, "test_missing_capability", "Needs a client that can sample", noArguments,
		func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if c := req.ClientCapabilities(); c != nil && c.Sampling != nil {
				return text("the client can sample"), nil
			}
			data, err := json.Marshal(mcp.MissingRequiredClientCapabilityData{
				RequiredCapabilities: &mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{}},
			})
			if err != nil {
				return nil, fmt.Errorf("writing the error: %w", err)
			}
			return nil, &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "declare the sampling capability", Data: data}
		})
}
