package discovery

import "sync"

// known remembers which plugins advertised a bridge the last time this process saw their root. It decides only how many
// documents are asked for at once, never what is believed. A failure, or what a caller may not see, changes nothing.
type known struct {
	max int

	mu    sync.Mutex
	slugs map[string]bool
}

func newKnown(limit int) *known { return &known{max: limit, slugs: make(map[string]bool)} }

func (k *known) has(plugin string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.slugs[plugin]
}

// set notes whether a plugin advertises. When the memory is full, any other plugin gives way.
func (k *known) set(plugin string, advertises bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !advertises {
		delete(k.slugs, plugin)
		return
	}
	if len(k.slugs) >= k.max && !k.slugs[plugin] {
		for other := range k.slugs {
			delete(k.slugs, other)
			break
		}
	}
	k.slugs[plugin] = true
}
