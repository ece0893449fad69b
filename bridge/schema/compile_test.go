package schema

import (
	"errors"
	"strings"
	"testing"

	"caddy-netbox-mcp/bridge/strictjson"
)

func TestCompileRefuses(t *testing.T) {
	tests := []struct{ name, schema, pointer, rule string }{
		{"no object", `true`, "", "must be a schema object"},
		{"unknown keyword", `{"propertes":{}}`, "/propertes", "is not a keyword of the bridge"},
		{"vendor keyword", `{"properties":{"a":{"x-y":1}}}`, "/properties/a/x-y", "is not a keyword of the bridge"},
		{"unknown type", `{"type":"text"}`, "/type", "valid Draft 2020-12"},
		{"type of another case", `{"type":"String"}`, "/type", "valid Draft 2020-12"},
		{"empty types", `{"type":[]}`, "/type", "valid Draft 2020-12"},
		{"same type twice", `{"type":["string","string"]}`, "/type", "valid Draft 2020-12"},
		{"number as a type", `{"type":[1]}`, "/type", "valid Draft 2020-12"},
		{"object as a type", `{"type":{}}`, "/type", "valid Draft 2020-12"},
		{"enum as an object", `{"enum":{}}`, "/enum", "valid Draft 2020-12"},
		{"another format", `{"format":"hostname"}`, "/format", `"hostname"`},
		{"format of another case", `{"format":"Date-Time"}`, "/format", "date-time"},
		{"null format", `{"format":null}`, "/format", "valid Draft 2020-12"},
		{"array items", `{"items":[{}]}`, "/items", "valid Draft 2020-12"},
		{"number as a schema", `{"properties":{"a":1}}`, "/properties/a", "valid Draft 2020-12"},
		{"properties as a list", `{"properties":[]}`, "/properties", "valid Draft 2020-12"},
		{"string as additionalProperties", `{"additionalProperties":"no"}`, "/additionalProperties", "valid Draft 2020-12"},
		{"null as propertyNames", `{"propertyNames":null}`, "/propertyNames", "valid Draft 2020-12"},
		{"required twice", `{"required":["a","a"]}`, "/required", "valid Draft 2020-12"},
		{"required of numbers", `{"required":[1]}`, "/required", "valid Draft 2020-12"},
		{"required as a boolean", `{"required":true}`, "/required", "valid Draft 2020-12"},
		{"negative length", `{"minLength":-1}`, "/minLength", "valid Draft 2020-12"},
		{"fractional length", `{"maxLength":1.5}`, "/maxLength", "valid Draft 2020-12"},
		{"length as a string", `{"maxItems":"1"}`, "/maxItems", "valid Draft 2020-12"},
		{"multiple of zero", `{"multipleOf":0}`, "/multipleOf", "valid Draft 2020-12"},
		{"multiple of a negative", `{"multipleOf":-1}`, "/multipleOf", "valid Draft 2020-12"},
		{"boolean bound", `{"exclusiveMinimum":true}`, "/exclusiveMinimum", "valid Draft 2020-12"},
		{"string bound", `{"maximum":"9"}`, "/maximum", "valid Draft 2020-12"},
		{"uniqueItems as a number", `{"uniqueItems":1}`, "/uniqueItems", "valid Draft 2020-12"},
		{"title as a number", `{"title":1}`, "/title", "valid Draft 2020-12"},
		{"deprecated as a string", `{"deprecated":"yes"}`, "/deprecated", "valid Draft 2020-12"},
		{"examples as an object", `{"examples":{}}`, "/examples", "valid Draft 2020-12"},
		{"unique without items", `{"uniqueItems":true}`, "", "one explicitly typed scalar"},
		{"unique over anything", `{"uniqueItems":true,"items":true}`, "", "one explicitly typed scalar"},
		{"unique over objects", `{"uniqueItems":true,"items":{"type":"object"}}`, "", "uniqueItems"},
		{"unique over lists", `{"uniqueItems":true,"items":{"type":"array"}}`, "", "uniqueItems"},
		{"unique over an enum", `{"uniqueItems":true,"items":{"enum":[1]}}`, "", "uniqueItems"},
		{"unique over two types", `{"uniqueItems":true,"items":{"type":["string","integer"]}}`, "", "one explicitly typed scalar"},
		{"unique or null", `{"uniqueItems":true,"items":{"type":["integer","null"]}}`, "", "one explicitly typed scalar"},
		{"deep in items", `{"items":{"items":{"pattern":"a"}}}`, "/items/items/pattern", "patterns"},
		{"deep in additionalProperties", `{"additionalProperties":{"not":{}}}`, "/additionalProperties/not", "combinators"},
		{"deep in propertyNames", `{"propertyNames":{"$ref":"#"}}`, "/propertyNames/$ref", "references"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Compile(parse(t, test.schema))
			e, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("Compile = %v, want an *Error", err)
			}
			if p := e.Problems[0]; p.Pointer != test.pointer || !strings.Contains(p.Rule, test.rule) {
				t.Errorf("problem %q: %q, want %q: …%s…", p.Pointer, p.Rule, test.pointer, test.rule)
			}
		})
	}
}

