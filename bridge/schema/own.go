package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"caddy-netbox-mcp/bridge/strictjson"
)

const (
	// ownURL names a document inside its compiler. It is absolute, because the
	// library resolves relative names against the working directory, and has a
	// path, because a relative reference from a urn leads back to the document.
	ownURL = "schema://caddy-netbox-mcp/own"
	// integerVocabulary names our addition to the meaning of type.
	integerVocabulary = "urn:caddy-netbox-mcp:integer"
	// maxOwnDigits bounds the digits before and after the point of numbers that
	// reach the library, which expands them. Doubles need 309 and 324; nothing
	// we describe with a schema of our own is larger.
	maxOwnDigits = 400
)

// ownSchema is a schema of this program, compiled by the library.
type ownSchema struct {
	doc     strictjson.Value
	library *jsonschema.Schema
}

// CompileOwn compiles a schema that ships with this program: the whole of Draft
// 2020-12 with asserted formats, and no loader, so nothing outside the document
// can be referred to. Never give it a schema from elsewhere. The error is plain,
// for the programmer.
func CompileOwn(doc []byte) (*Schema, error) {
	parsed, err := strictjson.Parse(doc, strictjson.Limits{})
	if err != nil {
		return nil, fmt.Errorf("reading own schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	c.AssertFormat()
	c.RegisterFormat(&jsonschema.Format{Name: dateTimeFormat, Validate: validateDateTime})
	c.RegisterVocabulary(&jsonschema.Vocabulary{URL: integerVocabulary, Compile: compileInteger})
	c.AssertVocabs()
	if err := c.AddResource(ownURL, parsed.Any()); err != nil {
		return nil, fmt.Errorf("adding own schema: %w", err)
	}
	compiled, err := c.Compile(ownURL)
	if err != nil {
		return nil, fmt.Errorf("compiling own schema: %w", err)
	}
	return &Schema{own: &ownSchema{doc: parsed, library: compiled}}, nil
}

// noLoader refuses every document: the library's default reads files.
type noLoader struct{}

func (noLoader) Load(string) (any, error) {
	return nil, errors.New("a schema may not refer to another document")
}

func validateDateTime(v any) error {
	if s, ok := v.(string); ok {
		return DateTime(s)
	}
	return nil
}

// compileInteger adds the bound on float forms where a schema's types have
// integer and not number. The library has refused fractions by then.
func compileInteger(_ *jsonschema.CompilerContext, obj map[string]any) (jsonschema.SchemaExt, error) {
	types, _ := obj["type"].([]any)
	if t, ok := obj["type"].(string); ok {
		types = []any{t}
	}
	if !slices.Contains(types, any("integer")) || slices.Contains(types, any("number")) {
		return nil, nil
	}
	want := make([]string, 0, len(types))
	for _, t := range types {
		if name, ok := t.(string); ok {
			want = append(want, name)
		}
	}
	return integerExt{want: want}, nil
}

type integerExt struct{ want []string }

// Validate implements jsonschema.SchemaExt.
func (e integerExt) Validate(ctx *jsonschema.ValidatorContext, v any) {
	if n, ok := v.(json.Number); ok && !integer(string(n)) {
		ctx.AddError(&kind.Type{Got: "number", Want: e.want})
	}
}

func (s *ownSchema) validate(v strictjson.Value) error {
	if at, ok := oversized(&v, nil); ok {
		return &Error{Problems: []Problem{{
			Pointer: at.pointer(),
			Rule:    fmt.Sprintf("must be a number of at most %d digits on either side of the point", maxOwnDigits),
		}}}
	}
	err := s.library.Validate(v.Any())
	if err == nil {
		return nil
	}
	var failed *jsonschema.ValidationError
	if !errors.As(err, &failed) {
		return &Error{Problems: []Problem{{Rule: "does not match the schema"}}, Cause: err}
	}
	problems := s.problems(failed, &v)
	// The library walks maps, so its order changes from run to run.
	slices.SortStableFunc(problems, func(a, b Problem) int {
		if c := strings.Compare(a.Pointer, b.Pointer); c != 0 {
			return c
		}
		return strings.Compare(a.Rule, b.Rule)
	})
	problems = slices.Compact(problems)
	return &Error{Problems: problems[:min(len(problems), maxProblems)]}
}

// oversized finds a number that the library would expand beyond maxOwnDigits.
func oversized(v *strictjson.Value, at location) (location, bool) {
	if v.Kind == strictjson.Number {
		d := parseDecimal(v.Text)
		return at, d.exp < -maxOwnDigits || len(d.digits)+d.exp > maxOwnDigits
	}
	for i := range v.Items {
		if found, ok := oversized(&v.Items[i], append(at, step{index: i})); ok {
			return found, true
		}
	}
	for i := range v.Members {
		if found, ok := oversized(&v.Members[i].Value, append(at, step{name: &v.Members[i].Name})); ok {
			return found, true
		}
	}
	return nil, false
}
