// Package netbox holds the NetBox tools.
//
// They guarantee that nothing is sent to NetBox before the arguments, and for writes the gate, allow it; that a dry run
// never sends what it shows; and that a write is sent once, its outcome reported as unknown whenever it is.
package netbox
