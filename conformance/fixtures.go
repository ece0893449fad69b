//lint:file-ignore SA1019 The suite of 2025-11-25 requires logging, which SEP-2577 deprecates.

package conformance

import (
	"context"
	"crypto/rand"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Mount registers the fixtures on s and answers the methods of the older era that they need and a product server may
// not offer: completion, resource subscriptions. It is to be called before s serves anything.
func Mount(s *mcp.Server) {
	mountContent(s)
	mountNotifying(s)
	mountSchemas(s)
	mountQuestions(s)
	key := make([]byte, 32)
	rand.Read(key) // never fails: crypto/rand ends the process where there is no randomness
	mountRounds(s, stateSealer{key: key})
	mountResources(s)
	mountPrompts(s)
	s.AddReceivingMiddleware(answerMissingMethods)
}

// answerMissingMethods serves what mcp.ServerOptions would need handlers for, which are fixed when a server is made,
// and declares it.
func answerMissingMethods(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch r := req.(type) {
		case *mcp.CompleteRequest:
			if r.Params.Ref != nil && r.Params.Ref.Name == promptWithArguments {
				return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}, nil
			}
		case *mcp.SubscribeRequest:
			if r.Params.URI == watchedResource {
				return emptyResult(ctx, next, r.Session)
			}
		case *mcp.UnsubscribeRequest:
			if r.Params.URI == watchedResource {
				return emptyResult(ctx, next, r.Session)
			}
		}
		result, err := next(ctx, method, req)
		switch r := result.(type) {
		case *mcp.InitializeResult:
			r.Capabilities = declare(r.Capabilities)
			r.Capabilities.Resources.Subscribe = true
		case *mcp.DiscoverResult:
			r.Capabilities = declare(r.Capabilities)
		}
		return result, err
	}
}

// declare adds the fixtures' capabilities to what the server itself offers.
func declare(c *mcp.ServerCapabilities) *mcp.ServerCapabilities {
	if c == nil {
		c = &mcp.ServerCapabilities{}
	}
	if c.Completions == nil {
		c.Completions = &mcp.CompletionCapabilities{}
	}
	if c.Logging == nil {
		c.Logging = &mcp.LoggingCapabilities{}
	}
	if c.Resources == nil {
		c.Resources = &mcp.ResourceCapabilities{}
	}
	return c
}

// emptyResult is the result {} as the SDK makes it for a ping: its type for that is not exported.
func emptyResult(ctx context.Context, next mcp.MethodHandler, ss *mcp.ServerSession) (mcp.Result, error) {
	return next(ctx, "ping", &mcp.ServerRequest[*mcp.PingParams]{Session: ss, Params: &mcp.PingParams{}})
}

// noArguments is the input schema of a tool that takes none.
const noArguments = `{"type":"object","properties":{},"additionalProperties":false}`

func addTool(s *mcp.Server, name, description, schema string, h mcp.ToolHandler) {
	s.AddTool(&mcp.Tool{Name: name, Description: description, InputSchema: json.RawMessage(schema)}, h)
}

// fixed is a tool that always gives the same content.
func fixed(content ...mcp.Content) mcp.ToolHandler {
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: content}, nil
	}
}

func text(s string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
}

// failure is a tool's error: a result that a model can read, not a protocol error.
func failure(message string) *mcp.CallToolResult {
	r := text(message)
	r.IsError = true
	return r
}
