package netboxsim

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	int64Max = math.MaxInt64
	// safeInteger is the largest integer up to which every integer has a double.
	safeInteger = 1<<53 - 1
)

// check turns a JSON value into what an item holds; its error's text is the message in
// a 400.
type check func(value any) (any, error)

// refusal is a message in the plugin's own words: a sentence, as REST framework's are.
type refusal string

func (r refusal) Error() string { return string(r) }

// integer checks for a whole number from low to high. The real plugin reads a number
// with a fraction or an exponent as a double, so that rule is a double's here too; a
// plain integer is read exactly.
func integer(low, high int64) check {
	wrong := refusal(fmt.Sprintf("Must be an integer from %d to %d.", low, high))
	return func(value any) (any, error) {
		text, ok := value.(json.Number)
		if !ok {
			return nil, wrong
		}
		if strings.ContainsAny(text.String(), ".eE") {
			double, err := text.Float64()
			if err != nil || double != math.Trunc(double) || math.Abs(double) > safeInteger {
				return nil, wrong
			}
			text = json.Number(strconv.FormatInt(int64(double), 10))
		}
		whole, ok := new(big.Int).SetString(text.String(), 10)
		if !ok || !whole.IsInt64() || whole.Int64() < low || whole.Int64() > high {
			return nil, wrong
		}
		return whole.Int64(), nil
	}
}

// queryInteger is integer for a query parameter, where only plain digits count.
func queryInteger(low, high int64) func(string) (any, error) {
	inner := integer(low, high)
	plain := regexp.MustCompile(`^-?[0-9]{1,19}$`)
	return func(text string) (any, error) {
		if !plain.MatchString(text) {
			return inner(text)
		}
		return inner(json.Number(text))
	}
}

func checkName(value any) (any, error) {
	text, ok := value.(string)
	if size := utf8.RuneCountInString(text); !ok || size < 1 || size > 100 || strings.ContainsRune(text, 0) {
		return nil, refusal("Must be a string of 1 to 100 characters.")
	}
	return text, nil
}

func checkState(value any) (any, error) {
	text, _ := value.(string)
	for _, state := range itemStates() {
		if text == state {
			return text, nil
		}
	}
	return nil, refusal(fmt.Sprintf("Must be one of: %s.", strings.Join(itemStates(), ", ")))
}

func checkWeights(value any) (any, error) {
	list, ok := value.([]any)
	if !ok || len(list) > 50 {
		return nil, refusal("Must be a list of at most 50 integers.")
	}
	weight := integer(-1000000, 1000000)
	weights := make([]int64, 0, len(list))
	seen := map[int64]bool{}
	for _, v := range list {
		n, err := weight(v)
		if err != nil {
			return nil, err
		}
		weights = append(weights, n.(int64))
		seen[n.(int64)] = true
	}
	if len(seen) != len(weights) {
		return nil, refusal("Must not hold a number twice.")
	}
	return weights, nil
}

// checkDueAt reads an RFC 3339 date-time or null. A leap second is the first moment of
// the next day in UTC, and anything else with second 60 is wrong. More than six digits
// of a fraction are cut, as Python's datetime has no room for them.
func checkDueAt(value any) (any, error) {
	wrong := refusal("Must be an RFC 3339 date-time or null.")
	if value == nil {
		return (*time.Time)(nil), nil
	}
	text, _ := value.(string)
	parts := regexp.MustCompile(
		`^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d):(\d\d)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$`).FindStringSubmatch(text)
	if parts == nil || strings.HasPrefix(text, "0000") {
		return nil, wrong
	}
	second, leap := parts[3], parts[3] == "60"
	if leap {
		second = "59"
	}
	fraction := parts[4]
	if len(fraction) > 7 {
		fraction = fraction[:7]
	}
	moment, err := time.Parse(time.RFC3339Nano, parts[1]+"T"+parts[2]+":"+second+fraction+strings.ToUpper(parts[5]))
	if err != nil {
		return nil, wrong
	}
	moment = moment.UTC()
	if leap {
		moment = moment.Truncate(time.Second).Add(time.Second)
		if moment.Day() != 1 || moment.Hour() != 0 || moment.Minute() != 0 || moment.Second() != 0 {
			return nil, wrong
		}
	}
	if moment.Year() < 1 || moment.Year() > 9999 {
		return nil, wrong
	}
	return &moment, nil
}

// stamp is a moment as the plugin writes it: UTC, "Z", microseconds only where there
// are any.
func stamp(t time.Time) string {
	t = t.UTC()
	if t.Nanosecond()/1000 == 0 {
		return t.Format("2006-01-02T15:04:05Z")
	}
	return t.Format("2006-01-02T15:04:05.000000Z")
}
