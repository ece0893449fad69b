package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func testReport(target *target) *report {
	r := &report{
		Machine:    machine{Date: "2026-01-02", System: "linux/amd64", Processor: "Example", Processors: 4, Go: "go1.26"},
		LoadBefore: "0.10", LoadAfter: "2.00",
	}
	r.add("first", []figure{{Name: "p50 − 100 ms", Unit: "ms", Rounds: []float64{1, 2, 3}}})
	r.add("second", []figure{{Name: "growth", Unit: "MiB", Rounds: []float64{10, 10}, Target: target}})
	return r
}

func TestTable(t *testing.T) {
	var out bytes.Buffer
	if err := testReport(&target{atMost, 96}).writeTable(&out); err != nil {
		t.Fatal(err)
	}
	want := `2026-01-02, linux/amd64, 4 processors (Example), go1.26; load 0.10 before, 2.00 after

| Scenario | Figure       | Median   | Lowest–highest | Spread             | Target       | Verdict |
| ---      | ---          | ---:     | ---:           | ---:               | ---:         | ---     |
| first    | p50 − 100 ms | 2.00 ms  | 1.00–3.00      | 100 % inconclusive |              |         |
| second   | growth       | 10.0 MiB | 10.0–10.0      | 0 %                | at most 96.0 | met     |
`
	if got := out.String(); got != want {
		t.Errorf("the table is\n%s\nwant\n%s", got, want)
	}
}

func TestBusy(t *testing.T) {
	for load, want := range map[string]bool{"0.10": false, "2.00": false, "2.01": true, "17.00": true, "": false} {
		r := testReport(nil)
		r.LoadBefore = load
		var out bytes.Buffer
		if err := r.writeTable(&out); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), "Other work was running"); got != want {
			t.Errorf("load %q on 4 processors: told of other work: %v, want %v", load, got, want)
		}
	}
}

func TestJSON(t *testing.T) {
	var out bytes.Buffer
	if err := testReport(&target{atMost, 9}).writeJSON(&out); err != nil {
		t.Fatal(err)
	}
	var got report
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	f := got.Figures[1]
	if got.Machine.Processors != 4 || f.Scenario != "second" || f.Median != 10 || f.Spread != 0 || len(f.Rounds) != 2 || *f.Target != (target{atMost, 9}) || f.Verdict != missed {
		t.Errorf("read back: %+v", got)
	}
}

func TestMissed(t *testing.T) {
	for name, tt := range map[string]struct {
		target *target
		want   bool
	}{"none": {nil, false}, "met": {&target{atMost, 10}, false}, "missed": {&target{atMost, 9}, true}} {
		if got := testReport(tt.target).missed(); got != tt.want {
			t.Errorf("%s: missed is %v, want %v", name, got, tt.want)
		}
	}
}

func TestTripFigures(t *testing.T) {
	runs := []latencyRun{
		{latency: 0, rounds: []float64{3, 4}, all: []float64{3, 3, 4, 90}},
		{latency: 50 * time.Millisecond, rounds: []float64{105, 154}, all: []float64{105, 154}},
	}
	var got []string
	for _, f := range tripFigures(runs, 2) {
		got = append(got, strings.Join(f.row(""), "|"))
	}
	want := []string{
		"|p50 at 0 ms|3.50 ms|3.00–4.00|29 % inconclusive||",
		"|p99 at 0 ms of 4 calls|90.0 ms||||",
		"|p50 at 50 ms|130 ms|105–154|38 % inconclusive||",
		"|own time at 50 ms (p50 − 100 ms)|29.5 ms|5.00–54.0|166 % inconclusive||",
		"|p99 at 50 ms of 2 calls|154 ms||||",
		"|round trips (growth of p50 from 0 to 50 ms)|2.52|2.04–3.00|38 % inconclusive|at most 2.50|inconclusive",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the figures are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if n := len(tripFigures(runs[:1], 2)); n != 2 {
		t.Errorf("one latency gives %d figures, want p50 and p99: there is no growth", n)
	}
}
