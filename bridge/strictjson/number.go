package strictjson

import "strconv"

const (
	// MaxNumberDigits bounds the digits of one number token. It is CPython's
	// default bound for integers, so what NetBox's side can read is read here,
	// and converting a token stays cheap (conversion is quadratic in digits).
	MaxNumberDigits = 4300
	// MaxExponent bounds the magnitude of a written exponent. A positive one
	// overflows a double long before; a negative one merely underflows, which
	// is legal, but must not make exact arithmetic expand a million digits.
	MaxExponent = 4300
)

// maxDoubleExponent is the decimal exponent of the largest finite double.
const maxDoubleExponent = 308

// number reads a number token at the current position.
//
// Integer tokens, which have neither fraction nor exponent, are exact whatever
// their size. Only float forms can overflow: receivers read those as doubles.
func (p *parser) number() (string, *Error) {
	start := p.pos
	if p.peek() == '-' {
		p.pos++
		if c := p.peek(); c == 'I' || c == 'N' {
			return "", p.fail(NotFinite, start)
		}
	}
	intStart := p.pos
	switch c := p.peek(); {
	case c == '0':
		p.pos++
	case c >= '1' && c <= '9':
		p.digits()
	default:
		return "", p.fail(Syntax, p.pos)
	}
	intDigits := p.pos - intStart
	digits := intDigits
	float := false
	fracStart := p.pos
	if p.peek() == '.' {
		float = true
		p.pos++
		fracStart = p.pos
		if p.digits() == 0 {
			return "", p.fail(Syntax, p.pos)
		}
		digits += p.pos - fracStart
	}
	fracEnd := p.pos
	exponent := 0
	if c := p.peek(); c == 'e' || c == 'E' {
		float = true
		var err *Error
		if exponent, err = p.exponent(start); err != nil {
			return "", err
		}
	}
	if digits > MaxNumberDigits {
		return "", p.fail(NumberTooLong, start)
	}
	text := p.src[start:p.pos]
	if float && overflows(p.src[intStart:intStart+intDigits], p.src[fracStart:fracEnd], exponent, text) {
		return "", p.fail(NotFinite, start)
	}
	return text, nil
}

// digits skips decimal digits and returns how many there were.
func (p *parser) digits() int {
	start := p.pos
	for p.pos < len(p.src) && p.src[p.pos] >= '0' && p.src[p.pos] <= '9' {
		p.pos++
	}
	return p.pos - start
}

// exponent reads an exponent part, whose e is at the current position.
func (p *parser) exponent(numberStart int) (int, *Error) {
	p.pos++
	negative := false
	if c := p.peek(); c == '+' || c == '-' {
		negative = c == '-'
		p.pos++
	}
	start := p.pos
	if p.digits() == 0 {
		return 0, p.fail(Syntax, p.pos)
	}
	value := 0
	for _, c := range []byte(p.src[start:p.pos]) {
		value = value*10 + int(c-'0')
		if value > MaxExponent {
			return 0, p.fail(NumberTooLong, numberStart)
		}
	}
	if negative {
		value = -value
	}
	return value, nil
}

// overflows reports whether a float form is beyond the largest double. Only a
// number whose leading digit stands at or past the double's last decade has to
// be converted to find out.
func overflows(integer, fraction string, exponent int, text string) bool {
	lead := leadingExponent(integer, fraction)
	if lead+exponent < maxDoubleExponent {
		return false
	}
	// ParseFloat rounds as IEEE 754 does, and reports a range error only for
	// overflow; zero with a large exponent is still zero.
	_, err := strconv.ParseFloat(text, 64)
	return err != nil
}

// leadingExponent is the power of ten of the first non-zero digit, before the
// written exponent is applied; for zero it is the power of the last digit.
func leadingExponent(integer, fraction string) int {
	if integer != "0" {
		return len(integer) - 1
	}
	for i := 0; i < len(fraction); i++ {
		if fraction[i] != '0' {
			return -i - 1
		}
	}
	return -len(fraction)
}
