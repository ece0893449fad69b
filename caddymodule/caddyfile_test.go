package caddymodule

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
)

var update = flag.Bool("update", false, "write golden files anew")

// TestAdapt compares what Caddyfiles adapt to with what stands under them, after a line of dashes.
func TestAdapt(t *testing.T) {
	files, err := filepath.Glob("testdata/adapt/*.caddyfiletest")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".caddyfiletest"), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			input, want, _ := strings.Cut(string(b), "----------\n")
			config, err := adapt(t, input)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			if err := json.Indent(&got, config, "", "\t"); err != nil {
				t.Fatal(err)
			}
			if *update {
				if err := os.WriteFile(file, []byte(input+"----------\n"+got.String()+"\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if strings.TrimSpace(got.String()) != strings.TrimSpace(want) {
				t.Errorf("adapts to\n%s\nwant\n%s", got.String(), want)
			}
		})
	}
}

func TestCaddyfileErrors(t *testing.T) {
	const netbox = "netbox http://127.0.0.1:8001"
	tests := []struct {
		name, options string
		line          string // of the error; the directive is on line 2, the options begin on line 3
		contains      string
	}{
		{"no authentication", netbox, "Caddyfile:4", "auth_token"},
		{"no netbox", "auth_token x", "Caddyfile:4", "netbox"},
		{"unknown option", "auth_token x\n\t\t" + netbox + "\n\t\tallow_mutation", "Caddyfile:5", `unrecognized netbox_mcp option "allow_mutation"; there are path`},
		{"repeated option", netbox + "\n\t\tauth_token x\n\t\tread_only\n\t\tread_only", "Caddyfile:6", "read_only is already specified"},
		{"repeated netbox", netbox + "\n\t\tauth_token x\n\t\t" + netbox, "Caddyfile:5", "netbox is already specified"},
		{"empty secret", netbox + "\n\t\tauth_token \"\"", "Caddyfile:4", "auth_token is empty"},
		{"one empty secret of two", netbox + "\n\t\tauth_token x \"\"", "Caddyfile:4", "auth_token is empty"},
		{"no secret", netbox + "\n\t\tauth_token", "Caddyfile:4", "wrong argument count"},
		{"empty NetBox token", netbox + " {\n\t\t\ttoken \"\"\n\t\t}\n\t\tauth_token x", "Caddyfile:4", "token is empty"},
		{"credentials in the URL", "netbox http://user:hunter2@127.0.0.1\n\t\tauth_token x", "Caddyfile:3", "user and password"},
		{"query in the URL", "netbox http://127.0.0.1/?a=b\n\t\tauth_token x", "Caddyfile:3", "query"},
		{"fragment in the URL", "netbox http://127.0.0.1/#a\n\t\tauth_token x", "Caddyfile:3", "fragment"},
		{"no scheme in the URL", "netbox 127.0.0.1:8001\n\t\tauth_token x", "Caddyfile:3", "http"},
		{"api in the URL", "netbox http://127.0.0.1/api\n\t\tauth_token x", "Caddyfile:3", "/api"},
		{"bad public_url", netbox + " {\n\t\t\tpublic_url ftp://x\n\t\t}\n\t\tauth_token x", "Caddyfile:4", "http"},
		{"bad timeout", netbox + " {\n\t\t\ttimeout soon\n\t\t}\n\t\tauth_token x", "Caddyfile:4", "timeout"},
		{"timeout of nothing", netbox + " {\n\t\t\ttimeout 0s\n\t\t}\n\t\tauth_token x", "Caddyfile:4", "positive"},
		{"bad max_connections", netbox + " {\n\t\t\tmax_connections none\n\t\t}\n\t\tauth_token x", "Caddyfile:4", "max_connections"},
		{"unknown netbox option", netbox + " {\n\t\t\ttls_trust_pol\n\t\t}\n\t\tauth_token x", "Caddyfile:4", `unrecognized netbox option "tls_trust_pol"`},
		{"repeated netbox option", netbox + " {\n\t\t\ttoken a\n\t\t\ttoken b\n\t\t}\n\t\tauth_token x", "Caddyfile:5", "token is already specified"},
		{"bad TLS option", netbox + " {\n\t\t\ttls_server_name\n\t\t}\n\t\tauth_token x", "Caddyfile:4", "wrong argument count"},
		{"approval auto", netbox + "\n\t\tauth_token x\n\t\tapproval auto", "Caddyfile:5", "approval auto is not available"},
		{"approval always", netbox + "\n\t\tauth_token x\n\t\tallow_mutations\n\t\tapproval always", "Caddyfile:6", "not available"},
		{"open gate without approval", netbox + "\n\t\tauth_token x\n\t\tallow_mutations", "Caddyfile:6", "approval off"},
		{"bad boolean", netbox + "\n\t\tauth_token x\n\t\tallow_mutations perhaps", "Caddyfile:5", "on or off"},
		{"true is no boolean of Caddyfiles", netbox + "\n\t\tauth_token x\n\t\tread_only true", "Caddyfile:5", "on or off"},
		{"every origin", netbox + "\n\t\tauth_token x\n\t\tallow_origin *", "Caddyfile:5", "list the origins"},
		{"origin with a path", netbox + "\n\t\tauth_token x\n\t\tallow_origin https://a.example https://b.example/", "Caddyfile:5", "no origin"},
		{"origin null", netbox + "\n\t\tauth_token x\n\t\tallow_origin null", "Caddyfile:5", "no origin"},
		{"origin with the default port", netbox + "\n\t\tauth_token x\n\t\tallow_origin https://a.example:443", "Caddyfile:5", "default port"},
		{"bad call_token", netbox + "\n\t\tauth_token x\n\t\tcall_token never", "Caddyfile:5", "on or off"},
		{"origin in capitals", netbox + "\n\t\tauth_token x\n\t\tallow_origin https://A.example", "Caddyfile:5", "lower case"},
		{"no origin", netbox + "\n\t\tauth_token x\n\t\tallow_origin", "Caddyfile:5", "wrong argument count"},
		{"well_known", netbox + "\n\t\tauth_token x\n\t\twell_known block", "Caddyfile:5", "pass"},
		{"limit over the contract's", netbox + "\n\t\tauth_token x\n\t\tmax_result_bytes 257K", "Caddyfile:5", "1024 to 262144 bytes"},
		{"limit of next to nothing", netbox + "\n\t\tauth_token x\n\t\tmax_manifest_bytes 1023", "Caddyfile:5", "1024 to 262144 bytes"},
		{"limit of a scan over the contract's", netbox + "\n\t\tauth_token x\n\t\tmax_scan_bytes 2097153", "Caddyfile:5", "1024 to 2097152 bytes"},
		{"limit that overflows", netbox + "\n\t\tauth_token x\n\t\tmax_scan_bytes 99999999999999999999", "Caddyfile:5", "write a size"},
		{"limit without number", netbox + "\n\t\tauth_token x\n\t\tmax_scan_bytes M", "Caddyfile:5", "write a size"},
		{"limit below zero", netbox + "\n\t\tauth_token x\n\t\tmax_scan_bytes -1", "Caddyfile:5", "write a size"},
		{"limit of nothing", netbox + "\n\t\tauth_token x\n\t\tmax_scan_bytes 0", "Caddyfile:5", "write a size"},
		{"limit in kB", netbox + "\n\t\tauth_token x\n\t\tmax_scan_bytes 64kB", "Caddyfile:5", "write a size"},
		{"path without value", netbox + "\n\t\tauth_token x\n\t\tpath", "Caddyfile:5", "wrong argument count"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := adapt(t, ":80 {\n\tnetbox_mcp {\n\t\t"+tt.options+"\n\t}\n}\n")
			if err == nil {
				t.Fatal("it adapts")
			}
			if !strings.Contains(err.Error(), tt.contains) || !strings.Contains(err.Error(), tt.line) {
				t.Errorf("error %q, want %q at %s", err, tt.contains, tt.line)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error shows a password: %q", err)
			}
		})
	}
	t.Run("an argument after the directive", func(t *testing.T) {
		if _, err := adapt(t, ":80 {\n\tnetbox_mcp one two {\n\t}\n}\n"); err == nil {
			t.Error("it adapts")
		}
	})
}

