package schema

import (
	"math"
	"strconv"
	"strings"
)

// decimal is the exact value of a JSON number: digits × 10^exp, negated if neg.
// Digits have no zeros at either end, so equal values have equal fields; zero
// has no digits. Nothing is ever expanded: 1e-4000 is one digit.
type decimal struct {
	neg    bool
	digits string
	exp    int
}

// floatForm reports whether a number's text has a fraction or an exponent.
func floatForm(text string) bool { return strings.ContainsAny(text, ".eE") }

// parseDecimal reads the text of a strictjson Number, whose grammar and
// exponent size that package vouches for.
func parseDecimal(text string) decimal {
	var d decimal
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		d.neg, text = true, rest
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		d.exp, _ = strconv.Atoi(text[i+1:])
		text = text[:i]
	}
	if integer, fraction, ok := strings.Cut(text, "."); ok {
		d.exp -= len(fraction)
		text = integer + fraction
	}
	text = strings.TrimLeft(text, "0")
	d.digits = strings.TrimRight(text, "0")
	d.exp += len(text) - len(d.digits)
	if d.digits == "" {
		return decimal{}
	}
	return d
}

// cmp returns -1, 0 or 1 as d is less than, equal to or greater than e.
func (d decimal) cmp(e decimal) int {
	switch {
	case d.sign() != e.sign():
		return compareInts(d.sign(), e.sign())
	case d.neg:
		return -d.cmpMagnitude(e)
	}
	return d.cmpMagnitude(e)
}

func (d decimal) sign() int {
	switch {
	case d.digits == "":
		return 0
	case d.neg:
		return -1
	}
	return 1
}

// cmpMagnitude compares absolute values: first by the place of the leading
// digit, then digit by digit, for which text order is number order.
func (d decimal) cmpMagnitude(e decimal) int {
	if c := compareInts(len(d.digits)+d.exp, len(e.digits)+e.exp); c != 0 {
		return c
	}
	return strings.Compare(d.digits, e.digits)
}

func compareInts(a, b int) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// integral reports whether d has no fraction.
func (d decimal) integral() bool { return d.exp >= 0 }

// appendKey appends a text that equal decimals share and others do not.
func (d decimal) appendKey(dst []byte) []byte {
	if d.neg {
		dst = append(dst, '-')
	}
	dst = append(dst, d.digits...)
	dst = append(dst, 'e')
	return strconv.AppendInt(dst, int64(d.exp), 10)
}

// int returns a non-negative integral d, or the largest int if d is larger.
func (d decimal) int() int {
	const most = 19 // digits of the largest int64
	if len(d.digits)+d.exp > most {
		return math.MaxInt
	}
	value := 0
	for i := range len(d.digits) + d.exp {
		next := 0
		if i < len(d.digits) {
			next = int(d.digits[i] - '0')
		}
		if value > (math.MaxInt-next)/10 {
			return math.MaxInt
		}
		value = value*10 + next
	}
	return value
}
