package caddymodule

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/netboxsim"
)

// shellManifest runs the manifest command.
func shellManifest(t *testing.T, in string, args ...string) (code int, stdout, said string) {
	t.Helper()
	var out bytes.Buffer
	code, err := runManifest(t.Context(), flags(t, manifestCommand(), args...), strings.NewReader(in), &out)
	if err != nil {
		said = err.Error()
	}
	return code, out.String(), said
}

// manifestOf is a manifest of n tools with the same wrong name, or with good ones.
func manifestOf(n int, good bool) string {
	var tools []string
	for i := range n {
		name := "A"
		if good {
			name = fmt.Sprintf("t%d", i)
		}
		tools = append(tools, `{"name":"`+name+`","title":"T","description":"D","method":"PUT","path":"p/","effect":"write","inputSchema":{"type":"object","additionalProperties":false},`+
			`"annotations":{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}`)
	}
	return `{"schema_version":"1","plugin":"example","tools":[` + strings.Join(tools, ",") + `]}`
}

func TestManifestCommandOfText(t *testing.T) {
	const badName = ": must be 1 to 64 of a-z, 0-9 and _, beginning with a letter\n"
	var thirty strings.Builder
	for i := range 30 {
		fmt.Fprintf(&thirty, "/tools/%d/name%s", i, badName)
	}
	var many, first strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&many, `"m%d":0,`, i)
		if i < 1000 {
			fmt.Fprintf(&first, "/m%d: is not allowed here; allowed: schema_version, plugin, tools\n", i)
		}
	}
	valid := "The manifest of plugin example is valid: 2 tools, 559 of 262144 bytes.\n" +
		"  example.t0  PUT  /api/plugins/example/p/  write\n  example.t1  PUT  /api/plugins/example/p/  write\n"
	foreign := "{\n\"plugin\":\"example\",\"a\u202e\n\":1"
	tests := []struct {
		name, text   string
		args         []string
		code         int
		stdout, said string
	}{
		{"valid", manifestOf(2, true), nil, 0, valid, ""},
		{"valid for its plugin", manifestOf(2, true), []string{"--plugin", "example"}, 0, valid, ""},
		{"of another plugin", manifestOf(2, true), []string{"--plugin", "other"}, 1, "/plugin: must be the plugin whose API serves the manifest\n", "the manifest is invalid: problems found: 1"},
		{"thirty problems", manifestOf(30, false), nil, 1, thirty.String(), "the manifest is invalid: problems found: 30"},
		{"more than are listed", "{" + many.String() + manifestOf(1, true)[1:], nil, 1, first.String() + "(root): has more than 1000 problems; the rest is not listed\n", "the manifest is invalid: problems found: more than 1000"},
		{"a name that disguises", strings.Replace(manifestOf(1, true), `{`, `{"\u202e\n\u001b[2J":1,`, 1), nil, 1, "/[2J: is not allowed here; allowed: schema_version, plugin, tools\n", "the manifest is invalid: problems found: 1"},
		{"no object", `[]`, nil, 1, "(root): must be an object\n", "the manifest is invalid: problems found: 1"},
		{"no JSON", foreign, nil, 1, "", "reading the manifest: not strict, finite JSON: a string holds an unescaped control character (byte 26), at line 2, column 23"},
		{"HTML", "<html>", nil, 1, "", "reading the manifest: not strict, finite JSON: the syntax is wrong (byte 0), at line 1, column 1"},
		{"empty", "", nil, 1, "", "reading the manifest: not strict, finite JSON: the document is empty (byte 0), at line 1, column 1"},
		{"too deep", "\n" + strings.Repeat("[", 30), nil, 1, "", "reading the manifest: the JSON is over the nesting limit of 24 levels, at line 2, column 26"},
		{"at the size limit", manifestOf(2, true) + strings.Repeat(" ", manifest.MaxManifestBytes-559), nil, 0, strings.Replace(valid, " 559 ", " 262144 ", 1), ""},
		{"over the size limit", manifestOf(2, true) + strings.Repeat(" ", manifest.MaxManifestBytes-558), nil, 1, "", "reading the manifest: over the size limit of 262144 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "manifest.json")
			if err := os.WriteFile(file, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, from := range []string{"-", file} {
				code, out, said := shellManifest(t, tt.text, append(slices.Clone(tt.args), from)...)
				if code != tt.code || out != tt.stdout || said != tt.said {
					t.Errorf("%s: exit status %d, error %q, standard output\n%.900s\nwant %d, %q,\n%.900s", from, code, said, out, tt.code, tt.said, tt.stdout)
				}
			}
		})
	}
}

