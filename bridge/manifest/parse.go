package manifest

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"caddy-netbox-mcp/bridge/schema"
	"caddy-netbox-mcp/bridge/strictjson"
)

// Parse reads a manifest that plugin served. The error is an [*Error] that lists
// the first ten problems; it wraps the *strictjson.Error when a limit was
// exceeded.
func Parse(body []byte, plugin string) (*Manifest, error) {
	doc, err := strictjson.Parse(body, manifestLimits())
	if err != nil {
		return nil, unreadable("reading the manifest", "manifest", err)
	}
	r := &manifestReader{}
	m := r.manifest(doc, plugin)
	if err := r.err("the manifest is invalid"); err != nil {
		return nil, err
	}
	return m, nil
}

// manifestReader is a reader that knows tools.
type manifestReader struct{ reader }

// manifest reads the document. What it returns is a manifest only when no
// problem was reported.
func (r *manifestReader) manifest(doc strictjson.Value, plugin string) *Manifest {
	m := &Manifest{SchemaVersion: schemaVersion, Plugin: plugin}
	if r.object(doc, "schema_version", "plugin", "tools") {
		r.version(doc)
		r.plugin(doc, plugin)
		m.Tools = r.tools(doc)
	}
	return m
}

func (r *manifestReader) plugin(doc strictjson.Value, plugin string) {
	s, ok := r.raw(doc, "plugin")
	switch {
	case !ok:
	case !PluginName(s):
		r.report("/plugin", "must be 1 to 64 of a-z, 0-9, _ and -, beginning with a letter or digit")
	case s != plugin:
		r.report("/plugin", "must be the plugin whose API serves the manifest")
	}
}

func (r *manifestReader) tools(doc strictjson.Value) []Tool {
	list, ok := r.member(doc, "tools")
	switch {
	case !ok:
		return nil
	case list.Kind != strictjson.Array:
		r.report("/tools", "must be a list")
		return nil
	case len(list.Items) < 1 || len(list.Items) > MaxTools:
		r.report("/tools", "must have 1 to "+strconv.Itoa(MaxTools)+" tools")
		if len(list.Items) > MaxTools {
			r.exceed("manifest tools", MaxTools)
		}
		if !r.every {
			return nil
		}
	}
	tools := make([]Tool, len(list.Items))
	seen := make(map[string]struct{}, len(list.Items))
	for i, item := range list.Items {
		r.in("tools/"+strconv.Itoa(i), func() {
			r.tool(item, &tools[i])
			if _, again := seen[tools[i].Name]; again && tools[i].Name != "" {
				r.report(r.at+"/name", "must be unique in the manifest")
			}
			seen[tools[i].Name] = struct{}{}
		})
	}
	return tools
}

func (r *manifestReader) tool(v strictjson.Value, t *Tool) {
	if !r.object(v, "name", "title", "description", "method", "path", "effect", "inputSchema", "outputSchema", "annotations") {
		return
	}
	if s, ok := r.raw(v, "name"); ok {
		if !ToolName(s) {
			r.report(r.at+"/name", "must be 1 to 64 of a-z, 0-9 and _, beginning with a letter")
		} else {
			t.Name = strings.Clone(s)
		}
	}
	r.text(v, "title", 1, MaxTitle, &t.Title)
	r.text(v, "description", 1, MaxDescription, &t.Description)
	// The texts must not keep the whole document alive.
	t.Title, t.Description = strings.Clone(t.Title), strings.Clone(t.Description)
	r.method(v, t)
	if s, ok := r.raw(v, "path"); ok {
		if !toolPath(s) {
			r.report(r.at+"/path", "must be a relative path of at most 1024 letters, digits and . _ ~ - that ends in a slash, without empty or dot segments")
		}
		t.Path = strings.Clone(s)
	}
	r.effect(v, t)
	r.annotations(v, t)
	r.schemas(v, t)
}

// method reads the method. Its case and surrounding space do not matter, as for
// the existing consumers of the bridge.
func (r *manifestReader) method(v strictjson.Value, t *Tool) {
	s, ok := r.raw(v, "method")
	if !ok {
		return
	}
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
		if asciiEqualFold(trim(s), method) {
			t.Method = method
			return
		}
	}
	r.report(r.at+"/method", "must be GET, HEAD, POST, PUT, PATCH or DELETE")
}

