package manifest

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"caddy-netbox-mcp/bridge/schema"
	"caddy-netbox-mcp/bridge/strictjson"
)

// reader takes fields out of closed objects and collects what is wrong.
type reader struct {
	at       string // JSON pointer
	problems []schema.Problem
	cause    error

	every bool // every problem is wanted, up to MaxCheckProblems, instead of the first ten
	more  bool // there were more problems than are kept

	bound string // the first limit that was exceeded
	limit int64
}

// in runs f one level deeper.
func (r *reader) in(token string, f func()) {
	before := r.at
	r.at += "/" + token
	f()
	r.at = before
}

func (r *reader) report(pointer, rule string) {
	most := maxProblems
	if r.every {
		most = MaxCheckProblems
	}
	if len(r.problems) >= most {
		r.more = true
		return
	}
	r.problems = append(r.problems, schema.Problem{Pointer: pointer, Rule: rule})
}

// shortened says, where every problem is wanted, that a schema may have more
// than the n that were found: package schema lists the first ten.
func (r *reader) shortened(name string, n int) {
	if r.every && n >= schemaProblems {
		r.report(r.at+"/"+name, "may have more problems than those above, which are the first "+strconv.Itoa(n)+" of this schema")
	}
}

// exceed notes the first limit that was exceeded; "" is none.
func (r *reader) exceed(bound string, limit int64) {
	if r.bound == "" {
		r.bound, r.limit = bound, limit
	}
}

// err returns the collected problems, or nil; head says what was read.
func (r *reader) err(head string) *Error {
	if len(r.problems) == 0 {
		return nil
	}
	return &Error{Problems: r.problems, Bound: r.bound, Max: r.limit, Cause: r.cause, head: head}
}

// object reports whether v is an object, and members that are not of names: that
// there are some, or where every problem is wanted, which.
func (r *reader) object(v strictjson.Value, names ...string) bool {
	if v.Kind != strictjson.Object {
		r.report(r.at, "must be an object")
		return false
	}
	allowed := "allowed: " + strings.Join(names, ", ")
	for i := range v.Members {
		switch name := v.Members[i].Name; {
		case slices.Contains(names, name):
		case r.every:
			r.report(r.at+"/"+pointerToken(name), "is not allowed here; "+allowed)
		default:
			r.report(r.at, "has a member that is not allowed; "+allowed)
			return true
		}
	}
	return true
}

// pointerToken is a foreign name as a token of a JSON pointer (RFC 6901 section
// 3), bounded and without what could disguise the text around it.
func pointerToken(name string) string {
	name = strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return utf8.RuneError
		}
		return c
	}, cut(name, maxToken))
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// member returns a required member.
func (r *reader) member(v strictjson.Value, name string) (strictjson.Value, bool) {
	m, ok := v.Get(name)
	if !ok {
		r.report(r.at+"/"+name, "is required")
	}
	return m, ok
}

// raw reads a required string as it is.
func (r *reader) raw(v strictjson.Value, name string) (string, bool) {
	m, ok := r.member(v, name)
	if !ok {
		return "", false
	}
	if m.Kind != strictjson.String {
		r.report(r.at+"/"+name, "must be a string")
		return "", false
	}
	return m.Text, true
}

// text reads a required string of least to most characters after trimming.
func (r *reader) text(v strictjson.Value, name string, least, most int, into *string) {
	s, ok := r.raw(v, name)
	if !ok {
		return
	}
	s = trim(s)
	switch length := utf8.RuneCountInString(s); {
	case length < least:
		r.report(r.at+"/"+name, "must not be empty")
	case length > most:
		r.report(r.at+"/"+name, "must have at most "+strconv.Itoa(most)+" characters")
	default:
		*into = s
	}
}

// version reads schema_version.
func (r *reader) version(v strictjson.Value) {
	if s, ok := r.raw(v, "schema_version"); ok && s != schemaVersion {
		r.report(r.at+"/schema_version", `must be "1"`)
	}
}

// trim removes what Python's str.strip does, since plugins are judged by
// consumers that use it: Unicode whitespace and the four ASCII separators.
func trim(s string) string {
	return strings.TrimFunc(s, func(c rune) bool { return unicode.IsSpace(c) || c >= 0x1c && c <= 0x1f })
}
