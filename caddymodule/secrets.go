package caddymodule

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	"caddy-netbox-mcp/bridge/secret"
)

const (
	// maxSecret bounds a secret in bytes; what is longer is no token but the wrong file.
	maxSecret = 4 << 10
	// watchEvery is how often a secret's file is looked at, when the secret is used.
	watchEvery = 30 * time.Second
)

// wholeFile matches a value that is exactly one {file.…} placeholder, which is watched.
var wholeFile = regexp.MustCompile(`^\{file\.([^{}]+)\}$`)

// secretValue is a configured secret. One that is exactly a file is read again when the file changes, so that a token can be
// rotated without a reload; a file that cannot be used leaves the last good value in force.
type secretValue struct {
	option string
	file   string             // "" for a value that does not change
	check  func(string) error // why a value cannot be this secret
	logger *zap.Logger
	now    func() time.Time

	mu     sync.Mutex
	value  secret.Text
	looked time.Time
	stale  bool // the file could not be used the last time
}

// newSecret expands a configured secret. The error names the option, never the value.
func newSecret(option, configured string, check func(string) error, logger *zap.Logger) (*secretValue, error) {
	s := &secretValue{option: option, check: check, logger: logger, now: time.Now}
	var value string
	var err error
	if m := wholeFile.FindStringSubmatch(configured); m != nil {
		s.file = m[1]
		value, err = readSecret(s.file)
	} else {
		value, err = caddy.NewReplacer().ReplaceOrErr(configured, true, true)
		if err != nil {
			// Caddy's error names the placeholder, which is what the operator must look at.
			err = fmt.Errorf("it is empty or its placeholder has no value: %w", err)
		}
		if value == configured && err == nil {
			if strings.HasPrefix(value, "$") {
				// A shell's variable is no placeholder, and its name no secret.
				return nil, fmt.Errorf("%s: it begins with $: a variable of the environment is written {env.NAME}", option)
			}
			logger.Warn("a secret stands in the configuration itself, as {$NAME} puts it there too, so it shows in the admin API and the autosave; use {env.NAME} or {file./path}",
				zap.String("option", option))
		}
	}
	if err == nil {
		err = check(value)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", option, err)
	}
	s.value, s.looked = secret.New(value), s.now()
	return s, nil
}

// get returns the secret as it is now.
func (s *secretValue) get() secret.Text {
	if s.file == "" {
		return s.value
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := s.now(); now.Sub(s.looked) >= watchEvery {
		s.looked = now
		value, err := readSecret(s.file)
		if err == nil {
			err = s.check(value)
		}
		if err != nil {
			s.logger.Error("a secret's file cannot be used; the last value stays in force", zap.String("option", s.option), zap.Error(err))
		} else {
			s.value = secret.New(value)
		}
		s.stale = err != nil
	}
	return s.value
}

// readSecret reads a secret's file. One line break at its end is not part of the secret, as with Caddy's {file.…}.
func readSecret(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("reading the secret's file: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err != nil {
		return "", fmt.Errorf("reading the secret's file: %w", err)
	}
	if len(b) > maxSecret {
		return "", fmt.Errorf("the secret's file has more than %d bytes", maxSecret)
	}
	value := strings.TrimSuffix(strings.TrimSuffix(string(b), "\n"), "\r")
	if value == "" {
		return "", errors.New("the secret's file is empty")
	}
	return value, nil
}

// checkBearer reports why a value cannot be a bearer token (RFC 6750 allows visible ASCII characters).
func checkBearer(value string) error {
	if value == "" {
		return errors.New("the token is empty")
	}
	if len(value) > maxSecret {
		return fmt.Errorf("the token is longer than %d bytes", maxSecret)
	}
	for _, b := range []byte(value) {
		if b <= ' ' || b >= 0x7f {
			return errors.New("the token has characters that no bearer token has; look for spaces and line breaks")
		}
	}
	return nil
}
