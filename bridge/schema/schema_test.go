package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"caddy-netbox-mcp/bridge/strictjson"
)

func parse(t testing.TB, text string) strictjson.Value {
	t.Helper()
	v, err := strictjson.Parse([]byte(text), strictjson.Limits{})
	if err != nil {
		t.Fatalf("reading %.100q: %v", text, err)
	}
	return v
}

func compile(t testing.TB, text string) *Schema {
	t.Helper()
	s, err := Compile(parse(t, text))
	if err != nil {
		t.Fatalf("Compile(%.200s): %v", text, err)
	}
	return s
}

func compileOwn(t testing.TB, text string) *Schema {
	t.Helper()
	s, err := CompileOwn([]byte(text))
	if err != nil {
		t.Fatalf("CompileOwn(%.200s): %v", text, err)
	}
	return s
}

func TestPublishedInstances(t *testing.T) {
	var cases []struct {
		Schema json.RawMessage `json:"schema"`
		Text   string          `json:"text"`
		Valid  bool            `json:"valid"`
		Why    string          `json:"why"`
	}
	readCases(t, "instances.json", &cases)
	if len(cases) == 0 {
		t.Fatal("no published cases")
	}
	for _, c := range cases {
		for name, s := range map[string]*Schema{
			"Compile":    compile(t, string(c.Schema)),
			"CompileOwn": compileOwn(t, string(c.Schema)),
		} {
			v, err := strictjson.Parse([]byte(c.Text), strictjson.Limits{})
			if err == nil {
				err = s.Validate(v)
			}
			if (err == nil) != c.Valid {
				t.Errorf("%s: %s under %s: %v, want valid %v (%s)", name, c.Text, c.Schema, err, c.Valid, c.Why)
			}
		}
	}
}

