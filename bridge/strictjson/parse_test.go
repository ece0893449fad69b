package strictjson

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
)

// published is one case of the bridge's published examples.
type published struct {
	Text  string `json:"text"`
	Valid bool   `json:"valid"`
	Why   string `json:"why"`
}

func publishedCases(t testing.TB) []published {
	t.Helper()
	data, err := os.ReadFile("testdata/strict-json.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []published
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatal("no published cases")
	}
	return cases
}

func TestPublishedCases(t *testing.T) {
	for _, c := range publishedCases(t) {
		if _, err := Parse([]byte(c.Text), Limits{}); (err == nil) != c.Valid {
			t.Errorf("Parse(%q) = %v, want valid %v (%s)", c.Text, err, c.Valid, c.Why)
		}
	}
}

func TestParseRefusesWithReason(t *testing.T) {
	digits := strings.Repeat("9", MaxNumberDigits)
	tests := []struct {
		name, text string
		reason     Reason
		offset     int
	}{
		{"nothing", "", Empty, 0},
		{"only space", " \n", Empty, 2},
		{"NUL", "\x00", Syntax, 0},
		{"form feed is not space", "\f1", Syntax, 0},
		{"no-break space is not space", "\u00a01", Syntax, 0},
		{"byte order mark", "\ufeff1", ByteOrderMark, 0},
		{"two values", "1 2", Trailing, 2},
		{"text after", "[] x", Trailing, 3},
		{"NUL after", "1\x00", Trailing, 1},
		{"comment", "/**/1", Syntax, 0},
		{"capital literal", "True", Syntax, 0},
		{"short literal", "tru", Syntax, 0},
		{"run-on literal", "nullx", Trailing, 4},
		{"open list", "[1", Syntax, 2},
		{"trailing comma in list", "[1,]", Syntax, 3},
		{"leading comma", "[,1]", Syntax, 1},
		{"double comma", "[1,,2]", Syntax, 3},
		{"trailing comma in object", `{"a":1,}`, Syntax, 7},
		{"no colon", `{"a" 1}`, Syntax, 5},
		{"no value", `{"a":}`, Syntax, 5},
		{"bare name", `{a:1}`, Syntax, 1},
		{"number as name", `{1:1}`, Syntax, 1},
		{"mismatched bracket", `[1}`, Syntax, 2},
		{"open string", `"a`, Syntax, 2},
		{"open escape", `"\`, Syntax, 1},
		{"unknown escape", `"\x41"`, Syntax, 1},
		{"escaped quote ends the text", `"\"`, Syntax, 3},
		{"short hex", `"\u12"`, Syntax, 1},
		{"hex with sign", `"\u+123"`, Syntax, 1},
		{"raw newline", "\"a\nb\"", ControlInString, 2},
		{"raw tab", "\"\t\"", ControlInString, 1},
		{"raw newline after an escape", "\"\\n\n\"", ControlInString, 3},
		{"high surrogate alone", `"\ud800"`, LoneSurrogate, 1},
		{"high surrogate before text", `"\ud800abcdef"`, LoneSurrogate, 1},
		{"low surrogate alone", `"\udc00"`, LoneSurrogate, 1},
		{"surrogates swapped", `"\udc00\ud800"`, LoneSurrogate, 1},
		{"high surrogate twice", `"\ud800\ud800\udc00"`, LoneSurrogate, 1},
		{"high surrogate before another escape", `"\ud800\n"`, LoneSurrogate, 1},
		{"lone surrogate in a name", `{"\ud800":1}`, LoneSurrogate, 2},
		{"surrogate as bytes", "\"\xed\xa0\x80\"", InvalidUTF8, 1},
		{"overlong slash", "\"\xc0\xaf\"", InvalidUTF8, 1},
		{"cut UTF-8", "\"\xe2\x82\"", InvalidUTF8, 1},
		{"Latin-1", "[\"\xe9\"]", InvalidUTF8, 2},
		{"past Unicode", "\"\xf4\x90\x80\x80\"", InvalidUTF8, 1},
		{"UTF-16", "\xff\xfe1\x00", InvalidUTF8, 0},
		{"duplicate", `{"a":1,"b":2,"a":3}`, DuplicateName, 13},
		{"duplicate by escape", `{"a":1,"\u0061":2}`, DuplicateName, 7},
		{"duplicate empty name", `{"":1,"":2}`, DuplicateName, 6},
		{"duplicate inside", `[{"a":{"x":1,"x":1}}]`, DuplicateName, 13},
		{"NaN", "NaN", NotFinite, 0},
		{"negative NaN", "-NaN", NotFinite, 0},
		{"Infinity", "Infinity", NotFinite, 0},
		{"negative Infinity", "-Infinity", NotFinite, 0},
		{"letter N", "N", Syntax, 0},
		{"overflow", "1e400", NotFinite, 0},
		{"negative overflow", "[-1e309]", NotFinite, 1},
		{"just over the largest double", "1.7976931348623159e308", NotFinite, 0},
		{"overflow by many digits", strings.Repeat("1", 310) + ".0", NotFinite, 0},
		{"overflow by fraction and exponent", "0.1e310", NotFinite, 0},
		{"leading zero", "01", Trailing, 1},
		{"leading zero after minus", "-01", Trailing, 2},
		{"plus", "+1", Syntax, 0},
		{"only minus", "-", Syntax, 1},
		{"no integer", ".5", Syntax, 0},
		{"no fraction", "1.", Syntax, 2},
		{"no fraction before exponent", "1.e5", Syntax, 2},
		{"no exponent", "1e", Syntax, 2},
		{"no exponent after sign", "1e+", Syntax, 3},
		{"hexadecimal", "0x1F", Trailing, 1},
		{"underscore", "1_000", Trailing, 1},
		{"one digit too many", digits + "9", NumberTooLong, 0},
		{"one fraction digit too many", "0." + digits, NumberTooLong, 0},
		{"exponent too small", "1e-4301", NumberTooLong, 0},
		{"exponent of many digits", "1e-99999999999999999999999", NumberTooLong, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v, err := Parse([]byte(test.text), Limits{})
			e, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("Parse = %+v, %v; want an *Error", v, err)
			}
			if e.Reason != test.reason || e.Offset != test.offset {
				t.Errorf("Parse failed with %q at %d, want %q at %d", e.Reason, e.Offset, test.reason, test.offset)
			}
			if !strings.Contains(e.Error(), "strict, finite JSON") {
				t.Errorf("Error() = %q, want it to speak of strict, finite JSON", e.Error())
			}
		})
	}
}

