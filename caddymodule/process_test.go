package caddymodule

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"caddy-netbox-mcp/bridge/netboxsim"
)

// testBinaryAs makes the test binary behave as another program: the caddy command, because what processes do to each other can
// only be seen with processes, or the server that the protocol's conformance suite runs against.
const testBinaryAs = "TEST_BINARY_AS"

func TestMain(m *testing.M) {
	switch os.Getenv(testBinaryAs) {
	case "caddy":
		caddycmd.Main()
		return
	case "conformance-server":
		conformanceServer()
		return
	}
	if err := os.Setenv(testTokenVariable, testToken); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// caddyCommand prepares a caddy process with folders of its own under dir.
func caddyCommand(t *testing.T, dir string, environment []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append([]string{
		testBinaryAs + "=caddy", "PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_DATA_HOME=" + dir + "/data", "XDG_CONFIG_HOME=" + dir + "/config",
	}, environment...)
	return cmd
}

// lockedBuffer collects the output of a process.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// start starts a process and ends it with the test; stop asks it to end and returns how it did.
func start(t *testing.T, cmd *exec.Cmd) (output *lockedBuffer, stop func() error) {
	t.Helper()
	output = new(lockedBuffer)
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	stop = sync.OnceValue(func() error {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case err := <-ended:
			return err
		case <-time.After(20 * time.Second):
			_ = cmd.Process.Kill()
			return fmt.Errorf("it did not end within 20 s of SIGTERM:\n%s", output)
		}
	})
	t.Cleanup(func() { _ = stop() })
	return output, stop
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	timeout := time.After(20 * time.Second)
	for !condition() {
		select {
		case <-look.C:
		case <-timeout:
			t.Fatalf("%s: not within 20 s", what)
		}
	}
}

// TestStdioProcess runs "caddy netbox-mcp serve" as a client does. The client reads its standard output as protocol, so any
// other byte there would end the session.
func TestStdioProcess(t *testing.T) {
	server := httptest.NewServer(netboxsim.New(netboxsim.Testbed()))
	defer server.Close()
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			cmd := caddyCommand(t, t.TempDir(), []string{urlVariable + "=" + server.URL, tokenVariable + "=" + netboxsim.TestbedToken}, "netbox-mcp", "serve")
			var stderr lockedBuffer
			cmd.Stderr = &stderr
			session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
				Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: era})
			if err != nil {
				t.Fatalf("%v\n%s", err, &stderr)
			}
			liveList(t, session)
			var a pluginAnswer
			pluginCall(t, session, liveTarget{plugin: "testbed"}, "list_items", `{"limit":1}`).decode(t, &a)
			if a.Status != 200 {
				t.Errorf("list_items: status %d", a.Status)
			}
			pluginCall(t, session, liveTarget{plugin: "testbed"}, "create_item", `{"name":"x"}`).fails(t, "mutations_disabled")
			if err := session.Close(); err != nil {
				t.Errorf("closing: %v\n%s", err, &stderr)
			}
			if strings.Contains(stderr.String(), netboxsim.TestbedToken) {
				t.Error("the log shows the NetBox token")
			}
		})
	}
}

// TestStdioWritesProtocolOnly reads every byte of standard output.
func TestStdioWritesProtocolOnly(t *testing.T) {
	cmd := caddyCommand(t, t.TempDir(), []string{urlVariable + "=http://127.0.0.1:1", mutationsVariable + "=1"}, "netbox-mcp", "serve")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr lockedBuffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`+"\n"+
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"plugin_list_tools","arguments":{}}}`+"\n")
	eventually(t, "two answers", func() bool { return strings.Count(stdout.String(), "\n") >= 2 })
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v:\n%s", err, &stderr)
	}
	lines := bufio.NewScanner(strings.NewReader(stdout.String()))
	for lines.Scan() {
		if !strings.HasPrefix(lines.Text(), `{"jsonrpc":"2.0"`) {
			t.Errorf("on standard output: %s", lines.Text())
		}
	}
	if !strings.Contains(stderr.String(), "the write gate is open") {
		t.Errorf("standard error does not tell of the open gate:\n%s", &stderr)
	}
}

