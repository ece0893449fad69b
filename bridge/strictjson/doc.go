// Package strictjson reads JSON that nobody vouches for.
//
// It turns one document into a [Value] tree that keeps what encoding/json
// loses: the order of members and the exact decimal text of every number.
//
// It guarantees that a value it returns came from exactly one RFC 8259
// document in UTF-8, within the caller's [Limits], that any other strict
// parser reads the same way: no duplicate member names, no lone surrogates,
// no numbers outside what a receiver can hold. Time and memory grow linearly
// with the input.
//
// It refuses the empty document, anything after the value, a byte order mark,
// invalid UTF-8, control characters inside strings, NaN and infinities,
// floating-point numbers that overflow a double, and number tokens or
// exponents beyond [MaxNumberDigits] and [MaxExponent]. Numbers never pass
// through float64 on their way to the caller.
package strictjson
