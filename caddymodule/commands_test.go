package caddymodule

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/spf13/cobra"

	"caddy-netbox-mcp/bridge/netboxsim"
)

// cleanEnvironment gives a test an environment of its own: no variable of ours, and a data folder that is thrown away.
func cleanEnvironment(t *testing.T) {
	t.Helper()
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); strings.HasPrefix(name, "NETBOX_") {
			t.Setenv(name, "")
		}
	}
	t.Setenv("XDG_DATA_HOME", t.TempDir())
}

// flags parses a subcommand's flags.
func flags(t *testing.T, cmd *cobra.Command, args ...string) caddycmd.Flags {
	t.Helper()
	if err := cmd.ParseFlags(args); err != nil {
		t.Fatal(err)
	}
	return caddycmd.Flags{FlagSet: cmd.Flags()}
}

// TestDemo is what make run does: the URL, the token and the curl line that it prints work.
func TestDemo(t *testing.T) {
	cleanEnvironment(t)
	var out bytes.Buffer
	stop, err := startDemo(freeAddress(t), false, &out)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	defer func() { _ = caddy.Stop() }()
	printed := func(label string) string {
		m := regexp.MustCompile(`(?m)^  ` + label + ` +(.*)$`).FindStringSubmatch(out.String())
		if m == nil {
			t.Fatalf("it does not print %s:\n%s", label, out.String())
		}
		return m[1]
	}
	s := &site{t: t, url: strings.TrimSuffix(printed("URL"), "/mcp"), http: &http.Client{Transport: trusting(t, printed("CA file"))}}
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			s := &site{t: t, url: s.url, http: s.http}
			session := s.clientAs(era, printed("Token"))
			var listing struct {
				Tools []struct {
					QualifiedName string `json:"qualified_name"`
				} `json:"tools"`
			}
			call(t, session, "plugin_list_tools", `{"plugin":"demo"}`).decode(t, &listing)
			if len(listing.Tools) != 6 || listing.Tools[0].QualifiedName != "demo.create_item" {
				t.Errorf("tools %+v", listing.Tools)
			}
			target := liveTarget{plugin: "demo"}
			var a pluginAnswer
			pluginCall(t, session, target, "list_items", `{}`).decode(t, &a)
			if a.Status != 200 || !strings.Contains(string(a.Body), `"count":8`) {
				t.Errorf("list_items: %d %s", a.Status, a.Body)
			}
			pluginCall(t, session, target, "create_item", `{"name":"x"}`).fails(t, "mutations_disabled")
		})
	}
	if status, _, body := s.do("GET", "/", "", nil); status != 200 || !strings.Contains(body, "NetBox") {
		t.Errorf("the demo NetBox's page: status %d, %.200s", status, body)
	}
	t.Run("the curl line", func(t *testing.T) {
		line := regexp.MustCompile(`(?m)^  (curl .*)$`).FindStringSubmatch(out.String())
		if line == nil {
			t.Fatal("there is none")
		}
		if _, err := exec.LookPath("curl"); err != nil {
			t.Skip("curl is not installed")
		}
		got, err := exec.CommandContext(t.Context(), "sh", "-c", line[1]+" -sS").CombinedOutput()
		if err != nil || !strings.Contains(string(got), "demo.list_items") {
			t.Errorf("%v: %s", err, got)
		}
	})
	t.Run("it keeps apart from other Caddys", func(t *testing.T) {
		if _, err := os.Stat(filepath.Join(caddy.AppDataDir(), "certificates")); err == nil {
			t.Error("certificates are in the storage folder of other Caddys")
		}
		if _, err := os.Stat(filepath.Join(caddy.AppConfigDir(), "autosave.json")); err == nil {
			b, _ := os.ReadFile(filepath.Join(caddy.AppConfigDir(), "autosave.json"))
			if strings.Contains(string(b), "netbox_mcp") {
				t.Error("the configuration was saved over that of another Caddy")
			}
		}
	})
}

