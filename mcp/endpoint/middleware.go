package endpoint

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxStack bounds the stack trace of a panic in the log.
const maxStack = 8 << 10

// recoverPanics turns a panic below it into an error of the one request. The SDK runs handlers on goroutines of its own
// without a recover, so a panic would otherwise end the whole process. Being the outermost, it also lets heartbeats begin, and ends what is in
// progress with its stdio connection.
func (e *Endpoint) recoverPanics(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (result mcp.Result, err error) {
		ctx, done := whileServed(ctx)
		defer done()
		defer func() {
			if p := recover(); p != nil {
				e.logPanic(method, p)
				result, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error; the server's log has the details"}
			}
		}()
		// Notifications have no answer; theirs is sent while they are handled.
		if a := arrivalOf(req); a != nil && !strings.HasPrefix(method, "notifications/") {
			a.answer.started()
		}
		return next(ctx, method, req)
	}
}

func (e *Endpoint) logPanic(where string, value any) {
	stack := debug.Stack()
	e.logger.Error("panic in a request", "method", where, "panic", fmt.Sprint(value), "stack", string(stack[:min(len(stack), maxStack)]))
}

// listForCaller makes tools/list show the tools of the request's own site that its caller may know of.
func (e *Endpoint) listForCaller(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, req)
		list, ok := result.(*mcp.ListToolsResult)
		if err != nil || !ok {
			return result, err
		}
		b, err := bindingOf(ctx, req)
		if err != nil {
			return nil, err
		}
		// The registered definitions give way to those of this configuration; what a test build mounted stays.
		tools := slices.DeleteFunc(slices.Clone(list.Tools), func(t *mcp.Tool) bool {
			_, ours := e.tools.Lookup(t.Name)
			return ours
		})
		for _, t := range b.Site.Tools.All() {
			if b.Site.Serves(b.Principal, t) {
				tools = append(tools, definition(t))
			}
		}
		slices.SortFunc(tools, func(a, b *mcp.Tool) int { return strings.Compare(a.Name, b.Name) })
		copied := *list
		copied.Tools = tools
		return &copied, nil
	}
}

// refuseUnknown refuses a call of a tool that this caller may not know of before the SDK does, whose text would differ and
// repeats a name of any length.
func (e *Endpoint) refuseUnknown(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if call, ok := req.(*mcp.CallToolRequest); ok && call.Params != nil {
			if _, _, err := served(ctx, call); err != nil && !e.isMounted(call.Params.Name) {
				return nil, err
			}
		}
		return next(ctx, method, req)
	}
}

// isMounted reports whether a name can only be that of a tool which a test build mounted.
func (e *Endpoint) isMounted(name string) bool {
	_, ours := e.tools.Lookup(name)
	return e.mounted && !ours
}
