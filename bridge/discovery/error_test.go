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
		{Error{Kind: Limit, Plugin: "a", Bound: boundManifest, Max: 7, Err: cause}, `plugin "a": its manifest is over the size limit of 7 bytes; tell the plugin's author`},
		{Error{Kind: Limit, Plugin: "a", Bound: boundRoot, Max: 7, Err: cause}, `plugin "a": its API root is over the size limit of 7 bytes; tell the plugin's author`},
		{Error{Kind: Limit, Plugin: "a", Bound: boundAggregate, Max: 7}, `plugin "a": its documents and NetBox's list of plugins are together over the aggregate limit of 7 bytes; tell the plugin's author`},
		{Error{Kind: Limit, Plugin: "a", Bound: boundTime, Max: 30, Err: cause}, `plugin "a": NetBox did not answer its documents within the deadline of 30 s: try again when NetBox is less busy, or have an administrator check NetBox and the plugin`},
		{Error{Kind: Limit, Plugin: "a", Bound: "other", Max: 7}, `plugin "a": over the size limit: other, at most 7`},
		{Error{Kind: Limit, Bound: boundTime, Max: 30, Err: cause}, "NetBox did not answer the plugin documents within the deadline of 30 s: ask for one plugin by name, or have an administrator check NetBox"},
		{Error{Kind: Limit, Bound: boundRoots, Max: 7}, "plugin root count: NetBox lists more than the limit of 7; have an administrator check that the base URL is NetBox's"},
		{Error{Kind: Limit, Bound: boundTools, Max: 7}, "catalog tool count: the plugins have more tools together than the limit of 7; ask for one plugin by name"},
		{Error{Kind: Limit, Bound: boundAggregate, Max: 7}, "the plugin documents are together over the aggregate limit of 7 bytes; ask for one plugin by name"},
		{Error{Kind: Limit, Bound: boundRoot, Max: 7, Err: cause}, "NetBox's list of plugins is over the size limit of 7 bytes; have an administrator check that the base URL is NetBox's"},
		{Error{Kind: Limit, Bound: "other", Max: 7}, "plugin discovery is over its limit: other, at most 7"},
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
