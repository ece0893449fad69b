package endpoint

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"caddy-netbox-mcp/bridge/netboxsim"
)

// impatience is how long a request to NetBox may take that is meant to take too long, and eternity what no other one takes.
const (
	impatience = time.Second
	eternity   = 20 * time.Second
)

// settles waits until there are no more goroutines than before.
func settles(t *testing.T, before int) {
	t.Helper()
	for end := time.Now().Add(eternity); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<18)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// TestFaults has each document and each kind of tool meet each fault.
func TestFaults(t *testing.T) {
	places := []struct {
		name, pattern, tool string
		requests            int // to NetBox until the fault and with it
	}{
		{"list", "GET /api/plugins/", "look", 1},
		{"root", "GET " + exampleRoot, "look", 2},
		{"manifest", "GET " + exampleManifest, "look", 3},
		{"read", "GET /api/plugins/example/look/", "look", 4},
		{"write", "POST /api/plugins/example/store/", "store", 4},
	}
	published := manifestJSON(lookTool(""), toolJSON("store", "POST", "store/", "write", noInput, "", writeHints))
	type meeting struct {
		works *works
		reply reply
		err   error
		took  time.Duration
	}
	overBothEras(t, func(t *testing.T, version string) {
		for _, place := range places {
			t.Run(place.name, func(t *testing.T) {
				before := runtime.NumGoroutine()
				t.Run("", func(t *testing.T) {
					faults := wireFaults()
					met := make([]meeting, len(faults))
					var calls sync.WaitGroup
					for i, f := range faults {
						w := newWorks(t, version, worksConfig{timeout: f.patience()})
						w.publish(published)
						w.inject(place.pattern, f.fault)
						calls.Go(func() {
							began := time.Now()
							r, err := w.tryCall(place.tool)
							met[i] = meeting{w, r, err, time.Since(began)}
						})
					}
					calls.Wait()
					for i, f := range faults {
						t.Run(f.name, func(t *testing.T) {
							r := met[i].reply
							if met[i].err != nil || met[i].took > 2*eternity {
								t.Fatalf("error %v after %s", met[i].err, met[i].took)
							}
							if place.name == "write" {
								r.want(t, "outcome_unknown", "do not retry blindly")
							} else {
								r.want(t, f.code)
							}
							if limit, _ := r.Details["limit"].(string); place.requests > 3 && limit != f.limit {
								t.Errorf("details %v, want the limit %q", r.Details, f.limit)
							}
							got, most := met[i].works.paths(), place.requests
							if place.name != "list" && place.name != "write" && (f.name == "closed" || f.name == "reset") {
								// On a connection that was used before, net/http takes this for its end and asks a read once more.
								most++
							}
							if len(got) < place.requests || len(got) > most || got[len(got)-1] != place.pattern {
								t.Errorf("requests %q", got)
							}
						})
					}
				})
				settles(t, before)
			})
		}
	})
}

// TestFaultsLeaveNothing has one process meet each fault again and again, with a budget of memory that a few answers use up: what
// was not given back would be missed. Afterwards no connection is open.
func TestFaultsLeaveNothing(t *testing.T) {
	faults := wireFaults()
	var tools []string
	for i := range faults {
		tools = append(tools, toolJSON(fmt.Sprintf("f%d", i), "GET", fmt.Sprintf("f%d/", i), "read", noInput, "", readHints))
	}
	before := runtime.NumGoroutine()
	t.Run("", func(t *testing.T) {
		w := newWorks(t, newest, worksConfig{timeout: eternity, tight: true})
		w.publish(manifestJSON(append(tools, lookTool(""))...))
		for i, f := range faults {
			w.inject(fmt.Sprintf("GET /api/plugins/example/f%d/", i), f.fault)
		}
		w.inject("GET /api/plugins/example/look/", encoded("zstd", netboxsim.ZstdBomb(200_000)))
		order := rand.New(rand.NewPCG(4, 2))
		for range 20 {
			var calls sync.WaitGroup
			for _, i := range order.Perm(len(faults)) {
				if faults[i].code == "deadline_exceeded" {
					continue // those wait for their deadline by design, and TestFaults sees them end
				}
				calls.Go(func() {
					r, err := w.tryCall(fmt.Sprintf("f%d", i))
					if err != nil || r.Code != faults[i].code {
						t.Errorf("%s: %s, %v", faults[i].name, r.text, err)
					}
				})
			}
			calls.Wait()
		}
		if r := w.run(t, "look", `{}`); r.failed || len(r.body(t)) != 200_000 {
			t.Errorf("afterwards: %.300s", r.text)
		}
		w.idle()
		for end := time.Now().Add(eternity); w.conns.Load() > 0; runtime.Gosched() {
			if time.Now().After(end) {
				t.Fatalf("%d connections are still open", w.conns.Load())
			}
		}
	})
	settles(t, before)
}

