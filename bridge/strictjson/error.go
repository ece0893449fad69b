package strictjson

import "fmt"

// Reason says why a document or value was refused.
type Reason string

// The reasons of an [Error]. The last three are limits; see [Reason.IsLimit].
const (
	Empty           Reason = "the document is empty"
	Syntax          Reason = "the syntax is wrong"
	Trailing        Reason = "something follows the value"
	ByteOrderMark   Reason = "the document begins with a byte order mark"
	InvalidUTF8     Reason = "the bytes are not UTF-8"
	ControlInString Reason = "a string holds an unescaped control character"
	LoneSurrogate   Reason = "a string holds half of a surrogate pair"
	DuplicateName   Reason = "an object names a member twice"
	NotFinite       Reason = "a number is infinite or not a number"
	NumberTooLong   Reason = "a number has too many digits or too large an exponent"
	TooManyBytes    Reason = "bytes"
	TooDeep         Reason = "depth"
	TooManyNodes    Reason = "nodes"
)

// IsLimit reports whether the reason is one of the limits of [Limits]. The
// reason's text is then the limit's name: "bytes", "depth" or "nodes".
func (r Reason) IsLimit() bool {
	return r == TooManyBytes || r == TooDeep || r == TooManyNodes
}

// Error tells why [Parse] or [Value.Check] refused its input. It quotes nothing
// of the input.
type Error struct {
	// Reason is what was wrong.
	Reason Reason
	// Offset is the byte of the document where it was noticed; 0 for Check.
	Offset int
	// Limit is the bound that was exceeded; 0 when the Reason is not a limit.
	Limit int
}

// Error returns a sentence for logs and callers.
func (e *Error) Error() string {
	switch e.Reason {
	case TooManyBytes:
		return fmt.Sprintf("the JSON is over the size limit of %d bytes", e.Limit)
	case TooDeep:
		return fmt.Sprintf("the JSON is over the nesting limit of %d levels", e.Limit)
	case TooManyNodes:
		return fmt.Sprintf("the JSON is over the limit of %d values", e.Limit)
	}
	return fmt.Sprintf("not strict, finite JSON: %s (byte %d)", string(e.Reason), e.Offset)
}
