package schema

import (
	"encoding/json"
	"fmt"
	"strings"
)

// mixer composes a schema and an instance out of bytes and two texts. Schemas quote what the instance holds, so that bounds
// are met exactly as often as they are missed.
type mixer struct {
	seed    []byte
	pos     int
	schemas []string // the text given, and what was composed before
	values  []string
}

func newMixer(seed []byte, schema, instance string) *mixer {
	m := &mixer{seed: seed, schemas: []string{"true"}, values: []string{"null"}}
	if json.Valid([]byte(schema)) {
		m.schemas = []string{schema}
	}
	if json.Valid([]byte(instance)) {
		m.values = []string{instance}
	}
	return m
}

// pair composes the instance first.
func (m *mixer) pair() (schema, instance string) {
	instance = m.value(3)
	return m.schema(3, instance), instance
}

// pick chooses by the next byte; past the last one they are mixed again.
func (m *mixer) pick(n int) int {
	b := int(m.seed[m.pos%len(m.seed)]) + m.pos/len(m.seed)*53
	m.pos++
	return b % n
}

func (m *mixer) of(choices ...string) string { return choices[m.pick(len(choices))] }

func (m *mixer) number() string {
	if m.pick(4) == 0 {
		return m.count()
	}
	return m.of("", "", "", "-") +
		m.of("0", "1", "2", "3", "7", "10", "12", "100", "9007199254740991", "9007199254740992", "9007199254740993", "9223372036854775807", "18446744073709551616") +
		m.of("", "", "", "", ".0", ".00", ".5", ".50", ".25", ".4", ".00000000000000000001") +
		m.of("", "", "", "", "", "e0", "e1", "E+2", "e-1", "e-2", "e16", "E-20", "e280", "e-400", "e-4300")
}

func (m *mixer) count() string {
	return m.of("0", "1", "2", "3", "1.0", "2e0", "20e-1", "99999999999999999999")
}

func (m *mixer) name() string { return m.of("a", "b", "c", "type", "é", "", "a/b", "~", `\u0000`) }

func (m *mixer) text() string {
	if m.pick(2) == 0 {
		return `"` + m.name() + m.of("", "", "b", "1", `\ud83d\ude00`, `e\u0301`) + `"`
	}
	return `"` + m.date() + m.of("T", "T", "T", "t", " ") + m.clock() + m.of("", "", "", ".5", ".") + m.offset() + `"`
}

// date is mostly one at which a month, a year or the calendar ends.
func (m *mixer) date() string {
	if m.pick(3) > 0 {
		return m.of("0001-01-01", "9999-12-31", "1990-12-31", "1991-01-01", "2024-02-29", "2024-02-28", "2026-04-30", "2026-08-12", "1900-02-29", "2000-02-29")
	}
	return m.of("2026", "2024", "0001", "9999", "0000", "202") + "-" + m.of("01", "02", "06", "12", "13", "00") + "-" + m.of("01", "28", "30", "31", "32", "00")
}

func (m *mixer) clock() string {
	if m.pick(3) > 0 {
		return m.of("23:59:60", "23:59:59", "00:00:00", "00:59:60", "18:59:60", "23:58:60", "22:59:60", "00:00:59")
	}
	return m.of("00", "23", "18", "24") + ":" + m.of("00", "59", "60") + ":" + m.of("00", "59", "60", "61")
}

func (m *mixer) offset() string {
	return m.of("Z", "Z", "Z", "z", "+00:00", "-00:00", "+23:59", "-23:59", "-05:00", "+01:00", "-01:00", "-00:01", "+24:00", "+00:60", "")
}

func (m *mixer) value(depth int) string {
	v := m.newValue(depth)
	m.values = append(m.values, v)
	return v
}

func (m *mixer) newValue(depth int) string {
	n := 11
	if depth == 0 {
		n = 6
	}
	switch m.pick(n) {
	case 0:
		return m.of("null", "true", "false")
	case 1, 2:
		return m.number()
	case 3, 4:
		return m.text()
	case 5:
		return m.of(m.values...)
	case 6:
		items := make([]string, m.pick(4))
		for i := range items {
			items[i] = m.value(depth - 1)
		}
		return m.list(items...)
	case 7:
		items := make([]string, m.pick(4))
		for i := range items {
			items[i] = m.of("1", "1.0", "2", "10e-1", "3")
		}
		return m.list(items...)
	case 8:
		items := make([]string, m.pick(4))
		for i := range items {
			items[i] = m.of(`"a"`, `"A"`, `"\u0061"`, `"aa"`, `""`, m.of(m.values...))
		}
		return m.list(items...)
	}
	return m.object(func() string { return m.value(depth - 1) })
}

