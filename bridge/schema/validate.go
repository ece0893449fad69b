package schema

import (
	"strconv"
	"unicode/utf8"

	"caddy-netbox-mcp/bridge/strictjson"
)

// Validate judges an instance. It returns nil or an [*Error] with at most ten
// problems. The instance's own size is the caller's to bound.
func (s *Schema) Validate(v strictjson.Value) error {
	if s.own != nil {
		return s.own.validate(v)
	}
	e := &evaluator{}
	e.node(s.root, &v)
	if len(e.problems) > 0 {
		return &Error{Problems: e.problems}
	}
	return nil
}

// evaluator holds one validation. Every value is visited at most once, because
// the subset has no keyword that applies two schemas to one value; only keys of
// enum and const are read again, once a level.
type evaluator struct {
	at       location
	problems []Problem
	key      []byte // reused
}

// full reports that further problems would not be listed.
func (e *evaluator) full() bool { return len(e.problems) >= maxProblems }

func (e *evaluator) report(rule string) {
	if !e.full() {
		e.problems = append(e.problems, Problem{Pointer: e.at.pointer(), Rule: rule})
	}
}

func (e *evaluator) node(n *node, v *strictjson.Value) {
	if e.full() {
		return
	}
	if n.never {
		e.report("is not allowed")
		return
	}
	if n.types != 0 && !n.types.admits(v) {
		// What the other keywords say of a value of the wrong type helps nobody.
		e.report(typeRule(n.types, v))
		return
	}
	if n.constant != nil && !e.among(n.constant, v) {
		e.report("must be " + n.constant.text)
	}
	if n.enum != nil && !e.among(n.enum, v) {
		e.report("must be one of " + n.enum.text)
	}
	switch v.Kind {
	case strictjson.Number:
		e.number(n, v)
	case strictjson.String:
		e.text(n, v)
	case strictjson.Array:
		e.array(n, v)
	case strictjson.Object:
		e.object(n, v)
	}
}

func (e *evaluator) among(c *choice, v *strictjson.Value) bool {
	e.key = appendKey(e.key[:0], v)
	_, ok := c.keys[string(e.key)]
	return ok
}

func (e *evaluator) number(n *node, v *strictjson.Value) {
	if n.minimum == nil && n.maximum == nil && n.exclusiveMinimum == nil && n.exclusiveMaximum == nil && n.multipleOf == nil {
		return
	}
	d := parseDecimal(v.Text)
	if b := n.minimum; b != nil && d.cmp(b.value) < 0 {
		e.report("must be at least " + b.text)
	}
	if b := n.maximum; b != nil && d.cmp(b.value) > 0 {
		e.report("must be at most " + b.text)
	}
	if b := n.exclusiveMinimum; b != nil && d.cmp(b.value) <= 0 {
		e.report("must be greater than " + b.text)
	}
	if b := n.exclusiveMaximum; b != nil && d.cmp(b.value) >= 0 {
		e.report("must be less than " + b.text)
	}
	if v := n.multipleOf; v != nil && !v.divides(d) {
		e.report("must be a multiple of " + v.text)
	}
}

func (e *evaluator) text(n *node, v *strictjson.Value) {
	if n.minLength != nil || n.maxLength != nil {
		length := utf8.RuneCountInString(v.Text)
		if c := n.minLength; c != nil && length < c.value {
			e.report("must have at least " + c.of("character"))
		}
		if c := n.maxLength; c != nil && length > c.value {
			e.report("must have at most " + c.of("character"))
		}
	}
	if n.dateTime {
		if err := DateTime(v.Text); err != nil {
			e.report(err.Error())
		}
	}
}

func (e *evaluator) array(n *node, v *strictjson.Value) {
	if c := n.minItems; c != nil && len(v.Items) < c.value {
		e.report("must have at least " + c.of("item"))
	}
	if c := n.maxItems; c != nil && len(v.Items) > c.value {
		e.report("must have at most " + c.of("item"))
	}
	if n.unique && len(v.Items) > 1 {
		e.distinct(v.Items)
	}
	if n.items == nil {
		return
	}
	for i := range v.Items {
		if e.full() {
			return
		}
		e.at.pushIndex(i)
		e.node(n.items, &v.Items[i])
		e.at.pop()
	}
}

// distinct reports the first item that equals an earlier one.
func (e *evaluator) distinct(items []strictjson.Value) {
	seen := make(map[string]int, len(items))
	for i := range items {
		e.key = appendKey(e.key[:0], &items[i])
		if first, ok := seen[string(e.key)]; ok {
			e.report("must not repeat an item: items " + strconv.Itoa(first) + " and " + strconv.Itoa(i) + " are equal (non-unique)")
			return
		}
		seen[string(e.key)] = i
	}
}

func (e *evaluator) object(n *node, v *strictjson.Value) {
	if c := n.minProperties; c != nil && len(v.Members) < c.value {
		e.report("must have at least " + c.of("member"))
	}
	if c := n.maxProperties; c != nil && len(v.Members) > c.value {
		e.report("must have at most " + c.of("member"))
	}
	e.missing(n, v)
	for i := range v.Members {
		if e.full() {
			return
		}
		m := &v.Members[i]
		e.at.pushName(&m.Name)
		if n.names != nil {
			e.name(n.names, m.Name)
		}
		switch property, ok := n.properties[m.Name]; {
		case ok:
			e.node(property, &m.Value)
		case n.additional == nil:
		case n.additional.never:
			e.report(unknownRule(n.known))
		default:
			e.node(n.additional, &m.Value)
		}
		e.at.pop()
	}
}

// maxLookups is how many name comparisons an object's required list may cost
// before a set of the present names is cheaper.
const maxLookups = 512

// missing reports required members that are not there.
func (e *evaluator) missing(n *node, v *strictjson.Value) {
	var present map[string]struct{}
	if len(n.required)*len(v.Members) > maxLookups {
		present = make(map[string]struct{}, len(v.Members))
		for i := range v.Members {
			present[v.Members[i].Name] = struct{}{}
		}
	}
	for i := range n.required {
		name := &n.required[i]
		_, ok := present[*name]
		if present == nil {
			_, ok = v.Get(*name)
		}
		if !ok {
			e.at.pushName(name)
			e.report("is required")
			e.at.pop()
		}
	}
}

// name judges a member's name by propertyNames; problems are told as the
// member's.
func (e *evaluator) name(n *node, name string) {
	before := len(e.problems)
	e.node(n, &strictjson.Value{Kind: strictjson.String, Text: name})
	for i := before; i < len(e.problems); i++ {
		e.problems[i].Rule = "the name " + e.problems[i].Rule
	}
}
