package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// machine is where the figures were measured.
type machine struct {
	Date       string `json:"date"`
	System     string `json:"system"`
	Processor  string `json:"processor,omitempty"`
	Processors int    `json:"processors"`
	Go         string `json:"go"`
}

// thisMachine describes this machine without its name.
func thisMachine() machine {
	return machine{
		Date: time.Now().UTC().Format(time.DateOnly), System: runtime.GOOS + "/" + runtime.GOARCH, Processor: processor(),
		Processors: runtime.NumCPU(), Go: runtime.Version(),
	}
}

// processor is the model of the processor, where Linux tells it.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// busyLoad is the load for each processor over which a machine is called busy.
const busyLoad = 0.5

// busy reports whether other work was running before this program did any.
func (r *report) busy() bool {
	load, err := strconv.ParseFloat(r.LoadBefore, 64)
	return err == nil && load > busyLoad*float64(r.Machine.Processors)
}

// load is the load average of the last minute, where Linux tells it: how many threads wanted a processor.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

// reported is a figure of a report.
type reported struct {
	Scenario string    `json:"scenario"`
	Name     string    `json:"name"`
	Unit     string    `json:"unit"`
	Median   float64   `json:"median"`
	Spread   float64   `json:"spread"`
	Rounds   []float64 `json:"rounds"`
	Target   *target   `json:"target,omitempty"`
	Verdict  verdict   `json:"verdict,omitempty"`

	row []string
}

// report is what a run found.
type report struct {
	Machine    machine    `json:"machine"`
	LoadBefore string     `json:"load_before,omitempty"`
	LoadAfter  string     `json:"load_after,omitempty"`
	Figures    []reported `json:"figures"`
}

func (r *report) add(scenario string, figures []figure) {
	for _, f := range figures {
		r.Figures = append(r.Figures, reported{
			scenario, f.Name, f.Unit, median(f.Rounds), spread(f.Rounds), f.Rounds, f.Target, f.verdict(), f.row(scenario),
		})
	}
}

// missed reports whether a target was missed in every round.
func (r *report) missed() bool {
	for _, f := range r.Figures {
		if f.Verdict == missed {
			return true
		}
	}
	return false
}

func (r *report) writeJSON(out io.Writer) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// writeTable writes the report for people, as a table of Markdown.
func (r *report) writeTable(out io.Writer) error {
	m := r.Machine
	var text strings.Builder
	fmt.Fprintf(&text, "%s, %s, %d processors", m.Date, m.System, m.Processors)
	if m.Processor != "" {
		fmt.Fprintf(&text, " (%s)", m.Processor)
	}
	fmt.Fprintf(&text, ", %s", m.Go)
	if r.LoadBefore != "" {
		fmt.Fprintf(&text, "; load %s before, %s after", r.LoadBefore, r.LoadAfter)
	}
	text.WriteString("\n\n")
	if r.busy() {
		text.WriteString("Other work was running when this began: times are longer than on a machine of its own, and ratios are less certain.\n\n")
	}
	rows := [][]string{{"Scenario", "Figure", "Median", "Lowest–highest", "Spread", "Target", "Verdict"}}
	rows = append(rows, []string{"---", "---", "---:", "---:", "---:", "---:", "---"})
	for _, f := range r.Figures {
		rows = append(rows, f.row)
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		for i, cell := range row {
			fmt.Fprintf(&text, "| %s%s ", cell, strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)))
		}
		text.WriteString("|\n")
	}
	if _, err := io.WriteString(out, text.String()); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}
