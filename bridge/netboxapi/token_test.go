package netboxapi

import (
	"strings"
	"testing"

	"caddy-netbox-mcp/bridge/secret"
)

const (
	tokenV1 = "0123456789abcdef0123456789abcdef01234567"
	tokenV2 = "nbt_abcdefghijkl.adminadminadminadminadminadminadminadmin"
)

func TestAuthorization(t *testing.T) {
	for _, test := range []struct{ name, token, want string }{
		{"none", "", ""},
		{"v1", tokenV1, "Token " + tokenV1},
		{"v2", tokenV2, "Bearer " + tokenV2},
		{"v1 that only resembles v2", "NBT_abc.def", "Token NBT_abc.def"},
		{"v2 with a dot in its secret", "nbt_k.a.b", "Bearer nbt_k.a.b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := authorization(secret.New(test.token)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestCheckToken(t *testing.T) {
	for _, test := range []struct {
		name, token, says string
	}{
		{"v1", tokenV1, ""},
		{"v2", tokenV2, ""},
		{"any other shape is a v1 token", "x", ""},
		{"all printable characters", "!#$%&'*+-./:;<=>?@[]^_`{|}~\"", ""},
		{"longest", strings.Repeat("x", maxToken), ""},
		{"empty", "", "empty"},
		{"too long", strings.Repeat("x", maxToken+1), "too long"},
		{"space at the end", tokenV1 + " ", "spaces"},
		{"with its scheme", "Bearer " + tokenV2, "spaces"},
		{"line break at the end", tokenV1 + "\n", "line break"},
		{"header injection", tokenV1 + "\r\nX-Forwarded-For: 10.0.0.1", "line break"},
		{"tab", "a\tb", "characters"},
		{"NUL", "a\x00b", "characters"},
		{"delete", "a\x7fb", "characters"},
		{"not ASCII", "tökén", "characters"},
		{"v2 without a secret", "nbt_abc", "nbt_<key>.<secret>"},
		{"v2 with an empty secret", "nbt_abc.", "nbt_<key>.<secret>"},
		{"v2 with an empty key", "nbt_.abc", "nbt_<key>.<secret>"},
		{"v2 prefix alone", "nbt_", "nbt_<key>.<secret>"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := CheckToken(test.token)
			if test.says == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil {
				t.Fatal("accepted")
			}
			if !strings.Contains(err.Error(), test.says) {
				t.Errorf("the error is %q, which does not mention %q", err, test.says)
			}
			if len(test.token) > 4 && strings.Contains(err.Error(), test.token) {
				t.Errorf("the error repeats the token: %q", err)
			}
		})
	}
}

// TestTokenParts: a v2 token that lacks a part stays recognisable as broken.
func TestTokenParts(t *testing.T) {
	if err := CheckToken("nbt_abc.def"); err != nil {
		t.Error(err)
	}
	for _, broken := range []string{"nbt_.s", "nbt_k.", "nbt_."} {
		if CheckToken(broken) == nil {
			t.Errorf("%q passes as a token", broken)
		}
	}
}
