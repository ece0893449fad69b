package main

import (
	"math"
	"testing"
)

func TestStatistics(t *testing.T) {
	tests := []struct {
		name                          string
		values                        []float64
		median, spread, fifty, ninety float64
	}{
		{"one", []float64{7}, 7, 0, 7, 7},
		{"two", []float64{4, 2}, 3, 2. / 3, 2, 4},
		{"odd, out of order", []float64{5, 1, 3, 2, 4}, 3, 4. / 3, 3, 5},
		{"ten", []float64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 5.5, 9 / 5.5, 5, 9},
		{"all the same", []float64{2, 2, 2}, 2, 0, 2, 2},
		{"below zero", []float64{-2, -4, -3}, -3, 2. / 3, -3, -2},
		{"around zero", []float64{-1, 0, 1}, 0, 1, 0, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := append([]float64(nil), tt.values...)
			got := []float64{median(tt.values), spread(tt.values), percentile(tt.values, 50), percentile(tt.values, 90)}
			for i, want := range []float64{tt.median, tt.spread, tt.fifty, tt.ninety} {
				if math.Abs(got[i]-want) > 1e-12 {
					t.Errorf("%s is %v, want %v", []string{"the median", "the spread", "p50", "p90"}[i], got[i], want)
				}
			}
			for i := range before {
				if before[i] != tt.values[i] {
					t.Fatalf("the values are now %v, want %v", tt.values, before)
				}
			}
		})
	}
	if !math.IsNaN(median(nil)) || !math.IsNaN(percentile(nil, 99)) || spread(nil) != 0 {
		t.Error("no values have a median, a percentile or a spread")
	}
	if got := percentile([]float64{1, 2, 3}, 0); got != 1 {
		t.Errorf("p0 is %v, want the smallest", got)
	}
}