func TestCompileRefusesExcludedKeywords(t *testing.T) {
	for _, keyword := range []string{
		"$defs", "$dynamicRef", "$recursiveRef", "$ref", "allOf", "anyOf", "contains", "dependentSchemas", "else", "if",
		"not", "oneOf", "pattern", "patternProperties", "prefixItems", "then", "unevaluatedItems", "unevaluatedProperties",
	} {
		_, err := Compile(parse(t, `{"`+keyword+`":{}}`))
		if err == nil || !strings.Contains(err.Error(), "no references, patterns, or combinators") {
			t.Errorf("%s: %v", keyword, err)
		}
	}
	for _, keyword := range []string{
		"$schema", "$id", "$comment", "$anchor", "definitions", "dependencies", "dependentRequired", "minContains",
		"maxContains", "contentEncoding", "contentMediaType", "contentSchema", "Type", "", "additionalItems",
	} {
		_, err := Compile(parse(t, `{"`+keyword+`":"a"}`))
		if err == nil || !strings.Contains(err.Error(), "is not a keyword of the bridge") {
			t.Errorf("%s: %v", keyword, err)
		}
	}
}

func TestCompileAccepts(t *testing.T) {
	for name, schema := range map[string]string{
		"empty":                       `{}`,
		"integral float length":       `{"minLength":2.0}`,
		"empty enum":                  `{"enum":[]}`,
		"repeated enum":               `{"enum":[1,1]}`,
		"empty required":              `{"required":[]}`,
		"keywords inside values":      `{"const":{"$ref":"x"},"default":{"pattern":1},"enum":[{"not":1}],"examples":[{"if":1}]}`,
		"keywords as property names":  `{"properties":{"$ref":{},"pattern":true,"type":{"type":"string"}}}`,
		"boolean schemas":             `{"items":true,"additionalProperties":false,"propertyNames":true}`,
		"unique over one scalar":      `{"uniqueItems":true,"items":{"type":"string"}}`,
		"unique over a list of one":   `{"uniqueItems":true,"items":{"type":["integer"]}}`,
		"unique false over objects":   `{"uniqueItems":false,"items":{"type":"object"}}`,
		"small multiple":              `{"multipleOf":1e-300}`,
		"huge length":                 `{"maxLength":1e300}`,
		"all seven types":             `{"type":["array","boolean","integer","null","number","object","string"]}`,
		"required without properties": `{"required":["a"]}`,
	} {
		if _, err := Compile(parse(t, schema)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCompileLimits(t *testing.T) {
	// Every schema here is an object with a description of the wanted size, a
	// chain of items of the wanted depth, or an enum of the wanted length.
	sized := func(bytes int) string {
		const frame = `{"description":""}`
		return `{"description":"` + strings.Repeat("x", bytes-len(frame)) + `"}`
	}
	deep := func(depth int) string {
		return strings.Repeat(`{"items":`, depth) + "true" + strings.Repeat("}", depth)
	}
	wide := func(nodes int) string { return `{"enum":[` + strings.Repeat("1,", nodes-3) + `1]}` }
	tests := []struct {
		name, schema string
		reason       strictjson.Reason
	}{
		{"bytes", sized(MaxSchemaBytes), ""},
		{"one byte more", sized(MaxSchemaBytes + 1), strictjson.TooManyBytes},
		{"depth", deep(MaxSchemaDepth), ""},
		{"one level more", deep(MaxSchemaDepth + 1), strictjson.TooDeep},
		{"nodes", wide(MaxSchemaNodes), ""},
		{"one node more", wide(MaxSchemaNodes + 1), strictjson.TooManyNodes},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Compile(parse(t, test.schema))
			if test.reason == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if e, ok := errors.AsType[*strictjson.Error](err); !ok || e.Reason != test.reason {
				t.Errorf("got %v, want the limit of %s", err, test.reason)
			}
		})
	}
}

func TestCompileCountsProblems(t *testing.T) {
	_, err := Compile(parse(t, `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1}`))
	e, ok := errors.AsType[*Error](err)
	if !ok || len(e.Problems) != maxProblems {
		t.Fatalf("Compile = %v, want %d problems", err, maxProblems)
	}
	if e.Problems[9].Pointer != "/j" {
		t.Errorf("the tenth problem is at %s, want /j", e.Problems[9].Pointer)
	}
}

func TestClosedObject(t *testing.T) {
	tests := []struct {
		schema  string
		problem string
	}{
		{`{"type":"object","additionalProperties":false}`, ""},
		{`{"type":["object"],"additionalProperties":false}`, "/type"},
		{`{"additionalProperties":false}`, "/type"},
		{`{"type":"object"}`, "/additionalProperties"},
		{`{"type":"object","additionalProperties":true}`, "/additionalProperties"},
		{`{"type":"object","additionalProperties":{}}`, "/additionalProperties"},
		{`{"type":"object","additionalProperties":null}`, "/additionalProperties"},
	}
	for _, test := range tests {
		err := ClosedObject(parse(t, test.schema))
		if test.problem == "" && err != nil || test.problem != "" && (err == nil || !strings.HasPrefix(err.Error(), test.problem+":")) {
			t.Errorf("ClosedObject(%s) = %v, want a problem at %q", test.schema, err, test.problem)
		}
	}
}

func TestQueryEncodable(t *testing.T) {
	tests := []struct {
		property string
		want     bool
	}{
		{`{"type":"string"}`, true},
		{`{"type":["integer","null","boolean","number"]}`, true},
		{`{"type":"null"}`, true},
		{`{"type":"array","items":{"type":"string"}}`, true},
		{`{"type":["array","null"],"items":{"type":["integer","null"]}}`, true},
		{`{"type":["null","array"],"items":{"type":"boolean"}}`, true},
		{`{"type":["array","string"],"items":{"type":"string"}}`, false},
		{`{"type":"array"}`, false},
		{`{"type":"array","items":true}`, false},
		{`{"type":"array","items":{"enum":["a"]}}`, false},
		{`{"type":"array","items":{"type":"array","items":{"type":"string"}}}`, false},
		{`{"type":"array","items":{"type":["string","object"]}}`, false},
		{`{"type":"object"}`, false},
		{`{"type":["string","object"]}`, false},
		{`{"enum":["a"]}`, false},
		{`true`, false},
		{`false`, false},
	}
	for _, test := range tests {
		err := QueryEncodable(parse(t, `{"properties":{"ok":{"type":"string"},"p":`+test.property+`}}`))
		if (err == nil) != test.want {
			t.Errorf("QueryEncodable of %s = %v, want %v", test.property, err, test.want)
		}
		if err != nil && !strings.HasPrefix(err.Error(), "/properties/p: is not query-encodable") {
			t.Errorf("QueryEncodable of %s = %v", test.property, err)
		}
	}
	if err := QueryEncodable(parse(t, `{"type":"object"}`)); err != nil {
		t.Errorf("QueryEncodable without properties = %v", err)
	}
}