// TestDemoOfRealNetBox: with NETBOX_URL set the demo serves that NetBox.
func TestDemoOfRealNetBox(t *testing.T) {
	cleanEnvironment(t)
	cfg := netboxsim.Testbed()
	cfg.AllowedHosts = []string{"127.0.0.1"}
	server := httptest.NewServer(netboxsim.New(cfg))
	defer server.Close()
	t.Setenv(urlVariable, server.URL)
	t.Setenv(tokenVariable, netboxsim.TestbedTokenV1)
	t.Setenv(authVariable, testToken)
	var out bytes.Buffer
	address := freeAddress(t)
	stop, err := startDemo(address, true, &out)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	defer func() { _ = caddy.Stop() }()
	s := &site{t: t, url: "https://localhost" + address[strings.LastIndex(address, ":"):], http: &http.Client{Transport: trusting(t, caFile())}}
	session := s.client(eras[1])
	var a pluginAnswer
	pluginCall(t, session, liveTarget{plugin: "testbed"}, "create_item", `{"name":"from the demo"}`).decode(t, &a)
	if a.Status != 201 {
		t.Errorf("create_item: status %d", a.Status)
	}
	if status, _, _ := s.do("GET", "/api/", "", http.Header{"Authorization": {"Token " + netboxsim.TestbedTokenV1}}); status != 200 {
		t.Errorf("the API beside the endpoint: status %d", status)
	}
	if strings.Contains(out.String(), netboxsim.TestbedTokenV1) {
		t.Error("the output shows the NetBox token")
	}
}

// TestServeStdio: initialize, tools/list and a call over two pipes; nothing but protocol comes out.
func TestServeStdio(t *testing.T) {
	cleanEnvironment(t)
	server := httptest.NewServer(netboxsim.New(netboxsim.Testbed()))
	defer server.Close()
	t.Setenv(urlVariable, server.URL)
	t.Setenv(tokenKeyVariable, "testbedadmin")
	t.Setenv(tokenSecretVariable, strings.TrimPrefix(netboxsim.TestbedToken, "nbt_testbedadmin."))
	h, err := localHandler(flags(t, serveCommand(), "--allow-mutations"))
	if err != nil {
		t.Fatal(err)
	}
	clientReads, serverWrites := io.Pipe()
	serverReads, clientWrites := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- serveStdio(t.Context(), h, serverReads, serverWrites) }()

	lines := bufio.NewScanner(clientReads)
	lines.Buffer(nil, 1<<20)
	exchange := func(message string) map[string]json.RawMessage {
		t.Helper()
		if _, err := io.WriteString(clientWrites, message+"\n"); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(message, `"id"`) {
			return nil
		}
		if !lines.Scan() {
			t.Fatalf("no answer to %s: %v", message, lines.Err())
		}
		var answer map[string]json.RawMessage
		if err := json.Unmarshal(lines.Bytes(), &answer); err != nil || string(answer["jsonrpc"]) != `"2.0"` {
			t.Fatalf("not a message of the protocol: %s", lines.Text())
		}
		return answer
	}
	hello := exchange(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	if !strings.Contains(string(hello["result"]), `"caddy-netbox-mcp"`) {
		t.Errorf("initialize: %s", hello["result"])
	}
	exchange(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	list := exchange(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	if !strings.Contains(string(list["result"]), "plugin_call_tool") {
		t.Errorf("tools/list: %s", list["result"])
	}
	called := exchange(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"plugin_call_tool","arguments":{"plugin":"testbed","tool":"create_item","arguments":"{\"name\":\"by stdio\"}"}}}`)
	if !strings.Contains(string(called["result"]), `\"status\":201`) {
		t.Errorf("tools/call: %s", called["result"])
	}
	_ = clientWrites.Close()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the server ended with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the server goes on after its input ended")
	}
}

