package schema

import (
	"strconv"

	"caddy-netbox-mcp/bridge/strictjson"
)

// Schema is a compiled schema. It is safe for concurrent use.
type Schema struct {
	root *node      // of Compile
	own  *ownSchema // of CompileOwn
}

// Compile compiles a plugin's schema by the subset of Draft 2020-12 that the
// plugin bridge's version 1 allows: within MaxSchemaBytes, MaxSchemaDepth and
// MaxSchemaNodes, an object of the 28 keywords, valid against the meta-schema,
// uniqueItems only over one explicitly typed scalar. The error is an [*Error]
// with pointers into doc; its Cause tells a limit.
func Compile(doc strictjson.Value) (*Schema, error) {
	if err := doc.Check(foreignLimits()); err != nil {
		return nil, &Error{Problems: []Problem{{Rule: err.Error()}}, Cause: err}
	}
	if doc.Kind != strictjson.Object {
		return nil, &Error{Problems: []Problem{{Rule: "must be a schema object"}}}
	}
	c := &compiler{}
	root := c.schema(&doc)
	if len(c.problems) > 0 {
		return nil, &Error{Problems: c.problems}
	}
	return &Schema{root: root}, nil
}

// compiler builds nodes from a foreign schema and collects what is wrong with
// it, so that a plugin's author sees more than the first mistake.
type compiler struct {
	at       location
	problems []Problem
}

func (c *compiler) report(rule string) {
	if len(c.problems) < maxProblems {
		c.problems = append(c.problems, Problem{Pointer: c.at.pointer(), Rule: rule})
	}
}

// invalid reports a value that the meta-schema does not allow.
func (c *compiler) invalid(rule string) { c.report(rule + " (not valid Draft 2020-12)") }

// schema compiles v, which must be an object or boolean schema. It returns a
// node even where it reports problems.
func (c *compiler) schema(v *strictjson.Value) *node {
	n := &node{}
	switch v.Kind {
	case strictjson.Bool:
		n.never = !v.Bool
		return n
	case strictjson.Object:
	default:
		c.invalid("must be a schema: an object, true or false")
		return n
	}
	for i := range v.Members {
		m := &v.Members[i]
		c.at.pushName(&m.Name)
		switch compile := keywordFor(m.Name); {
		case compile != nil:
			compile(c, n, &m.Value)
		case refusedKeyword(m.Name):
			c.report("is refused: the bridge allows no references, patterns, or combinators")
		default:
			c.report("is not a keyword of the bridge")
		}
		c.at.pop()
	}
	if n.unique && !(n.items != nil && n.items.types.single() && n.items.types&scalarTypes != 0) {
		c.report("uniqueItems needs items of one explicitly typed scalar, such as {\"type\": \"string\"}")
	}
	return n
}

func (c *compiler) annotationText(_ *node, v *strictjson.Value) {
	if v.Kind != strictjson.String {
		c.invalid("must be a string")
	}
}

func (c *compiler) annotationBool(_ *node, v *strictjson.Value) {
	if v.Kind != strictjson.Bool {
		c.invalid("must be true or false")
	}
}

func (c *compiler) annotationList(_ *node, v *strictjson.Value) {
	if v.Kind != strictjson.Array {
		c.invalid("must be a list")
	}
}

func (c *compiler) types(n *node, v *strictjson.Value) {
	const rule = "must be a type name or a non-empty list of different ones: array, boolean, integer, null, number, object, string"
	switch {
	case v.Kind == strictjson.String:
		if n.types = typeNamed(v.Text); n.types == 0 {
			c.invalid(rule)
		}
		return
	case v.Kind != strictjson.Array || len(v.Items) == 0:
		c.invalid(rule)
		return
	}
	for i := range v.Items {
		item := &v.Items[i]
		set := typeSet(0)
		if item.Kind == strictjson.String {
			set = typeNamed(item.Text)
		}
		if set == 0 || n.types&set != 0 {
			c.invalid(rule)
			return
		}
		n.types |= set
	}
}

func (c *compiler) enum(n *node, v *strictjson.Value) {
	if v.Kind != strictjson.Array {
		c.invalid("must be a list")
		return
	}
	n.enum = &choice{keys: make(map[string]struct{}, len(v.Items)), text: listText(v.Items)}
	for i := range v.Items {
		n.enum.keys[string(appendKey(nil, &v.Items[i]))] = struct{}{}
	}
}

func (c *compiler) constant(n *node, v *strictjson.Value) {
	key := string(appendKey(nil, v))
	n.constant = &choice{keys: map[string]struct{}{key: {}}, text: valueText(v)}
}

func (c *compiler) format(n *node, v *strictjson.Value) {
	if v.Kind != strictjson.String {
		c.invalid("must be a string")
		return
	}
	if v.Text != dateTimeFormat {
		c.report("must be date-time, the bridge's only format" + formatName(v.Text))
		return
	}
	n.dateTime = true
}

// formatName quotes a refused format's name if it looks like one, since it is
// the one value of a schema that its pointer does not identify.
func formatName(name string) string {
	const longest = 32
	if len(name) > longest {
		return ""
	}
	for _, c := range []byte(name) {
		if (c < 'a' || c > 'z') && c != '-' {
			return ""
		}
	}
	return ", not " + strconv.Quote(name)
}

func (c *compiler) unique(n *node, v *strictjson.Value) {
	if v.Kind != strictjson.Bool {
		c.invalid("must be true or false")
		return
	}
	n.unique = v.Bool
}

func (c *compiler) required(n *node, v *strictjson.Value) {
	const rule = "must be a list of different strings"
	if v.Kind != strictjson.Array {
		c.invalid(rule)
		return
	}
	seen := make(map[string]struct{}, len(v.Items))
	for i := range v.Items {
		name := v.Items[i].Text
		_, again := seen[name]
		if v.Items[i].Kind != strictjson.String || again {
			c.invalid(rule)
			return
		}
		seen[name] = struct{}{}
		n.required = append(n.required, name)
	}
}

func (c *compiler) properties(n *node, v *strictjson.Value) {
	if v.Kind != strictjson.Object {
		c.invalid("must be an object of schemas")
		return
	}
	n.properties = make(map[string]*node, len(v.Members))
	for i := range v.Members {
		m := &v.Members[i]
		c.at.pushName(&m.Name)
		n.properties[m.Name] = c.schema(&m.Value)
		c.at.pop()
		n.known = append(n.known, m.Name)
	}
}

func (c *compiler) bound(v *strictjson.Value) *bound {
	if v.Kind != strictjson.Number {
		c.invalid("must be a number")
		return nil
	}
	return &bound{value: parseDecimal(v.Text), text: clip(v.Text)}
}

func (c *compiler) multipleOf(n *node, v *strictjson.Value) {
	if v.Kind != strictjson.Number || parseDecimal(v.Text).sign() <= 0 {
		c.invalid("must be a number over 0")
		return
	}
	n.multipleOf = newDivisor(parseDecimal(v.Text), clip(v.Text))
}

// count reads a non-negative integer in any form: 2.0 is one, by value.
func (c *compiler) count(v *strictjson.Value) *count {
	d := parseDecimal(v.Text)
	if v.Kind != strictjson.Number || d.sign() < 0 || !d.integral() {
		c.invalid("must be an integer of at least 0")
		return nil
	}
	return &count{value: d.int(), text: clip(v.Text)}
}
