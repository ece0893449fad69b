package manifest

import "strings"

// PluginName reports whether s is a plugin's name on the bridge: 1 to 64 of
// a-z, 0-9, underscore and hyphen, beginning with a letter or digit.
func PluginName(s string) bool {
	return name(s, func(c byte, first bool) bool {
		return lower(c) || decimal(c) || !first && (c == '_' || c == '-')
	})
}

// ToolName reports whether s is a tool's name on the bridge: 1 to 64 of a-z,
// 0-9 and underscore, beginning with a letter.
func ToolName(s string) bool {
	return name(s, func(c byte, first bool) bool {
		return lower(c) || !first && (decimal(c) || c == '_')
	})
}

func name(s string, allowed func(c byte, first bool) bool) bool {
	if s == "" || len(s) > MaxName {
		return false
	}
	for i := range len(s) {
		if !allowed(s[i], i == 0) {
			return false
		}
	}
	return true
}

func lower(c byte) bool   { return c >= 'a' && c <= 'z' }
func decimal(c byte) bool { return c >= '0' && c <= '9' }

// toolPath reports whether s is a tool's path.
func toolPath(s string) bool { return len(s) <= MaxPath && cleanPath(s) }

// cleanPath reports whether s is a relative path that ends in a slash, of
// non-empty segments that are not dots, in characters that no URL parser, proxy
// or framework changes.
func cleanPath(s string) bool {
	if !strings.HasSuffix(s, "/") || !plainPath(s) {
		return false
	}
	for segment := range strings.SplitSeq(strings.TrimSuffix(s, "/"), "/") {
		if segment == "" || segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

// plainPath reports whether s consists of slashes and the unreserved characters
// of RFC 3986 section 2.3.
func plainPath(s string) bool {
	for _, c := range []byte(s) {
		if !lower(c) && (c < 'A' || c > 'Z') && !decimal(c) && !strings.ContainsRune("._~-/", rune(c)) {
			return false
		}
	}
	return true
}