// TestValidate runs every case through both ways in: what the subset can say
// means the same in a schema of our own.
func TestValidate(t *testing.T) {
	huge := "1" + strings.Repeat("0", 350)
	tests := []struct {
		name, schema, instance string
		valid                  bool
	}{
		{"empty schema", `{}`, `[1,"a",null]`, true},
		{"integer token", `{"type":"integer"}`, `9223372036854775808`, true},
		{"integer token beyond a double", `{"type":"integer"}`, huge, true},
		{"negative zero is an integer", `{"type":"integer"}`, `-0`, true},
		{"float form of an integer", `{"type":"integer"}`, `7.0`, true},
		{"exponent form of an integer", `{"type":"integer"}`, `12e2`, true},
		{"fraction moved by an exponent", `{"type":"integer"}`, `1.5e1`, true},
		{"float zero", `{"type":"integer"}`, `0.000e-5`, true},
		{"safe float", `{"type":"integer"}`, `9007199254740991.0`, true},
		{"safe float by exponent", `{"type":"integer"}`, `90071992547409.91e2`, true},
		{"negative safe float", `{"type":"integer"}`, `-9007199254740991.0`, true},
		{"unsafe float", `{"type":"integer"}`, `9007199254740992.0`, false},
		{"negative unsafe float", `{"type":"integer"}`, `-9007199254740992.0`, false},
		{"unsafe by exponent", `{"type":"integer"}`, `1e16`, false},
		{"large by exponent", `{"type":"integer"}`, `1e308`, false},
		{"fraction that rounding loses", `{"type":"integer"}`, `9007199254740991.4`, false},
		{"tiny fraction", `{"type":"integer"}`, `1.00000000000000000001`, false},
		{"underflow is no integer", `{"type":"integer"}`, `1e-400`, false},
		{"unsafe float as a number", `{"type":["integer","number"]}`, `9007199254740992.0`, true},
		{"fraction as a number", `{"type":["integer","number"]}`, `0.5`, true},
		{"unsafe float or null", `{"type":["integer","null"]}`, `9007199254740992.0`, false},
		{"boolean is no integer", `{"type":"integer"}`, `true`, false},
		{"boolean is no number", `{"type":"number"}`, `false`, false},
		{"string is no number", `{"type":"number"}`, `"1"`, false},
		{"list of types", `{"type":["string","null"]}`, `null`, true},
		{"none of the types", `{"type":["string","null"]}`, `[]`, false},
		{"exact maximum", `{"maximum":9223372036854775807}`, `9223372036854775807`, true},
		{"one past the maximum", `{"maximum":9223372036854775807}`, `9223372036854775808`, false},
		{"past 2^53 by one", `{"maximum":9007199254740992}`, `9007199254740993`, false},
		{"maximum in another form", `{"maximum":1e2}`, `100.0`, true},
		{"fraction past the maximum", `{"maximum":100}`, `100.00000000000000000000001`, false},
		{"minimum", `{"minimum":-1.5}`, `-1.5`, true},
		{"below the minimum", `{"minimum":-1.5}`, `-1.50000000000000000001`, false},
		{"minimum of zero", `{"minimum":0}`, `-0.0`, true},
		{"underflow is above zero", `{"exclusiveMinimum":0}`, `1e-400`, true},
		{"exclusive minimum", `{"exclusiveMinimum":1}`, `1.0`, false},
		{"exclusive maximum", `{"exclusiveMaximum":1}`, `1.0`, false},
		{"just below the exclusive maximum", `{"exclusiveMaximum":1}`, `0.99999999999999999999999`, true},
		{"bounds do not bind strings", `{"maximum":1}`, `"x"`, true},
		{"multiple", `{"multipleOf":3}`, `9223372036854775809`, true},
		{"no multiple", `{"multipleOf":3}`, `9223372036854775808`, false},
		{"decimal multiple", `{"multipleOf":0.01}`, `19.99`, true},
		{"decimal no multiple", `{"multipleOf":0.01}`, `19.999`, false},
		{"multiple of a multiple of ten", `{"multipleOf":20}`, `1e1`, false},
		{"large multiple", `{"multipleOf":7}`, `7e300`, true},
		{"zero is a multiple", `{"multipleOf":0.3}`, `0`, true},
		{"negative multiple", `{"multipleOf":2}`, `-4`, true},
		{"underflow is no multiple", `{"multipleOf":1}`, `1e-400`, false},
		{"enum by value", `{"enum":[1.0]}`, `1`, true},
		{"enum beyond 2^53", `{"enum":[9007199254740993]}`, `9007199254740992`, false},
		{"enum never equates true and 1", `{"enum":[1]}`, `true`, false},
		{"enum of a list", `{"enum":[[1,{"a":2,"b":3}]]}`, `[1.0,{"b":3,"a":2e0}]`, true},
		{"enum of another list", `{"enum":[[1,2]]}`, `[2,1]`, false},
		{"enum of a longer object", `{"enum":[{"a":1}]}`, `{"a":1,"b":2}`, false},
		{"empty enum", `{"enum":[]}`, `null`, false},
		{"enum of null", `{"enum":[null]}`, `null`, true},
		{"enum tells strings from numbers", `{"enum":["1"]}`, `1`, false},
		{"const", `{"const":{"a":[]}}`, `{"a":[]}`, true},
		{"const null", `{"const":null}`, `0`, false},
		{"const false is not zero", `{"const":false}`, `0`, false},
		{"strings that concatenate alike", `{"const":["a","bc"]}`, `["ab","c"]`, false},
		{"unique", `{"items":{"type":"integer"},"uniqueItems":true}`, `[9007199254740992,9007199254740993]`, true},
		{"not unique in another form", `{"items":{"type":"number"},"uniqueItems":true}`, `[1e2,5,100.00]`, false},
		{"not unique past the short path", `{"items":{"type":"integer"},"uniqueItems":true}`, `[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,1]`, false},
		{"unique strings", `{"items":{"type":"string"},"uniqueItems":true}`, `["a","A","a "]`, true},
		{"uniqueItems false", `{"uniqueItems":false}`, `[1,1]`, true},
		{"length in code points", `{"maxLength":2,"minLength":2}`, `"é😀"`, true},
		{"combining marks count", `{"maxLength":1}`, `"e\u0301"`, false},
		{"too short", `{"minLength":1}`, `""`, false},
		{"integral float as a length", `{"maxLength":2.0}`, `"ab"`, true},
		{"huge maxLength", `{"maxLength":99999999999999999999999}`, `"ab"`, true},
		{"minItems", `{"minItems":1}`, `[]`, false},
		{"maxItems", `{"maxItems":1}`, `[1,2]`, false},
		{"maxItems zero", `{"maxItems":0}`, `[]`, true},
		{"items", `{"items":{"type":"string"}}`, `["a",1]`, false},
		{"items false", `{"items":false}`, `[1]`, false},
		{"items false of nothing", `{"items":false}`, `[]`, true},
		{"minProperties", `{"minProperties":1}`, `{}`, false},
		{"maxProperties", `{"maxProperties":1}`, `{"a":1,"b":2}`, false},
		{"required", `{"required":["a","b"]}`, `{"a":1}`, false},
		{"required null is present", `{"required":["a"]}`, `{"a":null}`, true},
		{"required of no object", `{"required":["a"]}`, `[]`, true},
		{"closed", `{"properties":{"a":true},"additionalProperties":false}`, `{"a":1,"b":2}`, false},
		{"open", `{"properties":{"a":true}}`, `{"a":1,"b":2}`, true},
		{"additional by schema", `{"additionalProperties":{"type":"integer"}}`, `{"x":1,"y":"2"}`, false},
		{"property false", `{"properties":{"a":false}}`, `{"a":1}`, false},
		{"property names", `{"propertyNames":{"maxLength":2}}`, `{"abc":1}`, false},
		{"property names by enum", `{"propertyNames":{"enum":["a","b"]}}`, `{"a":1,"b":2}`, true},
		{"property names false", `{"propertyNames":false}`, `{"a":1}`, false},
		{"date-time", `{"format":"date-time"}`, `"2026-08-12T12:34:60Z"`, false},
		{"date-time of a number", `{"format":"date-time"}`, `5`, true},
		{"annotations", `{"title":"t","description":"d","default":7,"examples":[1],"deprecated":true,"readOnly":false,"writeOnly":true}`, `"x"`, true},
		{"default is not checked", `{"type":"string","default":7}`, `"x"`, true},
		{"nested", `{"properties":{"a":{"items":{"properties":{"b":{"maximum":3}}}}}}`, `{"a":[{"b":3},{"b":4}]}`, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v := parse(t, test.instance)
			if err := compile(t, test.schema).Validate(v); (err == nil) != test.valid {
				t.Errorf("Compile(%s).Validate(%s) = %v, want valid %v", test.schema, test.instance, err, test.valid)
			}
			if strings.Contains(test.schema, "99999999999999999999999") {
				return // the library cuts lengths to an int; ours are not like that
			}
			if err := compileOwn(t, test.schema).Validate(v); (err == nil) != test.valid {
				t.Errorf("CompileOwn(%s).Validate(%s) = %v, want valid %v", test.schema, test.instance, err, test.valid)
			}
		})
	}
}

