// Package conformance is the test build for the official MCP conformance suite
// (https://github.com/modelcontextprotocol/conformance).
//
// The suite calls tools, resources and prompts by fixed names and judges what comes back. A product has none of these,
// so [Mount] puts them on a server: behind the same endpoint, dispatcher and middleware that the product's own tools
// have, which is what the suite is there to judge. The suite cannot send a bearer token either; [Bearer] is the
// loopback proxy that adds it and changes nothing else.
//
// It guarantees that every scored server scenario of the revisions 2025-11-25 and 2026-07-28 finds its fixture. It has
// none for scenarios of protocol extensions (tasks) and for resuming streams, which the product does not offer.
// run.sh runs the suite; expected-failures.yml holds what is known to fail and why.
//
// Nothing that ships imports this package.
package conformance
