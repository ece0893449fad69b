package strictjson

import (
	"unicode/utf16"
	"unicode/utf8"
)

// text reads a string whose opening quote is at the current position. The
// whole source is known to be UTF-8 already.
func (p *parser) text() (string, *Error) {
	p.pos++
	start := p.pos
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case c == '"':
			s := p.src[start:p.pos]
			p.pos++
			return s, nil
		case c == '\\':
			return p.escapedText(start)
		case c < 0x20:
			return "", p.fail(ControlInString, p.pos)
		}
		p.pos++
	}
	return "", p.fail(Syntax, p.pos)
}

// escapedText goes on with a string that has its first backslash at the current
// position.
func (p *parser) escapedText(start int) (string, *Error) {
	buf := append([]byte(nil), p.src[start:p.pos]...)
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case c == '"':
			p.pos++
			return string(buf), nil
		case c == '\\':
			var err *Error
			if buf, err = p.escape(buf); err != nil {
				return "", err
			}
		case c < 0x20:
			return "", p.fail(ControlInString, p.pos)
		default:
			buf = append(buf, c)
			p.pos++
		}
	}
	return "", p.fail(Syntax, p.pos)
}

// escape appends the character that the escape at the current position means.
func (p *parser) escape(buf []byte) ([]byte, *Error) {
	at := p.pos
	p.pos++
	c := p.peek()
	p.pos++
	switch c {
	case '"', '\\', '/':
		return append(buf, c), nil
	case 'b':
		return append(buf, '\b'), nil
	case 'f':
		return append(buf, '\f'), nil
	case 'n':
		return append(buf, '\n'), nil
	case 'r':
		return append(buf, '\r'), nil
	case 't':
		return append(buf, '\t'), nil
	case 'u':
		return p.unicodeEscape(buf, at)
	}
	return nil, p.fail(Syntax, at)
}

// unicodeEscape appends the code point of a \u escape that began at byte at;
// a surrogate must be followed by its other half.
func (p *parser) unicodeEscape(buf []byte, at int) ([]byte, *Error) {
	r, ok := p.hex4()
	if !ok {
		return nil, p.fail(Syntax, at)
	}
	if !utf16.IsSurrogate(r) {
		return utf8.AppendRune(buf, r), nil
	}
	if p.pos+1 >= len(p.src) || p.src[p.pos] != '\\' || p.src[p.pos+1] != 'u' {
		return nil, p.fail(LoneSurrogate, at)
	}
	p.pos += 2
	low, ok := p.hex4()
	if !ok {
		return nil, p.fail(Syntax, at)
	}
	pair := utf16.DecodeRune(r, low)
	if pair == utf8.RuneError {
		return nil, p.fail(LoneSurrogate, at)
	}
	return utf8.AppendRune(buf, pair), nil
}

// hex4 reads four hexadecimal digits.
func (p *parser) hex4() (rune, bool) {
	if p.pos+4 > len(p.src) {
		return 0, false
	}
	var r rune
	for _, c := range []byte(p.src[p.pos : p.pos+4]) {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	p.pos += 4
	return r, true
}
