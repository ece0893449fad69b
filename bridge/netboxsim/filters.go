package netboxsim

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// filter judges the values of one query parameter. It returns what a record must
// match, nil for "no restriction", or the message of the 400 that NetBox answers.
type filter func(name string, values []string, rows []*record) (match func(*record) bool, refusal string)

// filter applies all known parameters of a query. Parameters that NetBox does not know
// are ignored, so all rows come back.
func (res *resource) filter(rows []*record, query url.Values) ([]*record, object) {
	var violations object
	var matches []func(*record) bool
	for _, name := range sortedNames(query) {
		base, lookup, _ := strings.Cut(name, "__")
		judge := res.filters[base]
		if judge == nil {
			continue
		}
		if lookup != "" {
			judge = textLookup(base, lookup, judge)
			if judge == nil {
				continue
			}
		}
		match, refusal := judge(name, query[name], rows)
		if refusal != "" {
			violations = append(violations, member{name, []string{refusal}})
			continue
		}
		if match != nil {
			matches = append(matches, match)
		}
	}
	if violations != nil || matches == nil {
		return rows, violations
	}
	var kept []*record
	for _, r := range rows {
		if !slices.ContainsFunc(matches, func(match func(*record) bool) bool { return !match(r) }) {
			kept = append(kept, r)
		}
	}
	return kept, nil
}

func sortedNames(query url.Values) []string {
	names := make([]string, 0, len(query))
	for name := range query {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// anyOf matches records that have one of the values under a key.
func anyOf(key string, values []string) func(*record) bool {
	return func(r *record) bool {
		return slices.ContainsFunc(values, func(v string) bool { return contains(r.keys[key], v) })
	}
}

// filled are the values that are not empty; NetBox ignores empty ones.
func filled(values []string) []string {
	return slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
}

// text matches exactly; of several values one has to match.
func text(name string, values []string, _ []*record) (func(*record) bool, string) {
	if values = filled(values); len(values) == 0 {
		return nil, ""
	}
	return anyOf(name, values), ""
}

// number64 is text whose values must be whole numbers.
func number64(name string, values []string, rows []*record) (func(*record) bool, string) {
	values = filled(values)
	for i, v := range values {
		n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
		if err != nil {
			return nil, "Enter a whole number."
		}
		values[i] = strconv.FormatInt(n, 10)
	}
	return text(name, values, rows)
}

// choice is text whose values, the empty one too, must be among the choices.
func choice(choices ...string) filter {
	return func(name string, values []string, _ []*record) (func(*record) bool, string) {
		for _, v := range values {
			if !contains(choices, v) {
				return nil, notAChoice(v)
			}
		}
		return anyOf(name, values), ""
	}
}

// reference names other objects, by slug or id. One that no record refers to is taken
// for one that does not exist, which NetBox refuses; "null" means none.
func reference(name string, values []string, rows []*record) (func(*record) bool, string) {
	if values = filled(values); len(values) == 0 {
		return nil, ""
	}
	for _, v := range values {
		if v != "null" && !slices.ContainsFunc(rows, anyOf(name, []string{v})) {
			return nil, notAChoice(v)
		}
	}
	return func(r *record) bool {
		return anyOf(name, values)(r) || (contains(values, "null") && len(r.keys[name]) == 0)
	}, ""
}

// allReferences is reference, except that a record must have every value: tags.
func allReferences(name string, values []string, rows []*record) (func(*record) bool, string) {
	values = filled(values)
	if match, refusal := reference(name, values, rows); match == nil {
		return nil, refusal
	}
	return func(r *record) bool {
		return !slices.ContainsFunc(values, func(v string) bool { return !contains(r.keys[name], v) })
	}, ""
}

func notAChoice(value string) string {
	if len(value) > 200 {
		value = value[:200] + "…"
	}
	return "Select a valid choice. " + value + " is not one of the available choices."
}

// boolean knows exactly the spellings of Django's nullable boolean; any other text is
// ignored. Of several values the last counts.
func boolean(name string, values []string, _ []*record) (func(*record) bool, string) {
	switch values[len(values)-1] {
	case "true", "True", "1":
		return anyOf(name, []string{"true"}), ""
	case "false", "False", "0":
		return anyOf(name, []string{"false"}), ""
	}
	return nil, ""
}

// network matches a prefix written in any way; text that is none matches nothing.
func network(name string, values []string, rows []*record) (func(*record) bool, string) {
	values = filled(values)
	for i, v := range values {
		if prefix, err := netip.ParsePrefix(v); err == nil {
			values[i] = prefix.Masked().String()
		}
	}
	return text(name, values, rows)
}

// textLookup gives the filter for a name with a lookup such as name__ic, nil for one
// that NetBox does not know here.
func textLookup(base, lookup string, plain filter) filter {
	var test func(have, want string) bool
	switch lookup {
	case "n":
		return func(_ string, values []string, rows []*record) (func(*record) bool, string) {
			match, refusal := plain(base, values, rows)
			if match == nil {
				return nil, refusal
			}
			return func(r *record) bool { return !match(r) }, ""
		}
	case "ic":
		test = strings.Contains
	case "isw":
		test = strings.HasPrefix
	case "iew":
		test = strings.HasSuffix
	case "ie":
		test = func(have, want string) bool { return have == want }
	default:
		return nil
	}
	if !contains([]string{"name", "slug", "facility", "description", "serial", "asset_tag"}, base) {
		return nil
	}
	return func(_ string, values []string, _ []*record) (func(*record) bool, string) {
		if values = filled(values); len(values) == 0 {
			return nil, ""
		}
		return func(r *record) bool {
			for _, want := range values {
				for _, have := range r.keys[base] {
					if test(strings.ToUpper(have), strings.ToUpper(want)) {
						return true
					}
				}
			}
			return false
		}, ""
	}
}

// searchIn looks for q, in any case, in members.
func searchIn(members ...string) func(*record, string) bool {
	return func(r *record, q string) bool {
		q = strings.ToUpper(strings.TrimSpace(q))
		for _, name := range members {
			if strings.Contains(strings.ToUpper(plainText(r.object.get(name))), q) {
				return true
			}
		}
		// Devices are found by the beginning of their primary address, too.
		return slices.ContainsFunc(r.keys["address"], func(a string) bool { return strings.HasPrefix(a, q) })
	}
}

// searchNetwork looks for q in the text of a prefix, in its description, and, where q
// is itself an address or a prefix, for the prefixes that contain it.
func searchNetwork(r *record, q string) bool {
	q = strings.TrimSpace(q)
	if searchIn("prefix", "description")(r, q) {
		return true
	}
	wanted, err := netip.ParsePrefix(q)
	if err != nil {
		address, err := netip.ParseAddr(q)
		if err != nil {
			return false
		}
		wanted = netip.PrefixFrom(address, address.BitLen())
	}
	have, err := netip.ParsePrefix(plainText(r.object.get("prefix")))
	return err == nil && have.Bits() <= wanted.Bits() && have.Contains(wanted.Addr())
}
