package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// recipe is what xcaddy.json may say: the members of xcaddy's Builder that its command line can be told about.
type recipe struct {
	CaddyVersion string        `json:"caddy_version"`
	Plugins      []plugin      `json:"plugins"`
	Replacements []replacement `json:"replacements"`
	BuildFlags   string        `json:"build_flags"`
	ModFlags     string        `json:"mod_flags"`
	RaceDetector bool          `json:"race_detector"`
	SkipBuild    bool          `json:"skip_build"`
	Debug        bool          `json:"debug"`
}

// plugin is a package to build in. An empty version means the newest, or the replacement's where there is one.
type plugin struct {
	ModulePath string `json:"module_path"`
	Version    string `json:"version"`
}

// replacement is a replace directive for the module that xcaddy makes up.
type replacement struct {
	Old string `json:"old"`
	New string `json:"new"`
}

// readRecipe reads one JSON object and refuses everything it does not know.
func readRecipe(r io.Reader) (recipe, error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	var rc recipe
	if err := d.Decode(&rc); err != nil {
		return recipe{}, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return recipe{}, errors.New("something follows the JSON object: remove it")
	}
	return rc, rc.check()
}

func (rc recipe) check() error {
	// Without a version xcaddy takes the newest Caddy: another one than go.mod's, which the tests have seen.
	if rc.CaddyVersion == "" {
		return errors.New("caddy_version is missing: give the one in go.mod")
	}
	words := map[string]string{"caddy_version": rc.CaddyVersion}
	for i, p := range rc.Plugins {
		if p.ModulePath == "" {
			return fmt.Errorf("plugins[%d].module_path is missing", i)
		}
		words[fmt.Sprintf("plugins[%d].module_path", i)] = p.ModulePath
		words[fmt.Sprintf("plugins[%d].version", i)] = p.Version
	}
	for i, r := range rc.Replacements {
		if r.Old == "" || r.New == "" {
			return fmt.Errorf("replacements[%d] needs both old and new", i)
		}
		words[fmt.Sprintf("replacements[%d].old", i)] = r.Old
	}
	for member, word := range words {
		// xcaddy splits its arguments at @ and =, and takes one that starts with - as an option.
		if strings.HasPrefix(word, "-") || strings.ContainsAny(word, "@= \t\r\n") {
			return fmt.Errorf("%s may not start with - or hold @, = or blanks", member)
		}
	}
	return nil
}

// args are the arguments of the xcaddy command. Paths in replacements stay as they are: xcaddy reads those that start
// with a dot from its working directory.
func (rc recipe) args(output string) []string {
	args := []string{"build", rc.CaddyVersion, "--output", output}
	for _, p := range rc.Plugins {
		with := p.ModulePath
		if p.Version != "" {
			with += "@" + p.Version
		}
		args = append(args, "--with", with)
	}
	for _, r := range rc.Replacements {
		args = append(args, "--replace", r.Old+"="+r.New)
	}
	return args
}

// env is what the xcaddy command reads from the environment only, as name=value. Every variable is set, also where
// the file is silent, so that none of the caller's environment changes the build.
func (rc recipe) env() []string {
	return []string{
		"XCADDY_GO_BUILD_FLAGS=" + rc.BuildFlags,
		"XCADDY_GO_MOD_FLAGS=" + rc.ModFlags,
		"XCADDY_RACE_DETECTOR=" + flag01(rc.RaceDetector),
		"XCADDY_SKIP_BUILD=" + flag01(rc.SkipBuild),
		"XCADDY_DEBUG=" + flag01(rc.Debug),
	}
}

func flag01(on bool) string {
	if on {
		return "1"
	}
	return "0"
}
