package schema_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// seeds are tools that keep every rule; changes begin with them.
var seeds = [][]string{
	{},
	{"outputSchema", `{"type":["object","null"],"properties":{"a":{"enum":["x",1,null]},"b":{"type":"array","uniqueItems":true,"items":{"type":"string"}}},"required":["a"]}`},
	{"inputSchema", `{"type":"object","additionalProperties":false,"properties":{"o":{"type":"object","additionalProperties":{"type":"number","multipleOf":0.5},"propertyNames":{"maxLength":9}},"d":{"type":"string","format":"date-time"}}}`},
	{"method", `"GET"`, "effect", `"read"`, "annotations", `{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":true}`,
		"inputSchema", `{"type":"object","additionalProperties":false,"properties":{"s":{"type":"string"},"l":{"type":["array","null"],"items":{"type":["integer","null"]}}}}`},
	{"method", `"delete"`, "effect", `"destructive"`, "annotations", `{"readOnlyHint":false,"destructiveHint":true,"idempotentHint":true,"openWorldHint":false}`},
}

// pool are values that are right somewhere in a manifest.
var pool = []string{
	`null`, `true`, `false`, `0`, `-1`, `1.0`, `2.5`, `""`, `"a"`, `"run"`, `" x "`, `"1"`, `"a/"`, `"../"`, `"GET"`, `"HEAD"`, `"POST"`, `"delete"`, `"read"`, `"write"`, `"destructive"`,
	`"object"`, `"array"`, `"string"`, `"integer"`, `"date-time"`, `[]`, `["string"]`, `["array","null"]`, `["a","a"]`, `[{}]`, `{}`, `{"type":"string"}`, `{"type":["integer","null"]}`,
	`{"type":"array","items":{"type":"boolean"}}`, `{"type":"object","additionalProperties":false}`, `{"a":{}}`, `{"a":true}`, `{"a":{"type":"object"}}`, `{"uniqueItems":true,"items":{"type":"number"}}`,
}

// names are member names that mean something somewhere in a manifest.
var names = []string{
	"name", "title", "description", "method", "path", "effect", "outputSchema", "annotations", "readOnlyHint", "openWorldHint", "type", "properties", "items", "required", "enum", "const", "default",
	"additionalProperties", "propertyNames", "uniqueItems", "format", "minLength", "maximum", "multipleOf", "examples", "deprecated", "$ref", "anyOf", "pattern", "a",
}

// place is a value inside a document, and how to change it.
type place struct {
	set    func(any)
	remove func()
	object map[string]any // where the value is one
}

// places lists every value of a document, in an order that is the same each time.
func places(v any, set func(any), remove func()) []place {
	all := []place{{set: set, remove: remove}}
	switch v := v.(type) {
	case map[string]any:
		all[0].object = v
		for _, name := range slices.Sorted(maps.Keys(v)) {
			all = append(all, places(v[name], func(to any) { v[name] = to }, func() { delete(v, name) })...)
		}
	case []any:
		for i := range v {
			all = append(all, places(v[i], func(to any) { v[i] = to }, func() { v[i] = nil })...)
		}
	}
	return all
}

// changed is a valid manifest with one or two changes.
func changed(random *rand.Rand) []byte {
	var doc any
	decode := func(text string) (v any) {
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			panic(err)
		}
		return v
	}
	doc = decode(string(example(seeds[random.IntN(len(seeds))]...)))
	for range 1 + random.IntN(2) {
		all := places(doc, func(to any) { doc = to }, func() { doc = nil })
		p := all[random.IntN(len(all))]
		value := decode(pool[random.IntN(len(pool))])
		switch kind := random.IntN(4); {
		case kind == 0:
			p.remove()
		case kind < 3 && p.object != nil:
			p.object[names[random.IntN(len(names))]] = value
		default:
			p.set(value)
		}
	}
	text, err := json.Marshal(doc)
	if err != nil {
		panic(err)
	}
	return text
}

// TestDescriptorSchemaOfChangedManifests changes valid manifests at random places: the schema must follow the rules there too.
func TestDescriptorSchemaOfChangedManifests(t *testing.T) {
	s := descriptorSchema(t)
	random := rand.New(rand.NewPCG(7, 11))
	accepted, refused := 0, 0
	for range 1500 {
		if compare(t, s, changed(random)) {
			accepted++
		} else {
			refused++
		}
	}
	if accepted < 100 || refused < 500 {
		t.Errorf("%d accepted, %d refused: the changes do not try both", accepted, refused)
	}
}