// TestValidateErrors are mistakes that only provisioning can see, in a Caddyfile as in JSON.
func TestValidateErrors(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(t.TempDir(), "long")
	if err := os.WriteFile(long, bytes.Repeat([]byte("x"), 5000), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, handler, contains string }{
		{"no authentication", `{"netbox":{"url":"http://127.0.0.1"}}`, "auth_token is required"},
		{"no netbox", `{"auth_tokens":["x"]}`, "netbox"},
		{"no URL", `{"netbox":{},"auth_tokens":["x"]}`, "base URL"},
		{"credentials in the URL", `{"netbox":{"url":"http://u:hunter2@h"},"auth_tokens":["x"]}`, "user and password"},
		{"unset variable", `{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["{env.NO_SUCH_VARIABLE_HERE}"]}`, "auth_token"},
		{"missing file", `{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["{file./no/such/file}"]}`, "auth_token"},
		{"empty file", `{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["{file.` + empty + `}"]}`, "empty"},
		{"file of 5,000 bytes", `{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["{file.` + long + `}"]}`, "4096"},
		{"token with a space", `{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["a b"]}`, "characters"},
		{"bad NetBox token", `{"netbox":{"url":"http://127.0.0.1","token":"nbt_half"},"auth_tokens":["x"]}`, "netbox: token"},
		{"TLS options without TLS", `{"netbox":{"url":"http://127.0.0.1","tls":{}},"auth_tokens":["x"]}`, "https"},
		{"open gate", `{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["x"],"allow_mutations":true}`, "approval off"},
		{"approval", `{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["x"],"approval":"person"}`, "not available"},
		{"origin", `{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["x"],"allow_origins":["*"]}`, "allow_origin"},
		{"path", `{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["x"],"path":"mcp"}`, "path"},
		{"path with a dot segment", `{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["x"],"path":"/a/../mcp"}`, "path"},
		{"path with two slashes", `{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["x"],"path":"//mcp"}`, "path"},
		{"path with a placeholder", `{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["x"],"path":"/{env.HOME}"}`, "path"},
		{"path of NetBox's API", `{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["x"],"path":"/api/mcp"}`, "NetBox's own"},
		{"instance with a line break", `{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["x"],"instance":"a\nb"}`, "instance"},
		{"a shell's variable", `{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["$NETBOX_MCP_AUTH_TOKEN"]}`, "{env.NAME}"},
		{"one token for both sides", `{"netbox":{"url":"http://127.0.0.1","token":"abcdefghijklmnopqrst"},"auth_tokens":["abcdefghijklmnopqrst"]}`, "same as the NetBox token"},
		{"timeout of a day", `{"netbox":{"url":"http://127.0.0.1","timeout":"24h"},"auth_tokens":["x"]}`, "timeout"},
		{"path with a wildcard", `{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["x"],"path":"/mcp/*"}`, "path"},
		{"unknown member", `{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["x"],"allow_mutation":true}`, "unknown field"},
		{"limit over the contract's", `{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["x"],"max_scan_bytes":2097153}`, "max_scan_bytes must be 1024 to 2097152 bytes"},
		{"negative limit", `{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["x"],"max_manifest_bytes":-1}`, "max_manifest_bytes must be"},
		{"limit of next to nothing", `{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["x"],"max_result_bytes":1}`, "max_result_bytes must be"},
		{"negative timeout", `{"netbox":{"url":"http://127.0.0.1","timeout":-1},"auth_tokens":["x"]}`, "timeout"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := validateHandlers(t, tt.handler)
			if err == nil {
				t.Fatal("it validates")
			}
			if !strings.Contains(err.Error(), tt.contains) {
				t.Errorf("error %q, want %q", err, tt.contains)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error shows a password: %q", err)
			}
		})
	}
	t.Run("the variable opens the gate of a site that says nothing", func(t *testing.T) {
		t.Setenv(mutationsVariable, " YES ")
		err := validateHandlers(t, `{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["x"]}`)
		if err == nil || !strings.Contains(err.Error(), "approval off") {
			t.Errorf("error %v, want that approval off is needed", err)
		}
		for _, handler := range []string{
			`{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["x"],"allow_mutations":false}`,
			`{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["x"],"read_only":true}`,
			`{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["x"],"approval":"off"}`,
		} {
			if err := validateHandlers(t, handler); err != nil {
				t.Errorf("%s: %v", handler, err)
			}
		}
	})
	t.Run("one name, two settings", func(t *testing.T) {
		a := `{"netbox":{"url":"http://127.0.0.1"},"auth_tokens":["x"]}`
		b := `{"netbox":{"url":"http://127.0.0.2"},"auth_tokens":["x"]}`
		if err := validateHandlers(t, a, a); err != nil {
			t.Errorf("the same settings: %v", err)
		}
		if err := validateHandlers(t, a, b); err == nil || !strings.Contains(err.Error(), `named "netbox"`) {
			t.Errorf("different settings: %v", err)
		}
		if err := validateHandlers(t, a, strings.Replace(b, `{"netbox"`, `{"instance":"two","netbox"`, 1)); err != nil {
			t.Errorf("two names: %v", err)
		}
	})
}

