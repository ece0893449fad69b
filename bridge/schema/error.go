package schema

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxProblems is how many problems one Error lists: enough to repair a call
	// in one go, few enough for an agent's context.
	maxProblems = 10
	// maxQuoted bounds, in characters, every text that was not written by us
	// and stands inside a rule or pointer.
	maxQuoted = 200
)

// Problem is one rule that a value or a schema breaks.
type Problem struct {
	// Pointer is where, as a JSON pointer (RFC 6901); "" is the root. For a
	// missing member it ends in that member's name. It is cut at 200 characters
	// and holds no control or invisible characters.
	Pointer string
	// Rule is what must hold there, such as "must be at most 100".
	Rule string
}

// String returns "pointer: rule", with "(root)" for the root.
func (p Problem) String() string {
	if p.Pointer == "" {
		return "(root): " + p.Rule
	}
	return p.Pointer + ": " + p.Rule
}

// Error lists what is wrong with an instance or a schema: the first ten
// problems in document order, or by their pointers' text where the schema came
// from [CompileOwn].
type Error struct {
	// Problems is never empty.
	Problems []Problem
	// Cause is the *strictjson.Error behind the problem when a limit was
	// exceeded, else nil.
	Cause error
}

// Error returns the problems joined with "; ".
func (e *Error) Error() string {
	var b strings.Builder
	for i, p := range e.Problems {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(p.String())
	}
	return b.String()
}

// Unwrap returns Cause.
func (e *Error) Unwrap() error { return e.Cause }

// step is one level of a path into a document: a member name, or an index when
// name is nil.
type step struct {
	name  *string
	index int
}

// location is a path into a document. It is rendered only when there is a
// problem to report.
type location []step

func (l *location) pushName(name *string) { *l = append(*l, step{name: name}) }
func (l *location) pushIndex(i int)       { *l = append(*l, step{index: i}) }
func (l *location) pop()                  { *l = (*l)[:len(*l)-1] }

// pointer renders the location as a JSON pointer.
func (l location) pointer() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteByte('/')
		if s.name != nil {
			b.WriteString(escapeToken(*s.name))
		} else {
			b.WriteString(strconv.Itoa(s.index))
		}
	}
	return clip(b.String())
}

// escapeToken escapes a pointer token (RFC 6901 section 3) after bounding it.
func escapeToken(name string) string {
	name = clip(printable(name))
	name = strings.ReplaceAll(name, "~", "~0")
	return strings.ReplaceAll(name, "/", "~1")
}

// printable replaces control, invisible and direction-changing characters, so
// that a foreign name cannot disguise the text around it.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// clip cuts s to maxQuoted characters.
func clip(s string) string {
	if len(s) <= maxQuoted {
		return s
	}
	count := 0
	for i := range s {
		if count == maxQuoted-1 {
			cut := s[:i]
			if utf8.RuneCountInString(s[i:]) <= 1 {
				return s
			}
			return cut + "…"
		}
		count++
	}
	return s
}
