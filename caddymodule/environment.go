package caddymodule

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
	"github.com/caddyserver/caddy/v2/modules/caddytls"
	"go.uber.org/zap"

	"caddy-netbox-mcp/bridge/contract"
	"caddy-netbox-mcp/bridge/netboxapi"
)

// The environment of the subcommands. A Caddyfile refers to variables by {env.NAME} instead.
const (
	urlVariable         = "NETBOX_URL"
	tokenVariable       = "NETBOX_TOKEN"
	tokenKeyVariable    = "NETBOX_TOKEN_KEY"
	tokenSecretVariable = "NETBOX_TOKEN_SECRET"
	verifyVariable      = "NETBOX_SSL_VERIFY"
	caFileVariable      = "NETBOX_CA_FILE"
	authVariable        = "NETBOX_MCP_AUTH_TOKEN"
	confirmVariable     = "NETBOX_SDK_CONFIRM_WRITE"
)

// netboxFromEnvironment is the NetBox that the environment describes. Secrets stay references to variables.
func netboxFromEnvironment() (*NetBox, error) {
	base := os.Getenv(urlVariable)
	if base == "" {
		return nil, errors.New(urlVariable + " is not set: set it to NetBox's base URL, for example https://netbox.example.com")
	}
	address, err := netboxapi.ParseAddress(base)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", urlVariable, err)
	}
	n := &NetBox{URL: "{env." + urlVariable + "}"}
	if n.Token, err = tokenFromEnvironment(); err != nil {
		return nil, err
	}
	if n.TLS, err = tlsFromEnvironment(address.URL.Scheme); err != nil {
		return nil, err
	}
	return n, nil
}

// tokenFromEnvironment is the NetBox token as a reference to variables, "" for none.
func tokenFromEnvironment() (string, error) {
	key, value := os.Getenv(tokenKeyVariable), os.Getenv(tokenSecretVariable)
	switch {
	case os.Getenv(tokenVariable) != "" && (key != "" || value != ""):
		return "", fmt.Errorf("%s stands beside %s and %s: set the one or the other two", tokenVariable, tokenKeyVariable, tokenSecretVariable)
	case os.Getenv(tokenVariable) != "":
		return "{env." + tokenVariable + "}", nil
	case key != "" && value != "":
		if strings.HasPrefix(key, "nbt_") {
			return "{env." + tokenKeyVariable + "}.{env." + tokenSecretVariable + "}", nil
		}
		return "nbt_{env." + tokenKeyVariable + "}.{env." + tokenSecretVariable + "}", nil
	case key != "" || value != "":
		return "", fmt.Errorf("%s and %s are only of use together", tokenKeyVariable, tokenSecretVariable)
	}
	return "", nil
}

// tlsFromEnvironment says how to verify the certificate of a NetBox; nil for the defaults, and for a scheme other than https.
func tlsFromEnvironment(scheme string) (*reverseproxy.TLSConfig, error) {
	verify, err := verifyFromEnvironment()
	if err != nil || scheme != "https" {
		return nil, err
	}
	var cfg *reverseproxy.TLSConfig
	if ca := os.Getenv(caFileVariable); ca != "" {
		cfg = &reverseproxy.TLSConfig{CARaw: caddyconfig.JSONModuleObject(
			caddytls.FileCAPool{TrustedCACertPEMFiles: []string{ca}}, "provider", "file", nil)}
	}
	if !verify {
		if cfg == nil {
			cfg = new(reverseproxy.TLSConfig)
		}
		cfg.InsecureSkipVerify = true
	}
	return cfg, nil
}

// verifyFromEnvironment reads NETBOX_SSL_VERIFY; absent means that certificates are verified. A value that is neither yes nor
// no is an error, because either guess could be the wrong one.
func verifyFromEnvironment() (bool, error) {
	switch value := strings.ToLower(strings.TrimSpace(os.Getenv(verifyVariable))); value {
	case "", "1", "true", "yes", "on":
		return true, nil
	case "0", "false", "no", "off":
		return false, nil
	default:
		return false, fmt.Errorf("%s is %.20q: write true or false", verifyVariable, value)
	}
}

// pinnedLine is the NetBox release line that an operator pinned, "" for none: the flag, then NETBOX_SDK_NETBOX_VERSION, which
// are instructions (an unsupported line refuses to start), then the generic NETBOX_API_VERSION and NETBOX_VERSION, which other
// software may have set for itself (an unsupported one is ignored with a warning).
func pinnedLine(flag string, logger *zap.Logger) (contract.Line, error) {
	const strict = "NETBOX_SDK_NETBOX_VERSION"
	if flag != "" {
		return contract.ParseLine(flag)
	}
	if value := os.Getenv(strict); value != "" {
		line, err := contract.ParseLine(value)
		if err != nil {
			return "", fmt.Errorf("%s: %w", strict, err)
		}
		return line, nil
	}
	for _, name := range []string{"NETBOX_API_VERSION", "NETBOX_VERSION"} {
		value := os.Getenv(name)
		if value == "" {
			continue
		}
		line, err := contract.ParseLine(value)
		if err != nil {
			logger.Warn("the NetBox version in the environment is ignored", zap.String("variable", name), zap.Error(err))
			continue
		}
		return line, nil
	}
	return "", nil
}
