package strictjson

import "unicode/utf8"

// AppendCompact appends v as compact JSON: no spaces, members in their order,
// number text as it was read, and in strings only what RFC 8259 section 7
// requires to be escaped. Bytes that are not UTF-8, which [Parse] never
// returns, become U+FFFD so that the output is always JSON.
func (v Value) AppendCompact(dst []byte) []byte {
	return v.appendCompact(dst)
}

func (v *Value) appendCompact(dst []byte) []byte {
	switch v.Kind {
	case Bool:
		if v.Bool {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case Number:
		return append(dst, v.Text...)
	case String:
		return appendQuoted(dst, v.Text)
	case Array:
		dst = append(dst, '[')
		for i := range v.Items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = v.Items[i].appendCompact(dst)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		for i := range v.Members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendQuoted(dst, v.Members[i].Name)
			dst = append(dst, ':')
			dst = v.Members[i].Value.appendCompact(dst)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

const hexDigits = "0123456789abcdef"

// shortEscape returns the letter of c's two-character escape, or 0.
func shortEscape(c byte) byte {
	switch c {
	case '"', '\\':
		return c
	case '\b':
		return 'b'
	case '\f':
		return 'f'
	case '\n':
		return 'n'
	case '\r':
		return 'r'
	case '\t':
		return 't'
	}
	return 0
}

func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(dst, s[start:i]...)
				dst = utf8.AppendRune(dst, utf8.RuneError)
				start = i + size
			}
			i += size
			continue
		case c >= 0x20 && c != '"' && c != '\\':
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		if letter := shortEscape(c); letter != 0 {
			dst = append(dst, '\\', letter)
		} else {
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&0xf])
		}
		i++
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// quotedSize is the length of appendQuoted's output.
func quotedSize(s string) int {
	size := 2
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c >= utf8.RuneSelf:
			r, n := utf8.DecodeRuneInString(s[i:])
			i += n
			if r == utf8.RuneError && n == 1 {
				n = utf8.RuneLen(utf8.RuneError)
			}
			size += n
			continue
		case c >= 0x20 && c != '"' && c != '\\':
			size++
		case shortEscape(c) != 0:
			size += 2
		default:
			size += 6
		}
		i++
	}
	return size
}
