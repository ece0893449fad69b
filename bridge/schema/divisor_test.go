package schema

import (
	"math/big"
	"strings"
	"testing"
)

// TestDivisor compares with rational arithmetic over divisors of every make: with twos, fives, both, neither, and far apart.
func TestDivisor(t *testing.T) {
	fives := new(big.Int).Exp(big.NewInt(5), big.NewInt(37), nil)
	twos := new(big.Int).Lsh(big.NewInt(1), 41)
	numbers := []string{
		"0", "1", "2", "3", "4", "5", "6", "7", "8", "10", "12", "15", "20", "24", "25", "30", "49", "50", "64", "75", "100", "105", "125", "160", "625", "1000",
		"0.1", "0.2", "0.25", "0.3", "0.5", "0.05", "0.07", "0.125", "1.5", "2.5", "7.5", "1e3", "1e-3", "5e2", "5e-4", "2e40", "1e37", "1e50", "1e-50", "3e20",
		fives.String(), twos.String(), new(big.Int).Mul(fives, twos).String(), new(big.Int).Mul(fives, big.NewInt(21)).String(),
		fives.String() + "e-60", twos.String() + "e-60", "9007199254740993", "9007199254740992", "123456789012345678901234567890",
	}
	compared := 0
	for _, of := range numbers[1:] {
		d := newDivisor(parseDecimal(of), of)
		for _, n := range numbers {
			for _, sign := range []string{"", "-"} {
				got := d.divides(parseDecimal(sign + n))
				a, _ := new(big.Rat).SetString(sign + n)
				b, _ := new(big.Rat).SetString(of)
				if want := new(big.Rat).Quo(a, b).IsInt(); got != want {
					t.Errorf("%s%s is a multiple of %s: got %t, want %t", sign, n, of, got, want)
				}
				compared++
			}
		}
	}
	if compared < 5000 {
		t.Errorf("only %d pairs", compared)
	}
}

func TestDivideFives(t *testing.T) {
	for _, fives := range []int{0, 1, 2, 3, 4, 7, 8, 63, 64, 65, 1000, 6100} {
		for _, rest := range []int64{1, 2, 3, 7, 1 << 40} {
			n := new(big.Int).Mul(new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(fives)), nil), big.NewInt(rest))
			if got := divideFives(n); got != fives || n.Int64() != rest {
				t.Errorf("5^%d × %d: %d fives, and %d is left", fives, rest, got, n)
			}
		}
	}
}

// TestFinestDivisor is a schema that made each small number cost a power of thousands of digits. What it costs now is for bench/ to
// measure; here the verdicts count.
func TestFinestDivisor(t *testing.T) {
	fine := "0." + new(big.Int).Exp(big.NewInt(5), big.NewInt(6100), nil).String() + "e-4300"
	if _, ok := new(big.Rat).SetString(fine); !ok {
		t.Fatal("no number")
	}
	s := compile(t, `{"type":"array","items":{"multipleOf":`+fine+`}}`)
	if err := s.Validate(parse(t, `[`+strings.Repeat("1,", 9_000)+`0]`)); err != nil {
		t.Errorf("ones: %v", err)
	}
	if err := s.Validate(parse(t, `[1e-4300]`)); err == nil {
		t.Error("a number below the divisor is a multiple of it")
	}
}
