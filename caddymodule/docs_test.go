package caddymodule

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"caddy-netbox-mcp/bridge/netboxsim"
	"caddy-netbox-mcp/mcp/netbox"
	"caddy-netbox-mcp/mcp/toolset"
)

func readDoc(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("../" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// blocks returns the code blocks of a language in a Markdown text.
func blocks(text, language string) []string {
	var found []string
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(text, -1) {
		found = append(found, m[1])
	}
	return found
}

// TestReadmeConfigurations: what the README shows can be used as it stands.
func TestReadmeConfigurations(t *testing.T) {
	readme := readDoc(t, "README.md")
	t.Setenv("NETBOX_TOKEN", "nbt_key.secret")
	t.Setenv("NETBOX_MCP_AUTH_TOKEN", testToken)
	sites := blocks(readme, "caddyfile")
	if len(sites) < 2 {
		t.Fatalf("%d Caddyfiles", len(sites))
	}
	for _, text := range sites {
		validateCaddyfile(t, text)
	}
	configurations := blocks(readme, "json")
	if len(configurations) < 3 {
		t.Fatalf("%d JSON blocks", len(configurations))
	}
	for _, text := range configurations {
		if !json.Valid([]byte(text)) {
			t.Errorf("not JSON:\n%s", text)
		}
	}
}

func validateCaddyfile(t *testing.T, text string) {
	t.Helper()
	config, err := adapt(t, text)
	if err != nil {
		t.Errorf("%v in\n%s", err, text)
		return
	}
	var cfg caddy.Config
	if err := caddy.StrictUnmarshalJSON(config, &cfg); err != nil {
		t.Fatal(err)
	}
	cfg.StorageRaw = json.RawMessage(`{"module":"file_system","root":"` + storage(t) + `"}`)
	if err := caddy.Validate(&cfg); err != nil {
		t.Errorf("%v in\n%s", err, text)
	}
}

// TestReadmeNames: the tools, commands and variables that the README lists are those that there are.
func TestReadmeNames(t *testing.T) {
	readme := readDoc(t, "README.md")
	set, err := toolset.NewSet(netbox.Tools(netbox.Config{CallToken: true})...)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range set.All() {
		if !strings.Contains(readme, "| `"+tool.Name+"` |") {
			t.Errorf("the tool %s is not listed", tool.Name)
		}
	}
	if got, want := strings.Count(readme, "| `plugin_"), len(set.All()); got != want {
		t.Errorf("%d tools are listed, want %d", got, want)
	}
	for _, cmd := range []string{serveCommand().Name(), demoCommand().Name(), toolsCommand().Name(), callCommand().Name(), manifestCommand().Name()} {
		if !strings.Contains(readme, "| `"+cmd+"` |") {
			t.Errorf("the command %s is not listed", cmd)
		}
	}
	for _, name := range []string{urlVariable, tokenVariable, tokenKeyVariable, tokenSecretVariable, verifyVariable, caFileVariable, authVariable, mutationsVariable, confirmVariable} {
		if !strings.Contains(readme, "`"+name+"`") {
			t.Errorf("the variable %s is not listed", name)
		}
	}
}

// TestComposeCaddyfile: the configuration inside docker-compose.yml is one.
func TestComposeCaddyfile(t *testing.T) {
	_, rest, ok := strings.Cut(readDoc(t, "docker-compose.yml"), "    content: |\n")
	if !ok {
		t.Fatal("it has no configuration")
	}
	var text strings.Builder
	for line := range strings.Lines(rest) {
		if line != "\n" && !strings.HasPrefix(line, "      ") {
			break
		}
		text.WriteString(strings.TrimPrefix(line, "      "))
	}
	dir := t.TempDir()
	for _, name := range []string{"netbox_token", "mcp_auth_token"} {
		if err := os.WriteFile(dir+"/"+name, []byte(name+"-of-at-least-sixteen-bytes\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	content := strings.NewReplacer("${SITE_ADDRESS:-localhost}", "localhost", "/run/secrets", dir).Replace(text.String())
	if strings.Contains(content, "${") {
		t.Errorf("a variable has no default:\n%s", content)
	}
	validateCaddyfile(t, content)
}

// TestReadmeCommands: the commands that the README shows work as they stand, in a shell, against a NetBox with the plugin that
// they speak of.
func TestReadmeCommands(t *testing.T) {
	cfg := netboxsim.Demo()
	cfg.Plugin = "example"
	sim := netboxsim.New(cfg)
	server := httptest.NewServer(sim)
	defer server.Close()
	dir := t.TempDir()
	resp, err := netboxGet(t, server.URL+"/api/plugins/example/mcp/", sim.Tokens()[0].Value)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/manifest.json", resp, 0o600); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{ // what a command prints, by a part of it
		"plugin_list_tools": `"qualified_name": "example.create_item"`,
		"list_items":        `"count": 8`,
		"--dry-run":         `"dry_run": true`,
		"--confirm":         `"status": 201`,
		"manifest.json":     "The manifest of plugin example is valid: 6 tools",
		"$NETBOX_URL":       "The API root /api/plugins/example/ advertises the manifest.",
		"--schema":          "",
	}
	for _, block := range blocks(readDoc(t, "README.md"), "sh") {
		for line := range strings.Lines(block) {
			if !strings.Contains(line, "caddy netbox-mcp call") && !strings.Contains(line, "caddy netbox-mcp manifest") {
				continue
			}
			cmd := exec.CommandContext(t.Context(), "sh", "-c", `caddy() { "$CADDY" "$@"; }; `+line)
			cmd.Dir = dir
			cmd.Env = append(caddyCommand(t, dir, nil).Env, "CADDY="+os.Args[0], urlVariable+"="+server.URL, tokenVariable+"="+sim.Tokens()[0].Value)
			var stdout, stderr strings.Builder
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Run(); err != nil {
				t.Errorf("%s: %v\n%s", line, err, &stderr)
			}
			found := false
			for part, printed := range want {
				if strings.Contains(line, part) && strings.Contains(stdout.String(), printed) {
					found = true
					delete(want, part)
				}
			}
			if !found {
				t.Errorf("%s prints %.600s", line, &stdout)
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("the README shows no command for %v", want)
	}
	schema, err := os.ReadFile(dir + "/manifest.schema.json")
	if err != nil || !json.Valid(schema) {
		t.Errorf("the schema: %v, %.100s", err, schema)
	}
}

// netboxGet reads a document of a NetBox.
func netboxGet(t *testing.T, url, token string) ([]byte, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}
