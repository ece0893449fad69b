package main

import (
	"fmt"
	"math/big"
	"strings"
)

// shape is a kind of argument that is near a limit of the bridge, and the schema that makes most of it.
type shape struct {
	name   string
	schema string // of the property "v"
	value  string // JSON text
}

const (
	// shapeBytes leaves a little room for what stands around the value.
	shapeBytes = 262_144 - 64
	// shapeNodes leaves room for the two values around it.
	shapeNodes = 9_990
	shapeDepth = 32
	// longDigits is as many digits as a number may have.
	longDigits = 4_300
)

// shapes are arguments of the largest size, each of which costs something else.
func shapes() []shape {
	list := func(n int, item func(i int) string) string {
		items := make([]string, n)
		for i := range items {
			items[i] = item(i)
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	padded := func(n int) int { return shapeBytes/n - 1 } // the length of one of n items
	digits := strings.Repeat("7", longDigits)
	long := shapeBytes / (longDigits + 1)
	exponent := 10_000
	fine, each := finestMultiple()
	return []shape{
		{"one string", `{"type":"string","minLength":1,"maxLength":300000}`, `"` + strings.Repeat("x", shapeBytes-2) + `"`},
		{"one string of escapes", `{"type":"string","minLength":1,"maxLength":300000}`, `"` + strings.Repeat(`\u00e9`, (shapeBytes-2)/6) + `"`},
		{
			"9,990 different integers", `{"type":"array","uniqueItems":true,"items":{"type":"integer","minimum":1}}`,
			list(shapeNodes, func(i int) string { return fmt.Sprintf("1%0*d", padded(shapeNodes)-1, i) }),
		},
		{"depth 32", nestedSchema(12), nestedValue()},
		{
			"9,990 members",
			`{"type":"object","propertyNames":{"minLength":1,"maxLength":64},"additionalProperties":{"type":"integer","minimum":0},"required":` +
				list(1000, func(i int) string { return fmt.Sprintf(`"m%09d"`, i) }) + `}`,
			"{" + strings.Trim(list(shapeNodes, func(i int) string { return fmt.Sprintf(`"m%09d":1%010d`, i, i) }), "[]") + "}",
		},
		{
			"60 numbers of 4,300 digits", `{"type":"array","uniqueItems":true,"items":{"type":"integer","minimum":0,"multipleOf":7}}`,
			list(long, func(i int) string { return digits[:longDigits-1-i] + strings.Repeat("0", i+1) }),
		},
		{
			"26 numbers of 10,000 characters", `{"type":"array","items":{"type":"number","minimum":0,"multipleOf":0.5}}`,
			list(shapeBytes/(exponent+1), func(int) string { return "5e" + strings.Repeat("0", exponent-3) + "1" }),
		},
		{
			"9,990 multiples of a number of 4,300 digits", `{"type":"array","items":{"type":"number","multipleOf":` + fine + `}}`,
			list(shapeNodes, func(i int) string { return each(i, padded(shapeNodes)) }),
		},
	}
}

// nestedSchema describes the first levels of nestedValue; a schema may not be as deep as a value.
func nestedSchema(levels int) string {
	return strings.Repeat(`{"type":"array","minItems":1,"items":`, levels) + `{"minItems":1}` + strings.Repeat("}", levels)
}

// nestedValue is many chains of lists, each as deep as a value may be, with a text at its end.
func nestedValue() string {
	const levels = shapeDepth - 2 // the arguments and the list of chains are outside; the text is the innermost
	chains := shapeNodes / (levels + 1)
	text := `"` + strings.Repeat("x", shapeBytes/chains-2*levels-3) + `"`
	chain := strings.Repeat("[", levels) + text + strings.Repeat("]", levels)
	return "[" + strings.TrimSuffix(strings.Repeat(chain+",", chains), ",") + "]"
}

// finestMultiple is a positive number with about as many digits as one may have, and integers that are multiples of it: a
// power of five, moved behind the decimal point until a power of ten makes up for it.
func finestMultiple() (number string, multiple func(i, length int) string) {
	const power = 6_100 // 5^6100 has 4,264 digits
	five := new(big.Int).Exp(big.NewInt(5), big.NewInt(power), nil)
	return "0." + five.String() + "e-4300", func(i, length int) string { return fmt.Sprintf("1%0*d", length-1, i) }
}
