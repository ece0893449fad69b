package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
	"strings"

	caddycmd "github.com/caddyserver/caddy/v2/cmd"

	_ "caddy-netbox-mcp/caddymodule"

	_ "github.com/caddyserver/caddy/v2/modules/standard"
)

const (
	// callerToken is the bearer token of the load generator. It stands in no configuration.
	callerToken         = "the-token-of-the-benchmark-and-of-nothing-else"
	callerTokenVariable = "NETBOX_MCP_BENCH_TOKEN"
	upstreamTokenName   = "NETBOX_MCP_BENCH_UPSTREAM_TOKEN"
	// productPath is where the product is served, baselinePath where what it is compared with is.
	productPath  = "/mcp"
	baselinePath = "/baseline"
)

// serverOptions describe the product's process.
type serverOptions struct {
	Listen   string // host:port
	Upstream string // NetBox's base URL
	Storage  string // the folder of Caddy's certificates
}

// caFile is the certificate that clients of the server must trust.
func (o serverOptions) caFile() string {
	return filepath.Join(o.Storage, "pki", "authorities", "local", "root.crt")
}

// config is the configuration of Caddy: a site with TLS, the product as "caddy netbox-mcp serve" sets it up, and the
// baseline beside it. Every call is written to the audit log, as it is there.
func (o serverOptions) config() []byte {
	handle := func(handlers ...any) []any { return []any{object{"handle": handlers}} }
	return encode(object{
		"admin":   object{"disabled": true, "config": object{"persist": false}},
		"storage": object{"module": "file_system", "root": o.Storage},
		"logging": object{"logs": object{
			"default": object{"level": "WARN", "exclude": []string{"admin", "http.handlers.netbox_mcp.audit"}},
			"audit":   object{"writer": object{"output": "stderr"}, "include": []string{"http.handlers.netbox_mcp.audit"}},
		}},
		"apps": object{
			"http": object{"servers": object{"bench": object{
				"listen": []string{o.Listen}, "protocols": []string{"h1", "h2"}, "automatic_https": object{"disable": true},
				"tls_connection_policies": []any{object{"default_sni": "localhost"}},
				"routes": handle(
					object{
						"handler": "netbox_mcp", "auth_tokens": []string{"{env." + callerTokenVariable + "}"},
						"netbox": object{"url": o.Upstream, "token": "{env." + upstreamTokenName + "}"},
					},
					object{"handler": "netbox_mcp_bench_baseline", "path": baselinePath, "upstream": o.Upstream},
				),
			}}},
			"tls": object{
				"certificates": object{"automate": []string{"localhost"}},
				"automation":   object{"policies": []any{object{"issuers": []any{object{"module": "internal"}}}}},
			},
			"pki": object{"certificate_authorities": object{"local": object{"install_trust": false}}},
		},
	})
}

// The commands of the server's process.
const (
	askIdle        = "idle"          // answered with the memory after a garbage collection
	askWatch       = "watch"         // begins to look for the peak; answered with true
	askPeak        = "peak"          // answered with the peak since watch
	askProcessor   = "processor"     // answered with the processor time since the start, in nanoseconds
	askProfile     = "profile "      // begins a CPU profile in the file that follows; answered with true
	askProfileDone = "profile-ended" // ends it; answered with true
)

// serveProduct is the server's process: the caddy command with a configuration file, and beside it a goroutine that
// answers the load generator's questions about memory. It does not return while the parent lives.
func serveProduct() error {
	var o serverOptions
	if err := options(&o); err != nil {
		return err
	}
	if err := os.MkdirAll(o.Storage, 0o700); err != nil {
		return fmt.Errorf("making the storage: %w", err)
	}
	file := filepath.Join(o.Storage, "caddy.json")
	if err := os.WriteFile(file, o.config(), 0o600); err != nil {
		return fmt.Errorf("writing the configuration: %w", err)
	}
	answers := os.Stdout
	os.Stdout = os.Stderr // what Caddy prints must not mix with the answers
	go func() {
		s := &served{}
		if err := answerCommands(os.Stdin, answers, s.answer); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}()
	os.Args = []string{"caddy", "run", "--config", file}
	caddycmd.Main()
	return nil
}

// served is the state of the server's side of the conversation.
type served struct {
	peak    func() memory
	profile *os.File
}

func (s *served) answer(command string) (any, error) {
	if path, ok := strings.CutPrefix(command, askProfile); ok {
		f, err := os.Create(path)
		if err != nil {
			return nil, fmt.Errorf("making a profile: %w", err)
		}
		s.profile = f
		return true, pprof.StartCPUProfile(f)
	}
	switch command {
	case askIdle:
		return idleMemory(), nil
	case askWatch:
		s.peak = watchMemory()
		return true, nil
	case askPeak:
		return s.peak(), nil
	case askProcessor:
		return processorTime(), nil
	case askProfileDone:
		pprof.StopCPUProfile()
		return true, s.profile.Close()
	}
	return nil, errCommand
}
