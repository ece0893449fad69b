package main

import (
	"strings"
	"testing"
)

func TestVerdict(t *testing.T) {
	most, least := &target{atMost, 20}, &target{atLeast, 0.5}
	tests := []struct {
		name   string
		rounds []float64
		target *target
		want   verdict
	}{
		{"no target", []float64{1, 2}, nil, noTarget},
		{"no rounds", nil, most, noTarget},
		{"every round at most", []float64{1, 20, 3}, most, met},
		{"every round meets it, whatever the spread", []float64{1, 19}, most, met},
		{"every round over", []float64{21, 20.1, 300}, most, missed},
		{"one round over", []float64{1, 2, 3, 4, 21}, most, undecided},
		{"one round under", []float64{21, 22, 23, 24, 20}, most, undecided},
		{"every round at least", []float64{0.5, 0.9}, least, met},
		{"every round under", []float64{0.49, 0.1}, least, missed},
		{"some under", []float64{0.49, 0.51}, least, undecided},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := (figure{Rounds: tt.rounds, Target: tt.target}).verdict(); got != tt.want {
				t.Errorf("the verdict is %q, want %q", got, tt.want)
			}
		})
	}
}

func TestRow(t *testing.T) {
	tests := []struct {
		name   string
		figure figure
		want   string
	}{
		{"a single value", figure{Name: "p99", Unit: "ms", Rounds: []float64{8.734}}, "s|p99|8.73 ms||||"},
		{"steady", figure{Name: "p50", Unit: "ms", Rounds: []float64{105, 104, 106}}, "s|p50|105 ms|104–106|2 %||"},
		{"wide", figure{Name: "p50", Unit: "ms", Rounds: []float64{3, 2, 4}}, "s|p50|3.00 ms|2.00–4.00|67 % inconclusive||"},
		{
			"just not too wide", figure{Name: "p50", Unit: "ms", Rounds: []float64{100, 95, 110}, Target: &target{atMost, 99}},
			"s|p50|100 ms|95.0–110|15 %|at most 99.0|inconclusive",
		},
		{"without a unit", figure{Name: "ratio", Rounds: []float64{0.25}, Target: &target{atLeast, 0.5}}, "s|ratio|0.25|||at least 0.50|MISSED"},
		{"nothing at all", figure{Name: "growth", Unit: "MiB", Rounds: []float64{0, 0}, Target: &target{atMost, 96}}, "s|growth|0 MiB|0–0|0 %|at most 96.0|met"},
		{"below zero", figure{Name: "own", Unit: "ms", Rounds: []float64{-12.34}}, "s|own|-12.3 ms||||"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.Join(tt.figure.row("s"), "|"); got != tt.want {
				t.Errorf("the row is %q, want %q", got, tt.want)
			}
		})
	}
}
