package netboxapi

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"caddy-netbox-mcp/bridge/netboxsim"
	"caddy-netbox-mcp/bridge/secret"
	"caddy-netbox-mcp/bridge/transport"
)

func TestUnauthenticated(t *testing.T) {
	for _, test := range []struct {
		name, detail string
		status       int
		want         bool
	}{
		{"401 without words", "", 401, true},
		{"401 with words", "You do not have permission to perform this action.", 401, true},
		{"no credentials", "Authentication credentials were not provided.", 403, true},
		{"wrong v2 token", "Invalid v2 token", 403, true},
		{"wrong v1 token", "Invalid v1 token", 403, true},
		{"expired", "Token expired", 403, true},
		{"address", "Source IP 10.9.8.7 is not permitted to authenticate using this token.", 403, true},
		{"malformed", `Invalid authorization header: Must be in the form "Bearer <key>.<token>" or "Token <token>"`, 403, true},
		{"user", "User inactive", 403, true},
		{"missing permission", "You do not have permission to perform this action.", 403, false},
		{"permission to use a token", "Permission denied: a token with write access is needed", 403, false},
		{"a plugin's own reason", "The synchronisation is paused.", 403, false},
		{"another language", "Sie sind nicht berechtigt, diese Aktion durchzuführen.", 403, false},
		{"nothing said", "", 403, false},
		{"not found", "Invalid v2 token", 404, false},
		{"server error", "Invalid v2 token", 500, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := (&StatusError{Status: test.status, Detail: test.detail}).Unauthenticated(); got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
		})
	}
}

func TestCheckStatus(t *testing.T) {
	long := strings.Repeat("é", maxDetail)
	html := "text/html; charset=utf-8"
	for _, test := range []struct {
		name, contentType, body string
		status                  int
		want                    string // the error, "" for none
		html                    bool
	}{
		{name: "200", status: 200, body: `{"detail":"x"}`},
		{name: "299", status: 299},
		{name: "204", status: 204},
		{name: "304", status: 304, want: "NetBox answered /p with HTTP 304"},
		{name: "JSON", status: 404, body: `{"detail":"No Site matches the given query."}`,
			want: "NetBox answered /p with HTTP 404: No Site matches the given query."},
		{name: "HTML", status: 404, contentType: html, body: "<h1>Not found</h1>", want: "NetBox answered /p with HTTP 404 and an HTML page", html: true},
		{name: "XHTML", status: 502, contentType: "Application/XHTML+xml", want: "NetBox answered /p with HTTP 502 and an HTML page", html: true},
		{name: "empty", status: 500, want: "NetBox answered /p with HTTP 500"},
		{name: "no detail", status: 400, body: `{"name":["required"]}`, want: "NetBox answered /p with HTTP 400"},
		{name: "detail is no string", status: 400, body: `{"detail":17}`, want: "NetBox answered /p with HTTP 400"},
		{name: "detail is a list", status: 400, body: `{"detail":["x"]}`, want: "NetBox answered /p with HTTP 400"},
		{name: "a list", status: 400, body: `["detail"]`, want: "NetBox answered /p with HTTP 400"},
		{name: "broken JSON", status: 400, body: `{"detail":"x"`, want: "NetBox answered /p with HTTP 400"},
		{name: "nested too deep", status: 400, body: `{"detail":"x","a":` + strings.Repeat("[", 50) + strings.Repeat("]", 50) + `}`, want: "NetBox answered /p with HTTP 400"},
		{name: "several lines", status: 409, body: `{"detail":" a\r\n\t b\u0085c\u2028d "}`, want: "NetBox answered /p with HTTP 409: a b c d"},
		{name: "invisible characters", status: 409, body: `{"detail":"a\u001b[31m\u202eb\u200b\u0000c\ufeff"}`, want: "NetBox answered /p with HTTP 409: a[31mbc"},
		{name: "longest", status: 409, body: `{"detail":"` + long + `"}`, want: "NetBox answered /p with HTTP 409: " + long},
		{name: "too long", status: 409, body: `{"detail":"` + long + `x"}`, want: "NetBox answered /p with HTTP 409: " + long},
	} {
		t.Run(test.name, func(t *testing.T) {
			header := http.Header{}
			if test.contentType != "" {
				header.Set("Content-Type", test.contentType)
			}
			err := CheckStatus("/p", &transport.Response{Status: test.status, Header: header, Body: []byte(test.body)})
			if got := fmt.Sprint(err); test.want != "" && got != test.want || test.want == "" && err != nil {
				t.Fatalf("got %q, want %q", got, test.want)
			}
			if e, ok := errors.AsType[*StatusError](err); ok && (e.HTML != test.html || e.Status != test.status || e.Path != "/p") {
				t.Errorf("got %+v", e)
			}
		})
	}
}