func TestParseKeepsWhatWasWritten(t *testing.T) {
	digits := strings.Repeat("9", MaxNumberDigits)
	tests := []struct {
		name, text string
		kind       Kind
		content    string
	}{
		{"exact integer", "9007199254740993", Number, "9007199254740993"},
		{"integer beyond a double", "1" + strings.Repeat("0", 400), Number, "1" + strings.Repeat("0", 400)},
		{"as many digits as allowed", "-" + digits, Number, "-" + digits},
		{"negative zero", "-0", Number, "-0"},
		{"float zero", "0.0e0", Number, "0.0e0"},
		{"zero with a large exponent", "0e400", Number, "0e400"},
		{"underflow", "1e-400", Number, "1e-400"},
		{"smallest exponent", "1e-4300", Number, "1e-4300"},
		{"exponent with leading zeros", "1E+00000000002", Number, "1E+00000000002"},
		{"largest double", "1.7976931348623157e308", Number, "1.7976931348623157e308"},
		{"rounds down to the largest double", "1.79769313486231580e308", Number, "1.79769313486231580e308"},
		{"within a double by its fraction", "0.01e310", Number, "0.01e310"},
		{"escapes", `"\"\\\/\b\f\n\r\t\u0041\u00e9"`, String, "\"\\/\b\f\n\r\tAé"},
		{"pair", `"\ud83d\ude00"`, String, "😀"},
		{"pair in capitals", `"\uD83D\uDE00"`, String, "😀"},
		{"raw beyond the basic plane", `"😀"`, String, "😀"},
		{"NUL by escape", `"\u0000"`, String, "\x00"},
		{"replacement character", `"\ufffd"`, String, "\ufffd"},
		{"raw replacement character", "\"\ufffd\"", String, "\ufffd"},
		{"delete is no control character of JSON", "\"\x7f\"", String, "\x7f"},
		{"byte order mark inside", "\"\ufeff\"", String, "\ufeff"},
		{"space around", " \t\r\n7 \t\r\n", Number, "7"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v, err := Parse([]byte(test.text), Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if v.Kind != test.kind || v.Text != test.content {
				t.Errorf("Parse = %v %q, want %v %q", v.Kind, v.Text, test.kind, test.content)
			}
		})
	}
}