// TestBesideRunningCaddy: serve and demo next to a Caddy of the same user, neither disturbing the other.
func TestBesideRunningCaddy(t *testing.T) {
	dir := t.TempDir()
	netbox := httptest.NewServer(netboxsim.New(netboxsim.Testbed()))
	defer netbox.Close()
	mainAddress, admin, demoAddress := freeAddress(t), freeAddress(t), freeAddress(t)
	caddyfile := filepath.Join(dir, "Caddyfile")
	if err := os.WriteFile(caddyfile, []byte(fmt.Sprintf("{\n\tadmin %s\n\tskip_install_trust\n}\nhttp://%s {\n\trespond \"the other Caddy\"\n}\n", admin, mainAddress)), 0o600); err != nil {
		t.Fatal(err)
	}
	get := func(url string) string {
		resp, err := http.Get(url)
		if err != nil {
			return err.Error()
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return string(b)
	}
	output, stopMain := start(t, caddyCommand(t, dir, nil, "run", "--config", caddyfile))
	eventually(t, "the other Caddy starts", func() bool { return get("http://"+mainAddress) == "the other Caddy" })
	autosave := filepath.Join(dir, "config", "caddy", "autosave.json")
	before, err := os.ReadFile(autosave)
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}

	demo, stopDemo := start(t, caddyCommand(t, dir, nil, "netbox-mcp", "demo", "--listen", demoAddress))
	eventually(t, "the demo starts", func() bool { return strings.Contains(demo.String(), "Stop with Ctrl-C") })
	_, port, _ := strings.Cut(freeAddress(t), ":")
	serve, stopServe := start(t, caddyCommand(t, dir, []string{urlVariable + "=" + netbox.URL, tokenVariable + "=" + netboxsim.TestbedToken, authVariable + "=" + testToken},
		"netbox-mcp", "serve", "--transport", "streamable-http", "--port", port))
	eventually(t, "serve starts", func() bool { return strings.Contains(serve.String(), "Serving MCP at http://127.0.0.1:"+port+"/mcp") })
	s := &site{t: t, url: "http://127.0.0.1:" + port, http: &http.Client{Transport: &http.Transport{}}}
	session := s.client(eras[0])
	liveList(t, session)
	if status, _, _ := s.do("GET", "/other", "", nil); status != 404 {
		t.Errorf("a path that is not served: status %d", status)
	}
	_ = session.Close()

	if got := get("http://" + mainAddress); got != "the other Caddy" {
		t.Errorf("the other Caddy answers %q", got)
	}
	if got := get("http://" + admin + "/config/"); !strings.Contains(got, "the other Caddy") || strings.Contains(got, "netbox_mcp") {
		t.Errorf("the other Caddy's configuration is %s", got)
	}
	for name, stop := range map[string]func() error{"demo": stopDemo, "serve": stopServe} {
		if err := stop(); err != nil {
			t.Errorf("%s ended with %v", name, err)
		}
	}
	if got := get("http://" + mainAddress); got != "the other Caddy" {
		t.Errorf("after the others ended, the other Caddy answers %q", got)
	}
	if after, err := os.ReadFile(autosave); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the autosaved configuration changed: %v\n%s", err, after)
	}
	if err := stopMain(); err != nil {
		t.Errorf("the other Caddy ended with %v", err)
	}
}

// TestServeProcessRefusals: the exit status and the words of a command that cannot start.
func TestServeProcessRefusals(t *testing.T) {
	for _, args := range [][]string{
		{"netbox-mcp", "serve"}, {"netbox-mcp", "srve"}, {"netbox-mcp"}, {"netbox-mcp", "serve", "--no-such-flag"}, {"netbox-mcp", "tools"},
	} {
		cmd := caddyCommand(t, t.TempDir(), nil, args...)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		err := cmd.Run()
		if _, failed := err.(*exec.ExitError); !failed || stdout.Len() > 0 || stderr.Len() == 0 {
			t.Errorf("%v: %v, standard output %q, standard error %q", args, err, &stdout, &stderr)
		}
	}
}