// object has up to three members with different names.
func (m *mixer) object(value func() string) string {
	var members []string
	used := map[string]bool{}
	for range m.pick(4) {
		if name := m.name(); !used[name] {
			used[name] = true
			members = append(members, `"`+name+`":`+value())
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func (m *mixer) list(items ...string) string { return "[" + strings.Join(items, ",") + "]" }

// quoted is a value of the instance, or a new one.
func (m *mixer) quoted() string {
	if m.pick(3) > 0 {
		return m.of(m.values...)
	}
	return m.value(1)
}

// bound is a number of the instance, or a new one.
func (m *mixer) bound() string {
	if v := m.of(m.values...); strings.Trim(v, "-0123456789.eE+") == "" {
		return v
	}
	return m.number()
}

func (m *mixer) types() string {
	name := func() string {
		return m.of(`"null"`, `"boolean"`, `"integer"`, `"integer"`, `"number"`, `"string"`, `"array"`, `"object"`)
	}
	return m.of(name(), name(), m.list(name()), m.list(name(), name()), m.list(name(), name(), name()))
}

// schema composes one for a value that is like another.
func (m *mixer) schema(depth int, like string) string {
	switch {
	case depth == 0:
		return m.of("true", "{}", "false", m.schemas[m.pick(len(m.schemas))])
	case depth < 3 && m.pick(8) == 0:
		return m.of("true", "false", `{"x":1}`, m.schemas[m.pick(len(m.schemas))])
	}
	var members []string
	used := map[string]bool{}
	for range 1 + m.pick(4) {
		if name, value := m.keyword(depth, like); !used[name] {
			used[name] = true
			members = append(members, fmt.Sprintf("%q:%s", name, value))
		}
	}
	s := "{" + strings.Join(members, ",") + "}"
	m.schemas = append(m.schemas, s)
	return s
}

// keyword is one keyword with its value, mostly one that says something of a value like another.
func (m *mixer) keyword(depth int, like string) (name, value string) {
	inner := func() string { return m.schema(depth-1, m.of(m.values...)) }
	switch n := m.pick(12); {
	case n < 3:
		return "type", m.types()
	case n == 3:
		return "enum", m.list(m.quoted(), m.quoted(), m.quoted())
	case n == 4:
		return "const", m.quoted()
	case n == 5:
		return m.other()
	case n == 6:
		like = m.of("1", `"`, "[", "{")
	}
	switch like[0] {
	case '"':
		return m.either(`format`, m.of(`"date-time"`, `"date-time"`, `"date-time"`, `"date"`), m.of("maxLength", "minLength"), m.count())
	case '[':
		if m.pick(3) == 0 {
			return "items", `{"type":` + m.of(`"integer"`, `"number"`, `"string"`, m.types()) + `},"uniqueItems":` + m.of("true", "true", "true", "false")
		}
		return m.either("items", inner(), m.of("maxItems", "minItems"), m.count())
	case '{':
		if m.pick(3) == 0 {
			return m.either("required", m.list(`"`+m.name()+`"`, `"`+m.name()+`"`), m.of("maxProperties", "minProperties"), m.count())
		}
		if m.pick(2) == 0 {
			return "properties", m.object(inner)
		}
		return m.either("additionalProperties", m.of("false", inner()), "propertyNames", m.schema(depth-1, `"`))
	}
	return m.either(m.of("maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"), m.bound(), "multipleOf", m.of(m.bound(), "1", "0.5", "3", "10", "1e-3", "7e2"))
}

// either is one of two keywords.
func (m *mixer) either(name1, value1, name2, value2 string) (name, value string) {
	if m.pick(2) == 0 {
		return name1, value1
	}
	return name2, value2
}

// other is a keyword that says nothing of a value, or one that the bridge or the meta-schema does not allow.
func (m *mixer) other() (name, value string) {
	if m.pick(2) == 0 {
		return m.of("title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"), m.of(`"t"`, "[]", "true", m.quoted())
	}
	return m.of("pattern", "$ref", "not", "Type", "x", "type", "enum", "required", "properties", "items", "uniqueItems"), m.of(m.quoted(), "{}", "[]", `"a"`, "1")
}