// validateHandlers validates a configuration with handlers, as "caddy validate" does.
func validateHandlers(t *testing.T, handlers ...string) error {
	t.Helper()
	routes := make([]string, len(handlers))
	for i, h := range handlers {
		routes[i] = `{"handle":[{"handler":"netbox_mcp",` + h[1:] + `]}`
	}
	var cfg caddy.Config
	text := `{"admin":{"disabled":true},"storage":{"module":"file_system","root":"` + storage(t) + `"},
		"apps":{"http":{"servers":{"s":{"listen":["127.0.0.1:0"],"routes":[` + strings.Join(routes, ",") + `]}}}}}`
	if err := json.Unmarshal([]byte(text), &cfg); err != nil {
		t.Fatal(err)
	}
	return caddy.Validate(&cfg)
}

func TestExampleCaddyfile(t *testing.T) {
	b, err := os.ReadFile("../Caddyfile.example")
	if err != nil {
		t.Fatal(err)
	}
	if formatted := caddyfile.Format(b); !bytes.Equal(formatted, b) {
		t.Error("it is not as caddy fmt writes it")
	}
	dir := t.TempDir()
	for _, name := range []string{"netbox_token", "mcp_token"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name+"-of-at-least-sixteen-bytes\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config, err := adapt(t, strings.ReplaceAll(string(b), "/run/secrets", dir))
	if err != nil {
		t.Fatal(err)
	}
	var cfg caddy.Config
	if err := caddy.StrictUnmarshalJSON(config, &cfg); err != nil {
		t.Fatal(err)
	}
	cfg.StorageRaw = json.RawMessage(`{"module":"file_system","root":"` + dir + `"}`)
	if err := caddy.Validate(&cfg); err != nil {
		t.Errorf("it does not validate: %v", err)
	}
	// Every option is shown.
	source, err := os.ReadFile("caddyfile.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(source), "\n") {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "case \"") {
			continue
		}
		for _, option := range strings.Split(strings.TrimSuffix(strings.TrimPrefix(line, "case "), ":"), ", ") {
			if option = strings.Trim(option, `"`); !strings.Contains(string(b), option) {
				t.Errorf("the option %s is not shown", option)
			}
		}
	}
}

