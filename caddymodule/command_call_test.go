package caddymodule

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"caddy-netbox-mcp/bridge/netboxsim"
)

// calling starts a NetBox and makes it that of the environment.
func calling(t *testing.T) *netboxsim.Server {
	t.Helper()
	cleanEnvironment(t)
	sim := netboxsim.New(netboxsim.Testbed())
	server := httptest.NewServer(sim)
	t.Cleanup(server.Close)
	t.Setenv(urlVariable, server.URL)
	t.Setenv(tokenVariable, netboxsim.TestbedToken)
	return sim
}

// shellCall runs the call command.
func shellCall(ctx context.Context, t *testing.T, in string, args ...string) (code int, stdout string, err error) {
	t.Helper()
	var out bytes.Buffer
	code, err = runCall(flags(t, callCommand(), args...), strings.NewReader(in), &out, func() (context.Context, context.CancelFunc) {
		return ctx, func() {}
	})
	return code, out.String(), err
}

// items is how many items the plugin has.
func items(t *testing.T) string {
	t.Helper()
	code, out, err := shellCall(t.Context(), t, "", "testbed.list_items", `{"limit":1}`)
	var a struct {
		Body struct {
			Count json.Number `json:"count"`
		} `json:"body"`
	}
	if jsonErr := json.Unmarshal([]byte(out), &a); code != 0 || err != nil || jsonErr != nil {
		t.Fatalf("exit status %d, %v, %v", code, err, jsonErr)
	}
	return a.Body.Count.String()
}

