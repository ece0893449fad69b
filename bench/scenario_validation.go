package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/strictjson"
)

// validationTarget is how long reading and judging the arguments of one call may take, in milliseconds of processor time.
const validationTarget = 20

// validation measures, in this process, what the arguments of one call cost from text to verdict: processor time, because
// that is what they take from everybody else, and because it says something on a busy machine too.
func (b *bench) validation(ctx context.Context) ([]figure, error) {
	var figures []figure
	for _, s := range shapes() {
		tool, text, err := s.prepare()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		var rounds []float64
		for range b.effort.rounds {
			round, err := judgeOften(ctx, tool, text, b.effort.validations)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.name, err)
			}
			rounds = append(rounds, median(round))
		}
		figures = append(figures, figure{
			Name: fmt.Sprintf("%s, %d KiB: processor time", s.name, len(text)>>10), Unit: "ms", Rounds: rounds,
			Target: &target{atMost, validationTarget},
		})
	}
	return figures, nil
}

// judgeOften judges the same arguments several times and returns what each time cost, in milliseconds. What takes over a
// second misses its target by so much that once is enough.
func judgeOften(ctx context.Context, tool manifest.Tool, text []byte, times int) ([]float64, error) {
	var costs []float64
	for range times {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		begin := processorTime()
		if err := judge(tool, text); err != nil {
			return nil, err
		}
		cost := processorTime() - begin
		costs = append(costs, milliseconds(cost))
		if cost > time.Second {
			break
		}
	}
	return costs, nil
}

// prepare makes a tool with the shape's schema and arguments of the shape.
func (s shape) prepare() (manifest.Tool, []byte, error) {
	m, err := manifest.Parse([]byte(`{"schema_version":"1","plugin":"p","tools":[`+string(encode(
		toolOf(storeTool, "POST", "store/", "Stores.", closed(object{"v": rawJSON(s.schema)}), nil)))+`]}`), "p")
	if err != nil {
		return manifest.Tool{}, nil, err
	}
	return m.Tools[0], []byte(`{"v":` + s.value + `}`), nil
}

// judge does what the bridge does with the arguments of a call.
func judge(tool manifest.Tool, text []byte) error {
	v, err := strictjson.Parse(text, manifest.InstanceLimits())
	if err != nil {
		return err
	}
	return tool.ValidateInput(v)
}

// rawJSON is JSON text that is encoded as it is.
type rawJSON string

// MarshalJSON implements [json.Marshaler].
func (r rawJSON) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// dryRun measures calls that show their request instead of sending it, with small and with the largest arguments: what
// their size costs on the whole way, from the client's request to its answer, which repeats them.
func (b *bench) dryRun(ctx context.Context) ([]figure, error) {
	l, err := b.lab(ctx, "dry-run", largePlugin(0))
	if err != nil {
		return nil, err
	}
	defer l.close()
	call := func(data string) message {
		return callOf("plugin_call_tool", fmt.Sprintf(`{"plugin":%q,"tool":%q,"dry_run":true,"arguments":{"data":%s}}`, pluginSlug(0), storeTool, data))
	}
	kinds := []struct {
		name, data string
	}{
		{"small arguments", `"x"`},
		{"one string, 255 KiB", `"` + strings.Repeat("x", shapeBytes-2) + `"`},
		{"9,990 integers, 253 KiB", shapes()[2].value},
	}
	var figures []figure
	for _, kind := range kinds {
		m := call(kind.data)
		if err := l.warm(ctx, true, always(m)); err != nil {
			return nil, err
		}
		var rounds []float64
		for range b.effort.rounds {
			// The effect of a tool stands in its manifest, so a dry run reads that and nothing else.
			round, err := l.round(ctx, b.effort.waits, always(m), listRequests)
			if err != nil {
				return nil, err
			}
			rounds = append(rounds, median(round))
		}
		figures = append(figures, figure{Name: "p50, " + kind.name, Unit: "ms", Rounds: rounds})
	}
	return figures, nil
}