func TestManifestCommandUsage(t *testing.T) {
	const one = "write caddy netbox-mcp manifest FILE, or a URL, or - for standard input"
	const form = "write https://netbox.example.com/api/plugins/example/mcp/, or the plugin's API root, the same without mcp/"
	const end = "the URL does not end in the name of a plugin and a slash, or in that and mcp/: " + form
	dir := t.TempDir()
	tests := []struct {
		name string
		args []string
		code int
		said string
	}{
		{"nothing", nil, 2, one},
		{"two files", []string{"a", "b"}, 2, one},
		{"a schema of a file", []string{"--schema", "a"}, 2, "--schema stands alone: it prints the schema of every manifest"},
		{"a schema of a plugin", []string{"--schema", "--plugin", "a"}, 2, "--schema stands alone: it prints the schema of every manifest"},
		{"no plugin's name", []string{"--plugin", "A", "-"}, 2, `--plugin "A": a plugin's name has 1 to 64 of a-z, 0-9, _ and -, a letter or digit first`},
		{"a plugin beside a URL", []string{"--plugin", "a", "http://h/api/plugins/a/"}, 2, "--plugin is for files: a URL names its plugin"},
		{"no file", []string{dir + "/no"}, 1, "reading the manifest: open " + dir + "/no: no such file or directory"},
		{"a folder", []string{dir}, 1, "reading the manifest: read " + dir + ": is a directory"},
		{"another URL", []string{"https://netbox.example.com/"}, 2, "the URL is not that of a plugin: " + form},
		{"the list of plugins", []string{"https://netbox.example.com/api/plugins/"}, 2, end},
		{"no slash", []string{"https://netbox.example.com/api/plugins/example"}, 2, end},
		{"another view", []string{"https://netbox.example.com/api/plugins/example/items/"}, 2, end},
		{"two slashes", []string{"https://netbox.example.com/api/plugins/example//mcp/"}, 2, end},
		{"a query", []string{"https://netbox.example.com/api/plugins/example/mcp/?a=/"}, 2, end},
		{"a query before it", []string{"https://netbox.example.com/?/api/plugins/example/mcp/"}, 2, "the URL: a URL has no query"},
		{"a password", []string{"https://me:secret@netbox.example.com/api/plugins/example/mcp/"}, 2, "the URL: a URL has no user and password; credentials have options of their own"},
		{"another scheme", []string{"file:///api/plugins/example/mcp/"}, 2, "the URL: a URL begins with http:// or https://"},
		{"a socket", []string{"unix//a://b/api/plugins/example/mcp/"}, 2, "the URL begins with http:// or https://: " + form},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cleanEnvironment(t)
			if code, out, said := shellManifest(t, manifestOf(1, true), tt.args...); code != tt.code || out != "" || said != tt.said {
				t.Errorf("exit status %d, error %q, standard output %q; want %d, %q", code, said, out, tt.code, tt.said)
			}
		})
	}
}

func TestManifestCommandSchema(t *testing.T) {
	code, out, said := shellManifest(t, "", "--schema")
	var doc map[string]any
	if err := json.Unmarshal([]byte(out), &doc); code != 0 || said != "" || err != nil || out != string(manifest.DescriptorSchema()) || doc["$schema"] != "https://json-schema.org/draft/2020-12/schema" {
		t.Errorf("exit status %d, %q, %v, %.200s", code, said, err, out)
	}
}

// TestManifestProcess: the exit status, and what goes to which stream.
func TestManifestProcess(t *testing.T) {
	p := newPlugins(t, "")
	tests := []struct {
		name           string
		args           []string
		code           int
		stdout, stderr string
	}{
		{"valid", []string{p.url + "/api/plugins/testbed/mcp/"}, 0, "The manifest of plugin testbed is valid", ""},
		{"thirty problems", []string{"-"}, 1, "/tools/29/name: must be", "the manifest is invalid: problems found: 30"},
		{"a wrong URL", []string{p.url}, 2, "", "the URL is not that of a plugin"},
		{"the schema", []string{"--schema"}, 0, `"$schema": "https://json-schema.org/draft/2020-12/schema"`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cmd := caddyCommand(t, t.TempDir(), []string{urlVariable + "=" + p.url, tokenVariable + "=" + netboxsim.TestbedToken}, append([]string{"netbox-mcp", "manifest"}, tt.args...)...)
			cmd.Stdin = strings.NewReader(manifestOf(30, false))
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Run(); err != nil {
				if _, failed := err.(*exec.ExitError); !failed {
					t.Fatal(err)
				}
			}
			if code := cmd.ProcessState.ExitCode(); code != tt.code || !strings.Contains(stdout.String(), tt.stdout) || (tt.stdout == "") != (stdout.Len() == 0) || !strings.Contains(stderr.String(), tt.stderr) ||
				(tt.stderr == "") != (stderr.Len() == 0) {
				t.Errorf("exit status %d, standard output %.300s\nstandard error %s", code, &stdout, &stderr)
			}
		})
	}
}
