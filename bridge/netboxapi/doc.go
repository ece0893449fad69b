// Package netboxapi asks NetBox's REST API: it knows where a NetBox is, how its tokens are sent, and how it refuses.
//
// It guarantees that a credential is sent to the configured NetBox only and in the one form that every supported NetBox
// accepts for it, that no other header of identity, routing or framing goes along, and that a path never leaves
// /api/ below the configured base URL. What an answer may cost is bounded by package transport.
package netboxapi
