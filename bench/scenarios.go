package main

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
)

// effort is how much is measured.
type effort struct {
	rounds int
	calls  int // of one kind in a round, where nothing is waited for
	waits  int // of one kind in a round, where each waits for a slow upstream
	scans  int // in a round

	latencies []time.Duration // of the upstream, ascending

	plugins     int // in a scan
	tools       int // of them together
	validations int // of one shape in a round

	callers  int           // with a hostile answer each
	bombSize int           // of one such answer, decompressed
	hold     time.Duration // how long it pauses just under its limit

	window time.Duration // in which calls are counted for a throughput
	crowd  int           // calls in progress for the second throughput
}

// fullEffort is what the published figures are measured with.
func fullEffort() effort {
	return effort{
		rounds: minRounds, calls: 200, waits: 40, scans: 2,
		latencies: []time.Duration{0, 20 * time.Millisecond, 50 * time.Millisecond},
		plugins:   128, tools: 512, validations: 15,
		callers: maxCallers, bombSize: 64 << 20, hold: 300 * time.Millisecond,
		window: 2 * time.Second, crowd: 16,
	}
}

// callsAt is how many calls a round has at a latency.
func (e effort) callsAt(latency time.Duration) int {
	if latency == 0 {
		return e.calls
	}
	return e.waits
}

// ends are the lowest and the highest latency.
func (e effort) ends() []time.Duration {
	return slices.Compact([]time.Duration{e.latencies[0], e.latencies[len(e.latencies)-1]})
}

// scenario is one thing to measure.
type scenario struct {
	name string
	run  func(b *bench, ctx context.Context) ([]figure, error)
}

// scenarios are all of them in the order in which they run.
func scenarios() []scenario {
	return []scenario{
		{"call of a known plugin", (*bench).knownCall},
		{"call of a new plugin", (*bench).newCall},
		{"list of a known plugin", (*bench).listKnown},
		{"scan", (*bench).scan},
		{"validation", (*bench).validation},
		{"dry run", (*bench).dryRun},
		{"bomb", (*bench).bombs},
		{"largest answer", (*bench).largestAnswers},
		{"throughput", (*bench).throughput},
	}
}

// bench runs scenarios.
type bench struct {
	effort   effort
	dir      string // for the files of its processes
	profiles string // the folder for CPU profiles; "" for none
	progress io.Writer
}

// measure runs the scenarios whose names match.
func (b *bench) measure(ctx context.Context, pattern *regexp.Regexp) (*report, error) {
	r := &report{Machine: thisMachine(), LoadBefore: load()}
	var names []string
	for _, s := range scenarios() {
		names = append(names, s.name)
		if !pattern.MatchString(s.name) {
			continue
		}
		b.say("%s …", s.name)
		begin := time.Now()
		figures, err := s.run(b, ctx)
		if err != nil {
			return nil, fmt.Errorf("scenario %q: %w", s.name, err)
		}
		b.say("%s: %.0f s", s.name, time.Since(begin).Seconds())
		r.add(s.name, figures)
	}
	if len(r.Figures) == 0 {
		return nil, fmt.Errorf("no scenario matches %.200q; there are: %s", pattern.String(), strings.Join(names, ", "))
	}
	r.LoadAfter = load()
	return r, nil
}

// say tells about progress; nobody relies on it, so nothing is made of a failure.
func (b *bench) say(format string, values ...any) {
	_, _ = fmt.Fprintf(b.progress, format+"\n", values...)
}

// milliseconds is a duration as the unit of most figures.
func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// label is a text as part of a file's name.
func label(text string, values ...any) string {
	return strings.NewReplacer(" ", "-", "/", "-", ",", "").Replace(fmt.Sprintf(text, values...))
}
