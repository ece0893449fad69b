package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// throughputTarget is the part of the baseline's throughput that the product must reach: what the bridge checks may cost.
const throughputTarget = 0.5

// throughput measures calls of a known plugin beside a baseline that sends the same requests and checks nothing. The two
// take turns in each round, and the ratio is of one turn each, so that what changes on the machine meets both.
func (b *bench) throughput(ctx context.Context) ([]figure, error) {
	l, err := b.lab(ctx, "throughput", largePlugin(0))
	if err != nil {
		return nil, err
	}
	defer l.close()
	product, plain := readCall(pluginSlug(0)), callOf(baselineTool, `{}`)
	if err := l.warm(ctx, true, always(product)); err != nil {
		return nil, err
	}
	var figures []figure
	for _, callers := range []int{1, b.effort.crowd} {
		var ours, theirs, ratio, ourCost, theirCost []float64
		for range b.effort.rounds {
			o, err := b.turn(ctx, l, l.client, product, callers)
			if err != nil {
				return nil, err
			}
			t, err := b.turn(ctx, l, l.baseline, plain, callers)
			if err != nil {
				return nil, err
			}
			ours, theirs, ratio = append(ours, o.perSecond), append(theirs, t.perSecond), append(ratio, o.perSecond/t.perSecond)
			ourCost, theirCost = append(ourCost, o.cost), append(theirCost, t.cost)
		}
		with := fmt.Sprintf("with %d at a time", callers)
		figures = append(figures,
			figure{Name: "calls " + with, Unit: "/s", Rounds: ours},
			figure{Name: "baseline " + with, Unit: "/s", Rounds: theirs},
			figure{Name: "ratio " + with, Unit: "", Rounds: ratio, Target: &target{atLeast, throughputTarget}},
			figure{Name: "server's processor time for a call " + with, Unit: "ms", Rounds: ourCost},
			figure{Name: "server's processor time for the baseline " + with, Unit: "ms", Rounds: theirCost})
	}
	return figures, nil
}

// turnRun is what one turn came to.
type turnRun struct {
	perSecond float64 // calls
	cost      float64 // processor time of the server for each call, in milliseconds
}

// turn counts calls by a number of callers for the effort's time. A call that is begun is waited for.
func (b *bench) turn(ctx context.Context, l *lab, c *client, m message, callers int) (run turnRun, err error) {
	if _, err := c.succeed(ctx, m); err != nil { // the connection, and what is made on first use
		return run, err
	}
	if _, err := l.requests(); err != nil {
		return run, err
	}
	var before, after time.Duration
	if err := l.server.ask(askProcessor, &before); err != nil {
		return run, err
	}
	var calls atomic.Int64
	var g errgroup.Group
	begin := time.Now()
	for range callers {
		g.Go(func() error {
			for time.Since(begin) < b.effort.window {
				if _, err := c.succeed(ctx, m); err != nil {
					return err
				}
				calls.Add(1)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return run, err
	}
	elapsed := time.Since(begin)
	if err := l.server.ask(askProcessor, &after); err != nil {
		return run, err
	}
	n := float64(calls.Load())
	return turnRun{n / elapsed.Seconds(), milliseconds(after-before) / n}, l.expectRequests(callRequests * calls.Load())
}
