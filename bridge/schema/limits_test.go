package schema

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestContractLimits pins the values of bridge version 1: plugins and agents rely on them, whatever the code calls them.
func TestContractLimits(t *testing.T) {
	for _, limit := range []struct {
		name      string
		got, want any
	}{
		{"schema bytes", MaxSchemaBytes, 65_536},
		{"schema depth", MaxSchemaDepth, 16},
		{"schema nodes", MaxSchemaNodes, 2_048},
		{"problems", maxProblems, 10},
		{"integer in float form", maxSafeInteger, "9007199254740991"},
	} {
		if limit.got != limit.want {
			t.Errorf("%s: %v, want %v", limit.name, limit.got, limit.want)
		}
	}
}

// TestProblemLimit: the first ten problems are told, of an instance and of a schema, in both ways in.
func TestProblemLimit(t *testing.T) {
	numbers := func(n int) string { return "[" + strings.TrimSuffix(strings.Repeat("1,", n), ",") + "]" }
	unknown := func(n int) string {
		members := make([]string, n)
		for i := range members {
			members[i] = fmt.Sprintf(`"x%d":1`, i)
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	const texts = `{"items":{"type":"string"}}`
	for name, judge := range map[string]struct {
		of   func(n int) error
		last string // the pointer of the tenth problem, "" where the order is not that of the document
	}{
		"items":                   {func(n int) error { return compile(t, texts).Validate(parse(t, numbers(n))) }, "/9"},
		"items of our own schema": {func(n int) error { return compileOwn(t, texts).Validate(parse(t, numbers(n))) }, ""},
		"unknown members":         {func(n int) error { return compile(t, `{"additionalProperties":false}`).Validate(parse(t, unknown(n))) }, "/x9"},
		"unknown members of our own schema": {func(n int) error {
			return compileOwn(t, `{"additionalProperties":false}`).Validate(parse(t, unknown(n)))
		}, ""},
		"keywords":     {func(n int) error { _, err := Compile(parse(t, unknown(n))); return err }, "/x9"},
		"query inputs": {func(n int) error { return QueryEncodable(parse(t, `{"properties":`+unknown(n)+`}`)) }, "/properties/x9"},
	} {
		for n, want := range map[int]int{9: 9, 10: 10, 11: 10, 1_000: 10} {
			e, ok := errors.AsType[*Error](judge.of(n))
			if !ok || len(e.Problems) != want || want == 10 && judge.last != "" && e.Problems[9].Pointer != judge.last {
				t.Errorf("%s, %d problems: %v", name, n, e)
			}
		}
	}
}

// TestSafeIntegerLimit: the bound is absolute, and holds for every way of writing a number but the plain one.
func TestSafeIntegerLimit(t *testing.T) {
	s := compile(t, `{"type":"integer"}`)
	for _, sign := range []string{"", "-"} {
		for text, want := range map[string]bool{
			"9007199254740991.0": true, "9007199254740992.0": false, "9007199254740991e0": true, "9007199254740992e0": false,
			"9.007199254740991E+15": true, "9.007199254740992E+15": false, "90071992547409910e-1": true, "90071992547409920e-1": false,
			"9007199254740990.9999999999999999999999": false, "9007199254740991": true, "9007199254740992": true, "18446744073709551617": true,
		} {
			err := s.Validate(parse(t, sign+text))
			if (err == nil) != want {
				t.Errorf("%s%s: %v, want valid %v", sign, text, err, want)
			}
			if err != nil && !strings.Contains(err.Error(), "must be an integer") {
				t.Errorf("%s%s: %v", sign, text, err)
			}
		}
	}
}
