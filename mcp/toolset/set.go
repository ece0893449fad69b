package toolset

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"caddy-netbox-mcp/bridge/schema"
)

const (
	// MaxDescription is the longest description in characters: clients cut what is longer than about 2,000, so the model
	// would never read the end.
	MaxDescription = 1500
	// maxName keeps server and tool name together under the 60 characters that some clients allow.
	maxName = 30
)

// toolName is the character set that every client accepts.
var toolName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// Set is an immutable collection of tools with their schemas compiled.
type Set struct {
	tools  []*Tool
	byName map[string]*Tool
}

// NewSet checks and compiles tools, sorted by name. An error names the tool and what is wrong with its definition.
func NewSet(tools ...Tool) (*Set, error) {
	s := &Set{byName: make(map[string]*Tool, len(tools))}
	for i := range tools {
		t := tools[i]
		if err := t.prepare(); err != nil {
			return nil, fmt.Errorf("tool %q: %w", t.Name, err)
		}
		if s.byName[t.Name] != nil {
			return nil, fmt.Errorf("tool %q: the name is taken", t.Name)
		}
		s.byName[t.Name] = &t
		s.tools = append(s.tools, &t)
	}
	slices.SortFunc(s.tools, func(a, b *Tool) int { return strings.Compare(a.Name, b.Name) })
	return s, nil
}

// prepare checks a definition and compiles its schema.
func (t *Tool) prepare() error {
	switch {
	case !toolName.MatchString(t.Name) || len(t.Name) > maxName:
		return fmt.Errorf("a name is at most %d of a–z, 0–9 and _, a letter first", maxName)
	case t.Title == "" || t.Description == "":
		return fmt.Errorf("a title and a description are required")
	case utf8.RuneCountInString(t.Description) > MaxDescription:
		return fmt.Errorf("the description is longer than %d characters", MaxDescription)
	case t.Handle == nil:
		return fmt.Errorf("a handler is required")
	case t.Hints.ReadOnly && t.Hints.Destructive:
		return fmt.Errorf("a read-only tool cannot be destructive")
	}
	var root struct {
		Type                 string `json:"type"`
		AdditionalProperties *bool  `json:"additionalProperties"`
	}
	if err := json.Unmarshal(t.InputSchema, &root); err != nil {
		return fmt.Errorf("reading the input schema: %w", err)
	}
	if root.Type != "object" || root.AdditionalProperties == nil || *root.AdditionalProperties {
		return fmt.Errorf("the input schema must be a closed object, or unknown arguments would be dropped silently")
	}
	var err error
	t.input, err = schema.CompileOwn(t.InputSchema)
	return err
}

// All returns the tools sorted by name.
func (s *Set) All() []*Tool { return slices.Clone(s.tools) }

// Lookup finds a tool by its name without prefix.
func (s *Set) Lookup(name string) (*Tool, bool) {
	t, ok := s.byName[name]
	return t, ok
}
