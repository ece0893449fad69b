package discovery

import "fmt"

// Kind says at which step discovery failed.
type Kind string

const (
	// Listing: /api/plugins/ could not be read or is not a list of plugin roots.
	Listing Kind = "listing"
	// UnknownPlugin: NetBox lists no plugin of that name.
	UnknownPlugin Kind = "unknown plugin"
	// Root: the plugin's API root could not be read.
	Root Kind = "root"
	// NotAdvertised: the plugin's API root has no MCP advertisement.
	NotAdvertised Kind = "not advertised"
	// Advertisement: the advertisement breaks the bridge contract.
	Advertisement Kind = "advertisement"
	// Manifest: the manifest could not be read or breaks the bridge contract.
	Manifest Kind = "manifest"
	// Limit: one of this package's bounds was exceeded; [Error].Bound says which.
	Limit Kind = "limit"
)

// Error is what discovery failed with. Its text says what to look at. Of what NetBox or a plugin
// wrote it quotes names and the detail of a refusal, at most 200 characters of it.
type Error struct {
	Kind   Kind
	Plugin string // the plugin concerned, empty for the listing and for bounds of a whole scan; bounds of a selection are its plugin's
	Bound  string // the name of the bound that was exceeded, of this package for Limit, of package manifest for other kinds; else ""
	Max    int64  // its value
	Err    error  // the cause, nil where the kind says all
}

// Error implements error.
func (e *Error) Error() string {
	switch e.Kind {
	case Listing:
		return fmt.Sprintf("reading the list of NetBox's plugins: %v", e.Err)
	case UnknownPlugin:
		if e.Err != nil {
			return fmt.Sprintf("plugin %q: %v", e.Plugin, e.Err)
		}
		return fmt.Sprintf("plugin API root not found: NetBox lists no plugin %q", e.Plugin)
	case Root:
		return fmt.Sprintf("reading the API root of plugin %q: %v", e.Plugin, e.Err)
	case NotAdvertised:
		return fmt.Sprintf("plugin %q does not advertise an MCP bridge", e.Plugin)
	case Advertisement:
		return fmt.Sprintf("the MCP advertisement of plugin %q is invalid: %v", e.Plugin, e.Err)
	case Manifest:
		return fmt.Sprintf("the MCP manifest of plugin %q: %v", e.Plugin, e.Err)
	default:
		return e.overLimit()
	}
}

// overLimit says which bound was exceeded, and what helps.
func (e *Error) overLimit() string {
	if e.Plugin != "" {
		return fmt.Sprintf("plugin %q: ", e.Plugin) + e.ofPlugin()
	}
	switch e.Bound {
	case boundTime:
		return fmt.Sprintf("NetBox did not answer the plugin documents within the deadline of %d s: ask for one plugin by name, or have an administrator check NetBox", e.Max)
	case boundRoots:
		return fmt.Sprintf("plugin root count: NetBox lists more than the limit of %d; have an administrator check that the base URL is NetBox's", e.Max)
	case boundTools:
		return fmt.Sprintf("catalog tool count: the plugins have more tools together than the limit of %d; ask for one plugin by name", e.Max)
	case boundAggregate:
		return fmt.Sprintf("the plugin documents are together over the aggregate limit of %d bytes; ask for one plugin by name", e.Max)
	case boundRoot:
		return fmt.Sprintf("NetBox's list of plugins is over the size limit of %d bytes; have an administrator check that the base URL is NetBox's", e.Max)
	default:
		return fmt.Sprintf("plugin discovery is over its limit: %s, at most %d", e.Bound, e.Max)
	}
}

// ofPlugin is overLimit for what concerns one plugin.
func (e *Error) ofPlugin() string {
	switch e.Bound {
	case boundTime:
		return fmt.Sprintf("NetBox did not answer its documents within the deadline of %d s: try again when NetBox is less busy, or have an administrator check NetBox and the plugin", e.Max)
	case boundAggregate:
		return fmt.Sprintf("its documents and NetBox's list of plugins are together over the aggregate limit of %d bytes; tell the plugin's author", e.Max)
	case boundRoot:
		return fmt.Sprintf("its API root is over the size limit of %d bytes; tell the plugin's author", e.Max)
	case boundManifest:
		return fmt.Sprintf("its manifest is over the size limit of %d bytes; tell the plugin's author", e.Max)
	default:
		return fmt.Sprintf("over the size limit: %s, at most %d", e.Bound, e.Max)
	}
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }
