package netboxsim

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// column is a text member that may be written, and its rules.
type column struct {
	name             string
	required, unique bool
	// blank allows "".
	blank bool
	// max is the longest text in characters, 0 for no limit.
	max int
	// slug allows letters, digits, hyphens and underscores only.
	slug bool
	// choices are the allowed values of a choice, which is rendered with its label.
	choices []string
}

// check is what Django REST framework and NetBox say about a value.
func (col column) check(value any) (text, wrong string) {
	if col.choices != nil {
		return col.checkChoice(value)
	}
	switch v := value.(type) {
	case nil:
		return "", "This field may not be null."
	case string:
		text = strings.TrimSpace(v)
	case json.Number:
		text = v.String()
	default:
		if col.slug {
			return "", textBadSlug
		}
		return "", "Not a valid string."
	}
	switch {
	case text == "" && !col.blank:
		return "", "This field may not be blank."
	case col.slug && !regexp.MustCompile(`^[-a-zA-Z0-9_]+$`).MatchString(text):
		return "", textBadSlug
	case col.max > 0 && utf8.RuneCountInString(text) > col.max:
		return "", fmt.Sprintf("Ensure this field has no more than %d characters.", col.max)
	}
	return text, ""
}

const textBadSlug = `Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.`

func (col column) checkChoice(value any) (text, wrong string) {
	switch v := value.(type) {
	case nil:
		return "", "This field may not be blank."
	case object, []any:
		return "", `Value must be passed directly (e.g. "foo": 123); do not use a dictionary or list.`
	case string:
		text = v
	default:
		text = fmt.Sprint(v)
	}
	switch {
	case text == "":
		return "", "This field may not be blank."
	case !contains(col.choices, text):
		return "", text + " is not a valid choice."
	}
	return text, ""
}

// pythonType is the name that Python gives the type of a JSON value.
func pythonType(value any) string {
	switch v := value.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case string:
		return "str"
	case object:
		return "dict"
	case []any:
		return "list"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "float"
		}
	}
	return "int"
}
