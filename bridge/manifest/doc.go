// Package manifest reads what a NetBox plugin publishes through the plugin
// bridge, version 1: the advertisement in its API root, the manifest of its
// tools, and the links between them. It also encodes a tool's arguments as a
// query string.
//
// It guarantees that a [Manifest] it returns keeps every rule of the contract:
// the document is strict JSON within its limits and closed at every level, tool
// paths are fixed and stay below /api/plugins/<plugin>/, method, effect and
// hints agree, and every schema is compiled from the allowed subset. A link it
// accepts leads, on the very NetBox that was asked, to the one path it may lead
// to.
//
// It refuses everything else: nothing is coerced, completed or guessed, except
// that titles and descriptions are trimmed and a method's case does not matter.
// Errors name a location and a reason, not the values that stand there. [Check]
// applies the same rules for a manifest's author and tells all that it finds;
// [DescriptorSchema] says in JSON Schema what of them can be said there.
//
// The package does no I/O.
package manifest
