package strictjson

// MaxDepth is the nesting that no document may pass, whatever its [Limits]:
// parsing and writing recurse once a level, and hostile input must not choose
// how large the stack grows. The MCP SDK's own parser stops at the same depth.
const MaxDepth = 1000

// Limits bounds a document. A zero field is not checked, except that the depth
// never passes [MaxDepth]. A value exactly at a limit is accepted.
type Limits struct {
	// Bytes is the size of the document for Parse, and of the compact form for
	// Check. The compact form is never longer than the document it came from.
	Bytes int
	// Depth is the level of the deepest value: the root is 0, and every member
	// or element is one deeper than what holds it. Scalars count as a level.
	Depth int
	// Nodes is the number of values, containers and scalars alike; member
	// names do not count.
	Nodes int
}

// depthBound is the depth in force.
func (l Limits) depthBound() int {
	if l.Depth <= 0 || l.Depth > MaxDepth {
		return MaxDepth
	}
	return l.Depth
}

// Check measures v against lim as if its compact form had been parsed: bytes
// first, then depth and nodes in one walk. It returns nil or an [*Error]. It is
// meant for values that Parse returned, perhaps recombined; the size of one
// that was built deeper than [MaxDepth] costs stack in proportion.
func (v Value) Check(lim Limits) error {
	if lim.Bytes > 0 && v.compactSize() > lim.Bytes {
		return &Error{Reason: TooManyBytes, Limit: lim.Bytes}
	}
	if err := (&measurer{lim: lim}).walk(&v, 0); err != nil {
		return err
	}
	return nil
}

// measurer counts the values of a tree.
type measurer struct {
	lim   Limits
	nodes int
}

func (m *measurer) walk(v *Value, depth int) *Error {
	if bound := m.lim.depthBound(); depth > bound {
		return &Error{Reason: TooDeep, Limit: bound}
	}
	m.nodes++
	if m.lim.Nodes > 0 && m.nodes > m.lim.Nodes {
		return &Error{Reason: TooManyNodes, Limit: m.lim.Nodes}
	}
	for i := range v.Items {
		if err := m.walk(&v.Items[i], depth+1); err != nil {
			return err
		}
	}
	for i := range v.Members {
		if err := m.walk(&v.Members[i].Value, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// compactSize is the length of AppendCompact's output, without building it.
func (v *Value) compactSize() int {
	switch v.Kind {
	case Bool:
		if v.Bool {
			return len("true")
		}
		return len("false")
	case Number:
		return len(v.Text)
	case String:
		return quotedSize(v.Text)
	case Array:
		size := 2 + max(0, len(v.Items)-1)
		for i := range v.Items {
			size += v.Items[i].compactSize()
		}
		return size
	case Object:
		size := 2 + max(0, len(v.Members)-1)
		for i := range v.Members {
			size += quotedSize(v.Members[i].Name) + 1 + v.Members[i].Value.compactSize()
		}
		return size
	}
	return len("null")
}
