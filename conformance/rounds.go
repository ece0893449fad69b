//lint:file-ignore SA1019 SEP-2322 lets a server ask for sampling and roots, which SEP-2577 deprecates.

package conformance

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mountRounds adds the tools that ask by returning an input-required result, as 2026-07-28 does (SEP-2322). A retry
// brings the answers; whatever else a client sends is answered with the question again.
func mountRounds(s *mcp.Server, states stateSealer) {
	add := func(name, description string, h mcp.ToolHandler) { addTool(s, name, description, noArguments, h) }

	add("test_input_required_result_elicitation", "Asks for a name", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if name := accepted[string](req, "user_name", "name"); name != "" {
			return text("Hello, " + name + "!"), nil
		}
		return need("", mcp.InputRequestMap{"user_name": nameQuestion()}), nil
	})
	add("test_input_required_result_sampling", "Asks the client's model", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if answer, ok := sampled(req, "capital_question"); ok {
			return text("Sampling response: " + answer), nil
		}
		return need("", mcp.InputRequestMap{"capital_question": samplingOf("What is the capital of France?")}), nil
	})
	add("test_input_required_result_list_roots", "Asks for the client's roots", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if n, ok := roots(req, "client_roots"); ok {
			return text(fmt.Sprintf("%d roots", n)), nil
		}
		return need("", mcp.InputRequestMap{"client_roots": &mcp.ListRootsParams{}}), nil
	})
	add("test_input_required_result_multiple_inputs", "Asks three things at once", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		name := accepted[string](req, "user_name", "name")
		greeting, greeted := sampled(req, "greeting")
		n, rooted := roots(req, "client_roots")
		if name != "" && greeted && rooted {
			return text(fmt.Sprintf("%s %s, %d roots", greeting, name, n)), nil
		}
		return need(states.seal("multiple"), mcp.InputRequestMap{
			"user_name": nameQuestion(), "greeting": samplingOf("Generate a greeting"), "client_roots": &mcp.ListRootsParams{},
		}), nil
	})
	add("test_input_required_result_multi_round", "Asks twice", multiRound(states))
	confirm := confirmation(states)
	add("test_input_required_result_request_state", "Keeps a state while it asks", confirm)
	add("test_input_required_result_tampered_state", "Refuses a state that it did not give", confirm)
	add("test_input_required_result_capabilities", "Asks only what the client declared", askDeclared)
}

// multiRound asks for a name, then for a color; the name travels in the state, since the server keeps none.
func multiRound(states stateSealer) mcp.ToolHandler {
	return func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if req.Params.RequestState == "" {
			return need(states.seal("named:"), mcp.InputRequestMap{"step1": nameQuestion()}), nil
		}
		state, err := states.open(req.Params.RequestState)
		if err != nil {
			return nil, err
		}
		name := strings.TrimPrefix(state, "named:")
		if name == "" {
			if name = accepted[string](req, "step1", "name"); name == "" {
				return need(states.seal("named:"), mcp.InputRequestMap{"step1": nameQuestion()}), nil
			}
		}
		if color := accepted[string](req, "step2", "color"); color != "" {
			return text(name + " likes " + color), nil
		}
		return need(states.seal("named:"+name), mcp.InputRequestMap{
			"step2": question("What is your favorite color?", "color", "string"),
		}), nil
	}
}

func confirmation(states stateSealer) mcp.ToolHandler {
	return func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if req.Params.RequestState != "" {
			if _, err := states.open(req.Params.RequestState); err != nil {
				return nil, err
			}
			if accepted[bool](req, "confirm", "ok") {
				return text("state-ok: the state came back and the question was accepted"), nil
			}
		}
		return need(states.seal("confirm"), mcp.InputRequestMap{"confirm": question("Please confirm", "ok", "boolean")}), nil
	}
}

func askDeclared(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if len(req.Params.InputResponses) > 0 {
		return text("answered"), nil
	}
	requests := mcp.InputRequestMap{}
	if c := req.ClientCapabilities(); c != nil {
		if c.Elicitation != nil {
			requests["user_name"] = nameQuestion()
		}
		if c.Sampling != nil {
			requests["greeting"] = samplingOf("Generate a short greeting")
		}
		if c.RootsV2 != nil {
			requests["client_roots"] = &mcp.ListRootsParams{}
		}
	}
	if len(requests) == 0 {
		return text("this client cannot be asked"), nil
	}
	return need("", requests), nil
}

func need(state string, requests mcp.InputRequestMap) *mcp.CallToolResult {
	return &mcp.CallToolResult{InputRequests: requests, RequestState: state}
}

func question(message, member, kind string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Message: message, RequestedSchema: json.RawMessage(
		fmt.Sprintf(`{"type":"object","properties":{%q:{"type":%q}},"required":[%q]}`, member, kind, member))}
}

func nameQuestion() *mcp.ElicitParams { return question("What is your name?", "name", "string") }

// accepted is a member of an accepted answer; the zero value where there is none of that type.
func accepted[T any](req *mcp.CallToolRequest, id, member string) T {
	value, _ := acceptedContent(req.Params.InputResponses, id)[member].(T)
	return value
}

func acceptedContent(responses mcp.InputResponseMap, id string) map[string]any {
	if r, ok := responses[id].(*mcp.ElicitResult); ok && r.Action == "accept" {
		return r.Content
	}
	return nil
}

func sampled(req *mcp.CallToolRequest, id string) (string, bool) {
	r, ok := req.Params.InputResponses[id].(*mcp.CreateMessageWithToolsResult)
	if !ok {
		return "", false
	}
	for _, c := range r.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			return t.Text, true
		}
	}
	return "", true
}

func roots(req *mcp.CallToolRequest, id string) (int, bool) {
	r, ok := req.Params.InputResponses[id].(*mcp.ListRootsResult)
	if !ok {
		return 0, false
	}
	return len(r.Roots), true
}

// stateSealer protects the states that travel through a client (SEP-2322 asks servers to verify them).
type stateSealer struct{ key []byte }

func (s stateSealer) seal(state string) string { return s.sum(state) + "." + state }

func (s stateSealer) open(sealed string) (string, error) {
	sum, state, _ := strings.Cut(sealed, ".")
	if !hmac.Equal([]byte(sum), []byte(s.sum(state))) {
		return "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "requestState was not given by this server"}
	}
	return state, nil
}

func (s stateSealer) sum(state string) string {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(state))
	return hex.EncodeToString(mac.Sum(nil))
}
