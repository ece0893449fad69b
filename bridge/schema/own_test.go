package schema

import (
	"strings"
	"testing"
)

func TestCompileOwnRefuses(t *testing.T) {
	for name, doc := range map[string]string{
		"no JSON":             `{`,
		"unknown type":        `{"type":"text"}`,
		"array items":         `{"items":[{}]}`,
		"broken pattern":      `{"pattern":"("}`,
		"look-ahead":          `{"pattern":"(?=a)"}`,
		"reference to a file": `{"$ref":"file:///etc/hostname"}`,
		"relative reference":  `{"$ref":"other.json"}`,
		"remote reference":    `{"$ref":"https://example.com/schema"}`,
		"dangling reference":  `{"$ref":"#/$defs/none"}`,
		"foreign dialect":     `{"$schema":"https://example.com/dialect"}`,
	} {
		if _, err := CompileOwn([]byte(doc)); err == nil {
			t.Errorf("%s: CompileOwn(%s) succeeded", name, doc)
		}
	}
}

// TestCompileOwnProblems covers what the bridge subset does not have.
func TestCompileOwnProblems(t *testing.T) {
	refs := `{"type":"object","properties":{"id":{"$ref":"#/$defs/id"}},"additionalProperties":false,"$defs":{"id":{"type":"integer","minimum":1}}}`
	forms := `{"properties":{"payload":{"anyOf":[{"type":"object","minProperties":1},{"type":"string","minLength":2}]}}}`
	one := `{"oneOf":[{"properties":{"a":{"const":1}},"required":["a"]},{"properties":{"b":{"const":1}},"required":["b"]}]}`
	tests := []struct{ name, schema, instance, want string }{
		{"by reference", refs, `{"id":5}`, ""},
		{"problem by reference", refs, `{"id":0}`, "/id: must be at least 1"},
		{"integer rule by reference", refs, `{"id":9007199254740992.0}`,
			"/id: must be an integer; with a fraction or exponent only up to 9007199254740991, so write all digits"},
		{"first form", forms, `{"payload":{"a":1}}`, ""},
		{"second form", forms, `{"payload":"{}"}`, ""},
		{"close to the first form", forms, `{"payload":{}}`, "/payload: must have at least 1 member"},
		{"close to the second form", forms, `{"payload":"x"}`, "/payload: must have at least 2 characters"},
		{"no form", forms, `{"payload":5}`, "/payload: must be an object or a string, not a number"},
		{"one of two", one, `{"a":1}`, ""},
		{"both of two", one, `{"a":1,"b":1}`, "(root): must match exactly one of the allowed forms, and matches several"},
		{"integer rule inside not", `{"not":{"type":"integer"}}`, `9007199254740992.0`, ""},
		{"not", `{"not":{"type":"integer"}}`, `7.0`, "(root): has a form that is not allowed"},
		{"integer rule inside anyOf", `{"anyOf":[{"type":"integer"},{"type":"null"}]}`, `1e16`,
			"(root): must be an integer or null; with a fraction or exponent only up to 9007199254740991, so write all digits"},
		{"pattern", `{"pattern":"^[a-z]+$"}`, `"A secret"`, "(root): must match the pattern ^[a-z]+$"},
		{"pattern of a property that says what it is", `{"properties":{"tool":{"pattern":"^[a-z]+$","description":"The tool's name, without the plugin's"}}}`, `{"tool":"a.b"}`,
			"/tool: must match the pattern ^[a-z]+$ (The tool's name, without the plugin's)"},
		{"formats are asserted", `{"format":"ipv4"}`, `"300.1.1.1"`, "(root): must be a valid ipv4"},
		{"our date-time", `{"format":"date-time"}`, `"2026-08-12T12:34:60Z"`,
			"(root): date-time has a leap second (:60) that is not at the end of a month in UTC"},
		{"conditional", `{"if":{"required":["a"]},"then":{"required":["b"]}}`, `{"a":1}`, "/b: is required"},
		{"dependent", `{"dependentRequired":{"a":["b"]}}`, `{"a":1}`, "/b: is required beside a"},
		{"contains", `{"contains":{"type":"null"}}`, `[1]`, "(root): does not match the schema's contains"},
		{"order of problems", `{"properties":{"c":{"type":"null"},"a":{"type":"null"},"b":{"type":"null"}}}`, `{"c":1,"b":1,"a":1}`,
			"/a: must be null, not a number; /b: must be null, not a number; /c: must be null, not a number"},
		{"known names of a nested object", `{"properties":{"a/b %":{"properties":{"y":true,"x":true},"additionalProperties":false}}}`, `{"a/b %":{"z":1}}`,
			"/a~1b %/z: is not a known argument; known: y, x"},
		{"property name", `{"propertyNames":{"maxLength":1}}`, `{"ab":1}`, "(root): the member name ab is not allowed"},
		{"digits that the library would expand", `{"maximum":1}`, "1" + strings.Repeat("0", 400), "(root): must be a number of at most 400 digits on either side of the point"},
		{"exponents that the library would expand", `{"items":{"maximum":1}}`, `[0,1e-401]`, "/1: must be a number of at most 400 digits on either side of the point"},
		{"small exponents", `{"exclusiveMinimum":0}`, `1e-400`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			if err := compileOwn(t, test.schema).Validate(parse(t, test.instance)); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("Validate(%.100s) = %q, want %q", test.instance, got, test.want)
			}
		})
	}
}
