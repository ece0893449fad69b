package endpoint

import (
	"context"
	"errors"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"caddy-netbox-mcp/mcp/toolset"
)

// Binding is what one request is judged by, fixed when it arrived: an authenticated caller and the site it called.
type Binding struct {
	Site      *toolset.Site
	Principal toolset.Principal
}

// ok reports whether the binding is complete. An incomplete one is a mistake of ours that must never become access.
func (b *Binding) ok() bool { return b != nil && b.Site != nil && b.Principal.Name != "" }

// errIncomplete is a mistake of ours: a request without a complete binding.
var errIncomplete = errors.New("a request arrived without a caller or a site")

// arrival is what a request's context carries into the SDK's middleware.
type arrival struct {
	binding *Binding
	answer  *response
}

type arrivalKey struct{}

// tokenInfoArrival is an arrival's key in TokenInfo.Extra.
const tokenInfoArrival = "arrival"

// bind returns a clone of r that carries the binding and where its answer goes. The caller's bearer token is replaced by a
// constant, so that nothing behind this line can see, log or forward it.
func (b *Binding) bind(r *http.Request, answer *response) *http.Request {
	c := r.Clone(context.WithValue(r.Context(), arrivalKey{}, &arrival{b, answer}))
	c.Header.Set("Authorization", "Bearer bound")
	return c
}

// verifyBinding is the SDK's token verifier. The SDK hands per-request facts to tools only through its TokenInfo, and only
// its own middleware can set one; the context of a tool call in a session is that of the request that opened the session.
func verifyBinding(ctx context.Context, _ string, _ *http.Request) (*auth.TokenInfo, error) {
	a, _ := ctx.Value(arrivalKey{}).(*arrival)
	if a == nil || !a.binding.ok() {
		return nil, auth.ErrInvalidToken
	}
	// UserID makes the SDK refuse a session to anyone but the caller that opened it.
	return &auth.TokenInfo{UserID: a.binding.Principal.Name, Extra: map[string]any{tokenInfoArrival: a}}, nil
}

// arrivalOf finds how an SDK request arrived; nil on stdio.
func arrivalOf(req mcp.Request) *arrival {
	extra := req.GetExtra()
	if extra == nil || extra.TokenInfo == nil {
		return nil
	}
	a, _ := extra.TokenInfo.Extra[tokenInfoArrival].(*arrival)
	return a
}

// bindingOf finds the binding of an SDK request: that of its HTTP request, else the one of the stdio connection.
func bindingOf(ctx context.Context, req mcp.Request) (*Binding, error) {
	if a := arrivalOf(req); a != nil {
		return a.binding, nil
	}
	if c, _ := ctx.Value(stdioKey{}).(*localClient); c != nil && c.binding.ok() {
		return c.binding, nil
	}
	return nil, errIncomplete
}