// TestProblems fixes the words that agents repair their calls by. The own way
// in says the same.
func TestProblems(t *testing.T) {
	object := `{"type":"object","properties":{"a":{"type":"integer","maximum":100},"b":{"type":["string","null"]}},"required":["a"],"additionalProperties":false}`
	tests := []struct{ name, schema, instance, want string }{
		{"missing", object, `{}`, "/a: is required"},
		{"unknown", object, `{"a":1,"x":2}`, "/x: is not a known argument; known: a, b"},
		{"unknown where none is known", `{"additionalProperties":false}`, `{"x":2}`, "/x: is not a known argument; there are none"},
		{"two problems", object, `{"a":101,"b":5}`, "/a: must be at most 100; /b: must be a string or null, not a number"},
		{"type of the root", object, `[]`, "(root): must be an object, not a list"},
		{"unsafe integer", `{"properties":{"a":{"type":"integer"}}}`, `{"a":9007199254740992.0}`, "/a: must be an integer; with a fraction or exponent only up to 9007199254740991, so write all digits"},
		{"fraction", object, `{"a":7.5}`, "/a: must be an integer, not a fraction"},
		{"bound beyond 2^53", `{"maximum":9007199254740992}`, `9007199254740993`, "(root): must be at most 9007199254740992"},
		{"decimal bound", `{"multipleOf":0.01}`, `0.001`, "(root): must be a multiple of 0.01"},
		{"exclusive bounds", `{"exclusiveMinimum":1}`, `1`, "(root): must be greater than 1"},
		{"exclusive bounds above", `{"exclusiveMaximum":1}`, `1`, "(root): must be less than 1"},
		{"minimum", `{"minimum":1}`, `0`, "(root): must be at least 1"},
		{"one character", `{"minLength":1}`, `""`, "(root): must have at least 1 character"},
		{"characters", `{"maxLength":2}`, `"abc"`, "(root): must have at most 2 characters"},
		{"items", `{"items":{"minItems":2}}`, `[[1]]`, "/0: must have at least 2 items"},
		{"few items", `{"maxItems":0}`, `[1]`, "(root): must have at most 0 items"},
		{"members", `{"minProperties":1}`, `{}`, "(root): must have at least 1 member"},
		{"many members", `{"maxProperties":1}`, `{"a":1,"b":1}`, "(root): must have at most 1 member"},
		{"enum", `{"enum":["a",1,null,true]}`, `"secret"`, `(root): must be one of "a", 1, null, true`},
		{"const", `{"const":"x"}`, `"secret"`, `(root): must be "x"`},
		{"unique", `{"items":{"type":"integer"},"uniqueItems":true}`, `[7,8,7.0]`, "(root): must not repeat an item: items 0 and 2 are equal (non-unique)"},
		{"never", `{"properties":{"a":false}}`, `{"a":1}`, "/a: is not allowed"},
		{"date-time", `{"format":"date-time"}`, `"x"`, "(root): date-time must look like 2026-01-31T23:59:59Z or 2026-01-31T23:59:59.5+01:00 (RFC 3339)"},
		{"escaped pointer", `{"additionalProperties":{"type":"null"}}`, `{"a/b~c":1}`, "/a~1b~0c: must be null, not a number"},
		{"disguised name", `{"additionalProperties":false}`, `{"a\u202e\n":1}`, "/a\ufffd\ufffd: is not a known argument; there are none"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v := parse(t, test.instance)
			for name, s := range map[string]*Schema{"Compile": compile(t, test.schema), "CompileOwn": compileOwn(t, test.schema)} {
				err := s.Validate(v)
				if _, ok := errors.AsType[*Error](err); !ok {
					t.Errorf("%s: %v, want an *Error", name, err)
					continue
				}
				if err.Error() != test.want {
					t.Errorf("%s: %q, want %q", name, err, test.want)
				}
			}
		})
	}
	t.Run("name", func(t *testing.T) {
		err := compile(t, `{"propertyNames":{"maxLength":2}}`).Validate(parse(t, `{"abc":1}`))
		if want := "/abc: the name must have at most 2 characters"; err == nil || err.Error() != want {
			t.Errorf("Validate = %v, want %q", err, want)
		}
	})
}

