package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// root is the module's root as seen from this package, where go test runs its tests.
const root = "../../.."

// The file's versions and flags are those of everything else: a binary from xcaddy is the one the tests have seen, and
// one build cache serves all.
func TestXcaddyJSONAgreesWithTheModule(t *testing.T) {
	rc, err := readFile(filepath.Join(root, "xcaddy.json"))
	if err != nil {
		t.Fatal(err)
	}
	// go test runs this again when go.mod has changed only if the test looked at it itself.
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "mod", "edit", "-json")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go mod edit -json: %v", err)
	}
	var mod struct {
		Module  struct{ Path string }
		Require []struct{ Path, Version string }
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatal(err)
	}
	required := make(map[string]string)
	for _, r := range mod.Require {
		required[r.Path] = r.Version
	}
	if got, want := rc.CaddyVersion, required["github.com/caddyserver/caddy/v2"]; got != want {
		t.Errorf("caddy_version is %s, go.mod has %s", got, want)
	}
	for _, p := range rc.Plugins {
		if p.ModulePath == mod.Module.Path+"/caddymodule" {
			if p.Version != "" {
				t.Errorf("the module itself is pinned to %s, though its replacement decides", p.Version)
			}
		} else if required[p.ModulePath] != p.Version {
			t.Errorf("%s is %q, go.mod has %q", p.ModulePath, p.Version, required[p.ModulePath])
		}
	}
	if len(rc.Replacements) != 1 || rc.Replacements[0] != (replacement{Old: mod.Module.Path, New: "."}) {
		t.Errorf("replacements are %v, want only %s by the file's own folder", rc.Replacements, mod.Module.Path)
	}
	for _, name := range []string{"Makefile", "Dockerfile"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), rc.BuildFlags) {
			t.Errorf("%s does not build with xcaddy.json's flags %q", name, rc.BuildFlags)
		}
	}
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "xcaddy.json")
	if err := os.WriteFile(file, []byte(`{"caddy_version":"v2.11.9","plugins":[{"module_path":"a/b"}],`+
		`"replacements":[{"old":"a","new":"."}],"build_flags":"-trimpath -tags=x"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	// A stand-in for the xcaddy command, which says what it was given and where it runs.
	bin := t.TempDir()
	script := "#!/bin/sh\necho \"ran in $(pwd -P): $* with $XCADDY_GO_BUILD_FLAGS\"\nexit \"${FAKE_STATUS:-0}\"\n"
	if err := os.WriteFile(filepath.Join(bin, "xcaddy"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	realDir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	call := "XCADDY_GO_BUILD_FLAGS='-trimpath -tags=x' XCADDY_GO_MOD_FLAGS='' XCADDY_RACE_DETECTOR=0 XCADDY_SKIP_BUILD=0 XCADDY_DEBUG=0 " +
		"xcaddy build v2.11.9 --output /out/caddy --with a/b --replace a=.\n"
	tests := []struct {
		name, status string
		args         []string
		want         string
		wantErr      string
	}{
		{name: "print", args: []string{"-print"}, want: call},
		{
			name: "build", args: nil,
			want: call + "ran in " + realDir + ": build v2.11.9 --output /out/caddy --with a/b --replace a=. with -trimpath -tags=x\n",
		},
		{
			name: "failing build", status: "3", args: nil, wantErr: "running xcaddy: exit status 3",
			want: call + "ran in " + realDir + ": build v2.11.9 --output /out/caddy --with a/b --replace a=. with -trimpath -tags=x\n",
		},
		{name: "stray argument", args: []string{"v2.12.0"}, wantErr: `unexpected argument "v2.12.0"`},
		{name: "no such file", args: []string{"-file", filepath.Join(dir, "none.json")}, wantErr: "none.json"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			t.Setenv("FAKE_STATUS", tt.status)
			t.Setenv("XCADDY_GO_BUILD_FLAGS", "-the-environment-must-not-win")
			var out bytes.Buffer
			err := run(append([]string{"-file", file, "-o", "/out/caddy"}, tt.args...), &out, &bytes.Buffer{})
			if tt.wantErr == "" && err != nil {
				t.Fatal(err)
			}
			if tt.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tt.wantErr)) {
				t.Fatalf("error %v, want one with %q", err, tt.wantErr)
			}
			if out.String() != tt.want {
				t.Errorf("output\n%s, want\n%s", out.String(), tt.want)
			}
		})
	}
}

func TestQuote(t *testing.T) {
	for word, want := range map[string]string{
		"v2.11.9":     "v2.11.9",
		"":            "''",
		"a b":         "'a b'",
		"it's":        `'it'\''s'`,
		"$HOME;`id`":  "'$HOME;`id`'",
		"../d":        "../d",
		"-tags=x,y:z": "-tags=x,y:z",
	} {
		if got := quote(word); got != want {
			t.Errorf("quote(%q) = %s, want %s", word, got, want)
		}
	}
}
