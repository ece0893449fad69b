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
	Plugin string // the plugin concerned, empty for the listing and for bounds of a whole scan
	Bound  string // for Limit: the name of the bound
	Max    int64  // for Limit: its value
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
		if e.Plugin != "" {
			return fmt.Sprintf("plugin %q: over the size limit: %s, at most %d", e.Plugin, e.Bound, e.Max)
		}
		return fmt.Sprintf("plugin discovery is over its limit: %s, at most %d", e.Bound, e.Max)
	}
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }
