package main

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"caddy-netbox-mcp/bridge/manifest"
)

// memoryTarget is by how many MiB heap and stacks may grow over idle.
const memoryTarget = 96

// mebibytes is a number of bytes as the unit of the figures of memory.
func mebibytes(bytes uint64) float64 { return float64(bytes) / (1 << 20) }

// bombs measures the memory of the server while as many calls as it admits each read a bomb.
func (b *bench) bombs(ctx context.Context) (figures []figure, err error) {
	for _, place := range []string{inListing, inAnswer} {
		for _, coding := range []string{"gzip", "zstd"} {
			o := largePlugin(0)
			o.Bomb = &bombOptions{Place: place, Coding: coding, Size: b.effort.bombSize, Hold: b.effort.hold}
			more, err := b.grow(ctx, fmt.Sprintf("%d × %s, %s", b.effort.callers, coding, place), o, func(r result) error {
				if code, limit := r.code(); code != "limit_exceeded" {
					return fmt.Errorf("a call came to %q %q, want limit_exceeded: %.300s", code, limit, r.text)
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
			figures = append(figures, more...)
		}
	}
	return figures, nil
}

// largestAnswers measures the memory of the server while as many calls as it admits each get the largest answer that is
// allowed. No target is set for it; it shows what honest load takes.
func (b *bench) largestAnswers(ctx context.Context) ([]figure, error) {
	o := largePlugin(0)
	o.Items = largestItems()
	figures, err := b.grow(ctx, fmt.Sprintf("%d × %d KiB", b.effort.callers, len(itemsOf(o.Items))>>10), o, func(r result) error {
		if r.failed {
			return fmt.Errorf("a call failed: %.300s", r.text)
		}
		return nil
	})
	for i := range figures {
		figures[i].Target = nil
	}
	return figures, err
}

// largestItems is how many items the largest answer has, to within ten.
func largestItems() int {
	items := 10
	for len(itemsOf(items+10)) <= manifest.MaxInstanceBytes {
		items += 10
	}
	return items
}

// grow measures by how much the server's memory grows in rounds of simultaneous calls of the reading tool, each of which
// must come to what check wants. Idle is a server that has started and served nothing.
func (b *bench) grow(ctx context.Context, name string, o upstreamOptions, check func(result) error) ([]figure, error) {
	l, err := b.lab(ctx, label("memory %s", name), o)
	if err != nil {
		return nil, err
	}
	defer l.close()
	idle, err := l.memory(askIdle)
	if err != nil {
		return nil, err
	}
	call := readCall(pluginSlug(0))
	var growth []float64
	var last memory
	for range b.effort.rounds {
		// Each round begins without the garbage of the one before, but with what the server keeps.
		if _, err := l.memory(askIdle); err != nil {
			return nil, err
		}
		var ok bool
		if err := l.server.ask(askWatch, &ok); err != nil {
			return nil, err
		}
		var callers errgroup.Group
		for range b.effort.callers {
			callers.Go(func() error {
				r, err := l.client.call(ctx, call)
				if err != nil {
					return err
				}
				return check(r)
			})
		}
		failed := callers.Wait()
		if last, err = l.memory(askPeak); err != nil {
			return nil, err
		}
		if failed != nil {
			return nil, failed
		}
		if last.Samples < 2 {
			return nil, fmt.Errorf("the peak was looked at %d times: the machine is too busy to tell it", last.Samples)
		}
		growth = append(growth, max(0, mebibytes(last.Go)-mebibytes(idle.Go)))
	}
	figures := []figure{{Name: name + ": growth of heap and stacks", Unit: "MiB", Rounds: growth, Target: &target{atMost, memoryTarget}}}
	if last.PeakResident > 0 {
		figures = append(figures, figure{
			Name: fmt.Sprintf("%s: peak resident memory (idle: %.0f MiB)", name, mebibytes(idle.Resident)),
			Unit: "MiB", Rounds: []float64{mebibytes(last.PeakResident)},
		})
	}
	return figures, nil
}
