package netboxapi

import (
	"errors"
	"strings"

	"caddy-netbox-mcp/bridge/secret"
)

const (
	// tokenPrefix begins every v2 token (NetBox 4.5 and later): "nbt_<key>.<secret>".
	tokenPrefix = "nbt_"
	// maxToken bounds a token in bytes; real ones are 40 to about 60.
	maxToken = 8192
)

// CheckToken reports why a value cannot be a NetBox token. It never repeats the value.
func CheckToken(value string) error {
	if value == "" {
		return errors.New("the NetBox token is empty")
	}
	if len(value) > maxToken {
		return errors.New("the NetBox token is too long")
	}
	for _, b := range []byte(value) {
		if b <= ' ' || b >= 0x7f {
			return errors.New("the NetBox token has characters that no token has; look for spaces or a line break")
		}
	}
	if rest, ok := strings.CutPrefix(value, tokenPrefix); ok {
		if key, s, ok := strings.Cut(rest, "."); !ok || key == "" || s == "" {
			return errors.New("a v2 NetBox token is nbt_<key>.<secret>; this one lacks a part")
		}
	}
	return nil
}

// authorization is the header value for a token; "" for none. The version of a token follows from its shape: v2 tokens go
// as Bearer, v1 tokens as Token, the only scheme that NetBox before 4.5 knows.
func authorization(token secret.Text) string {
	switch value := token.Reveal(); {
	case value == "":
		return ""
	case strings.HasPrefix(value, tokenPrefix):
		return "Bearer " + value
	default:
		return "Token " + value
	}
}
