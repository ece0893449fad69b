package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// scanTarget is how long a scan may take, in milliseconds, when each of its requests takes 50.
const scanTarget = 2000

// scan measures the list of the tools of all plugins, as many of both as a NetBox may have.
func (b *bench) scan(ctx context.Context) ([]figure, error) {
	var figures []figure
	for _, latency := range b.effort.ends() {
		rounds, err := b.scanAt(ctx, latency)
		if err != nil {
			return nil, fmt.Errorf("at a latency of %v: %w", latency, err)
		}
		figures = append(figures, figure{
			Name: fmt.Sprintf("%d plugins, %d tools at %d ms", b.effort.plugins, b.effort.tools, latency.Milliseconds()),
			Unit: "ms", Rounds: rounds, Target: &target{atMost, scanTarget},
		})
	}
	return figures, nil
}

func (b *bench) scanAt(ctx context.Context, latency time.Duration) ([]float64, error) {
	each := b.effort.tools / b.effort.plugins
	l, err := b.lab(ctx, label("scan %v", latency), upstreamOptions{
		Latency: latency, Plugins: b.effort.plugins, Tools: each, Bytes: each << 10, Items: 1,
	})
	if err != nil {
		return nil, err
	}
	defer l.close()
	all := callOf("plugin_list_tools", `{}`)
	first, err := l.client.succeed(ctx, all)
	if err != nil {
		return nil, err
	}
	if err := b.checkScan(first.text); err != nil {
		return nil, err
	}
	if _, err := l.requests(); err != nil {
		return nil, err
	}
	var rounds []float64
	for range b.effort.rounds {
		round, err := l.round(ctx, b.effort.scans, always(all), 1+2*b.effort.plugins)
		if err != nil {
			return nil, err
		}
		rounds = append(rounds, median(round))
	}
	return rounds, nil
}

// checkScan reads a listing: a scan that found less is quicker.
func (b *bench) checkScan(text string) error {
	var listing struct{ Tools, Problems []json.RawMessage }
	if err := json.Unmarshal([]byte(text), &listing); err != nil {
		return fmt.Errorf("reading the listing: %w", err)
	}
	if len(listing.Tools) != b.effort.tools || len(listing.Problems) != 0 {
		return fmt.Errorf("the scan found %d tools and %d problems, want %d and none", len(listing.Tools), len(listing.Problems), b.effort.tools)
	}
	return nil
}
