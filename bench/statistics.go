package main

import (
	"math"
	"slices"
)

// maxSpread is the spread over which a figure is called inconclusive.
const maxSpread = 0.15

// median is the middle of some values, or the mean of the two in the middle; NaN of none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// spread is the distance between the highest and the lowest value in parts of the median: 0.15 is 15 %. It is 0 for fewer
// than two values, and 1 for a median of 0 with any distance.
func spread(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	distance, middle := slices.Max(values)-slices.Min(values), math.Abs(median(values))
	switch {
	case distance == 0:
		return 0
	case middle == 0:
		return 1
	}
	return distance / middle
}

// percentile is the smallest of the values that at least p per cent of them do not exceed (the nearest-rank method): a
// value that was measured, never one between two. NaN of none.
func percentile(values []float64, p float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	rank := int(math.Ceil(p / 100 * float64(len(sorted))))
	return sorted[min(max(rank, 1), len(sorted))-1]
}
