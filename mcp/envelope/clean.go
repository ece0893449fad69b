package envelope

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxMessage is the longest text of a problem, in characters.
const MaxMessage = 2000

// MaxQuote is the longest foreign value in a failure, in characters.
const MaxQuote = 200

// Quote makes a foreign value fit for an error message: cleaned, on one line, and cut after [MaxQuote] characters.
func Quote(s string) string { return Cut(strings.Join(strings.Fields(Clean(s)), " "), MaxQuote) }

// Cut shortens s to n characters and shows that it did.
func Cut(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n]) + "…"
}

// Clean removes control and bidirectional characters from foreign text: they can hide or reorder what a person reads.
// Line breaks and tabs stay.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == 0x200b, r >= 0x2060 && r <= 0x2064: // zero width: invisible text
			return -1
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029', r == '\ufeff', r == utf8.RuneError:
			return -1
		case r >= 0xE0000 && r <= 0xE007F: // tag characters: invisible text
			return -1
		}
		return r
	}, s)
}
