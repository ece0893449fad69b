package manifest

import (
	"errors"
	"strings"
	"unicode/utf8"

	"caddy-netbox-mcp/bridge/schema"
	"caddy-netbox-mcp/bridge/strictjson"
)

// maxProblems is how many problems one Error lists.
const maxProblems = 10

// Error says what is wrong with a plugin's document, a link, or arguments that
// no query string can carry.
type Error struct {
	// Advertisement reports that the root document was readable and its "mcp"
	// member is what is invalid, or a manifest link.
	Advertisement bool
	// Problems are the first ten in document order; never empty. Pointers lead
	// into the document; "" is its root.
	Problems []schema.Problem
	// Bound is the name of the first limit that was exceeded, such as "manifest
	// depth", and Max its value; "" and 0 when no fault was a limit.
	Bound string
	Max   int64
	// Cause is what lies behind the problem, such as the *strictjson.Error of
	// an exceeded limit; may be nil.
	Cause error

	head string // what was read and found invalid; "" for none
}

// Error returns what was read and "location: message" for each problem, joined
// with "; " and cut at [MaxProblem] characters.
func (e *Error) Error() string {
	texts := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		texts[i] = p.String()
		if p.Pointer == "" {
			texts[i] = p.Rule
		}
	}
	text := strings.Join(texts, "; ")
	if e.head != "" {
		text = e.head + ": " + text
	}
	return cut(text, MaxProblem)
}

// Unwrap returns Cause.
func (e *Error) Unwrap() error { return e.Cause }

// cut shortens s to limit characters, the last of which is then an ellipsis.
func cut(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	runes := []rune(s)
	return string(runes[:limit-1]) + "…"
}

// failure returns an Error with one problem at the root.
func failure(rule string, cause error) *Error {
	return &Error{Problems: []schema.Problem{{Rule: rule}}, Cause: cause}
}

// unreadable returns the Error of a document that strictjson refused. what is
// the kind of document, for the name of the limit.
func unreadable(rule, what string, cause error) *Error {
	if rule != "" {
		rule += ": "
	}
	e := failure(rule+cause.Error(), cause)
	e.Bound, e.Max = exceeded(what, cause)
	return e
}

// exceeded names the limit that err reports of a kind of document; "" and 0
// when err is no limit.
func exceeded(what string, err error) (bound string, limit int64) {
	e, ok := errors.AsType[*strictjson.Error](err)
	if !ok || !e.Reason.IsLimit() {
		return "", 0
	}
	return what + " " + string(e.Reason), int64(e.Limit)
}