func TestCallCommand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "arguments.json")
	if err := os.WriteFile(file, []byte(`{"number": 9007199254740993}`), 0o600); err != nil {
		t.Fatal(err)
	}
	const nothing = "nothing was sent: this tool writes, which needs "
	const open, confirm = "the open write gate (--allow-mutations, or NETBOX_MCP_ALLOW_MUTATIONS=1)", "a confirmation (--confirm, or NETBOX_SDK_CONFIRM_WRITE=1)"
	const rest = "; --dry-run shows the request without"
	const create = `{"name":"from a shell"}`
	tests := []struct {
		name        string
		environment map[string]string
		in          string
		args        []string
		code        int
		stdout      string // a part of it
		err         string // all of it
		created     bool
	}{
		{"the list", nil, "", []string{"plugin_list_tools"}, 0, `"qualified_name": "testbed.create_item"`, "", false},
		{"a plugin's read", nil, "", []string{"testbed.list_items", `{"limit":1}`}, 0, `"plugin": "testbed"`, "", false},
		{"the same spelt out", nil, "", []string{"plugin_call_tool", `{"plugin":"testbed","tool":"list_items","arguments":{"limit":1}}`, "--compact"}, 0, `{"plugin":"testbed","tool":"list_items","effect":"read","status":200,`, "", false},
		{"arguments from standard input", nil, `{"id": 1}`, []string{"testbed.get_item", "-"}, 0, `"id": 1,`, "", false},
		{"numbers keep their text", nil, "", []string{"testbed.echo", "@" + file, "--dry-run", "--compact"}, 0, `"body":{"number":9007199254740993}`, "", false},
		{"a preview of a write", nil, "", []string{"testbed.create_item", create, "--dry-run"}, 0, `"dry_run": true`, "", false},
		{"a preview wins over its argument", nil, "", []string{"plugin_call_tool", `{"dry_run":false,"plugin":"testbed","tool":"create_item","arguments":` + create + `}`, "--dry-run", "--confirm", "--allow-mutations"}, 0, `"dry_run": true`, "", false},
		{"a write that lacks both", nil, "", []string{"testbed.create_item", create}, 1, `"code": "mutations_disabled"`, nothing + open + " and " + confirm + rest, false},
		{"a write that lacks the confirmation", nil, "", []string{"testbed.create_item", create, "--allow-mutations"}, 1, `"code": "mutations_disabled"`, nothing + confirm + rest, false},
		{"a write that lacks the gate", nil, "", []string{"testbed.create_item", create, "--confirm"}, 1, `"code": "mutations_disabled"`, nothing + open + rest, false},
		{"a confirmation that is none", map[string]string{confirmVariable: "0", mutationsVariable: "1"}, "", []string{"testbed.create_item", create}, 1, `"code": "mutations_disabled"`, nothing + confirm + rest, false},
		{"a write", nil, "", []string{"testbed.create_item", create, "--allow-mutations", "--confirm"}, 0, `"status": 201`, "", true},
		{"a write by the environment", map[string]string{confirmVariable: "yes", mutationsVariable: "on"}, "", []string{"testbed.create_item", create}, 0, `"status": 201`, "", true},
		{"a read needs neither", map[string]string{confirmVariable: "1", mutationsVariable: "1"}, "", []string{"testbed.get_item", `{"id":1}`}, 0, `"status": 200`, "", false},
		{"arguments that the tool refuses", nil, "", []string{"testbed.list_items", `{"limit":0}`}, 1, `"/limit: must be at least 1"`, "the call failed: invalid_arguments", false},
		{"arguments that are a list", nil, "", []string{"plugin_list_tools", `[]`}, 1, `"code": "invalid_arguments"`, "the call failed: invalid_arguments", false},
		{"another plugin", nil, "", []string{"nosuch.tool"}, 1, `"code": "not_advertised"`, "the call failed: not_advertised", false},
		{"another tool", nil, "", []string{"testbed.nosuch"}, 1, `plugin tool not found: testbed.nosuch`, "the call failed: tool_not_found", false},
		{"no tool of a plugin", nil, "", []string{"."}, 1, `"code": "invalid_arguments"`, "the call failed: invalid_arguments", false},
		{"a failed write", nil, "", []string{"testbed.fail_after_write", create, "--allow-mutations", "--confirm"}, 1, `"code": "outcome_unknown"`, "the call failed: outcome_unknown", true},
		{"an unknown tool", nil, "", []string{"list"}, 2, "", `unknown tool "list"; there are plugin_call_tool, plugin_list_tools, and the tools of plugins, which are written plugin.tool`, false},
		{"an unknown tool's preview", nil, "", []string{"list", "--dry-run"}, 2, "", `unknown tool "list"; there are plugin_call_tool, plugin_list_tools, and the tools of plugins, which are written plugin.tool`, false},
		{"no preview", nil, "", []string{"plugin_list_tools", "--dry-run"}, 2, "", "--dry-run: plugin_list_tools has no preview, because it changes nothing; leave the flag out", false},
		{"a preview without an object", nil, "", []string{"plugin_call_tool", "7", "--dry-run"}, 2, "", "--dry-run: the arguments must be an object", false},
		{"no JSON", nil, "", []string{"testbed.get_item", "{\"id\":\n 1,}"}, 2, "", `reading the arguments: not strict, finite JSON: the syntax is wrong (byte 10), at line 2, column 4; write an object in quotes, such as '{"limit": 5}'`, false},
		{"a name twice", nil, `{"a":1,"a":2}`, []string{"testbed.get_item", "-"}, 2, "", `reading the arguments: not strict, finite JSON: an object names a member twice (byte 7), at line 1, column 8; write an object in quotes, such as '{"limit": 5}'`, false},
		{"too much from standard input", nil, strings.Repeat(" ", defaultMaxRequest+1), []string{"testbed.get_item", "-"}, 2, "", "reading the arguments: over the size limit of 4194304 bytes", false},
		{"a file that is not there", nil, "", []string{"testbed.get_item", "@" + file + ".no"}, 2, "", "reading the arguments: open " + file + ".no: no such file or directory", false},
		{"no words", nil, "", nil, 2, "", "write caddy netbox-mcp call TOOL [JSON]: one tool, and its arguments as one word of the shell, in quotes", false},
		{"unquoted arguments", nil, "", []string{"testbed.get_item", "{", "}"}, 2, "", "write caddy netbox-mcp call TOOL [JSON]: one tool, and its arguments as one word of the shell, in quotes", false},
		{"no NetBox", map[string]string{urlVariable: ""}, "", []string{"plugin_list_tools"}, 1, "", "NETBOX_URL is not set: set it to NetBox's base URL, for example https://netbox.example.com", false},
		{"another upstream", nil, "", []string{"plugin_list_tools", "--upstream", "zabbix"}, 1, "", `--upstream "zabbix" is not available in this version; there is netbox`, false},
		{"two pins", nil, "", []string{"plugin_list_tools", "--netbox-version", "4.7", "--api-version", "4.6"}, 1, "", "--netbox-version and --api-version are the same; give one", false},
		{"a bad token", map[string]string{tokenVariable: "a b"}, "", []string{"plugin_list_tools"}, 1, "", "netbox: token: the NetBox token has characters that no token has; look for spaces or a line break", false},
	}
	calling(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := items(t)
			for name, value := range tt.environment {
				t.Setenv(name, value)
			}
			code, out, err := shellCall(t.Context(), t, tt.in, tt.args...)
			said := ""
			if err != nil {
				said = err.Error()
			}
			if code != tt.code || said != tt.err || !strings.Contains(out, tt.stdout) || (tt.stdout == "") != (out == "") {
				t.Errorf("exit status %d, error %q, standard output %.600s\nwant %d, %q, %s", code, said, out, tt.code, tt.err, tt.stdout)
			}
			if out != "" && (!json.Valid([]byte(out)) || !strings.HasSuffix(out, "}\n")) {
				t.Errorf("not one JSON object and a line break: %q", out)
			}
			for name := range tt.environment {
				if name != mutationsVariable && name != confirmVariable {
					return // nothing could be sent
				}
			}
			if after := items(t); (after != before) != tt.created {
				t.Errorf("items before %s, after %s", before, after)
			}
		})
	}
}

