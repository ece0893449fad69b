package schema

import (
	"math/big"
	"net/url"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"caddy-netbox-mcp/bridge/strictjson"
)

// problems turns the library's error tree into our list. The library's own
// texts round numbers and quote the instance, so only its kinds and locations
// are used.
func (s *ownSchema) problems(e *jsonschema.ValidationError, root *strictjson.Value) []Problem {
	at := instancePointer(e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		var all []Problem
		for _, cause := range e.Causes {
			all = append(all, s.problems(cause, root)...)
		}
		return all
	case *kind.AnyOf:
		return s.alternatives(e, at, root)
	case *kind.OneOf:
		if k.Subschemas != nil {
			return []Problem{{at, "must match exactly one of the allowed forms, and matches several"}}
		}
		return s.alternatives(e, at, root)
	case *kind.Required:
		return memberProblems(at, k.Missing, "is required")
	case *kind.DependentRequired:
		return memberProblems(at, k.Missing, "is required beside "+clip(printable(k.Prop)))
	case *kind.AdditionalProperties:
		return memberProblems(at, k.Properties, unknownRule(s.known(e.SchemaURL)))
	case *kind.PropertyNames:
		// The library's location of this kind may be overwritten by the time it
		// is read, except at the root; the name itself is enough to act on.
		return []Problem{{"", "the member name " + clip(printable(k.Property)) + " is not allowed"}}
	case *kind.Type:
		return []Problem{{at, typeRule(typesNamed(k.Want), find(root, e.InstanceLocation))}}
	}
	rule := leafRule(e.ErrorKind)
	if _, ok := e.ErrorKind.(*kind.Pattern); ok {
		// A pattern alone helps few: the property's own description says what it is about.
		if description, _ := s.at(e.SchemaURL).Get("description"); description.Text != "" {
			rule += " (" + clip(description.Text) + ")"
		}
	}
	return []Problem{{at, rule}}
}

// alternatives picks, of the branches that failed, the one closest to matching:
// one that accepts the value's type, and of those the one with the fewest
// problems. Where none accepts the type, all are told.
func (s *ownSchema) alternatives(e *jsonschema.ValidationError, at string, root *strictjson.Value) []Problem {
	var best []Problem
	var types []string
	for _, cause := range e.Causes {
		branch := s.problems(cause, root)
		if t, ok := cause.ErrorKind.(*kind.Type); ok && instancePointer(cause.InstanceLocation) == at {
			types = append(types, t.Want...)
			continue
		}
		if best == nil || len(branch) < len(best) {
			best = branch
		}
	}
	if best == nil {
		return []Problem{{at, typeRule(typesNamed(types), find(root, e.InstanceLocation))}}
	}
	return best
}

func leafRule(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.FalseSchema:
		return "is not allowed"
	case *kind.Const:
		return "must be " + genericText(k.Want)
	case *kind.Enum:
		texts := make([]string, len(k.Want))
		for i, want := range k.Want {
			texts[i] = genericText(want)
		}
		return "must be one of " + clip(strings.Join(texts, ", "))
	case *kind.Minimum:
		return "must be at least " + exact(k.Want)
	case *kind.Maximum:
		return "must be at most " + exact(k.Want)
	case *kind.ExclusiveMinimum:
		return "must be greater than " + exact(k.Want)
	case *kind.ExclusiveMaximum:
		return "must be less than " + exact(k.Want)
	case *kind.MultipleOf:
		return "must be a multiple of " + exact(k.Want)
	case *kind.MinLength:
		return "must have at least " + plural(k.Want, "character")
	case *kind.MaxLength:
		return "must have at most " + plural(k.Want, "character")
	case *kind.MinItems:
		return "must have at least " + plural(k.Want, "item")
	case *kind.MaxItems:
		return "must have at most " + plural(k.Want, "item")
	case *kind.MinProperties:
		return "must have at least " + plural(k.Want, "member")
	case *kind.MaxProperties:
		return "must have at most " + plural(k.Want, "member")
	case *kind.UniqueItems:
		return "must not repeat an item: items " + strconv.Itoa(k.Duplicates[0]) + " and " +
			strconv.Itoa(k.Duplicates[1]) + " are equal (non-unique)"
	case *kind.Pattern:
		return "must match the pattern " + clip(k.Want)
	case *kind.Format:
		if k.Want == dateTimeFormat && k.Err != nil {
			return k.Err.Error()
		}
		return "must be a valid " + k.Want
	case *kind.Not:
		return "has a form that is not allowed"
	}
	return "does not match the schema's " + strings.Join(k.KeywordPath(), "/")
}

// exact writes a rational that came from decimal text as decimal text.
func exact(r *big.Rat) string {
	digits, _ := r.FloatPrec()
	return clip(r.FloatString(digits))
}

func plural(n int, thing string) string {
	return (&count{value: n, text: strconv.Itoa(n)}).of(thing)
}

// genericText is a value of our own schema in the library's representation.
func genericText(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return valueText(&strictjson.Value{Kind: strictjson.String, Text: v})
	case bool:
		return strconv.FormatBool(v)
	case interface{ String() string }: // json.Number
		return clip(v.String())
	case []any:
		return "a certain list"
	}
	return "a certain object"
}

func typesNamed(names []string) typeSet {
	set := typeSet(0)
	for _, name := range names {
		set |= typeNamed(name)
	}
	return set
}

func memberProblems(at string, names []string, rule string) []Problem {
	problems := make([]Problem, 0, len(names))
	for _, name := range names {
		problems = append(problems, Problem{clip(at + "/" + escapeToken(name)), rule})
	}
	return problems
}

func instancePointer(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteByte('/')
		b.WriteString(escapeToken(token))
	}
	return clip(b.String())
}

// find returns the value at a location of the instance; where the location
// does not lead to one, null.
func find(v *strictjson.Value, tokens []string) *strictjson.Value {
	for _, token := range tokens {
		switch v.Kind {
		case strictjson.Array:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v.Items) {
				return &strictjson.Value{}
			}
			v = &v.Items[i]
		default:
			member, ok := v.Get(token)
			if !ok {
				return &strictjson.Value{}
			}
			v = &member
		}
	}
	return v
}

// at returns the schema at a library location.
func (s *ownSchema) at(location string) *strictjson.Value {
	_, fragment, _ := strings.Cut(location, "#")
	var tokens []string
	for i, token := range strings.Split(fragment, "/") {
		if i == 0 {
			continue
		}
		if plain, err := url.PathUnescape(token); err == nil {
			token = plain
		}
		tokens = append(tokens, strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~"))
	}
	return find(&s.doc, tokens)
}

// known returns the property names of the schema at a library location, in
// document order.
func (s *ownSchema) known(location string) []string {
	properties, _ := s.at(location).Get("properties")
	names := make([]string, 0, len(properties.Members))
	for i := range properties.Members {
		names = append(names, properties.Members[i].Name)
	}
	return names
}
