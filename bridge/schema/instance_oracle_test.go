package schema

import (
	"encoding/json"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// This file is a second evaluator of the bridge's subset, built from the standard library alone: encoding/json reads,
// math/big compares, everything is compared with everything. It is slow and short, and shares no code with the package, so
// that a mistake in one is not made by the other.

// read decodes a document, numbers as they are written.
func read(t testing.TB, text string) any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%.200q: %v", text, err)
	}
	return v
}

// rational is a number's value.
func rational(n json.Number) *big.Rat {
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		panic("no number: " + string(n))
	}
	return r
}

// safe is the largest integer that a number with a fraction or an exponent may be.
func safe() *big.Rat { return new(big.Rat).SetInt64(1<<53 - 1) }

// isType reports whether a value has one of JSON Schema's types.
func isType(name string, v any) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	case json.Number:
		r := rational(v)
		whole := !strings.ContainsAny(string(v), ".eE") || r.IsInt() && new(big.Rat).Abs(r).Cmp(safe()) <= 0
		return name == "number" || name == "integer" && whole
	}
	return false
}

// same reports whether JSON Schema calls two values equal.
func same(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		return ok && rational(a).Cmp(rational(b)) == 0
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, same)
	}
	switch b.(type) {
	case json.Number, []any, map[string]any:
		return false
	}
	return a == b
}

// holds reports whether a value is valid under a schema.
func holds(schema, v any) bool {
	if b, ok := schema.(bool); ok {
		return b
	}
	for keyword, of := range schema.(map[string]any) {
		if !keywordHolds(schema.(map[string]any), keyword, of, v) {
			return false
		}
	}
	return true
}

func keywordHolds(schema map[string]any, keyword string, of, v any) bool {
	isSame := func(other any) bool { return same(other, v) }
	switch keyword {
	case "type":
		names, list := of.([]any)
		return !list && isType(of.(string), v) || slices.ContainsFunc(names, func(n any) bool { return isType(n.(string), v) })
	case "enum":
		return slices.ContainsFunc(of.([]any), isSame)
	case "const":
		return isSame(of)
	}
	switch v := v.(type) {
	case json.Number:
		return numberHolds(keyword, of, rational(v))
	case string:
		return textHolds(keyword, of, v)
	case []any:
		return listHolds(keyword, of, v)
	case map[string]any:
		return objectHolds(schema, keyword, of, v)
	}
	return true
}

func numberHolds(keyword string, of any, v *big.Rat) bool {
	switch keyword {
	case "maximum":
		return v.Cmp(rational(of.(json.Number))) <= 0
	case "minimum":
		return v.Cmp(rational(of.(json.Number))) >= 0
	case "exclusiveMaximum":
		return v.Cmp(rational(of.(json.Number))) < 0
	case "exclusiveMinimum":
		return v.Cmp(rational(of.(json.Number))) > 0
	case "multipleOf":
		return new(big.Rat).Quo(v, rational(of.(json.Number))).IsInt()
	}
	return true
}

// counts compares how many there are of something with a keyword's number.
func counts(n int, of any) int { return big.NewRat(int64(n), 1).Cmp(rational(of.(json.Number))) }

func textHolds(keyword string, of any, v string) bool {
	switch keyword {
	case "maxLength":
		return counts(utf8.RuneCountInString(v), of) <= 0
	case "minLength":
		return counts(utf8.RuneCountInString(v), of) >= 0
	case "format":
		return isDateTime(v)
	}
	return true
}

func listHolds(keyword string, of any, v []any) bool {
	switch keyword {
	case "maxItems":
		return counts(len(v), of) <= 0
	case "minItems":
		return counts(len(v), of) >= 0
	case "items":
		return !slices.ContainsFunc(v, func(item any) bool { return !holds(of, item) })
	case "uniqueItems":
		for i := range v {
			if of.(bool) && slices.ContainsFunc(v[:i], func(earlier any) bool { return same(earlier, v[i]) }) {
				return false
			}
		}
	}
	return true
}

func objectHolds(schema map[string]any, keyword string, of any, v map[string]any) bool {
	known, _ := schema["properties"].(map[string]any)
	switch keyword {
	case "maxProperties":
		return counts(len(v), of) <= 0
	case "minProperties":
		return counts(len(v), of) >= 0
	case "required":
		return !slices.ContainsFunc(of.([]any), func(name any) bool { _, there := v[name.(string)]; return !there })
	}
	for name, member := range v {
		property, isKnown := known[name]
		switch {
		case keyword == "properties" && isKnown && !holds(property, member),
			keyword == "additionalProperties" && !isKnown && !holds(of, member),
			keyword == "propertyNames" && !holds(of, name):
			return false
		}
	}
	return true
}

var dateTimeSyntax = regexp.MustCompile(`^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:[Zz]|([+-][0-9]{2}):([0-9]{2}))$`)

// isDateTime is RFC 3339 with the bridge's rules, by counting minutes instead of package time.
func isDateTime(s string) bool {
	m := dateTimeSyntax.FindStringSubmatch(s)
	if m == nil {
		return false
	}
	n := make([]int, len(m))
	for i := 1; i < len(m); i++ {
		n[i], _ = strconv.Atoi(m[i]) // an offset that is not there is 0
	}
	year, month, day, hour, minute, second, offset := n[1], n[2], n[3], n[4], n[5], n[6], n[7]
	if year < 1 || month < 1 || month > 12 || day < 1 || day > monthDays(year, month) ||
		hour > 23 || minute > 59 || second > 60 || max(offset, -offset) > 23 || n[8] > 59 {
		return false
	}
	east := 60*offset + n[8]
	if strings.HasPrefix(m[7], "-") {
		east = 60*offset - n[8] // -00:30 has the sign in its text only
	}
	// The minute in UTC that the second belongs to, and the day that it is in.
	minute += 60*hour - east
	if second == 60 {
		minute++
	}
	for ; minute < 0; minute += 24 * 60 {
		if day--; day == 0 {
			if month--; month == 0 {
				year, month = year-1, 12
			}
			day = monthDays(year, month)
		}
	}
	for ; minute >= 24*60; minute -= 24 * 60 {
		if day++; day > monthDays(year, month) {
			if month, day = month+1, 1; month > 12 {
				year, month = year+1, 1
			}
		}
	}
	return year >= 1 && year <= 9999 && (second < 60 || day == 1 && minute == 0)
}

// monthDays is the length of a month by the Gregorian rule.
func monthDays(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && year%100 != 0 || year%400 == 0 {
			return 29
		}
		return 28
	}
	return 31
}
