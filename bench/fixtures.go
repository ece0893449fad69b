package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The fixed documents of the upstream.
const (
	// manifestTools and manifestBytes are the size of the manifest of a large plugin: as many tools as a manifest may
	// have, described as well as 64 KiB allow.
	manifestTools = 64
	manifestBytes = 64 << 10
	// readTool and storeTool are the tools that scenarios call; every plugin has both.
	readTool  = "list_items"
	storeTool = "store"
	// namedTools are the two above.
	namedTools = 2
)

// pluginSlug is the name of the plugin with a number.
func pluginSlug(i int) string { return fmt.Sprintf("plugin-%03d", i) }

// listingOf is the list of plugins at a base URL, absolute as NetBox writes it.
func listingOf(base string, plugins int) []byte {
	links := make(map[string]string, plugins)
	for i := range plugins {
		slug := pluginSlug(i)
		links[slug] = base + "/api/plugins/" + slug + "/"
	}
	return encode(links)
}

// rootOf is the API root of a plugin.
func rootOf(base, slug string) []byte {
	return encode(map[string]any{
		"items": base + "/api/plugins/" + slug + "/items/",
		"mcp":   map[string]string{"schema_version": "1", "manifest": base + "/api/plugins/" + slug + "/mcp/"},
	})
}

type object = map[string]any

// manifestOf is the manifest of a plugin, filled up to a size in bytes with descriptions. The plugin's name stands in each
// schema, so that no plugin profits from the compiled schemas of another.
func manifestOf(slug string, tools, bytes int) []byte {
	build := func(filling string) []byte {
		list := []object{
			toolOf(readTool, "GET", "items/", "Lists the items of "+slug+". "+filling, closed(object{
				"limit": object{"type": "integer", "minimum": 1, "maximum": 100, "default": 50, "description": "How many items of " + slug},
				"state": object{"type": "string", "enum": []string{"open", "done"}},
			}), object{
				"type": "object", "required": []string{"count", "results"}, "properties": object{
					"count":   object{"type": "integer", "minimum": 0, "description": "Items of " + slug},
					"results": object{"type": "array", "items": object{"type": "object", "required": []string{"id", "name"}}},
				},
			}),
			toolOf(storeTool, "POST", "store/", "Stores data in "+slug+". "+filling, closed(object{
				"data": object{"description": "Anything for " + slug},
			}), nil),
		}
		for i := range tools - namedTools {
			list = append(list, toolOf(fmt.Sprintf("read_%02d", i), "GET", fmt.Sprintf("read/%02d/", i), "Reads. "+filling, closed(object{
				"id":   object{"type": "integer", "minimum": 1, "description": fmt.Sprintf("Id number %d in %s", i, slug)},
				"name": object{"type": "string", "minLength": 1, "maxLength": 100},
			}), object{"type": "object", "description": fmt.Sprintf("Answer number %d of %s", i, slug)}))
		}
		return encode(object{"schema_version": "1", "plugin": slug, "tools": list})
	}
	const longest = 1900 // a description has at most 2,000 characters
	plain := len(build(""))
	return build(strings.Repeat("x", min(max(0, (bytes-plain)/tools), longest)))
}

func closed(properties object) object {
	return object{"type": "object", "properties": properties, "additionalProperties": false}
}

func toolOf(name, method, path, description string, input, output object) object {
	effect := "read"
	if method != "GET" {
		effect = "write"
	}
	t := object{
		"name": name, "title": name, "description": description, "method": method, "path": path, "effect": effect,
		"inputSchema": input,
		"annotations": object{
			"readOnlyHint": effect == "read", "destructiveHint": false, "idempotentHint": true, "openWorldHint": false,
		},
	}
	if output != nil {
		t["outputSchema"] = output
	}
	return t
}

// itemsOf is the answer of readTool with a number of items of about 260 bytes and 9 values each: of the largest answer,
// which may have 256 KiB and 10,000 values, either is used up.
func itemsOf(items int) []byte {
	results := make([]object, items)
	for i := range results {
		results[i] = object{
			"id": i + 1, "name": fmt.Sprintf("item-%0150d", i), "state": "open", "due_at": nil,
			"created": "2026-01-01T00:00:00Z", "weights": []int{i, i + 1},
		}
	}
	return encode(object{"count": items, "results": results})
}

// encode is JSON text of values that always have one.
func encode(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("bench: encoding a fixture: %v", err))
	}
	return text
}
