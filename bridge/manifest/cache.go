package manifest

import (
	"container/list"
	"crypto/sha256"
	"sync"
)

// keptOverhead is what a kept manifest counts beside its bytes: a small one takes
// memory too.
const keptOverhead = 4 << 10

// Cache keeps what [Parse] made of a document by the hash of the document and the
// plugin that served it, so that one that is read again need not be read and
// compiled again. The document itself comes from NetBox every time: a changed one
// is another one, and is never judged by the schemas of the old. It is safe for
// concurrent use.
type Cache struct {
	mu      sync.Mutex
	most    int64
	held    int64
	entries map[cacheKey]*list.Element
	recent  *list.List // of *cached, the most recently used first
}

type cacheKey struct {
	plugin   string
	document [sha256.Size]byte
}

type cached struct {
	key      cacheKey
	manifest *Manifest
	weight   int64
}

// NewCache returns a cache for documents of at most so many bytes together, each
// with an allowance for its overhead; those that were not used for longest make
// room. What is kept in memory is about ten times as much.
func NewCache(most int64) *Cache {
	return &Cache{most: most, entries: make(map[cacheKey]*list.Element), recent: list.New()}
}

// Parse is [Parse] with a memory. Failures are not kept. A nil Cache reads every
// document anew.
func (c *Cache) Parse(body []byte, plugin string) (*Manifest, error) {
	if c == nil || len(body) > MaxManifestBytes {
		return Parse(body, plugin)
	}
	key := cacheKey{plugin, sha256.Sum256(body)}
	if m := c.look(key); m != nil {
		return m, nil
	}
	m, err := Parse(body, plugin)
	if err != nil {
		return nil, err
	}
	c.keep(&cached{key, m, int64(len(body)) + keptOverhead})
	return m, nil
}

func (c *Cache) look(key cacheKey) *Manifest {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	if !ok {
		return nil
	}
	c.recent.MoveToFront(e)
	return e.Value.(*cached).manifest
}

func (c *Cache) keep(entry *cached) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[entry.key]; ok { // another call was faster
		c.recent.MoveToFront(e)
		return
	}
	c.entries[entry.key] = c.recent.PushFront(entry)
	c.held += entry.weight
	for c.held > c.most {
		oldest := c.recent.Back()
		gone := c.recent.Remove(oldest).(*cached)
		delete(c.entries, gone.key)
		c.held -= gone.weight
	}
}
