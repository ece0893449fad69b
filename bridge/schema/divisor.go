package schema

import "math/big"

// divisor is the number of a multipleOf, taken apart when the schema is compiled:
// a plugin chooses both it and the numbers that are judged, so that judging must
// cost what the number's own digits cost, whatever the divisor is. Its digits are
// 2^twos × 5^fives × rest, and rest has no factor in common with ten.
type divisor struct {
	exp         int
	twos, fives int
	rest        *big.Int
	text        string // as the schema has it, for messages
}

// newDivisor takes a number over 0 apart.
func newDivisor(d decimal, text string) *divisor {
	rest := integer10(d.digits)
	v := &divisor{exp: d.exp, text: text, twos: int(rest.TrailingZeroBits())}
	rest.Rsh(rest, uint(v.twos))
	v.fives = divideFives(rest)
	v.rest = rest
	return v
}

// divides reports whether d is an integer times the divisor.
func (v *divisor) divides(d decimal) bool {
	if d.digits == "" {
		return true
	}
	shift := d.exp - v.exp
	if shift < 0 {
		// d's digits would have to be divisible by a power of ten, and they do
		// not end in zero.
		return false
	}
	// digits × 10^shift is to be divisible by 2^twos × 5^fives × rest. The power
	// of ten has as many twos and fives as shift says, and nothing of rest.
	digits := integer10(d.digits)
	if int(digits.TrailingZeroBits()) < v.twos-shift {
		return false
	}
	if new(big.Int).Mod(digits, v.rest).Sign() != 0 {
		return false
	}
	return v.fives <= shift || divideFives(digits) >= v.fives-shift
}

// integer10 is the value of decimal digits.
func integer10(digits string) *big.Int {
	n, ok := new(big.Int).SetString(digits, 10)
	if !ok {
		return new(big.Int) // package strictjson has read them, so this cannot be
	}
	return n
}

// divideFives divides n, which is over 0, by 5 as often as that is possible and
// returns how often. It tries 5^(2^k) from the largest that n can have down, so
// that it takes as many divisions as that number has bits, not as n has fives.
func divideFives(n *big.Int) int {
	powers := []*big.Int{big.NewInt(5)}
	for {
		last := powers[len(powers)-1]
		if 2*last.BitLen()-1 > n.BitLen() {
			break
		}
		powers = append(powers, new(big.Int).Mul(last, last))
	}
	count := 0
	quotient, rest := new(big.Int), new(big.Int)
	for k := len(powers) - 1; k >= 0; k-- {
		if quotient.QuoRem(n, powers[k], rest); rest.Sign() == 0 {
			n.Set(quotient)
			count += 1 << k
		}
	}
	return count
}
