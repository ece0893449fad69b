package schema

import "caddy-netbox-mcp/bridge/strictjson"

// Limits of one foreign schema, from the plugin bridge's version 1: a plugin
// chooses the schema, and each call pays for it.
const (
	// MaxSchemaBytes bounds the compact form of a schema, which models are shown.
	MaxSchemaBytes = 65_536
	// MaxSchemaDepth bounds its nesting; the root is at depth 0. Compiling and
	// judging recurse with it.
	MaxSchemaDepth = 16
	// MaxSchemaNodes bounds its number of values: compiled schemas are kept, and
	// each value of them takes memory.
	MaxSchemaNodes = 2_048
)

// foreignLimits are the limits above in one value.
func foreignLimits() strictjson.Limits {
	return strictjson.Limits{Bytes: MaxSchemaBytes, Depth: MaxSchemaDepth, Nodes: MaxSchemaNodes}
}

// dateTimeFormat is the one format of the bridge.
const dateTimeFormat = "date-time"

// refusedKeyword reports whether a keyword is one of those that the bridge
// names as excluded: what could fetch, recurse, backtrack or multiply work.
func refusedKeyword(name string) bool {
	switch name {
	case "$defs", "$dynamicRef", "$recursiveRef", "$ref",
		"allOf", "anyOf", "oneOf", "not", "if", "then", "else",
		"contains", "dependentSchemas", "pattern", "patternProperties",
		"prefixItems", "unevaluatedItems", "unevaluatedProperties":
		return true
	}
	return false
}

// keyword compiles one allowed keyword into its node. The table of them is the
// bridge's list of 28; what each demands of its value is the Draft 2020-12
// meta-schema's demand.
type keyword func(c *compiler, n *node, v *strictjson.Value)

// keywordFor returns the compile step of an allowed keyword, or nil.
func keywordFor(name string) keyword {
	switch name {
	case "title", "description":
		return (*compiler).annotationText
	case "deprecated", "readOnly", "writeOnly":
		return (*compiler).annotationBool
	case "examples":
		return (*compiler).annotationList
	case "default":
		return func(*compiler, *node, *strictjson.Value) {}
	case "type":
		return (*compiler).types
	case "enum":
		return (*compiler).enum
	case "const":
		return (*compiler).constant
	case "format":
		return (*compiler).format
	case "uniqueItems":
		return (*compiler).unique
	case "required":
		return (*compiler).required
	case "properties":
		return (*compiler).properties
	case "additionalProperties":
		return func(c *compiler, n *node, v *strictjson.Value) { n.additional = c.schema(v) }
	case "items":
		return func(c *compiler, n *node, v *strictjson.Value) { n.items = c.schema(v) }
	case "propertyNames":
		return func(c *compiler, n *node, v *strictjson.Value) { n.names = c.schema(v) }
	case "maximum":
		return func(c *compiler, n *node, v *strictjson.Value) { n.maximum = c.bound(v) }
	case "minimum":
		return func(c *compiler, n *node, v *strictjson.Value) { n.minimum = c.bound(v) }
	case "exclusiveMaximum":
		return func(c *compiler, n *node, v *strictjson.Value) { n.exclusiveMaximum = c.bound(v) }
	case "exclusiveMinimum":
		return func(c *compiler, n *node, v *strictjson.Value) { n.exclusiveMinimum = c.bound(v) }
	case "multipleOf":
		return (*compiler).multipleOf
	case "maxLength":
		return func(c *compiler, n *node, v *strictjson.Value) { n.maxLength = c.count(v) }
	case "minLength":
		return func(c *compiler, n *node, v *strictjson.Value) { n.minLength = c.count(v) }
	case "maxItems":
		return func(c *compiler, n *node, v *strictjson.Value) { n.maxItems = c.count(v) }
	case "minItems":
		return func(c *compiler, n *node, v *strictjson.Value) { n.minItems = c.count(v) }
	case "maxProperties":
		return func(c *compiler, n *node, v *strictjson.Value) { n.maxProperties = c.count(v) }
	case "minProperties":
		return func(c *compiler, n *node, v *strictjson.Value) { n.minProperties = c.count(v) }
	}
	return nil
}
