package netboxapi

import (
	"errors"
	"net/url"
	"strings"
	"unicode"
)

// checkPath reports why a path does not stay below /api/. What stands between us and NetBox may decode a path, perhaps more
// than once, and resolve its dot segments before it routes it, so every reading of it has to stay there. Which characters
// a path may have at all is for package transport to judge.
func checkPath(path string) error {
	rest, ok := strings.CutPrefix(path, "/api/")
	if !ok {
		return errors.New("the path is not below /api/")
	}
	if rest == "" {
		return nil
	}
	for segment := range strings.SplitSeq(strings.TrimSuffix(rest, "/"), "/") {
		if segment == "" {
			return errors.New("the path has an empty segment")
		}
		for {
			if segment == "." || segment == ".." || strings.ContainsAny(segment, `/\`) || strings.ContainsFunc(segment, unicode.IsControl) {
				return errors.New("the path has a dot segment, or a percent-encoded path separator or control character")
			}
			decoded, err := url.PathUnescape(segment)
			if err != nil || decoded == segment {
				break
			}
			segment = decoded
		}
	}
	return nil
}