// TestRefusalsOfNetBox asks a NetBox that refuses as the real one does.
func TestRefusalsOfNetBox(t *testing.T) {
	cfg := netboxsim.Testbed()
	cfg.Tokens = append(cfg.Tokens,
		netboxsim.Token{Value: "nbt_expired.expired", User: "late", Superuser: true, Expired: true},
		netboxsim.Token{Value: "nbt_elsewhere.elsewhere", User: "far", Superuser: true, AllowedFrom: []netip.Prefix{netip.MustParsePrefix("10.9.8.0/24")}},
	)
	server := httptest.NewServer(netboxsim.New(cfg))
	t.Cleanup(server.Close)
	client := newClient(t, server.URL, "")
	for _, test := range []struct {
		name, token, path string
		status            int
		unauthenticated   bool
		html              bool
	}{
		{name: "no token", path: "/api/dcim/sites/", status: 403, unauthenticated: true},
		{name: "wrong v2 token", token: "nbt_wrong.wrong", path: "/api/dcim/sites/", status: 403, unauthenticated: true},
		{name: "wrong v1 token", token: "wrong", path: "/api/dcim/sites/", status: 403, unauthenticated: true},
		{name: "expired token", token: "nbt_expired.expired", path: "/api/dcim/sites/", status: 403, unauthenticated: true},
		{name: "token of another address", token: "nbt_elsewhere.elsewhere", path: "/api/dcim/sites/", status: 403, unauthenticated: true},
		{name: "no permission", token: netboxsim.TestbedLimitedToken, path: "/api/dcim/devices/", status: 403},
		{name: "superusers only", token: netboxsim.TestbedReaderToken, path: "/api/plugins/installed-plugins/", status: 403},
		{name: "no such object", token: netboxsim.TestbedToken, path: "/api/dcim/sites/999999/", status: 404},
		{name: "no such path", token: netboxsim.TestbedToken, path: "/api/nothing/", status: 404, html: true},
		{name: "v1 token works", token: netboxsim.TestbedTokenV1, path: "/api/dcim/sites/1/", status: 200},
		{name: "v2 token works", token: netboxsim.TestbedToken, path: "/api/dcim/sites/1/", status: 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			resp, err := client.As(secret.New(test.token)).Get(t.Context(), test.path, 1<<20, nil)
			if err != nil {
				t.Fatal(err)
			}
			err = CheckStatus(test.path, resp)
			if test.status == 200 {
				if err != nil {
					t.Error(err)
				}
				return
			}
			e, ok := errors.AsType[*StatusError](err)
			if !ok || e.Status != test.status || e.Unauthenticated() != test.unauthenticated || e.HTML != test.html || IsHTML(resp) != test.html {
				t.Errorf("got %v", err)
			}
			if test.token != "" && strings.Contains(err.Error(), test.token) {
				t.Errorf("the error repeats the token: %v", err)
			}
		})
	}
}

// TestIsHTML: a page is known by its type or by how it begins, whatever its type says.
func TestIsHTML(t *testing.T) {
	tests := []struct {
		contentType, body string
		want              bool
	}{
		{"text/html; charset=utf-8", "", true},
		{"TEXT/HTML", "x", true},
		{"", " \n<!DOCTYPE html><html></html>", true},
		{"application/json", "<html>", true},
		{"application/json", `{"a":"<html>"}`, false},
		{"text/plain", "Bad Gateway", false},
		{"", "", false},
	}
	for _, tt := range tests {
		r := &transport.Response{Header: http.Header{"Content-Type": {tt.contentType}}, Body: []byte(tt.body)}
		if got := IsHTML(r); got != tt.want {
			t.Errorf("IsHTML(%q, %q) = %v, want %v", tt.contentType, tt.body, got, tt.want)
		}
	}
}