func TestServeRefusesToStart(t *testing.T) {
	tests := []struct {
		name        string
		environment map[string]string
		args        []string
		contains    string
	}{
		{"no NetBox", nil, nil, urlVariable},
		{"bad URL", map[string]string{urlVariable: "ftp://x"}, nil, urlVariable},
		{"HTTP without a token", map[string]string{urlVariable: "http://127.0.0.1:1"}, []string{"--transport", "streamable-http"}, "auth_token"},
		{"HTTP on loopback without a token", map[string]string{urlVariable: "http://127.0.0.1:1"}, []string{"--transport", "streamable-http", "--host", "127.0.0.1"}, "loopback"},
		{"HTTP on all addresses without a token", map[string]string{urlVariable: "http://127.0.0.1:1"}, []string{"--transport", "streamable-http", "--host", "0.0.0.0"}, "auth_token"},
		{"half a v2 token", map[string]string{urlVariable: "http://127.0.0.1:1", tokenKeyVariable: "k"}, nil, tokenSecretVariable},
		{"unsupported pin", map[string]string{urlVariable: "http://127.0.0.1:1"}, []string{"--netbox-version", "3.9"}, "Supported release lines"},
		{"unsupported strict variable", map[string]string{urlVariable: "http://127.0.0.1:1", "NETBOX_SDK_NETBOX_VERSION": "3.9"}, nil, "Supported release lines"},
		{"two pins", map[string]string{urlVariable: "http://127.0.0.1:1"}, []string{"--netbox-version", "4.7", "--api-version", "4.6"}, "--netbox-version"},
		{"another upstream", map[string]string{urlVariable: "http://127.0.0.1:1"}, []string{"--upstream", "zabbix"}, "--upstream"},
		{"another transport", map[string]string{urlVariable: "http://127.0.0.1:1"}, []string{"--transport", "carrier-pigeon"}, "--transport"},
		{"bad verify", map[string]string{urlVariable: "https://127.0.0.1:1", verifyVariable: "maybe"}, nil, verifyVariable},
		{"bad port", map[string]string{urlVariable: "http://127.0.0.1:1", authVariable: testToken}, []string{"--transport", "streamable-http", "--port", "70000"}, "--port"},
		{"bad TLS mode", map[string]string{urlVariable: "http://127.0.0.1:1", authVariable: testToken}, []string{"--transport", "streamable-http", "--tls", "on"}, "--tls"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cleanEnvironment(t)
			for name, value := range tt.environment {
				t.Setenv(name, value)
			}
			code, err := runServe(flags(t, serveCommand(), tt.args...))
			if err == nil || code == caddy.ExitCodeSuccess || !strings.Contains(err.Error(), tt.contains) {
				t.Errorf("exit code %d, error %v; want one with %q", code, err, tt.contains)
			}
		})
	}
}

func TestLenientVersions(t *testing.T) {
	tests := []struct{ api, version, want string }{
		{"4.6", "4.5", "4.6"}, {"", "v4.5.2", "4.5"}, {"2024-01", "4.5", "4.5"}, {"9", "9", ""}, {"", "latest", ""}, {"", "", ""},
	}
	for _, tt := range tests {
		cleanEnvironment(t)
		t.Setenv("NETBOX_API_VERSION", tt.api)
		t.Setenv("NETBOX_VERSION", tt.version)
		if got, err := pinnedLine("", caddy.Log()); string(got) != tt.want || err != nil {
			t.Errorf("NETBOX_API_VERSION=%q NETBOX_VERSION=%q: %q, %v; want %q", tt.api, tt.version, got, err, tt.want)
		}
	}
}