// FuzzCaddyfile: whatever stands in the block, the parser returns; what it accepts can be written as JSON and read again.
func FuzzCaddyfile(f *testing.F) {
	files, err := filepath.Glob("testdata/adapt/*.caddyfiletest")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		input, _, _ := strings.Cut(string(b), "----------\n")
		_, block, _ := strings.Cut(input, "netbox_mcp")
		f.Add("netbox_mcp" + block)
	}
	for _, seed := range []string{"", "netbox_mcp", "netbox_mcp {", "netbox_mcp {\n}", "netbox_mcp {\nnetbox x {\ntls_trust_pool\n}\n}", "netbox_mcp {\nnetbox http://h {\ntls_trust_pool file {\n}\n}\nauth_token x\n}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var h Handler
		if h.UnmarshalCaddyfile(caddyfile.NewTestDispenser(text)) != nil {
			return
		}
		if h.NetBox == nil || len(h.AuthTokens) == 0 {
			t.Fatalf("accepted without a NetBox or without authentication: %q", text)
		}
		encoded, err := json.Marshal(&h)
		if err != nil {
			t.Fatal(err)
		}
		if err := caddy.StrictUnmarshalJSON(encoded, new(Handler)); err != nil {
			t.Errorf("%v in %s", err, encoded)
		}
	})
}
