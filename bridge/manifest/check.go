package manifest

import (
	"caddy-netbox-mcp/bridge/schema"
	"caddy-netbox-mcp/bridge/strictjson"
)

const (
	// MaxCheckProblems is how many problems [Check] lists. A manifest of 12,000
	// values can have as many; nobody reads more than this in one go.
	MaxCheckProblems = 1_000
	// maxToken bounds a foreign member name inside a pointer, in characters.
	maxToken = 200
	// schemaProblems is how many problems package schema tells of one schema.
	schemaProblems = 10
)

// Report is what [Check] found.
type Report struct {
	// Manifest is the manifest when it keeps every rule, else nil.
	Manifest *Manifest
	// Problems are the rules that it breaks, tool by tool, at most
	// [MaxCheckProblems]; pointers and rules are those of [Parse], except that
	// each member that is not allowed is a problem of its own. Of one schema
	// they are the first ten, and an eleventh that says so.
	Problems []schema.Problem
	// More is set when there are more problems than are listed.
	More bool
}

// Check judges a manifest by exactly the rules of [Parse], for its author, who
// wants to know everything that is wrong with it. plugin is the plugin that
// serves it; with "" the document's own word is taken. The error is an [*Error]
// that wraps a *strictjson.Error: the document is no strict JSON within the
// limits of a manifest, so that there is nothing to judge.
func Check(body []byte, plugin string) (Report, error) {
	doc, err := strictjson.Parse(body, manifestLimits())
	if err != nil {
		return Report{}, unreadable("reading the manifest", "manifest", err)
	}
	if plugin == "" {
		own, _ := doc.Get("plugin")
		plugin = own.Text
	}
	r := &manifestReader{reader: reader{every: true}}
	m := r.manifest(doc, plugin)
	if len(r.problems) > 0 {
		return Report{Problems: r.problems, More: r.more}, nil
	}
	return Report{Manifest: m}, nil
}
