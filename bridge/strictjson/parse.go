package strictjson

import (
	"strings"
	"unicode/utf8"
)

// linearNames is how many members of an object are compared one by one before
// their names go into a set: small objects are most objects, and a set for
// each would cost more than the document.
const linearNames = 16

const byteOrderMark = "\ufeff"

// Parse reads data as one JSON value within lim. Every error is an [*Error].
func Parse(data []byte, lim Limits) (Value, error) {
	if lim.Bytes > 0 && len(data) > lim.Bytes {
		return Value{}, &Error{Reason: TooManyBytes, Offset: lim.Bytes, Limit: lim.Bytes}
	}
	if at := invalidUTF8(data); at >= 0 {
		return Value{}, &Error{Reason: InvalidUTF8, Offset: at}
	}
	p := &parser{src: string(data), nodes: lim.Nodes, depth: lim.depthBound()}
	if strings.HasPrefix(p.src, byteOrderMark) {
		return Value{}, p.fail(ByteOrderMark, 0)
	}
	p.space()
	if p.pos == len(p.src) {
		return Value{}, p.fail(Empty, p.pos)
	}
	v, err := p.value(0)
	if err != nil {
		return Value{}, err
	}
	p.space()
	if p.pos < len(p.src) {
		return Value{}, p.fail(Trailing, p.pos)
	}
	return v, nil
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
// Raw surrogates are not UTF-8 either.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size <= 1 {
			return at
		}
		at += size
	}
	return -1
}

// parser reads one document. Its source is a single string that the values'
// texts are slices of.
type parser struct {
	src   string
	pos   int
	count int // values so far
	nodes int // bound of count; 0 means none
	depth int

	// The containers that are open keep their values here, so that each ends up
	// in one allocation of its own size.
	items   []Value
	members []Member
}

func (p *parser) fail(reason Reason, at int) *Error {
	return &Error{Reason: reason, Offset: min(at, len(p.src))}
}

// peek returns the byte at the current position, or 0 at the end: no grammar
// rule accepts a zero byte, so the two need not be told apart.
func (p *parser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

// space skips the four whitespace characters of RFC 8259.
func (p *parser) space() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// value reads the value at the current position, which is not whitespace.
func (p *parser) value(depth int) (Value, *Error) {
	if depth > p.depth {
		return Value{}, &Error{Reason: TooDeep, Offset: p.pos, Limit: p.depth}
	}
	p.count++
	if p.nodes > 0 && p.count > p.nodes {
		return Value{}, &Error{Reason: TooManyNodes, Offset: p.pos, Limit: p.nodes}
	}
	switch c := p.peek(); c {
	case '{':
		members, err := p.object(depth)
		return Value{Kind: Object, Members: members}, err
	case '[':
		items, err := p.array(depth)
		return Value{Kind: Array, Items: items}, err
	case '"':
		text, err := p.text()
		return Value{Kind: String, Text: text}, err
	case 't':
		return Value{Kind: Bool, Bool: true}, p.literal("true")
	case 'f':
		return Value{Kind: Bool}, p.literal("false")
	case 'n':
		return Value{}, p.literal("null")
	case 'N', 'I':
		// Names that Python and JavaScript write for what JSON cannot say.
		if strings.HasPrefix(p.src[p.pos:], "NaN") || strings.HasPrefix(p.src[p.pos:], "Infinity") {
			return Value{}, p.fail(NotFinite, p.pos)
		}
		return Value{}, p.fail(Syntax, p.pos)
	default:
		if c != '-' && (c < '0' || c > '9') {
			return Value{}, p.fail(Syntax, p.pos)
		}
		text, err := p.number()
		return Value{Kind: Number, Text: text}, err
	}
}

func (p *parser) literal(word string) *Error {
	if !strings.HasPrefix(p.src[p.pos:], word) {
		return p.fail(Syntax, p.pos)
	}
	p.pos += len(word)
	return nil
}

func (p *parser) array(depth int) ([]Value, *Error) {
	p.pos++
	p.space()
	if p.peek() == ']' {
		p.pos++
		return nil, nil
	}
	base := len(p.items)
	for {
		item, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		p.items = append(p.items, item)
		p.space()
		switch p.peek() {
		case ',':
			p.pos++
			p.space()
		case ']':
			p.pos++
			items := make([]Value, len(p.items)-base)
			copy(items, p.items[base:])
			p.items = p.items[:base]
			return items, nil
		default:
			return nil, p.fail(Syntax, p.pos)
		}
	}
}

func (p *parser) object(depth int) ([]Member, *Error) {
	p.pos++
	p.space()
	if p.peek() == '}' {
		p.pos++
		return nil, nil
	}
	base := len(p.members)
	var names map[string]struct{}
	for {
		at := p.pos
		if p.peek() != '"' {
			return nil, p.fail(Syntax, at)
		}
		name, err := p.text()
		if err != nil {
			return nil, err
		}
		if names, err = p.unique(p.members[base:], names, name, at); err != nil {
			return nil, err
		}
		p.space()
		if p.peek() != ':' {
			return nil, p.fail(Syntax, p.pos)
		}
		p.pos++
		p.space()
		value, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		p.members = append(p.members, Member{Name: name, Value: value})
		p.space()
		switch p.peek() {
		case ',':
			p.pos++
			p.space()
		case '}':
			p.pos++
			members := make([]Member, len(p.members)-base)
			copy(members, p.members[base:])
			p.members = p.members[:base]
			return members, nil
		default:
			return nil, p.fail(Syntax, p.pos)
		}
	}
}

// unique refuses a name that members already hold. It compares one by one up
// to linearNames members and keeps a set, which it returns, from there on.
func (p *parser) unique(members []Member, names map[string]struct{}, name string, at int) (map[string]struct{}, *Error) {
	if len(members) < linearNames {
		for i := range members {
			if members[i].Name == name {
				return nil, p.fail(DuplicateName, at)
			}
		}
		return nil, nil
	}
	if names == nil {
		names = make(map[string]struct{}, 2*linearNames)
		for i := range members {
			names[members[i].Name] = struct{}{}
		}
	}
	if _, taken := names[name]; taken {
		return nil, p.fail(DuplicateName, at)
	}
	names[name] = struct{}{}
	return names, nil
}
