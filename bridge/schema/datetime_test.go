package schema

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
)

func readCases(t testing.TB, file string, into any) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

type dateTimeCase struct {
	Value string `json:"value"`
	Valid bool   `json:"valid"`
	Why   string `json:"why"`
}

func TestDateTimePublishedCases(t *testing.T) {
	var cases []dateTimeCase
	readCases(t, "date-time.json", &cases)
	if len(cases) == 0 {
		t.Fatal("no published cases")
	}
	for _, c := range cases {
		if err := DateTime(c.Value); (err == nil) != c.Valid {
			t.Errorf("DateTime(%q) = %v, want valid %v (%s)", c.Value, err, c.Valid, c.Why)
		}
	}
}

func TestDateTime(t *testing.T) {
	tests := []struct {
		name, value string
		valid       bool
	}{
		{"lower case letters", "2026-08-12t12:34:56z", true},
		{"negative zero offset", "2026-08-12T12:34:56-00:00", true},
		{"largest offset", "2026-08-12T12:34:56+23:59", true},
		{"long fraction", "2026-08-12T12:34:56.1234567890123456789Z", true},
		{"first instant", "0001-01-01T00:00:00Z", true},
		{"first instant by offset", "0001-01-01T23:59:00+23:59", true},
		{"a second before the first", "0001-01-01T23:58:59+23:59", false},
		{"last instant", "9999-12-31T23:59:59.999999999Z", true},
		{"last instant by offset", "9999-12-31T00:00:59-23:59", true},
		{"a minute past the last", "9999-12-31T00:01:00-23:59", false},
		{"year 0000", "0000-01-01T00:00:00Z", false},
		{"year 0000 that is 0001 in UTC", "0000-12-31T23:59:59-01:00", false},
		{"29 February of a leap century", "2000-02-29T00:00:00Z", true},
		{"29 February of a common century", "1900-02-29T00:00:00Z", false},
		{"30 February", "2024-02-30T00:00:00Z", false},
		{"31 April", "2026-04-31T00:00:00Z", false},
		{"month 0", "2026-00-01T00:00:00Z", false},
		{"month 13", "2026-13-01T00:00:00Z", false},
		{"day 0", "2026-01-00T00:00:00Z", false},
		{"hour 24", "2026-01-01T24:00:00Z", false},
		{"minute 60", "2026-01-01T00:60:00Z", false},
		{"second 61", "2026-12-31T23:59:61Z", false},
		{"offset hour 24", "2026-01-01T00:00:00+24:00", false},
		{"offset minute 60", "2026-01-01T00:00:00+00:60", false},
		{"leap second of any month", "2026-04-30T23:59:60Z", true},
		{"leap second of February", "2024-02-29T23:59:60Z", true},
		{"leap second a day early", "2024-02-28T23:59:60Z", false},
		{"leap second with a fraction", "1990-12-31T23:59:60.999Z", true},
		{"leap second at half past by offset", "1991-01-01T05:29:60+05:30", true},
		{"leap second not at the hour", "1990-12-31T22:58:60Z", false},
		{"leap second in minute 58 by offset", "1990-12-31T23:58:60-00:01", true},
		{"leap second past the calendar by offset", "9999-12-31T22:59:60-01:00", false},
		{"leap second before the calendar by offset", "0001-01-01T00:59:60+01:00", true},
		{"space", "2026-01-01 00:00:00Z", false},
		{"no offset", "2026-01-01T00:00:00", false},
		{"no seconds", "2026-01-01T00:00Z", false},
		{"no fraction digits", "2026-01-01T00:00:00.Z", false},
		{"fraction without offset", "2026-01-01T00:00:00.5", false},
		{"comma", "2026-01-01T00:00:00,5Z", false},
		{"short offset", "2026-01-01T00:00:00+01", false},
		{"offset without colon", "2026-01-01T00:00:00+0100", false},
		{"offset after Z", "2026-01-01T00:00:00Z+01:00", false},
		{"Unicode minus", "2026-01-01T00:00:00\u221201:00", false},
		{"Arabic digits", "٢٠٢٦-01-01T00:00:00Z", false},
		{"space around", " 2026-01-01T00:00:00Z", false},
		{"newline after", "2026-01-01T00:00:00Z\n", false},
		{"sign before the year", "+2026-01-01T00:00:00Z", false},
		{"five-digit year", "12026-01-01T00:00:00Z", false},
		{"date only", "2026-01-01", false},
		{"week date", "2026-W01-1T00:00:00Z", false},
		{"empty", "", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := DateTime(test.value)
			if (err == nil) != test.valid {
				t.Errorf("DateTime(%q) = %v, want valid %v", test.value, err, test.valid)
			}
			if err != nil && !strings.Contains(err.Error(), "date-time") {
				t.Errorf("the error %q does not name date-time", err)
			}
		})
	}
}

// FuzzDateTime holds DateTime against time.Parse, which reads RFC 3339 without leap seconds and with laxer offsets, and
// against the second evaluator, which counts minutes and must come to the same verdict in both directions.
func FuzzDateTime(f *testing.F) {
	var cases []dateTimeCase
	readCases(f, "date-time.json", &cases)
	for _, c := range cases {
		f.Add(c.Value)
	}
	for _, s := range []string{
		"0001-01-01T23:59:00+23:59", "0001-01-01T23:58:59+23:59", "9999-12-31T00:00:59-23:59", "9999-12-31T00:01:00-23:59",
		"1990-12-31T23:58:60-00:01", "1991-01-01T05:29:60+05:30", "0001-01-01T00:59:60+01:00", "9999-12-31T22:59:60-01:00",
		"2000-02-29t23:59:60.5z", "1900-02-29T00:00:00Z", "2024-03-01T00:59:60+01:00", "2026-08-12T12:34:56-00:30",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		err := DateTime(s)
		if (err == nil) != isDateTime(s) {
			t.Fatalf("DateTime(%q) = %v, the second opinion is %v", s, err, isDateTime(s))
		}
		if err != nil || s[17:19] == "60" {
			return
		}
		parsed, err := time.Parse(time.RFC3339, strings.ToUpper(s))
		if err != nil {
			t.Fatalf("%q accepted, but time.Parse says %v", s, err)
		}
		if year := parsed.UTC().Year(); year < 1 || year > 9999 {
			t.Fatalf("%q accepted in the year %d", s, year)
		}
	})
}
