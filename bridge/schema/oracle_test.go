package schema

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"caddy-netbox-mcp/bridge/strictjson"
)

// metaSchema compiles the published Draft 2020-12 meta-schema.
func metaSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	s, err := c.Compile("https://json-schema.org/draft/2020-12/schema")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// values are what each keyword is tried with.
func values() []string {
	return []string{
		`null`, `true`, `false`, `0`, `1`, `-1`, `2.0`, `1.5`, `-0.0`, `1e2`, `1e-3`, `99999999999999999999`,
		`""`, `"string"`, `"integer"`, `"text"`, `"date-time"`, `[]`, `["a"]`, `["a","b"]`, `["a","a"]`, `[1]`, `[1,1.0]`,
		`["string","null"]`, `["string","string"]`, `[{}]`, `[true]`, `{}`, `{"a":{}}`, `{"a":true}`, `{"a":1}`, `{"a":null}`, `{"type":"string"}`, `{"type":"x"}`,
	}
}

// TestKeywordsAgreeWithMetaSchema tries every allowed keyword with every kind of
// value: what the subset compiles must be what the meta-schema allows.
func TestKeywordsAgreeWithMetaSchema(t *testing.T) {
	meta := metaSchema(t)
	for keyword := range strings.FieldsSeq(`additionalProperties const default deprecated description enum examples exclusiveMaximum
		exclusiveMinimum items maxItems maxLength maxProperties maximum minItems minLength minProperties minimum multipleOf
		properties propertyNames readOnly required title type uniqueItems writeOnly`) {
		for _, value := range values() {
			doc := parse(t, `{"`+keyword+`":`+value+`}`)
			want := meta.Validate(doc.Any())
			if keyword == "uniqueItems" && value == "true" {
				continue // refused by the bridge's own rule
			}
			if value == `{"a":{}}` && (keyword == "items" || keyword == "additionalProperties" || keyword == "propertyNames") ||
				strings.HasPrefix(value, `{"a":`) && (keyword == "items" || keyword == "additionalProperties" || keyword == "propertyNames") {
				continue // "a" is no keyword of the bridge
			}
			if _, err := Compile(doc); (err == nil) != (want == nil) {
				t.Errorf("%s: %s: Compile says %v, the meta-schema %v", keyword, value, err, want)
			}
		}
	}
}

// FuzzAgainstLibrary builds a schema of the subset and an instance out of the
// fuzzer's bytes and compares the two evaluators.
func FuzzAgainstLibrary(f *testing.F) {
	f.Add([]byte("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f"), []byte("\x05\x01\x02\x03"))
	f.Add([]byte("\x10\x22\x31\x47\x50\x66\x7f\x81\x92"), []byte("\x06\x06\x05\x01"))
	f.Fuzz(func(t *testing.T, schemaSeed, instanceSeed []byte) {
		text := (&generator{seed: schemaSeed}).schema(3)
		doc := parse(t, text)
		own, err := Compile(doc)
		if err != nil {
			return // uniqueItems, or a repeated name
		}
		library := compileOwn(t, text)
		instance := (&generator{seed: instanceSeed}).value(3)
		v := parse(t, instance)
		a, b := own.Validate(v), library.Validate(v)
		if (a == nil) != (b == nil) {
			t.Fatalf("%s under %s: subset %v, library %v", instance, text, a, b)
		}
	})
}

// TestAgainstLibrary runs the comparison over a fixed spread of seeds, so that
// it happens without a fuzzing run.
func TestAgainstLibrary(t *testing.T) {
	compared, valid := 0, 0
	for i := range 3000 {
		seed := []byte(fmt.Sprintf("%x", i*7919+1))
		for j := range seed {
			seed[j] = seed[j]*31 + byte(i>>(j%8)) + byte(j*j)
		}
		text := (&generator{seed: seed}).schema(3)
		own, err := Compile(parse(t, text))
		if err != nil {
			continue
		}
		library := compileOwn(t, text)
		for k := range 4 {
			instance := (&generator{seed: []byte{byte(i), byte(i >> 8), byte(k * 37), byte(i*k + 3), byte(k), byte(i * 13)}}).value(3)
			v := parse(t, instance)
			a, b := own.Validate(v), library.Validate(v)
			if (a == nil) != (b == nil) {
				t.Fatalf("%s under %s: subset %v, library %v", instance, text, a, b)
			}
			compared++
			if a == nil {
				valid++
			}
		}
	}
	if compared < 5000 || valid < compared/20 || valid > compared*19/20 {
		t.Errorf("compared %d pairs, %d of them valid: the spread is too thin to mean anything", compared, valid)
	}
}

// generator turns bytes into JSON; past their end it mixes them again.
type generator struct {
	seed []byte
	pos  int
}

func (g *generator) pick(n int) int {
	if len(g.seed) == 0 {
		return 0
	}
	b := int(g.seed[g.pos%len(g.seed)]) + g.pos/len(g.seed)*53
	g.pos++
	return b % n
}

