// Package discovery finds the plugins of a NetBox that advertise MCP tools, and reads their manifests.
//
// It guarantees that nothing it returns was believed before everything it depends on was checked: the listing of plugin
// roots, the plugin's root with its advertisement, and the manifest, read with the caller's own credential at the time of
// the call. Nothing is kept between calls but which plugins are worth asking for all three documents at once. Its bounds
// (requests, bytes, time, roots, tools) hold for hostile answers too, and apart from the deadline its result does not
// depend on timing: documents are fetched in parallel, then judged in the order in which one reader would have read them.
package discovery
