package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"caddy-netbox-mcp/mcp/envelope"
)

// Call runs one call of a tool for a caller that is this process itself and speaks no protocol, such as a command of a shell. It is
// the call that a client would make: the arguments, as JSON text, are judged by the tool's schema, the call has its deadline and
// its record, and the text, which is JSON, holds no configured secret. failed reports whether the text is that of a failure. When
// ctx ends, a read does too; a write that was sent runs to its end. The error says that nothing was called: the binding is
// incomplete, there is no such tool for this caller, or [Endpoint.Close] was called.
func (e *Endpoint) Call(ctx context.Context, b *Binding, name string, arguments json.RawMessage) (text json.RawMessage, failed bool, err error) {
	if !b.ok() {
		return nil, false, errIncomplete
	}
	tool, ok := b.tool(name)
	if !ok {
		return nil, false, fmt.Errorf("unknown tool %q", envelope.Quote(name))
	}
	if !e.activity.enter() {
		return nil, false, errors.New("this server is stopping")
	}
	defer e.activity.leave()
	text, failed = e.run(ctx, b, tool, arguments)
	return text, failed, nil
}