func TestParseLargeObjectsFindDuplicates(t *testing.T) {
	for _, members := range []int{linearNames - 1, linearNames, linearNames + 1, 2000} {
		var b strings.Builder
		b.WriteByte('{')
		for i := range members {
			b.WriteString(`"k` + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/26) + `":0,`)
		}
		unique := b.String() + `"last":0}`
		if v, err := Parse([]byte(unique), Limits{}); err != nil || len(v.Members) != members+1 {
			t.Errorf("%d members: got %d, %v", members, len(v.Members), err)
		}
		_, err := Parse([]byte(b.String()+`"ka":0}`), Limits{})
		if e, ok := errors.AsType[*Error](err); !ok || e.Reason != DuplicateName {
			t.Errorf("%d members and a duplicate of the first: %v", members, err)
		}
	}
}

func TestLimits(t *testing.T) {
	tests := []struct {
		name, text string
		limits     Limits
		reason     Reason // "" when accepted
		limit      int
	}{
		{"bytes at the limit", `[1,2]`, Limits{Bytes: 5}, "", 0},
		{"a byte past it", `[1,2]`, Limits{Bytes: 4}, TooManyBytes, 4},
		{"bytes before syntax", `{xxxxx`, Limits{Bytes: 4}, TooManyBytes, 4},
		{"root is depth 0", `[]`, Limits{Depth: 1}, "", 0},
		{"scalars are a level", `[[1]]`, Limits{Depth: 1}, TooDeep, 1},
		{"depth at the limit", `[[1]]`, Limits{Depth: 2}, "", 0},
		{"members are deeper", `{"a":{"b":{"c":null}}}`, Limits{Depth: 2}, TooDeep, 2},
		{"empty list counts as one level", `[[[]]]`, Limits{Depth: 2}, "", 0},
		{"nodes at the limit", `{"a":[1,2]}`, Limits{Nodes: 4}, "", 0},
		{"a node past it", `{"a":[1,2]}`, Limits{Nodes: 3}, TooManyNodes, 3},
		{"one node", `7`, Limits{Nodes: 1}, "", 0},
		{"ceiling of depth", strings.Repeat("[", MaxDepth) + "1" + strings.Repeat("]", MaxDepth), Limits{}, "", 0},
		{"past the ceiling", strings.Repeat("[", MaxDepth+1) + "1" + strings.Repeat("]", MaxDepth+1), Limits{}, TooDeep, MaxDepth},
		{"the ceiling holds over larger limits", strings.Repeat("[", 5_000_000), Limits{Depth: 10_000_000}, TooDeep, MaxDepth},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v, err := Parse([]byte(test.text), test.limits)
			checkLimit(t, "Parse", err, test.reason, test.limit)
			if test.reason == "" {
				checkLimit(t, "Check", v.Check(test.limits), "", 0)
				return
			}
			if whole, err := Parse([]byte(test.text), Limits{}); err == nil {
				checkLimit(t, "Check", whole.Check(test.limits), test.reason, test.limit)
			}
		})
	}
}

func checkLimit(t *testing.T, what string, err error, reason Reason, limit int) {
	t.Helper()
	if reason == "" {
		if err != nil {
			t.Errorf("%s = %v, want nil", what, err)
		}
		return
	}
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Reason != reason || e.Limit != limit || !e.Reason.IsLimit() {
		t.Errorf("%s = %v, want %q of %d", what, err, reason, limit)
	}
}

func TestErrorNamesTheLimit(t *testing.T) {
	tests := []struct {
		err  Error
		want string
	}{
		{Error{Reason: TooManyBytes, Limit: 4096}, "the JSON is over the size limit of 4096 bytes"},
		{Error{Reason: TooDeep, Limit: 24}, "the JSON is over the nesting limit of 24 levels"},
		{Error{Reason: TooManyNodes, Limit: 12000}, "the JSON is over the limit of 12000 values"},
		{Error{Reason: DuplicateName, Offset: 9}, "not strict, finite JSON: an object names a member twice (byte 9)"},
	}
	for _, test := range tests {
		if got := test.err.Error(); got != test.want {
			t.Errorf("Error() = %q, want %q", got, test.want)
		}
	}
}
