package caddymodule

import (
	"bufio"
	"fmt"
	"io"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// exampleFolder is the example plugin, and exampleOverlay what a second NetBox needs to run it.
const (
	exampleFolder  = "../examples/netbox-plugin"
	exampleOverlay = "testdata/example-netbox"
)

// examplePrefix is the path prefix that the second NetBox has, as installations below a path do.
const examplePrefix = "/below/a-prefix"

// exampleStart is how long that NetBox may take to start: ten seconds where nothing else runs.
const exampleStart = 4 * time.Minute

// exampleEnvironment is what it takes to run another process of the NetBox that the live suites run against, with the
// example plugin: nothing of that NetBox is changed.
type exampleEnvironment struct {
	python, dir, overlay string
	environment          []string
}

// newExampleEnvironment learns interpreter, environment and folder from the process NETBOX_PID, and installs the plugin
// into a folder of the test's.
func newExampleEnvironment(t *testing.T, pid string) *exampleEnvironment {
	t.Helper()
	process := func(name string) []string {
		b, err := os.ReadFile(filepath.Join("/proc", pid, name))
		if err != nil {
			t.Fatalf("NETBOX_PID must be the id of a process of the NetBox at NETBOX_URL, run by this user on this Linux machine, or none: %v", err)
		}
		return strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00")
	}
	python := process("cmdline")[0]
	if !strings.HasPrefix(filepath.Base(python), "python") {
		t.Fatalf("the process NETBOX_PID runs %q, not a Python interpreter", python)
	}
	dir, err := os.Readlink(filepath.Join("/proc", pid, "cwd"))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	packages, overlay, source := filepath.Join(root, "packages"), filepath.Join(root, "overlay"), filepath.Join(root, "source")
	// pip builds in the folder that it installs from.
	for from, to := range map[string]string{exampleOverlay: overlay, exampleFolder: source} {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	e := &exampleEnvironment{python: python, dir: dir, overlay: overlay}
	path := []string{overlay, packages}
	for _, variable := range process("environ") {
		switch name, value, _ := strings.Cut(variable, "="); name {
		case "PYTHONPATH":
			path = append(path, value)
		case "NETBOX_CONFIGURATION":
			e.environment = append(e.environment, "EXAMPLE_BASE_CONFIGURATION="+value)
		default:
			e.environment = append(e.environment, variable)
		}
	}
	e.environment = append(e.environment, "PYTHONPATH="+strings.Join(path, string(os.PathListSeparator)), "NETBOX_CONFIGURATION=example_configuration")
	out, err := e.command(t, "-m", "pip", "install", "--disable-pip-version-check", "--no-index", "--no-deps", "--no-build-isolation", "--target", packages, source).CombinedOutput()
	if err != nil {
		t.Fatalf("installing the example plugin with NetBox's own pip and setuptools: %v\n%s", err, out)
	}
	return e
}

// command prepares a Python process that ends with the test.
func (e *exampleEnvironment) command(t *testing.T, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), e.python, args...)
	cmd.Env, cmd.Dir = slices.Clone(e.environment), e.dir
	return cmd
}

// serve starts a NetBox below examplePrefix and returns its base URL.
func (e *exampleEnvironment) serve(t *testing.T) string {
	t.Helper()
	cmd := e.command(t, filepath.Join(e.overlay, "example_server.py"))
	cmd.Env = append(cmd.Env, "EXAMPLE_BASE_PATH="+strings.Trim(examplePrefix, "/")+"/")
	log := &lockedBuffer{}
	cmd.Stderr = log
	// The server ends when its standard input does, so also when this process is killed.
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("the log of the second NetBox:\n%s", log)
		}
	})
	ports := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(stdout).ReadString('\n')
		ports <- strings.TrimSpace(line)
		_, _ = io.Copy(io.Discard, stdout)
	}()
	select {
	case port := <-ports:
		if port == "" {
			t.Fatal("the second NetBox ended while it started")
		}
		return "http://127.0.0.1:" + port + examplePrefix
	case <-time.After(exampleStart):
		t.Fatalf("the second NetBox has not started in %s", exampleStart)
		return ""
	}
}

// recorder is a proxy that remembers what was asked for.
type recorder struct {
	url      string
	mu       sync.Mutex
	requests []string
}

func record(t *testing.T, base string) *recorder {
	t.Helper()
	target, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	prefix := target.Path
	target.Path = ""
	r := &recorder{}
	server := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		r.mu.Lock()
		r.requests = append(r.requests, fmt.Sprintf("%s %s", p.In.Method, strings.TrimPrefix(p.In.URL.RequestURI(), prefix)))
		r.mu.Unlock()
		p.SetURL(target)
		p.Out.Host = p.In.Host // from which NetBox builds its links
	}})
	t.Cleanup(server.Close)
	r.url = server.URL + prefix
	return r
}

// sent returns the requests since the last time, other than those by which plugin's manifest is found.
func (r *recorder) sent(plugin string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	root := "/api/plugins/" + plugin + "/"
	sent := slices.DeleteFunc(r.requests, func(q string) bool {
		return q == "GET /api/plugins/" || q == "GET "+root || q == "GET "+root+"mcp/"
	})
	r.requests = nil
	return sent
}