func TestErrorsAreBounded(t *testing.T) {
	long := strings.Repeat("n", 100_000)
	tests := []struct{ name, schema, instance string }{
		{"many problems", `{"items":{"type":"string"}}`, "[" + strings.Repeat("1,", 9_000) + "1]"},
		{"long name", `{"additionalProperties":false}`, `{"` + long + `":1}`},
		{"long value", `{"enum":["a"]}`, `"` + long + `"`},
		{"long enum", `{"enum":["` + long[:60_000] + `"]}`, `1`},
		{"long known name", `{"properties":{"` + long[:60_000] + `":true},"additionalProperties":false}`, `{"x":1}`},
		{"long number", `{"type":"string"}`, strings.Repeat("1", 4_000)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := compile(t, test.schema).Validate(parse(t, test.instance))
			e, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("Validate = %v, want an *Error", err)
			}
			if len(e.Problems) > maxProblems {
				t.Errorf("%d problems", len(e.Problems))
			}
			for _, p := range e.Problems {
				if len([]rune(p.Pointer)) > maxQuoted || len([]rune(p.Rule)) > 2*maxQuoted {
					t.Errorf("a problem of %d and %d characters", len(p.Pointer), len(p.Rule))
				}
			}
		})
	}
}

func TestSchemasAreShared(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{"a":{"enum":[1,2]}},"required":["a"]}`)
	good, bad := parse(t, `{"a":1}`), parse(t, `{"a":3}`)
	done := make(chan error)
	for i := range 8 {
		go func() {
			var err error
			for range 200 {
				if e := s.Validate(good); e != nil {
					err = e
				}
				if s.Validate(bad) == nil {
					err = fmt.Errorf("goroutine %d accepted 3", i)
				}
			}
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
