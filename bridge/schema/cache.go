package schema

import (
	"container/list"
	"crypto/sha256"
	"sync"

	"caddy-netbox-mcp/bridge/strictjson"
)

// Cache keeps compiled foreign schemas by the hash of their content, so that a
// manifest that is read again need not be compiled again and a changed one is
// never judged by its old schema. It is safe for concurrent use.
type Cache struct {
	mu      sync.Mutex
	max     int
	entries map[[sha256.Size]byte]*list.Element
	recent  *list.List // of *cached, the most recently used first
}

type cached struct {
	key    [sha256.Size]byte
	schema *Schema
}

// NewCache returns a cache of at most max schemas; the one that was not used
// for longest makes room. With max below 1 nothing is kept.
func NewCache(max int) *Cache {
	return &Cache{max: max, entries: make(map[[sha256.Size]byte]*list.Element), recent: list.New()}
}

// Compile is [Compile] with a memory. Failures are not kept. A nil Cache
// compiles every time.
func (c *Cache) Compile(doc strictjson.Value) (*Schema, error) {
	if c == nil || c.max < 1 {
		return Compile(doc)
	}
	// The limits come before the hash, which reads the whole document.
	if err := doc.Check(foreignLimits()); err != nil {
		return nil, &Error{Problems: []Problem{{Rule: err.Error()}}, Cause: err}
	}
	key := sha256.Sum256(doc.AppendCompact(nil))
	if s := c.look(key); s != nil {
		return s, nil
	}
	s, err := Compile(doc)
	if err != nil {
		return nil, err
	}
	c.keep(key, s)
	return s, nil
}

func (c *Cache) look(key [sha256.Size]byte) *Schema {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries[key]
	if !ok {
		return nil
	}
	c.recent.MoveToFront(e)
	return e.Value.(*cached).schema
}

func (c *Cache) keep(key [sha256.Size]byte, s *Schema) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.entries[key]; ok {
		c.recent.MoveToFront(e)
		return
	}
	c.entries[key] = c.recent.PushFront(&cached{key: key, schema: s})
	for c.recent.Len() > c.max {
		oldest := c.recent.Back()
		c.recent.Remove(oldest)
		delete(c.entries, oldest.Value.(*cached).key)
	}
}

// Len returns how many schemas the cache holds.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.recent.Len()
}
