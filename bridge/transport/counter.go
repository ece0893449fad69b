package transport

import (
	"context"
	"sync/atomic"
)

// Counter adds up the decoded bytes of several requests, for instance those of one scan, and stops all of them when
// the sum is over its limit. Every document is charged piece by piece with what was received of it, whatever its status
// and whether it was complete, and with at most its own limit plus one byte. So whether the sum is exceeded does not
// depend on the order in which concurrent answers arrive. It is safe for use by many goroutines.
type Counter struct {
	limit int64
	used  atomic.Int64
	over  context.Context // ends when the limit is exceeded, so that readers blocked on the network stop as well
	stop  context.CancelFunc
}

// NewCounter returns a counter that is exceeded by the first byte after limit.
func NewCounter(limit int64) *Counter {
	over, stop := context.WithCancel(context.Background())
	return &Counter{limit: limit, over: over, stop: stop}
}

// Used returns the bytes charged until now.
func (c *Counter) Used() int64 { return c.used.Load() }

// Exceeded says whether more bytes than the limit were charged.
func (c *Counter) Exceeded() bool { return c.used.Load() > c.limit }

// charge adds n bytes and says whether the sum is still within the limit.
func (c *Counter) charge(n int) bool {
	if c.used.Add(int64(n)) <= c.limit {
		return true
	}
	c.stop()
	return false
}
