package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// bound is the direction of a target.
type bound string

const (
	atMost  bound = "at most"
	atLeast bound = "at least"
)

// target is what a figure must be.
type target struct {
	Bound bound   `json:"bound"`
	Value float64 `json:"value"`
}

func (t target) met(value float64) bool {
	if t.Bound == atLeast {
		return value >= t.Value
	}
	return value <= t.Value
}

// verdict is how a figure stands to its target.
type verdict string

const (
	noTarget verdict = ""
	met      verdict = "met"
	missed   verdict = "MISSED"
	// undecided is a figure some of whose rounds meet the target and some do not.
	undecided verdict = "inconclusive"
)

// figure is one measured quantity: a value for each round, or a single one over the calls of all rounds.
type figure struct {
	Name   string
	Unit   string
	Rounds []float64
	Target *target
}

// verdict compares every round with the target, so what happens in one round alone decides nothing.
func (f figure) verdict() verdict {
	if f.Target == nil || len(f.Rounds) == 0 {
		return noTarget
	}
	n := 0
	for _, value := range f.Rounds {
		if f.Target.met(value) {
			n++
		}
	}
	switch n {
	case len(f.Rounds):
		return met
	case 0:
		return missed
	}
	return undecided
}

// number writes a value with three significant digits, or as many as its integer part has.
func number(value float64) string {
	switch size := math.Abs(value); {
	case size >= 100 || size == 0:
		return fmt.Sprintf("%.0f", value)
	case size >= 10:
		return fmt.Sprintf("%.1f", value)
	}
	return fmt.Sprintf("%.2f", value)
}

// row is the figure as cells of the table.
func (f figure) row(scenario string) []string {
	row := []string{scenario, f.Name, strings.TrimSpace(number(median(f.Rounds)) + " " + f.Unit), "", "", "", string(f.verdict())}
	if len(f.Rounds) > 1 {
		row[3] = number(slices.Min(f.Rounds)) + "–" + number(slices.Max(f.Rounds))
		part := spread(f.Rounds)
		row[4] = fmt.Sprintf("%.0f %%", part*100)
		if part > maxSpread {
			row[4] += " inconclusive"
		}
	}
	if f.Target != nil {
		row[5] = string(f.Target.Bound) + " " + number(f.Target.Value)
	}
	return row
}
