package manifest

import (
	"strings"
	"unicode/utf8"

	"caddy-netbox-mcp/bridge/strictjson"
)

// schemaVersion is the one version of the bridge, a string on the wire.
const schemaVersion = "1"

// Advertisement is the valid "mcp" member of a plugin's API root.
type Advertisement struct {
	// Manifest is the link to the manifest as it was given, trimmed. Where it
	// leads is for [Origins.ManifestPath] to judge.
	Manifest string
}

// ParseRoot reads the root document of a plugin's API. It returns nil and no
// error when the plugin does not advertise. The error is an [*Error]; its
// Advertisement field tells an invalid advertisement from an unusable document.
func ParseRoot(body []byte, plugin string) (*Advertisement, error) {
	root, err := strictjson.Parse(body, rootLimits())
	if err != nil {
		return nil, unreadable("reading the API root of "+label(plugin), "root document", err)
	}
	if root.Kind != strictjson.Object {
		return nil, failure("the API root of "+label(plugin)+" must be a JSON object", nil)
	}
	mcp, ok := root.Get("mcp")
	if !ok || mcp.Kind == strictjson.Null {
		return nil, nil
	}
	r := &reader{}
	adv := &Advertisement{}
	r.in("mcp", func() {
		if r.object(mcp, "schema_version", "manifest") {
			r.version(mcp)
			r.text(mcp, "manifest", 1, MaxLink, &adv.Manifest)
			if link, _ := mcp.Get("manifest"); utf8.RuneCountInString(trim(link.Text)) > MaxLink {
				r.exceed(boundLink, MaxLink)
			}
		}
	})
	if err := r.err("the MCP advertisement is invalid"); err != nil {
		err.Advertisement = true
		return nil, err
	}
	adv.Manifest = strings.Clone(adv.Manifest)
	return adv, nil
}

// ParseListing reads the root document of all plugins' APIs, a JSON object
// whose members lead to the plugins' own roots. The error is an [*Error].
func ParseListing(body []byte) (strictjson.Value, error) {
	root, err := strictjson.Parse(body, rootLimits())
	if err != nil {
		return root, unreadable("", "root document", err)
	}
	if root.Kind != strictjson.Object {
		return root, failure("it must be a JSON object; check that the base URL is NetBox's", nil)
	}
	return root, nil
}

// label is a plugin's name for a message; discovery has judged real ones.
func label(plugin string) string {
	if !PluginName(plugin) {
		return "the plugin"
	}
	return "plugin " + plugin
}
