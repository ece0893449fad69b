package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"caddy-netbox-mcp/bridge/strictjson"
)

// instanceCase is a published pair of a schema and the text of an instance.
type instanceCase struct {
	Schema json.RawMessage `json:"schema"`
	Text   string          `json:"text"`
	Valid  bool            `json:"valid"`
	Why    string          `json:"why"`
}

// TestOracle holds the second evaluator to the published pairs and dates, so that what it is compared with is right.
func TestOracle(t *testing.T) {
	var instances []instanceCase
	readCases(t, "instances.json", &instances)
	judged := 0
	for _, c := range instances {
		if _, err := strictjson.Parse([]byte(c.Text), strictjson.Limits{}); err != nil {
			continue // no JSON, so nothing that an evaluator sees
		}
		judged++
		if s := read(t, string(c.Schema)); !allowed(s) || holds(s, read(t, c.Text)) != c.Valid {
			t.Errorf("%s under %s: allowed %v, want valid %v (%s)", c.Text, c.Schema, allowed(s), c.Valid, c.Why)
		}
	}
	var dates []dateTimeCase
	readCases(t, "date-time.json", &dates)
	for _, c := range dates {
		if isDateTime(c.Value) != c.Valid {
			t.Errorf("date-time %q, want valid %v (%s)", c.Value, c.Valid, c.Why)
		}
	}
	if judged < 30 || len(dates) < 10 {
		t.Errorf("only %d instances and %d dates were judged", judged, len(dates))
	}
}

// FuzzInstance compares the package with the second evaluator: which schemas are compiled, and which instances are valid.
// Without a mix the texts are a pair as they are; with one, they are pieces of a pair that the mix composes.
func FuzzInstance(f *testing.F) {
	var cases []instanceCase
	readCases(f, "instances.json", &cases)
	for i, c := range cases {
		f.Add(string(c.Schema), c.Text, []byte(nil))
		f.Add(string(c.Schema), c.Text, fmt.Appendf(nil, "%x", 7919*(i+1)))
	}
	f.Fuzz(func(t *testing.T, schema, instance string, mix []byte) {
		if len(mix) > 0 {
			schema, instance = newMixer(mix, schema, instance).pair()
		}
		agree(t, schema, instance)
	})
}

// TestInstancesAgree runs the comparison over a fixed spread of mixes, so that it happens without a fuzzing run.
func TestInstancesAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	count := map[verdict]int{}
	for range 15_000 {
		mix := make([]byte, 8+random.IntN(40))
		for i := range mix {
			mix[i] = byte(random.Uint32())
		}
		schema, instance := newMixer(mix, `{"type":"integer"}`, `7.0`).pair()
		count[agree(t, schema, instance)]++
	}
	for _, v := range []verdict{refused, invalid, valid} {
		if count[v] < 2_000 {
			t.Errorf("verdict %q came out %d times: the spread %v is too thin to mean anything", v, count[v], count)
		}
	}
}

// verdict is what a pair came to.
type verdict string

const (
	unread  verdict = "not strict JSON of a moderate size"
	refused verdict = "no schema of the bridge"
	invalid verdict = "invalid"
	valid   verdict = "valid"
)

// agree judges a pair twice.
func agree(t *testing.T, schemaText, instanceText string) verdict {
	t.Helper()
	// The second evaluator compares everything with everything.
	moderate := strictjson.Limits{Bytes: 8 << 10, Depth: MaxSchemaDepth, Nodes: 120}
	doc, err := strictjson.Parse([]byte(schemaText), moderate)
	if err != nil {
		return unread
	}
	v, err := strictjson.Parse([]byte(instanceText), moderate)
	if err != nil {
		return unread
	}
	oracle := read(t, schemaText)
	s, err := Compile(doc)
	if (err == nil) != allowed(oracle) {
		t.Fatalf("Compile(%s) = %v, the second opinion is %v", schemaText, err, allowed(oracle))
	}
	if err != nil {
		wellTold(t, err)
		return refused
	}
	err = s.Validate(v)
	if (err == nil) != holds(oracle, read(t, instanceText)) {
		t.Fatalf("%s under %s: %v, the second opinion is %v", instanceText, schemaText, err, err != nil)
	}
	if err != nil {
		wellTold(t, err)
		return invalid
	}
	return valid
}

// wellTold checks the form of an error.
func wellTold(t *testing.T, err error) {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok || len(e.Problems) < 1 || len(e.Problems) > maxProblems {
		t.Fatalf("%T: %v, want an *Error of 1 to %d problems", err, err, maxProblems)
	}
	for _, p := range e.Problems {
		if utf8.RuneCountInString(p.Pointer) > maxQuoted || p.Rule == "" || p.Pointer != "" && !strings.HasPrefix(p.Pointer, "/") {
			t.Fatalf("problem %q: %q", p.Pointer, p.Rule)
		}
	}
}