// Ctrl-C ends a read; a write that was sent runs to its end, and its result is printed.
func TestCallCommandInterrupted(t *testing.T) {
	sim := calling(t)
	tests := []struct {
		name, pattern, answer string
		args                  []string
		code                  int
		stdout                string
	}{
		{"a read", "GET /api/plugins/testbed/items/", "", []string{"testbed.list_items", "--compact"}, 1, `{"error":{"code":"cancelled","message":"the call was cancelled"}}` + "\n"},
		{"a write", "POST /api/plugins/testbed/echo/", `{"number":9007199254740993}`, []string{"testbed.echo", `{"number":9007199254740993}`, "--compact", "--allow-mutations", "--confirm"}, 0,
			`{"plugin":"testbed","tool":"echo","effect":"write","status":200,"headers":{"content-length":"27","content-type":"application/json"},"body":{"number":9007199254740993}}` + "\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			defer sim.Inject(tt.pattern, netboxsim.Fault{Handler: func(w http.ResponseWriter, r *http.Request) {
				interrupt()
				if tt.answer == "" {
					<-r.Context().Done()
					return
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(tt.answer))
			}})()
			if code, out, err := shellCall(ctx, t, "", tt.args...); code != tt.code || out != tt.stdout || (err == nil) != (code == 0) {
				t.Errorf("exit status %d, %v, %s", code, err, out)
			}
		})
	}
}

// What a plugin answers cannot act on the terminal, and is the same value still.
func TestPrintResult(t *testing.T) {
	const text = "{\"a\":\"\u202etxt\u009b2J\u007f\u2028é\U000e0041😀 <&>\",\"n\":[1.0,9007199254740993,1E400],\"e\":{}}"
	tests := []struct {
		name    string
		compact bool
		want    string
	}{
		{"compact", true, `{"a":"\u202etxt\u009b2J\u007f\u2028é\udb40\udc41😀 <&>","n":[1.0,9007199254740993,1E400],"e":{}}` + "\n"},
		{"indented", false, "{\n  \"a\": \"" + `\u202etxt\u009b2J\u007f\u2028é\udb40\udc41😀 <&>` + "\",\n  \"n\": [\n    1.0,\n    9007199254740993,\n    1E400\n  ],\n  \"e\": {}\n}\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := printResult(&out, json.RawMessage(text), tt.compact); err != nil || out.String() != tt.want {
				t.Errorf("%v:\n%q\nwant\n%q", err, out.String(), tt.want)
			}
			var a, b struct{ A string }
			if json.Unmarshal([]byte(text), &a) != nil || json.Unmarshal(out.Bytes(), &b) != nil || a != b {
				t.Errorf("%q has become %q", a, b)
			}
		})
	}
}

// TestCallProcess: the exit status, and that standard output has the JSON and nothing else.
func TestCallProcess(t *testing.T) {
	server := httptest.NewServer(netboxsim.New(netboxsim.Testbed()))
	defer server.Close()
	tests := []struct {
		name                   string
		args                   []string
		code                   int
		stdout, stderr, record string
	}{
		{"a result", []string{"testbed.list_items", `{"limit":1}`, "--compact"}, 0, `{"plugin":"testbed","tool":"list_items",`, "", `"outcome":"ok"`},
		{"a failure", []string{"testbed.create_item", `{"name":"x"}`, "--compact"}, 1, `{"error":{"code":"mutations_disabled",`, "nothing was sent: this tool writes", `"outcome":"mutations_disabled"`},
		{"a misspelt tool", []string{"list"}, 2, "", "unknown tool", ""},
		{"a misspelt flag", []string{"plugin_list_tools", "--dryrun"}, 1, "", "unknown flag: --dryrun", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cmd := caddyCommand(t, t.TempDir(), []string{urlVariable + "=" + server.URL, tokenVariable + "=" + netboxsim.TestbedToken}, append([]string{"netbox-mcp", "call"}, tt.args...)...)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Run(); err != nil {
				if _, failed := err.(*exec.ExitError); !failed {
					t.Fatal(err)
				}
			}
			if code := cmd.ProcessState.ExitCode(); code != tt.code || !strings.HasPrefix(stdout.String(), tt.stdout) || (tt.stdout == "") != (stdout.Len() == 0) ||
				!strings.Contains(stderr.String(), tt.stderr) || !strings.Contains(stderr.String(), tt.record) {
				t.Errorf("exit status %d, standard output %.300s\nstandard error %s", code, &stdout, &stderr)
			}
			if stdout.Len() > 0 && !json.Valid(stdout.Bytes()) {
				t.Errorf("not JSON: %s", &stdout)
			}
			if strings.Contains(stdout.String()+stderr.String(), netboxsim.TestbedToken) {
				t.Error("the output shows the NetBox token")
			}
		})
	}
	t.Run("interrupted while it reads standard input", func(t *testing.T) {
		for _, args := range [][]string{{"call", "plugin_list_tools", "-"}, {"manifest", "-"}} {
			cmd := caddyCommand(t, t.TempDir(), nil, append([]string{"netbox-mcp"}, args...)...)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// More than a pipe holds: when it is written, the process reads.
			if _, err := in.Write(bytes.Repeat([]byte(" "), 200_000)); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err == nil || err.Error() != "signal: interrupt" {
				t.Errorf("%v ended with %v", args, err)
			}
		}
	})
	if caddy.ExitCodeFailedStartup != 1 || exitUsage != 2 {
		t.Error("the documented exit statuses are not those of the code")
	}
}