func (g *generator) number() string {
	numbers := []string{"0", "1", "1.0", "2", "3", "10", "1e1", "0.5", "-1", "-0.0", "7", "9007199254740991", "9007199254740992.0", "9007199254740993", "1e-400", "2.50"}
	return numbers[g.pick(len(numbers))]
}

func (g *generator) text() string {
	texts := []string{`""`, `"a"`, `"b"`, `"ab"`, `"é"`, `"1"`, `"2026-01-01T00:00:00Z"`}
	return texts[g.pick(len(texts))]
}

func (g *generator) value(depth int) string {
	n := 7
	if depth == 0 {
		n = 5
	}
	switch g.pick(n) {
	case 0:
		return "null"
	case 1:
		return []string{"true", "false"}[g.pick(2)]
	case 2, 3:
		return g.number()
	case 4:
		return g.text()
	case 5:
		var items []string
		for range g.pick(4) {
			items = append(items, g.value(depth-1))
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	var members []string
	for i := range g.pick(4) {
		members = append(members, `"`+string(rune('a'+i))+`":`+g.value(depth-1))
	}
	return "{" + strings.Join(members, ",") + "}"
}

func (g *generator) schema(depth int) string {
	if depth == 0 || g.pick(9) == 0 {
		return []string{"true", "{}", "false", "true"}[g.pick(4)]
	}
	keywords := []func() (string, string){
		func() (string, string) {
			return "type", []string{`"integer"`, `["integer","number"]`, `["string","null"]`, `"object"`, `["array","object","string","number"]`}[g.pick(5)]
		},
		func() (string, string) { return "enum", "[" + g.value(2) + "," + g.value(1) + "," + g.number() + "]" },
		func() (string, string) { return "const", g.value(2) },
		func() (string, string) { return "maximum", g.number() },
		func() (string, string) { return "exclusiveMinimum", g.number() },
		func() (string, string) { return "multipleOf", []string{"1", "0.5", "3", "10"}[g.pick(4)] },
		func() (string, string) { return "minLength", strconv.Itoa(g.pick(3)) },
		func() (string, string) { return "maxItems", strconv.Itoa(g.pick(4)) },
		func() (string, string) { return "minProperties", strconv.Itoa(g.pick(3)) },
		func() (string, string) { return "required", []string{`["a"]`, `["a","b"]`, `[]`}[g.pick(3)] },
		func() (string, string) {
			return "properties", `{"a":` + g.schema(depth-1) + `,"b":` + g.schema(depth-1) + `}`
		},
		func() (string, string) { return "additionalProperties", g.schema(depth - 1) },
		func() (string, string) { return "items", g.schema(depth - 1) },
		func() (string, string) { return "propertyNames", g.schema(depth - 1) },
		func() (string, string) { return "format", `"date-time"` },
	}
	var members []string
	used := map[string]bool{}
	for range 1 + g.pick(3) {
		name, value := keywords[g.pick(len(keywords))]()
		if !used[name] {
			members = append(members, `"`+name+`":`+value)
		}
		used[name] = true
	}
	return "{" + strings.Join(members, ",") + "}"
}

// BenchmarkValidate judges 256 KiB of ordinary rows.
func BenchmarkValidate(b *testing.B) {
	s := compile(b, `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object","properties":{
		"id":{"type":"integer","minimum":1,"maximum":9223372036854775807},"name":{"type":"string","maxLength":64},
		"state":{"enum":["a","b","c"]},"at":{"type":["string","null"],"format":"date-time"}},
		"required":["id","name"],"additionalProperties":false}}},"additionalProperties":false}`)
	var text strings.Builder
	text.WriteString(`{"rows":[`)
	for i := 0; text.Len() < 262_000; i++ {
		if i > 0 {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, `{"id":%d,"name":"edge-router-%d","state":"b","at":"2026-08-12T12:34:56Z"}`, i+1, i)
	}
	text.WriteString(`]}`)
	v := parse(b, text.String())
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Validate(v); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkValidateHostile judges the worst pairs that schema and instance
// limits allow.
func BenchmarkValidateHostile(b *testing.B) {
	enum := make([]string, 2_000)
	for i := range enum {
		enum[i] = strconv.Itoa(i) + ".5e-300"
	}
	names := make([]string, 0, 9_900)
	for i := range cap(names) {
		names = append(names, `"`+strconv.Itoa(i)+`":1e-4000`)
	}
	for name, c := range map[string]struct{ schema, instance string }{
		"enum":   {`{"items":{"enum":[` + strings.Join(enum, ",") + `]}}`, "[" + strings.Repeat("1999.5e-300,", 9_900) + "0.5e-300]"},
		"names":  {`{"propertyNames":{"maxLength":9},"additionalProperties":{"exclusiveMinimum":0}}`, "{" + strings.Join(names, ",") + "}"},
		"digits": {`{"items":{"multipleOf":` + strings.Repeat("7", 4_000) + `}}`, "[0" + strings.Repeat(","+strings.Repeat("7", 4_000), 65) + "]"},
	} {
		b.Run(name, func(b *testing.B) {
			s := compile(b, c.schema)
			v, err := strictjson.Parse([]byte(c.instance), strictjson.Limits{Bytes: 300_000})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := s.Validate(v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