// TestBombsAtOnce: 64 calls that each meet a bomb of 64 MiB hold no more than the budget together.
func TestBombsAtOnce(t *testing.T) {
	const most = 96 << 20 // bytes of heap and stacks
	for name, fault := range map[string]netboxsim.Fault{
		"gzip": encoded("gzip", netboxsim.GzipBomb(bomb)), "zstd": encoded("zstd", netboxsim.ZstdBomb(bomb)),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorks(t, newest, worksConfig{})
			w.publish(manifestJSON(lookTool("")))
			w.inject("GET /api/plugins/example/look/", fault)
			w.run(t, "look", `{}`).want(t, "limit_exceeded") // what stays for good is there
			runtime.GC()
			idle := memoryInUse()
			stop, peak := make(chan struct{}), make(chan uint64)
			go func() {
				highest := idle
				for {
					select {
					case <-stop:
						peak <- highest
						return
					default:
						highest = max(highest, memoryInUse())
						runtime.Gosched()
					}
				}
			}()
			var calls sync.WaitGroup
			for range 64 {
				calls.Go(func() {
					if r, err := w.tryCall("look"); err != nil || r.Code != "limit_exceeded" {
						t.Errorf("%s, %v", r.text, err)
					}
				})
			}
			calls.Wait()
			close(stop)
			grown := <-peak - idle
			t.Logf("grown by %d MiB at most", grown>>20)
			if grown > most {
				t.Errorf("grown by %d MiB, more than %d", grown>>20, most>>20)
			}
		})
	}
}

// memoryInUse is what objects of the heap and the stacks of goroutines take, in bytes.
func memoryInUse() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() + samples[1].Value.Uint64()
}

// tryCall is run for goroutines, which must not end a test.
func (w *works) tryCall(tool string) (reply, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 4*eternity)
	defer cancel()
	result, err := w.client.CallTool(ctx, &mcp.CallToolParams{
		Name: "plugin_call_tool", Arguments: json.RawMessage(fmt.Sprintf(`{"plugin":"example","tool":%q}`, tool)),
	})
	if err != nil {
		return reply{}, err
	}
	r := reply{text: result.Content[0].(*mcp.TextContent).Text, failed: result.IsError}
	var outer struct{ Error failure }
	err = json.Unmarshal([]byte(r.text), &outer)
	r.failure = outer.Error
	return r, err
}

// TestConnectionsAreNotBelieved: what is left on a connection from before is nobody's answer, and a connection that ends as a
// request goes out costs a read nothing and makes no write happen twice.
func TestConnectionsAreNotBelieved(t *testing.T) {
	answer := func(body string) string {
		return ok200 + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	tests := []struct {
		name string
		wire func(net.Conn)
	}{
		{"a second answer comes with the first", func(c net.Conn) {
			_, _ = io.WriteString(c, answer(`{"n":1}`)+answer(`{"evil":1}`))
			_, _ = c.Read(make([]byte, 1))
		}},
		{"garbage comes with the answer", func(c net.Conn) {
			_, _ = io.WriteString(c, answer(`{"n":1}`)+"\x00\xff")
			_, _ = c.Read(make([]byte, 1))
		}},
		{"the connection ends at the next request", func(c net.Conn) {
			_, _ = io.WriteString(c, answer(`{"n":1}`))
			_, _ = c.Read(make([]byte, 1))
		}},
		{"the connection ends after the answer", func(c net.Conn) { _, _ = io.WriteString(c, answer(`{"n":1}`)) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorks(t, newest, worksConfig{})
			w.publish(manifestJSON(lookTool(""), toolJSON("store", "POST", "store/", "write", noInput, "", writeHints)))
			w.answer("POST /api/plugins/example/store/", 200, `{"n":3}`)
			const rounds = 20
			for range rounds {
				w.inject("GET /api/plugins/example/look/", netboxsim.Fault{Wire: tt.wire})
				if got := w.run(t, "look", `{}`).body(t); got != `{"n":1}` {
					t.Errorf("first read %s", got)
				}
				w.answer("GET /api/plugins/example/look/", 200, `{"n":2}`)
				if got := w.run(t, "look", `{}`).body(t); got != `{"n":2}` {
					t.Errorf("second read %s", got)
				}
				if got := w.run(t, "store", `{}`).body(t); got != `{"n":3}` {
					t.Errorf("write %s", got)
				}
			}
			writes := slices.DeleteFunc(w.sim.Requests(), func(r netboxsim.Request) bool { return r.Method != http.MethodPost })
			if len(writes) != rounds {
				t.Errorf("%d writes, want %d", len(writes), rounds)
			}
		})
	}
}
