package caddymodule

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"caddy-netbox-mcp/bridge/netboxsim"
)

// modernHeader is the header of a 2026-07-28 request.
func modernHeader(method, name string) http.Header {
	h := http.Header{
		"Authorization": {"Bearer " + testToken}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {method},
	}
	if name != "" {
		h.Set("Mcp-Name", name)
	}
	return h
}

// modernBody is a 2026-07-28 message; params are JSON members, meta further members of _meta.
func modernBody(method, params, meta string) string {
	if params != "" {
		params += ","
	}
	return `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":{` + params + `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}` + meta + `}}}`
}

func TestRefusals(t *testing.T) {
	sim, line := simulated(t, netboxsim.Testbed(), netboxsim.TestbedToken)
	s := plainSite(t, line, "", "\trespond \"next\" 418")
	authorized := func(more ...string) http.Header {
		h := http.Header{"Authorization": {"Bearer " + testToken}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		for i := 0; i+1 < len(more); i += 2 {
			h[more[i]] = []string{more[i+1]}
		}
		return h
	}
	withAuth := func(values ...string) http.Header { return http.Header{"Authorization": values} }
	tests := []struct {
		name, method, path string
		header             http.Header
		body               string
		status             int
		contains           string
	}{
		{"no token", "POST", "/mcp", nil, "{}", 401, `{"error":"unauthorized"}`},
		{"no token, GET", "GET", "/mcp", nil, "", 401, `{"error":"unauthorized"}`},
		{"no token, OPTIONS", "OPTIONS", "/mcp", nil, "", 401, `{"error":"unauthorized"}`},
		{"no token, DELETE with slash", "DELETE", "/mcp/", nil, "", 401, `{"error":"unauthorized"}`},
		{"wrong token", "POST", "/mcp", withAuth("Bearer nope"), "{}", 401, `{"error":"unauthorized"}`},
		{"another scheme", "POST", "/mcp", withAuth("Basic " + testToken), "{}", 401, `{"error":"unauthorized"}`},
		{"two spaces", "POST", "/mcp", withAuth("Bearer  " + testToken), "{}", 401, `{"error":"unauthorized"}`},
		{"a space after", "POST", "/mcp", withAuth("Bearer " + testToken + " x"), "{}", 401, `{"error":"unauthorized"}`},
		{"two headers", "POST", "/mcp", withAuth("Bearer "+testToken, "Bearer "+testToken), "{}", 401, `{"error":"unauthorized"}`},
		{"prefix of the token", "POST", "/mcp", withAuth("Bearer " + testToken[:10]), "{}", 401, `{"error":"unauthorized"}`},
		{"non-ASCII token", "POST", "/mcp", withAuth("Bearer gehe\xc3\xafm"), "{}", 401, `{"error":"unauthorized"}`},
		{"12,000 characters", "POST", "/mcp", withAuth("Bearer " + strings.Repeat("x", 12_000)), "{}", 401, `{"error":"unauthorized"}`},
		{"40,000 characters", "POST", "/mcp", withAuth("Bearer " + strings.Repeat("x", 40_000)), "{}", 431, ""},
		{"foreign origin without token", "POST", "/mcp", http.Header{"Origin": {"https://evil.example"}}, "{}", 401, `{"error":"unauthorized"}`},
		{"foreign origin", "POST", "/mcp", authorized("Origin", "https://evil.example"), "{}", 403, `"error":"forbidden_origin"`},
		{"null origin", "POST", "/mcp", authorized("Origin", "null"), "{}", 403, `"error":"forbidden_origin"`},
		{"method", "PUT", "/mcp", authorized(), "{}", 405, `"error":"method_not_allowed"`},
		{"content type", "POST", "/mcp", authorized("Content-Type", "text/plain"), "{}", 415, `"error":"unsupported_media_type"`},
		{"no content type", "POST", "/mcp", http.Header{"Authorization": {"Bearer " + testToken}}, "{}", 415, `"error":"unsupported_media_type"`},
		{"content type with charset", "POST", "/mcp", authorized("Content-Type", "application/json; charset=utf-8"), "[]", 400, "-32600"},
		{"too large", "POST", "/mcp", authorized(), strings.Repeat(" ", 4<<20) + "{}", 413, `"error":"request_too_large"`},
		{"batch", "POST", "/mcp", authorized(), `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, 400, "-32600"},
		{"not JSON", "POST", "/mcp", authorized(), `{"jsonrpc":`, 400, "-32700"},
		{"duplicate key", "POST", "/mcp", authorized(), `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}`, 400, "-32700"},
		{"too deep", "POST", "/mcp", authorized(), strings.Repeat("[", 100) + strings.Repeat("]", 100), 400, "-32700"},
		{"empty body", "POST", "/mcp", authorized(), "", 400, "-32700"},
		{"unknown session", "POST", "/mcp", authorized("Mcp-Session-Id", "nope"), `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 404, "session"},
		{"GET without session", "GET", "/mcp", authorized(), "", 400, `"code":-32600`},
		{"GET of 2026-07-28", "GET", "/mcp", authorized("Mcp-Protocol-Version", "2026-07-28"), "", 405, ""},
		{"unsupported version", "POST", "/mcp", authorized("Mcp-Protocol-Version", "1999-01-01"), `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 400, "supported"},
		{"lower-case scheme", "PUT", "/mcp", withAuth("bearer " + testToken), "{}", 405, ""},
		{"other paths", "GET", "/api/status/", nil, "", 418, "next"},
		{"root", "GET", "/", nil, "", 418, "next"},
		{"below the path", "POST", "/mcp/x", nil, "", 418, "next"},
		{"beside the path", "POST", "/mcpx", nil, "", 418, "next"},
		{"oauth-protected-resource", "GET", "/.well-known/oauth-protected-resource", nil, "", 404, `"error":"not_found"`},
		{"… for the endpoint", "GET", "/.well-known/oauth-protected-resource/mcp", nil, "", 404, `"error":"not_found"`},
		{"oauth-authorization-server", "GET", "/.well-known/oauth-authorization-server", nil, "", 404, `"error":"not_found"`},
		{"openid-configuration", "GET", "/.well-known/openid-configuration/mcp", nil, "", 404, `"error":"not_found"`},
		{"other well-known", "GET", "/.well-known/security.txt", nil, "", 418, "next"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &site{t: t, url: s.url, http: s.http}
			status, header, body := s.do(tt.method, tt.path, tt.body, tt.header)
			if status != tt.status || !strings.Contains(body, tt.contains) {
				t.Fatalf("status %d, body %q; want %d and %q", status, body, tt.status, tt.contains)
			}
			if got, want := header.Get("WWW-Authenticate"), map[bool]string{true: `Bearer realm="netbox-mcp"`}[status == 401]; got != want {
				t.Errorf("WWW-Authenticate %q, want %q", got, want)
			}
			if status < 418 && header.Get("Content-Type") != "application/json" {
				t.Errorf("Content-Type %q, want JSON", header.Get("Content-Type"))
			}
			if status < 418 && !json.Valid([]byte(body)) {
				t.Errorf("the body is not JSON: %q", body)
			}
		})
	}
	if n := len(sim.Requests()); n != 0 {
		t.Errorf("refused requests led to %d requests to NetBox", n)
	}
	if text := logText(t); strings.Contains(text, "Authorization\":[\"Bearer") {
		t.Error("a log shows an Authorization header")
	}
}

func TestWellKnownPass(t *testing.T) {
	_, line := simulated(t, netboxsim.Testbed(), netboxsim.TestbedToken)
	s := plainSite(t, line, "well_known pass", "\trespond \"next\" 418")
	if status, _, _ := s.do("GET", "/.well-known/oauth-protected-resource", "", nil); status != 418 {
		t.Errorf("status %d, want that of the next handler", status)
	}
}

// TestBothPathsWithoutRedirect: clients configured with a slash lose their POST body or their token to a redirect.
func TestBothPathsWithoutRedirect(t *testing.T) {
	_, line := simulated(t, netboxsim.Testbed(), netboxsim.TestbedToken)
	s := plainSite(t, line, "path /agents/mcp", "")
	for _, path := range []string{"/agents/mcp", "/agents/mcp/"} {
		status, header, body := s.do("POST", path, modernBody("tools/list", "", ""), modernHeader("tools/list", ""))
		if status != 200 || header.Get("Content-Type") != "application/json" || !strings.Contains(body, "plugin_call_tool") {
			t.Errorf("POST %s: status %d, %s, %.200s", path, status, header.Get("Content-Type"), body)
		}
	}
	if status, _, _ := s.do("GET", "/mcp", "", nil); status != 200 {
		t.Errorf("the default path still answers: status %d", status)
	}
}

// TestAnswerFormats: plain JSON for 2026-07-28, an event stream where the caller gave a progress token.
func TestAnswerFormats(t *testing.T) {
	_, line := simulated(t, netboxsim.Testbed(), netboxsim.TestbedToken)
	s := plainSite(t, line, "", "")
	params := `"name":"plugin_list_tools","arguments":{}`
	header := modernHeader("tools/call", "plugin_list_tools")
	_, got, _ := s.do("POST", "/mcp", modernBody("tools/call", params, ""), header)
	if ct := got.Get("Content-Type"); ct != "application/json" {
		t.Errorf("without a progress token: %s", ct)
	}
	_, got, body := s.do("POST", "/mcp", modernBody("tools/call", params, `,"progressToken":"p"`), header)
	if ct := got.Get("Content-Type"); ct != "text/event-stream" || !strings.Contains(body, "data: {") {
		t.Errorf("with a progress token: %s, %.100s", ct, body)
	}
	if got.Get("X-Accel-Buffering") != "no" || got.Get("Connection") != "" {
		t.Errorf("stream headers: %v", got)
	}
}

// TestListsWhileNetBoxIsDown: a client starts, and sees its tools, whatever NetBox does.
func TestListsWhileNetBoxIsDown(t *testing.T) {
	s := plainSite(t, "netbox http://"+freeAddress(t), "", "")
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			s := &site{t: t, url: s.url, http: s.http}
			session := s.client(era)
			liveList(t, session)
			f := call(t, session, "plugin_list_tools", `{}`).fails(t, "upstream_unreachable")
			if !strings.Contains(f.Message, "administrator") {
				t.Errorf("the message does not say what to do: %s", f.Message)
			}
		})
	}
}

// TestCORS: a listed origin, and only that, is answered, also on 401 and before a token is asked for.
func TestCORS(t *testing.T) {
	_, line := simulated(t, netboxsim.Testbed(), netboxsim.TestbedToken)
	s := plainSite(t, line, "allow_origin https://inspector.example.com http://localhost:6274", "")
	const listed, foreign = "https://inspector.example.com", "https://inspector.example.com.evil.example"
	preflight := func(origin string) http.Header {
		return http.Header{"Origin": {origin}, "Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"authorization"}}
	}
	withOrigin := func(h http.Header, origin ...string) http.Header { h["Origin"] = origin; return h }
	list := modernBody("tools/list", "", "")
	tests := []struct {
		name, method, body string
		header             http.Header
		status             int
		allowed            string
	}{
		{"preflight", "OPTIONS", "", preflight(listed), 204, listed},
		{"preflight of a foreign origin", "OPTIONS", "", preflight(foreign), 401, ""},
		{"OPTIONS that is no preflight", "OPTIONS", "", http.Header{"Origin": {listed}}, 401, listed},
		{"without token", "POST", "{}", http.Header{"Origin": {listed}}, 401, listed},
		{"call", "POST", list, withOrigin(modernHeader("tools/list", ""), listed), 200, listed},
		{"call of the other one", "POST", list, withOrigin(modernHeader("tools/list", ""), "http://localhost:6274"), 200, "http://localhost:6274"},
		{"foreign origin", "POST", list, withOrigin(modernHeader("tools/list", ""), foreign), 403, ""},
		{"two origins", "POST", list, withOrigin(modernHeader("tools/list", ""), listed, foreign), 403, ""},
		{"another port", "POST", list, withOrigin(modernHeader("tools/list", ""), "http://localhost:6275"), 403, ""},
		{"no browser", "POST", list, modernHeader("tools/list", ""), 200, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &site{t: t, url: s.url, http: s.http}
			status, got, body := s.do(tt.method, "/mcp", tt.body, tt.header)
			if status != tt.status || got.Get("Access-Control-Allow-Origin") != tt.allowed {
				t.Fatalf("status %d, allowed origin %q, %.200s; want %d and %q", status, got.Get("Access-Control-Allow-Origin"), body, tt.status, tt.allowed)
			}
			if tt.allowed != "" && (got.Get("Vary") != "Origin" || !strings.Contains(got.Get("Access-Control-Expose-Headers"), "Mcp-Session-Id")) {
				t.Errorf("headers %v", got)
			}
			if got.Get("Access-Control-Allow-Credentials") != "" {
				t.Error("credentials of the browser are allowed")
			}
		})
	}
}
