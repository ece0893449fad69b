// Package schema judges JSON values by JSON Schema Draft 2020-12.
//
// There are two ways in. [Compile] takes a schema that a NetBox plugin sent. It
// accepts only the keywords of the plugin bridge's version 1: no references, no
// combinators, no regular expressions, no conditions, one format. Such a schema
// cannot fetch anything, cannot recurse, and costs time linear in the instance.
// [CompileOwn] takes a schema that ships with this program and may use the
// whole of Draft 2020-12; it has no loader either, so a reference out of the
// document fails.
//
// Both judge numbers by their decimal text, never through float64: an integer
// token is exact whatever its size, and a number in float form (with a fraction
// or an exponent) is an integer only up to 9007199254740991, the largest every
// JSON implementation agrees on (RFC 8259 section 6). 1 equals 1.0 and never
// equals true. Both assert the format date-time as [DateTime] does.
//
// The bridge subset has an evaluator of its own because both sides of it are
// hostile: plugins choose schema and response, and a general validator compares
// enum members pairwise, expands exponents and reports every failure. This one
// looks members up, works on digits, and stops at the tenth problem. The
// package's tests hold it against the library that serves CompileOwn.
//
// A refusal is an [*Error] whose problems name a JSON pointer and a rule. Rules
// are made from the schema; values of the instance are quoted only where they
// are short numbers.
package schema
