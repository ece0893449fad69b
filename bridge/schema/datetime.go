package schema

import (
	"errors"
	"time"
)

// DateTime reports why s is not a date-time of RFC 3339 section 5.6, or nil.
//
// The calendar day must exist and, as an instant in UTC, lie in the years 0001
// to 9999. A leap second (:60) is accepted only where one can be inserted: the
// second after it, in UTC, begins a month (RFC 3339 section 5.7) and still lies
// in those years. The local minute does not matter, and no list of actual leap
// seconds is consulted. Every error's text names date-time.
func DateTime(s string) error {
	f, ok := scanDateTime(s)
	if !ok {
		return errors.New("date-time must look like 2026-01-31T23:59:59Z or 2026-01-31T23:59:59.5+01:00 (RFC 3339)")
	}
	if f.year < 1 || f.month < 1 || f.month > 12 || f.day < 1 || f.day > daysIn(f.year, f.month) {
		return errors.New("date-time names a day that the calendar does not have")
	}
	if f.hour > 23 || f.minute > 59 || f.second > 60 || f.offsetHour > 23 || f.offsetMinute > 59 {
		return errors.New("date-time has an hour over 23, a minute over 59, a second over 60, or such an offset")
	}
	second := min(f.second, 59)
	offset := time.Duration(f.offsetHour)*time.Hour + time.Duration(f.offsetMinute)*time.Minute
	if f.west {
		offset = -offset
	}
	instant := time.Date(f.year, time.Month(f.month), f.day, f.hour, f.minute, second, 0, time.UTC).Add(-offset)
	if f.second == 60 {
		instant = instant.Add(time.Second)
		if instant.Day() != 1 || instant.Hour() != 0 || instant.Minute() != 0 || instant.Second() != 0 {
			return errors.New("date-time has a leap second (:60) that is not at the end of a month in UTC")
		}
	}
	if year := instant.Year(); year < 1 || year > 9999 {
		return errors.New("date-time lies outside the years 0001 to 9999 in UTC")
	}
	return nil
}

// dateTime holds the numbers of a date-time as written, unchecked.
type dateTime struct {
	year, month, day         int
	hour, minute, second     int
	offsetHour, offsetMinute int
	west                     bool // the offset is negative
}

// scanDateTime reads the syntax alone. The fraction is skipped: a fraction of a
// second decides nothing.
func scanDateTime(s string) (f dateTime, ok bool) {
	const layout = "dddd-dd-ddTdd:dd:dd"
	if len(s) <= len(layout) || !matches(s[:len(layout)], layout) {
		return f, false
	}
	f.year = 100*twoDigits(s) + twoDigits(s[2:])
	f.month, f.day = twoDigits(s[5:]), twoDigits(s[8:])
	f.hour, f.minute, f.second = twoDigits(s[11:]), twoDigits(s[14:]), twoDigits(s[17:])
	s = s[len(layout):]
	if s[0] == '.' {
		end := 1
		for end < len(s) && digit(s[end]) {
			end++
		}
		if end == 1 || end == len(s) {
			return f, false
		}
		s = s[end:]
	}
	if s == "Z" || s == "z" {
		return f, true
	}
	if !matches(s, "+dd:dd") && !matches(s, "-dd:dd") {
		return f, false
	}
	f.west = s[0] == '-'
	f.offsetHour, f.offsetMinute = twoDigits(s[1:]), twoDigits(s[4:])
	return f, true
}

// matches compares s with a layout in which d stands for an ASCII digit and T
// for either case of it.
func matches(s, layout string) bool {
	if len(s) != len(layout) {
		return false
	}
	for i := range len(layout) {
		switch want := layout[i]; {
		case want == 'd':
			if !digit(s[i]) {
				return false
			}
		case want == 'T':
			if s[i] != 'T' && s[i] != 't' {
				return false
			}
		case s[i] != want:
			return false
		}
	}
	return true
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func twoDigits(s string) int { return 10*int(s[0]-'0') + int(s[1]-'0') }

// daysIn is the number of days of a month in the proleptic Gregorian calendar.
func daysIn(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}
