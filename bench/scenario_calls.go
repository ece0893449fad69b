package main

import (
	"context"
	"fmt"
	"time"
)

// The requests and round trips that a call is allowed (the bridge contract's documents, and the tool's own request).
const (
	callRequests = 4 // listing, root and manifest, then the target
	knownTrips   = 2 // the three documents at once, then the target
	newTrips     = 4 // one after the other, since none is asked for on a guess
	listRequests = 3
	listTrips    = 1
	// tripSlack is by how much the measured number of round trips may exceed the true one: on a busy machine timers and
	// processes are late, more so the more of them a call waits for. One trip too many would be a whole one.
	tripSlack = 0.5
)

// largePlugin is an upstream with one plugin of the largest manifest.
func largePlugin(latency time.Duration) upstreamOptions {
	return upstreamOptions{Latency: latency, Plugins: 1, Tools: manifestTools, Bytes: manifestBytes, Items: 10}
}

// readCall calls the reading tool of a plugin.
func readCall(slug string) message {
	return callOf("plugin_call_tool", fmt.Sprintf(`{"plugin":%q,"tool":%q,"arguments":{"limit":10}}`, slug, readTool))
}

// repeated is a kind of call that is measured at several latencies of the upstream.
type repeated struct {
	name      string
	latencies []time.Duration
	calls     func(time.Duration) int // in a round
	warm      bool                    // whether calls that do not count come first
	upstream  func(time.Duration) upstreamOptions
	next      func(i int) message // the call with a number
	requests  int                 // that each call sends to NetBox
}

// latencyRun is what one latency came to, in milliseconds.
type latencyRun struct {
	latency time.Duration
	rounds  []float64 // the median of each round
	all     []float64 // every call
}

// atLatencies measures at each latency, with processes of its own for each.
func (b *bench) atLatencies(ctx context.Context, r repeated) ([]latencyRun, error) {
	var runs []latencyRun
	for _, latency := range r.latencies {
		run, err := b.atLatency(ctx, r, latency)
		if err != nil {
			return nil, fmt.Errorf("at a latency of %v: %w", latency, err)
		}
		runs = append(runs, run)
	}
	return runs, nil
}

func (b *bench) atLatency(ctx context.Context, r repeated, latency time.Duration) (latencyRun, error) {
	run := latencyRun{latency: latency}
	l, err := b.lab(ctx, label("%s %v", r.name, latency), r.upstream(latency))
	if err != nil {
		return run, err
	}
	defer l.close()
	if err := l.warm(ctx, r.warm, r.next); err != nil {
		return run, err
	}
	for range b.effort.rounds {
		round, err := l.round(ctx, r.calls(latency), func(i int) message { return r.next(len(run.all) + i) }, r.requests)
		if err != nil {
			return run, err
		}
		run.rounds, run.all = append(run.rounds, median(round)), append(run.all, round...)
	}
	return run, nil
}

// round sends calls one after the other and returns how long each took, in milliseconds. Each must succeed and send a
// number of requests.
func (l *lab) round(ctx context.Context, calls int, next func(i int) message, requests int) ([]float64, error) {
	round := make([]float64, calls)
	for i := range round {
		r, err := l.client.succeed(ctx, next(i))
		if err != nil {
			return nil, err
		}
		round[i] = milliseconds(r.elapsed)
	}
	return round, l.expectRequests(int64(calls * requests))
}

// always is the same call each time.
func always(m message) func(int) message { return func(int) message { return m } }

// warmCalls is how many calls are sent before the first that counts.
const warmCalls = 5

// warm opens the connection to the server and, if the calls are warm ones, sends some of them.
func (l *lab) warm(ctx context.Context, warm bool, next func(i int) message) error {
	if !warm {
		// Refused for its arguments, so nothing is asked of NetBox.
		if _, err := l.client.call(ctx, callOf("plugin_call_tool", `{}`)); err != nil {
			return err
		}
		return l.expectRequests(0)
	}
	for i := range warmCalls {
		if _, err := l.client.succeed(ctx, next(i)); err != nil {
			return err
		}
	}
	_, err := l.requests()
	return err
}

// tripFigures are the medians, the own times and the number of round trips of some runs. The own time is what is left of a call
// when the upstream's latency is taken away as often as trips are allowed.
func tripFigures(runs []latencyRun, trips int) (figures []figure) {
	for _, r := range runs {
		at := fmt.Sprintf("at %d ms", r.latency.Milliseconds())
		own := make([]float64, len(r.rounds))
		for i, round := range r.rounds {
			own[i] = round - float64(trips)*milliseconds(r.latency)
		}
		figures = append(figures, figure{Name: "p50 " + at, Unit: "ms", Rounds: r.rounds})
		if r.latency > 0 {
			figures = append(figures, figure{Name: fmt.Sprintf("own time %s (p50 − %d ms)", at, int64(trips)*r.latency.Milliseconds()), Unit: "ms", Rounds: own})
		}
		figures = append(figures, figure{Name: fmt.Sprintf("p99 %s of %d calls", at, len(r.all)), Unit: "ms", Rounds: []float64{percentile(r.all, 99)}})
	}
	first, last := runs[0], runs[len(runs)-1]
	if first.latency == last.latency {
		return figures
	}
	slope := make([]float64, len(last.rounds))
	for i := range slope {
		slope[i] = (last.rounds[i] - first.rounds[i]) / milliseconds(last.latency-first.latency)
	}
	return append(figures, figure{
		Name: fmt.Sprintf("round trips (growth of p50 from %d to %d ms)", first.latency.Milliseconds(), last.latency.Milliseconds()),
		Unit: "", Rounds: slope, Target: &target{atMost, float64(trips) + tripSlack},
	})
}

// knownCall measures calls of a plugin that this process has seen before.
func (b *bench) knownCall(ctx context.Context) ([]figure, error) {
	runs, err := b.atLatencies(ctx, repeated{
		name: "call known", latencies: b.effort.latencies, calls: b.effort.callsAt, warm: true,
		upstream: largePlugin, next: always(readCall(pluginSlug(0))), requests: callRequests,
	})
	if err != nil {
		return nil, err
	}
	return tripFigures(runs, knownTrips), nil
}

// newCall measures the first call of each of many plugins; nothing is known of them, and none of their schemas is compiled.
func (b *bench) newCall(ctx context.Context) ([]figure, error) {
	runs, err := b.atLatencies(ctx, repeated{
		name: "call new", latencies: b.effort.ends(), calls: func(time.Duration) int { return b.effort.plugins / b.effort.rounds },
		upstream: func(latency time.Duration) upstreamOptions {
			o := largePlugin(latency)
			o.Plugins = b.effort.plugins
			return o
		},
		next: func(i int) message { return readCall(pluginSlug(i)) }, requests: callRequests,
	})
	if err != nil {
		return nil, err
	}
	return tripFigures(runs, newTrips), nil
}

// listKnown measures the list of the tools of one known plugin.
func (b *bench) listKnown(ctx context.Context) ([]figure, error) {
	runs, err := b.atLatencies(ctx, repeated{
		name: "list known", latencies: b.effort.ends(), calls: func(time.Duration) int { return b.effort.waits }, warm: true,
		upstream: largePlugin, next: always(callOf("plugin_list_tools", fmt.Sprintf(`{"plugin":%q}`, pluginSlug(0)))),
		requests: listRequests,
	})
	if err != nil {
		return nil, err
	}
	return tripFigures(runs, listTrips), nil
}
