// Package envelope is the form of every tool result: how a result is encoded, and how an error becomes the code, the
// sentence and the details that a model can act on.
//
// It is the one place that maps errors to codes. It guarantees that a failure's text is valid JSON, holds no configured
// secret and nothing shaped like a NetBox token, and quotes no foreign value longer than 200 characters.
package envelope
