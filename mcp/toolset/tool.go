package toolset

import (
	"context"
	"encoding/json"

	"caddy-netbox-mcp/bridge/schema"
	"caddy-netbox-mcp/bridge/secret"
	"caddy-netbox-mcp/bridge/strictjson"
)

// Tool is one tool as data: what is published about it and what answers it.
type Tool struct {
	// Name is how agents call it, without a site's prefix.
	Name string
	// Title is for people, one short phrase.
	Title string
	// Description is for the model. Its first sentence says when to use the tool; at most [MaxDescription] characters.
	Description string
	// InputSchema is the published JSON Schema (2020-12) of the arguments: type object, additionalProperties false, every
	// bound included, so that one layer judges arguments and nothing is coerced.
	InputSchema json.RawMessage
	// Hints are the behaviour hints of the MCP tool annotations.
	Hints Hints
	// OnlyWrites marks a tool without any use for a caller that may not write: it is not served under read_only.
	OnlyWrites bool
	// Handle answers a call whose arguments the input schema accepted. Its result is encoded as one JSON object; its error
	// becomes a failed tool result.
	Handle Handler

	input *schema.Schema
}

// Handler answers one call.
type Handler func(ctx context.Context, call *Call) (any, error)

// Hints are MCP's tool annotations; all four are always sent, because clients take a missing one for the worst.
type Hints struct {
	ReadOnly, Destructive, Idempotent, OpenWorld bool
}

// Call is one call of a tool.
type Call struct {
	// Tool is the tool's name without prefix.
	Tool string
	// Arguments is the arguments object, parsed strictly; numbers are still their decimal text.
	Arguments strictjson.Value
	// Site and Principal are what the call is judged by: those in force when its request arrived.
	Site      *Site
	Principal Principal
	// Entry is the record of this call, to which a handler adds what only it knows (target, effect, upstream status).
	Entry *Entry
	// Secrets are those that this call itself brought, to which a handler adds what it finds in the arguments; a failure is
	// freed of them.
	Secrets []secret.Text
}

// Validate judges arguments by the published input schema.
// The error is a [schema.Error], whose problems name each argument and the rule it breaks.
func (t *Tool) Validate(arguments strictjson.Value) error { return t.input.Validate(arguments) }