func (r *manifestReader) effect(v strictjson.Value, t *Tool) {
	s, ok := r.raw(v, "effect")
	if !ok {
		return
	}
	switch t.Effect = Effect(s); t.Effect {
	case Read, Write, Destructive:
		t.Effect = Effect(strings.Clone(s))
	default:
		r.report(r.at+"/effect", "must be read, write or destructive")
		t.Effect = ""
		return
	}
	if t.Method == "" {
		return
	}
	if t.readMethod() != (t.Effect == Read) {
		r.report(r.at+"/effect", "must be read for GET and HEAD, and only for them")
	} else if t.Method == "DELETE" && t.Effect != Destructive {
		r.report(r.at+"/effect", "must be destructive for DELETE")
	}
}

// readMethod reports whether the tool's method is GET or HEAD.
func (t *Tool) readMethod() bool { return t.Method == "GET" || t.Method == "HEAD" }

func (r *manifestReader) annotations(v strictjson.Value, t *Tool) {
	a, ok := r.member(v, "annotations")
	if !ok {
		return
	}
	r.in("annotations", func() {
		if !r.object(a, "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint") {
			return
		}
		readOnly := r.hint(a, "readOnlyHint", &t.Annotations.ReadOnly)
		destructive := r.hint(a, "destructiveHint", &t.Annotations.Destructive)
		r.hint(a, "idempotentHint", &t.Annotations.Idempotent)
		r.hint(a, "openWorldHint", &t.Annotations.OpenWorld)
		if t.Effect == "" {
			return
		}
		if readOnly && t.Annotations.ReadOnly != (t.Effect == Read) {
			r.report(r.at+"/readOnlyHint", "must be true for effect read, and only for it")
		}
		if destructive && t.Annotations.Destructive != (t.Effect == Destructive) {
			r.report(r.at+"/destructiveHint", "must be true for effect destructive, and only for it")
		}
	})
}

func (r *manifestReader) hint(a strictjson.Value, name string, into *bool) bool {
	v, ok := r.member(a, name)
	if !ok {
		return false
	}
	if v.Kind != strictjson.Bool {
		r.report(r.at+"/"+name, "must be true or false")
		return false
	}
	*into = v.Bool
	return true
}

func (r *manifestReader) schemas(v strictjson.Value, t *Tool) {
	if in, ok := r.member(v, "inputSchema"); ok {
		t.InputSchema, t.input = r.schema("inputSchema", in)
		if t.input != nil {
			r.judge("inputSchema", schema.ClosedObject(in))
			if t.readMethod() {
				r.judge("inputSchema", schema.QueryEncodable(in))
			}
		}
	}
	if out, ok := v.Get("outputSchema"); ok && out.Kind != strictjson.Null {
		t.OutputSchema, t.output = r.schema("outputSchema", out)
	}
}

func (r *manifestReader) schema(name string, v strictjson.Value) (json.RawMessage, *schema.Schema) {
	compiled, err := schema.Compile(v)
	if err != nil {
		r.judge(name, err)
		return nil, nil
	}
	return v.AppendCompact(nil), compiled
}

// judge adds the problems of a *schema.Error below the current location.
func (r *manifestReader) judge(name string, err error) {
	failed, ok := errors.AsType[*schema.Error](err)
	if !ok {
		return
	}
	for _, p := range failed.Problems {
		r.report(r.at+"/"+name+p.Pointer, p.Rule)
	}
	r.shortened(name, len(failed.Problems))
	if r.cause == nil {
		r.cause = failed.Cause
	}
	r.exceed(exceeded("schema", failed.Cause))
}

// asciiEqualFold compares with an upper-case word; unlike strings.EqualFold it
// takes no other letter, such as the long s, for an ASCII one.
func asciiEqualFold(s, upper string) bool {
	if len(s) != len(upper) {
		return false
	}
	return !slices.ContainsFunc([]byte(s), func(c byte) bool { return c >= 0x80 }) && strings.EqualFold(s, upper)
}
