// Package netboxsim is an in-memory NetBox for tests and for the demo.
//
// It serves the part of a NetBox 4.7 that a bridge client meets: the REST root,
// status, authentication check, plugin list, one plugin that advertises the MCP
// plugin bridge, three resources (dcim/sites, dcim/devices, ipam/prefixes) and a
// few HTML pages. What it serves it answers as NetBox does, byte for byte where
// that is practical: 403 and never 401, an HTML 404 for an unknown path and a JSON
// 404 for a missing object, a 301 for a missing final slash, unknown filters
// ignored, links built from the Host and forwarding headers of the request. One
// table of assertions in the tests runs against this server and against a real
// NetBox, so the two cannot drift apart.
//
// Tests can script faults (Server.Inject), read what was asked (Server.Requests)
// and look at the plugin's state (Server.Items).
//
// All state is guarded by one mutex and bounded: items, sites, recorded requests,
// request bodies and pages. The server keeps no goroutine, opens no connection and reads no
// file or environment variable.
//
// Sites can be written as well: created, changed and deleted, one by one and in bulk,
// with If-Match, NetBox's messages and its all-or-nothing rule for bulk writes. Their
// texts and status are taken; members that refer to other objects are ignored.
//
// It is not NetBox. It refuses everything that is not listed above: writes to devices
// and prefixes, filters other than those in its table (they are ignored, as NetBox
// ignores names it does not know), uploads, sessions and cookies.
package netboxsim
