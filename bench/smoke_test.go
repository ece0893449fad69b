package main

import (
	"bytes"
	"errors"
	"flag"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestMain lets the test binary be the upstream and the server too.
func TestMain(m *testing.M) {
	if playRole() {
		return
	}
	os.Exit(m.Run())
}

// tinyEffort is enough to see that every scenario runs; its figures say nothing.
func tinyEffort() effort {
	return effort{
		rounds: 2, calls: 2, waits: 2, scans: 1, latencies: []time.Duration{2 * time.Millisecond},
		plugins: 4, tools: 12, validations: 1, callers: 6, bombSize: 4 << 20, hold: 20 * time.Millisecond,
		window: 50 * time.Millisecond, crowd: 2,
	}
}

// TestScenarios runs all of them with the smallest sizes, processes and all.
func TestScenarios(t *testing.T) {
	var progress bytes.Buffer
	b := &bench{effort: tinyEffort(), dir: t.TempDir(), progress: &progress}
	r, err := b.measure(t.Context(), regexp.MustCompile(""))
	if err != nil {
		t.Fatalf("%v\n%s", err, &progress)
	}
	found := make(map[string]int)
	for _, f := range r.Figures {
		found[f.Scenario]++
		if math.IsNaN(f.Median) || f.Median < 0 || len(f.Rounds) != 1 && len(f.Rounds) != b.effort.rounds {
			t.Errorf("%s, %s: median %v of %d rounds", f.Scenario, f.Name, f.Median, len(f.Rounds))
		}
	}
	want := map[string]int{
		"call of a known plugin": 3, "call of a new plugin": 3, "list of a known plugin": 3, "scan": 1, "validation": len(shapes()),
		"dry run": 3, "throughput": 10,
	}
	for _, s := range scenarios() {
		if found[s.name] == 0 || want[s.name] != 0 && found[s.name] != want[s.name] {
			t.Errorf("scenario %q has %d figures, want %d", s.name, found[s.name], want[s.name])
		}
	}
}

// TestWrongFigures: a scenario whose calls do something else is an error, not a figure.
func TestWrongFigures(t *testing.T) {
	b := &bench{effort: tinyEffort(), dir: t.TempDir()}
	l, err := b.lab(t.Context(), "test", largePlugin(0))
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	if _, err := l.round(t.Context(), 1, always(readCall("no-such-plugin")), 1); err == nil || !strings.Contains(err.Error(), "not_advertised") {
		t.Errorf("a failed call: %v", err)
	}
	if _, err := l.requests(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.round(t.Context(), 1, always(readCall(pluginSlug(0))), 3); err == nil || !strings.Contains(err.Error(), "4 requests reached the upstream, want 3") {
		t.Errorf("one request too many: %v", err)
	}
	if err := b.checkScan(`{"tools":[{}],"problems":[]}`); err == nil || !strings.Contains(err.Error(), "1 tools") {
		t.Errorf("a scan that found too little: %v", err)
	}
	if r, err := l.client.call(t.Context(), readCall("no-such-plugin")); err != nil || !r.failed {
		t.Errorf("%+v, %v", r, err)
	} else if code, _ := r.code(); code != "not_advertised" {
		t.Errorf("code %q", code)
	}
}

func TestArguments(t *testing.T) {
	tests := []struct {
		name string
		args []string
		want string
	}{
		{"too few rounds", []string{"-rounds", "4"}, "fewer than 5"},
		{"no such scenario", []string{"-run", "^nothing$"}, `no scenario matches "^nothing$"; there are: call of a known plugin, call of a new plugin`},
		{"bad pattern", []string{"-run", "("}, "-run: error parsing regexp"},
		{"an argument too many", []string{"scan"}, `unexpected argument "scan"`},
		{"unknown flag", []string{"-no-such-flag"}, "flag provided but not defined"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out, progress bytes.Buffer
			if _, err := run(t.Context(), tt.args, &out, &progress); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if out.Len() > 0 {
				t.Errorf("it printed %q", &out)
			}
		})
	}
	var out, progress bytes.Buffer
	if _, err := run(t.Context(), []string{"-h"}, &out, &progress); !errors.Is(err, flag.ErrHelp) || !strings.Contains(progress.String(), "-targets") {
		t.Errorf("%v, %s", err, &progress)
	}
}
