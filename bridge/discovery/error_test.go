package discovery

import (
	"errors"
	"testing"
)

func TestErrorTexts(t *testing.T) {
	cause := errors.New("because")
	for _, test := range []struct {
		err  Error
		want string
	}{
		{Error{Kind: Listing, Err: cause}, "reading the list of NetBox's plugins: because"},
		{Error{Kind: UnknownPlugin, Plugin: "a"}, `plugin API root not found: NetBox lists no plugin "a"`},
		{Error{Kind: UnknownPlugin, Plugin: "a", Err: cause}, `plugin "a": because`},
		{Error{Kind: Root, Plugin: "a", Err: cause}, `reading the API root of plugin "a": because`},
		{Error{Kind: NotAdvertised, Plugin: "a"}, `plugin "a" does not advertise an MCP bridge`},
		{Error{Kind: Advertisement, Plugin: "a", Err: cause}, `the MCP advertisement of plugin "a" is invalid: because`},
		{Error{Kind: Manifest, Plugin: "a", Err: cause}, `the MCP manifest of plugin "a": because`},
		{Error{Kind: Limit, Plugin: "a", Bound: boundManifest, Max: 7, Err: cause}, `plugin "a": over the size limit: manifest bytes, at most 7`},
		{Error{Kind: Limit, Bound: boundTime, Max: 30, Err: cause}, "plugin discovery is over its limit: deadline in seconds, at most 30"},
	} {
		t.Run(test.want, func(t *testing.T) {
			if got := test.err.Error(); got != test.want {
				t.Errorf("got %s", got)
			}
			if test.err.Err != nil && !errors.Is(&test.err, cause) {
				t.Error("the cause is lost")
			}
		})
	}
}
