package discovery

import "time"

// The bounds of discovery in bridge contract version 1.
const (
	// MaxRoots is how many members the listing of plugin roots may have. The listing is refused beyond it, also when one
	// plugin is selected, because a NetBox with more is no NetBox.
	MaxRoots = 128
	// MaxCatalogTools is how many tools a scan may find altogether: more is more than a model can choose from.
	MaxCatalogTools = 512
	// MaxBytes is how many decompressed bytes all documents of one discovery may have, answers other than success included.
	MaxBytes = 2 << 20
	// MaxTime is how long one discovery may take.
	MaxTime = 30 * time.Second
	// documentTime is how long one document of a plugin may take in a scan. A root and a manifest that both take all of
	// it still leave a third of MaxTime for the listing, so that a plugin that hangs is a problem of its own and hides no
	// other. A selection hides nothing and may wait until MaxTime.
	documentTime = MaxTime / 3
	// MaxRequests is how many requests one discovery may send: the listing, and a root and a manifest for each plugin. It
	// follows from MaxRoots and is never reached otherwise.
	MaxRequests = 1 + 2*MaxRoots

	// parallel is how many documents a scan reads at a time: enough to hide the round trips of 128 roots, few enough that a
	// NetBox with a handful of workers stays responsive for others.
	parallel = 8
	// maxKnown bounds how many plugins are remembered as worth asking for all their documents at once.
	maxKnown = 256
)

// The names of the bounds in an [Error].
const (
	boundRoots     = "plugin root count"
	boundTools     = "catalog tool count"
	boundAggregate = "aggregate limit in bytes"
	boundTime      = "deadline in seconds"
	boundRoot      = "root document bytes"
	boundManifest  = "manifest bytes"
)
