//lint:file-ignore SA1019 The fixtures use sampling, roots and logging, which SEP-2577 deprecates.

package conformance_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"caddy-netbox-mcp/conformance"
)

const older, newer = "2025-11-25", "2026-07-28"

// connect is a client of one protocol era that answers every question, at a server that offers nothing of its own.
func connect(t *testing.T, version string) *mcp.ClientSession {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "server", Version: "1"}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{}})
	conformance.Mount(server)
	client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			content := map[string]any{}
			schema, err := json.Marshal(req.Params.RequestedSchema)
			if err != nil {
				return nil, err
			}
			var s struct {
				Properties map[string]struct {
					Type string
					Enum []string
				}
			}
			if err := json.Unmarshal(schema, &s); err != nil {
				return nil, err
			}
			for name, p := range s.Properties {
				switch {
				case len(p.Enum) > 0:
					content[name] = p.Enum[0]
				case p.Type == "string" && !strings.HasPrefix(name, "titled"):
					content[name] = "my " + name
				case p.Type == "boolean":
					content[name] = true
				}
			}
			return &mcp.ElicitResult{Action: "accept", Content: content}, nil
		},
		CreateMessageHandler: func(_ context.Context, req *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: "Paris"}}, nil
		},
	})
	client.AddRoots(&mcp.Root{URI: "file:///one"}, &mcp.Root{URI: "file:///two"})
	here, there := mcp.NewInMemoryTransports()
	ss, err := server.Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	cs, err := client.Connect(t.Context(), here, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cs.Close()
		ss.Wait()
	})
	return cs
}

func TestTools(t *testing.T) {
	both := []string{older, newer}
	tests := []struct {
		tool string
		args map[string]any
		eras []string
		want string // of the first text
	}{
		{"test_simple_text", nil, both, "This is a simple text response for testing."},
		{"test_multiple_content_types", nil, both, "This is a simple text response for testing."},
		{"test_tool_with_logging", nil, both, "logged"},
		{"test_tool_with_progress", nil, both, "no progress token"},
		{"test_trigger_tool_change", nil, both, "changed"},
		{"test_trigger_prompt_change", nil, both, "changed"},
		{"test_missing_capability", nil, both, "the client can sample"},
		{"test_elicitation", map[string]any{"message": "?"}, []string{older}, `User response: action=accept, content={"email":"my email","username":"my username"}`},
		{"test_elicitation_sep1034_defaults", nil, []string{older}, `User response: action=accept, content={"age":30,"name":"my name","score":95.5,"status":"active","verified":true}`},
		{"test_sampling", map[string]any{"prompt": "?"}, []string{older}, "LLM response: Paris"},
		{"test_input_required_result_elicitation", nil, []string{newer}, "Hello, my name!"},
		{"test_input_required_result_sampling", nil, []string{newer}, "Sampling response: Paris"},
		{"test_input_required_result_list_roots", nil, []string{newer}, "2 roots"},
		{"test_input_required_result_multiple_inputs", nil, []string{newer}, "Paris my name, 2 roots"},
		{"test_input_required_result_multi_round", nil, []string{newer}, "my name likes my color"},
		{"test_input_required_result_request_state", nil, []string{newer}, "state-ok: the state came back and the question was accepted"},
		{"test_input_required_result_capabilities", nil, []string{newer}, "answered"},
	}
	for _, tt := range tests {
		for _, era := range tt.eras {
			t.Run(tt.tool+"/"+era, func(t *testing.T) {
				got, err := connect(t, era).CallTool(t.Context(), &mcp.CallToolParams{Name: tt.tool, Arguments: tt.args})
				if err != nil {
					t.Fatal(err)
				}
				if got.IsError || len(got.Content) == 0 {
					t.Fatalf("error %v, content %v", got.IsError, got.Content)
				}
				text, ok := got.Content[0].(*mcp.TextContent)
				if !ok || text.Text != tt.want {
					t.Errorf("content %+v, want %q", got.Content[0], tt.want)
				}
			})
		}
	}
}

func TestFailingToolIsAResult(t *testing.T) {
	for _, era := range []string{older, newer} {
		t.Run(era, func(t *testing.T) {
			got, err := connect(t, era).CallTool(t.Context(), &mcp.CallToolParams{Name: "test_error_handling"})
			if err != nil || !got.IsError {
				t.Fatalf("result %+v, error %v, want a result that is an error", got, err)
			}
		})
	}
}

func TestForgedStateIsRefused(t *testing.T) {
	for _, tool := range []string{"test_input_required_result_tampered_state", "test_input_required_result_multi_round"} {
		t.Run(tool, func(t *testing.T) {
			got, err := connect(t, newer).CallTool(t.Context(), &mcp.CallToolParams{Name: tool, RequestState: "forged.named:x"})
			if err == nil || !strings.Contains(err.Error(), "requestState was not given by this server") {
				t.Errorf("result %+v, error %v", got, err)
			}
		})
	}
}

// A product server has no handlers for these methods; the fixtures answer for their own names only.
func TestMethodsAServerMayNotHave(t *testing.T) {
	cs := connect(t, older)
	c := cs.InitializeResult().Capabilities
	if c.Completions == nil || c.Logging == nil || c.Resources == nil || !c.Resources.Subscribe {
		t.Errorf("capabilities are %+v", c)
	}
	complete := func(name string) error {
		_, err := cs.Complete(t.Context(), &mcp.CompleteParams{
			Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: name}, Argument: mcp.CompleteParamsArgument{Name: "arg1", Value: "t"},
		})
		return err
	}
	tests := []struct {
		name    string
		call    func() error
		wantErr bool
	}{
		{"complete the fixture's argument", func() error { return complete("test_prompt_with_arguments") }, false},
		{"complete another's", func() error { return complete("test_simple_prompt") }, true},
		{"subscribe to the fixture", func() error {
			return cs.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "test://watched-resource"})
		}, false},
		{"unsubscribe from it", func() error {
			return cs.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: "test://watched-resource"})
		}, false},
		{"subscribe to another", func() error {
			return cs.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "test://static-text"})
		}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.call(); (err != nil) != tt.wantErr {
				t.Errorf("error %v, want one: %v", err, tt.wantErr)
			}
		})
	}
}

func TestResourcesAndPrompts(t *testing.T) {
	for _, era := range []string{older, newer} {
		t.Run(era, func(t *testing.T) {
			cs := connect(t, era)
			r, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "test://template/123/data"})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := r.Contents[0].Text, `{"data":"Data for ID: 123","id":"123","templateTest":true}`; got != want {
				t.Errorf("resource is %s, want %s", got, want)
			}
			p, err := cs.GetPrompt(t.Context(), &mcp.GetPromptParams{
				Name: "test_prompt_with_arguments", Arguments: map[string]string{"arg1": "a", "arg2": "b"},
			})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := p.Messages[0].Content.(*mcp.TextContent).Text, "Prompt with arguments: arg1='a', arg2='b'"; got != want {
				t.Errorf("prompt is %s, want %s", got, want)
			}
		})
	}
	p, err := connect(t, newer).GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "test_input_required_result_prompt"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.Messages[0].Content.(*mcp.TextContent).Text, "Context: my context"; got != want {
		t.Errorf("prompt is %s, want %s", got, want)
	}
}
