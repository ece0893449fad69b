package conformance

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// promptWithArguments is the one whose arguments the suite completes.
const promptWithArguments = "test_prompt_with_arguments"

func mountPrompts(s *mcp.Server) {
	argument := func(name, description string) *mcp.PromptArgument {
		return &mcp.PromptArgument{Name: name, Description: description, Required: true}
	}
	s.AddPrompt(&mcp.Prompt{Name: "test_simple_prompt", Description: "Takes no arguments"},
		fixedPrompt("A simple prompt", user("This is a simple prompt for testing.")))
	s.AddPrompt(&mcp.Prompt{Name: "test_prompt_with_image", Description: "Holds an image"},
		fixedPrompt("A prompt with an image",
			&mcp.PromptMessage{Role: "user", Content: &mcp.ImageContent{Data: redPixel(), MIMEType: "image/png"}},
			user("Please analyze the image above.")))
	s.AddPrompt(&mcp.Prompt{
		Name: promptWithArguments, Description: "Takes two arguments",
		Arguments: []*mcp.PromptArgument{argument("arg1", "First test argument"), argument("arg2", "Second test argument")},
	}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		a := req.Params.Arguments
		return prompt("A prompt with arguments", user(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", a["arg1"], a["arg2"]))), nil
	})
	s.AddPrompt(&mcp.Prompt{
		Name: "test_prompt_with_embedded_resource", Description: "Holds the resource that its argument names",
		Arguments: []*mcp.PromptArgument{argument("resourceUri", "URI of the resource to embed")},
	}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return prompt("A prompt with a resource",
			&mcp.PromptMessage{Role: "user", Content: &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{
				URI: req.Params.Arguments["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing.",
			}}},
			user("Please process the embedded resource above.")), nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "test_input_required_result_prompt", Description: "Asks before it answers (SEP-2322)"}, askingPrompt)
}

func askingPrompt(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	if answer, _ := acceptedContent(req.Params.InputResponses, "user_context")["context"].(string); answer != "" {
		return prompt("A prompt with an answer", user("Context: "+answer)), nil
	}
	return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{
		"user_context": question("Please provide context for the prompt", "context", "string"),
	}}, nil
}

func user(s string) *mcp.PromptMessage {
	return &mcp.PromptMessage{Role: "user", Content: &mcp.TextContent{Text: s}}
}

func prompt(description string, messages ...*mcp.PromptMessage) *mcp.GetPromptResult {
	return &mcp.GetPromptResult{Description: description, Messages: messages}
}

func fixedPrompt(description string, messages ...*mcp.PromptMessage) mcp.PromptHandler {
	return func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return prompt(description, messages...), nil
	}
}
