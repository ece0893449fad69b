package endpoint

import "sync"

// activity counts what is in progress, so that the end of what it happens in can wait for it.
type activity struct {
	mu     sync.Mutex
	none   sync.Cond
	count  int
	closed bool
}

func newActivity() *activity {
	a := &activity{}
	a.none.L = &a.mu
	return a
}

// enter notes something from outside; false after close, when nothing new may begin.
func (a *activity) enter() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return false
	}
	a.count++
	return true
}

// join notes what follows from something that was let in before.
func (a *activity) join() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.count++
}

// leave ends what enter or join noted.
func (a *activity) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.count--; a.count == 0 {
		a.none.Broadcast()
	}
}

// close lets nothing new begin and waits until nothing is in progress.
func (a *activity) close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	for a.count > 0 {
		a.none.Wait()
	}
}
