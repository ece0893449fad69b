package manifest

import "caddy-netbox-mcp/bridge/strictjson"

// The limits of plugin bridge version 1. The values are the contract's, so that
// what one consumer takes no other refuses; the reasons are what they protect. A
// value exactly at a limit is allowed.
const (
	// MaxManifestBytes bounds a manifest, decompressed: 64 tools of 4 KiB, which
	// is as much as a model can be shown.
	MaxManifestBytes = 262_144
	// MaxRootBytes bounds a root document, decompressed: the listing of all
	// plugins and each plugin's own root. It is wider than a manifest's because
	// what else a plugin has in its root is not the bridge's business.
	MaxRootBytes = 1_048_576
	// MaxDocumentDepth bounds the nesting of manifests and root documents; the
	// root is at depth 0. A schema may stand 16 levels deep three levels down,
	// and parsing recurses once a level.
	MaxDocumentDepth = 24
	// MaxDocumentNodes bounds their number of values: memory is taken for each
	// value, however few bytes it has.
	MaxDocumentNodes = 12_000
	// MaxInstanceBytes bounds a call's arguments, and a target's response body,
	// which a model has to read whole.
	MaxInstanceBytes = 262_144
	// MaxInstanceDepth bounds their nesting: data of plugins is deeper than
	// schemas, and parsing and judging recurse once a level.
	MaxInstanceDepth = 32
	// MaxInstanceNodes bounds their number of values, each of which is judged.
	MaxInstanceNodes = 10_000
	// MaxTools bounds the tools of one manifest, because a model must choose
	// among them; there must be at least one, or the plugin need not advertise.
	MaxTools = 64
	// MaxLink bounds a link, in characters after trimming: what servers and
	// proxies commonly take as a request line.
	MaxLink = 2_048
	// MaxProblem bounds the text of an [Error], in characters: a plugin chooses
	// much of it, and a model reads it.
	MaxProblem = 2_000
	// MaxName bounds plugin and tool names, in characters: together with the dot
	// they make a name of MCP, which has at most 128.
	MaxName = 64
	// MaxTitle bounds a tool's title, in characters after trimming: one line of a
	// list.
	MaxTitle = 200
	// MaxDescription bounds a tool's description, in characters after trimming: a
	// model reads all of them to choose one.
	MaxDescription = 2_000
	// MaxPath bounds a tool's path, in characters; the shortest is one character
	// and a slash. With prefix and plugin it stays below [MaxLink].
	MaxPath = 1_024
)

// boundLink is the name of MaxLink in an [Error].
const boundLink = "link characters"

// InstanceLimits returns the limits of arguments and response bodies. They hold
// with and without an output schema.
func InstanceLimits() strictjson.Limits {
	return strictjson.Limits{Bytes: MaxInstanceBytes, Depth: MaxInstanceDepth, Nodes: MaxInstanceNodes}
}

func manifestLimits() strictjson.Limits {
	return strictjson.Limits{Bytes: MaxManifestBytes, Depth: MaxDocumentDepth, Nodes: MaxDocumentNodes}
}

func rootLimits() strictjson.Limits {
	return strictjson.Limits{Bytes: MaxRootBytes, Depth: MaxDocumentDepth, Nodes: MaxDocumentNodes}
}
