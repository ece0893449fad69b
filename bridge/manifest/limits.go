package manifest

import "caddy-netbox-mcp/bridge/strictjson"

// The limits of plugin bridge version 1. A value exactly at a limit is allowed.
const (
	// MaxManifestBytes bounds a manifest, decompressed.
	MaxManifestBytes = 262_144
	// MaxRootBytes bounds a root document, decompressed: the listing of all
	// plugins and each plugin's own root.
	MaxRootBytes = 1_048_576
	// MaxDocumentDepth bounds the nesting of manifests and root documents; the
	// root is at depth 0.
	MaxDocumentDepth = 24
	// MaxDocumentNodes bounds their number of values.
	MaxDocumentNodes = 12_000
	// MaxInstanceBytes bounds a call's arguments, and a target's response body.
	MaxInstanceBytes = 262_144
	// MaxInstanceDepth bounds their nesting.
	MaxInstanceDepth = 32
	// MaxInstanceNodes bounds their number of values.
	MaxInstanceNodes = 10_000
	// MaxTools bounds the tools of one manifest; there must be at least one.
	MaxTools = 64
	// MaxLink bounds a link, in characters after trimming.
	MaxLink = 2_048
	// MaxProblem bounds the text of an [Error], in characters.
	MaxProblem = 2_000
	// MaxName bounds plugin and tool names.
	MaxName = 64
	// MaxTitle bounds a tool's title, in characters after trimming.
	MaxTitle = 200
	// MaxDescription bounds a tool's description, in characters after trimming.
	MaxDescription = 2_000
	// MaxPath bounds a tool's path; the shortest is one character and a slash.
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