func TestEnvironment(t *testing.T) {
	tests := []struct {
		name        string
		environment map[string]string
		want        string // the NetBox's JSON
	}{
		{"v1 or v2 token", map[string]string{urlVariable: "http://h", tokenVariable: "t"}, `{"url":"{env.NETBOX_URL}","token":"{env.NETBOX_TOKEN}"}`},
		{"key and secret", map[string]string{urlVariable: "http://h", tokenKeyVariable: "k", tokenSecretVariable: "s"}, `{"url":"{env.NETBOX_URL}","token":"nbt_{env.NETBOX_TOKEN_KEY}.{env.NETBOX_TOKEN_SECRET}"}`},
		{"key with prefix", map[string]string{urlVariable: "http://h", tokenKeyVariable: "nbt_k", tokenSecretVariable: "s"}, `{"url":"{env.NETBOX_URL}","token":"{env.NETBOX_TOKEN_KEY}.{env.NETBOX_TOKEN_SECRET}"}`},
		{"no token", map[string]string{urlVariable: "http://h"}, `{"url":"{env.NETBOX_URL}"}`},
		{"verification off", map[string]string{urlVariable: "https://h", verifyVariable: "false"}, `{"url":"{env.NETBOX_URL}","tls":{"insecure_skip_verify":true}}`},
		{"CA file", map[string]string{urlVariable: "https://h", caFileVariable: "/ca.pem"}, `{"url":"{env.NETBOX_URL}","tls":{"ca":{"pem_files":["/ca.pem"],"provider":"file"}}}`},
		{"verification of plain HTTP", map[string]string{urlVariable: "http://h", verifyVariable: "0"}, `{"url":"{env.NETBOX_URL}"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cleanEnvironment(t)
			for name, value := range tt.environment {
				t.Setenv(name, value)
			}
			n, err := netboxFromEnvironment()
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(n)
			if err != nil || string(got) != tt.want {
				t.Errorf("%s, %v; want %s", got, err, tt.want)
			}
		})
	}
}

func TestToolsCommand(t *testing.T) {
	cleanEnvironment(t)
	t.Setenv(urlVariable, "http://127.0.0.1:1")
	t.Setenv(tokenVariable, netboxsim.TestbedTokenV1)
	var out bytes.Buffer
	if err := printTools(flags(t, toolsCommand(), "--allow-mutations", "--api-version", "4.6"), &out); err != nil {
		t.Fatal(err)
	}
	var s surface
	if err := json.Unmarshal(out.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range s.Tools {
		names = append(names, tool.Name)
	}
	if s.Instance != "netbox" || *s.Contract != "4.6" || s.Gate != "open" || s.Identity != "the configured v1 token" ||
		!slices.Equal(names, []string{"plugin_call_tool", "plugin_list_tools"}) {
		t.Errorf("%+v", s)
	}
	if strings.Contains(out.String(), netboxsim.TestbedTokenV1) {
		t.Error("the output shows the NetBox token")
	}
	// The whole surface is a golden file: what agents see changes only on purpose.
	const golden = "testdata/tools.json"
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || !bytes.Equal(want, out.Bytes()) {
		t.Errorf("%v: the surface is not that of %s (run with -update if that is meant):\n%s", err, golden, &out)
	}
	out.Reset()
	if err := printTools(flags(t, toolsCommand(), "--names"), &out); err != nil || out.String() != "plugin_call_tool\nplugin_list_tools\n" {
		t.Errorf("--names: %q, %v", out.String(), err)
	}
}

// TestServeHTTPConfig: what serve runs over HTTP, without waiting for a signal.
func TestServeHTTPConfig(t *testing.T) {
	cleanEnvironment(t)
	server := httptest.NewServer(netboxsim.New(netboxsim.Testbed()))
	defer server.Close()
	t.Setenv(urlVariable, server.URL)
	t.Setenv(tokenVariable, netboxsim.TestbedToken)
	for _, tls := range []bool{false, true} {
		h, err := localHandler(flags(t, serveCommand()))
		if err != nil {
			t.Fatal(err)
		}
		if err := authFromFlags(flags(t, serveCommand(), "--auth-token", testToken), h); err != nil {
			t.Fatal(err)
		}
		l := localServer{listen: freeAddress(t), tls: tls, handler: h}
		cfg, err := l.config()
		if err != nil {
			t.Fatal(err)
		}
		if text, _ := json.Marshal(cfg); strings.Contains(string(text), testToken) || strings.Contains(string(text), netboxsim.TestbedToken) {
			t.Error("the configuration holds a secret")
		}
		if err := caddy.Run(cfg); err != nil {
			t.Fatal(err)
		}
		s := &site{t: t, url: strings.TrimSuffix(l.url(), "/mcp"), http: &http.Client{Transport: &http.Transport{}}}
		if tls {
			if err := awaitTLS(t.Context(), l.listen); err != nil {
				t.Fatal(err)
			}
			s.http.Transport = trusting(t, caFile())
		}
		liveList(t, s.client(eras[0]))
		if err := caddy.Stop(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSubcommandTypo: a misspelt subcommand must not look like success.
func TestSubcommandTypo(t *testing.T) {
	commands := caddycmd.Commands()
	root, ok := commands["netbox-mcp"]
	if !ok {
		t.Fatal("there is no netbox-mcp command")
	}
	for _, args := range [][]string{{"srve"}, {}} {
		cmd := &cobra.Command{Use: "netbox-mcp"}
		root.CobraFunc(cmd)
		cmd.SetArgs(args)
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		cmd.SetErr(io.Discard)
		if err := cmd.ExecuteContext(context.Background()); err == nil {
			t.Errorf("%v: no error", args)
		}
	}
}
