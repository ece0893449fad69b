package main

import (
	"slices"
	"strings"
	"testing"
)

func TestReadRecipe(t *testing.T) {
	tests := []struct {
		name, json string
		args, env  []string
		wantErr    string
	}{
		{
			name: "everything",
			json: `{"caddy_version":"v2.11.9",
				"plugins":[{"module_path":"a/b"},{"module_path":"example.com/c","version":"v1.2.3"}],
				"replacements":[{"old":"a","new":"."},{"old":"example.com/d","new":"../d e"}],
				"build_flags":"-trimpath -tags=x,y","mod_flags":"-modcacherw","race_detector":true,"skip_build":true,"debug":true}`,
			args: []string{
				"build", "v2.11.9", "--output", "/out/caddy", "--with", "a/b", "--with", "example.com/c@v1.2.3",
				"--replace", "a=.", "--replace", "example.com/d=../d e",
			},
			env: []string{
				"XCADDY_GO_BUILD_FLAGS=-trimpath -tags=x,y", "XCADDY_GO_MOD_FLAGS=-modcacherw",
				"XCADDY_RACE_DETECTOR=1", "XCADDY_SKIP_BUILD=1", "XCADDY_DEBUG=1",
			},
		},
		{
			name: "only a version",
			json: `{"caddy_version":"v2.11.9"}`,
			args: []string{"build", "v2.11.9", "--output", "/out/caddy"},
			env: []string{
				"XCADDY_GO_BUILD_FLAGS=", "XCADDY_GO_MOD_FLAGS=", "XCADDY_RACE_DETECTOR=0", "XCADDY_SKIP_BUILD=0", "XCADDY_DEBUG=0",
			},
		},
		{name: "no version", json: `{}`, wantErr: "caddy_version is missing"},
		{name: "unknown member", json: `{"caddy_version":"v2","plugin":[]}`, wantErr: `unknown field "plugin"`},
		{name: "unknown member of a plugin", json: `{"caddy_version":"v2","plugins":[{"path":"a"}]}`, wantErr: `unknown field "path"`},
		{name: "a Builder member the command cannot be told", json: `{"caddy_version":"v2","timeout_get":1}`, wantErr: `unknown field "timeout_get"`},
		{name: "wrong type", json: `{"caddy_version":2}`, wantErr: "cannot unmarshal number"},
		{name: "empty file", json: ``, wantErr: "EOF"},
		{name: "second value", json: `{"caddy_version":"v2"} {}`, wantErr: "something follows"},
		{name: "garbage after it", json: `{"caddy_version":"v2"}]`, wantErr: "something follows"},
		{name: "plugin without a path", json: `{"caddy_version":"v2","plugins":[{"version":"v1"}]}`, wantErr: "plugins[0].module_path is missing"},
		{name: "half a replacement", json: `{"caddy_version":"v2","replacements":[{"old":"a"}]}`, wantErr: "replacements[0] needs both"},
		{name: "version that is an option", json: `{"caddy_version":"--with=evil"}`, wantErr: "caddy_version may not start with -"},
		{name: "version inside the path", json: `{"caddy_version":"v2","plugins":[{"module_path":"a@v1"}]}`, wantErr: "plugins[0].module_path may not"},
		{name: "replacement inside the path", json: `{"caddy_version":"v2","plugins":[{"module_path":"a","version":"v1=b"}]}`, wantErr: "plugins[0].version may not"},
		{name: "replacement inside the old path", json: `{"caddy_version":"v2","replacements":[{"old":"a=b","new":"."}]}`, wantErr: "replacements[0].old may not"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rc, err := readRecipe(strings.NewReader(tt.json))
			if tt.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wantErr) {
					t.Fatalf("error %v, want one with %q", err, tt.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := rc.args("/out/caddy"); !slices.Equal(got, tt.args) {
				t.Errorf("args\n%q, want\n%q", got, tt.args)
			}
			if got := rc.env(); !slices.Equal(got, tt.env) {
				t.Errorf("env\n%q, want\n%q", got, tt.env)
			}
		})
	}
}
