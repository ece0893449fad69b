// Package endpoint speaks the Model Context Protocol: it is the only package that imports the MCP SDK.
//
// It serves both protocol eras on one URL, revisions 2024-11-05 to 2025-11-25 with sessions and 2026-07-28 without, from
// one set of tools. It guarantees that no request reaches the SDK without a [Binding] (who calls, and the site it is
// judged by), that arguments reach a tool byte for byte, that a panic in a tool ends as an error of that one call, that
// every call has a deadline, that no answer or record of a tool holds a configured secret, and that sessions are bounded
// in number and in idle time. It refuses batches, duplicate keys and messages nested too deep before the SDK sees them,
// over HTTP and over stdio.
package endpoint
