package endpoint

import (
	"sync"
	"time"
)

// sessionLimits are the bounds of the site that a request came to.
type sessionLimits struct {
	total int           // sessions of all callers; one caller may hold a quarter of them
	idle  time.Duration // a session without request or stream for so long is ended
}

func (l sessionLimits) perCaller() int { return max(1, l.total/4) }

// sessions counts the sessions of the older protocol era, by caller. The SDK bounds neither their number nor, while a
// stream is open, understands that they are in use.
type sessions struct {
	end func(id string) // ends the SDK's session

	mu      sync.Mutex
	byID    map[string]*session
	opening map[string]int // places taken by sessions that are being opened, by caller
	stopped bool
}

type session struct {
	caller   string
	inUse    int       // requests, streams and calls in progress
	since    time.Time // when it was last used
	timer    *time.Timer
	messages *activity // requests in progress that are not streams
}

func newSessions(end func(id string)) *sessions {
	return &sessions{end: end, byID: make(map[string]*session), opening: make(map[string]int)}
}

// reserve takes a place for one more session of a caller, ending the caller's oldest idle one if that is needed; false when
// there is none. A place is given up by open or release.
func (s *sessions) reserve(caller string, limits sessionLimits) bool {
	s.mu.Lock()
	total, held := len(s.byID), s.opening[caller]
	for _, n := range s.opening {
		total += n
	}
	oldest, idle := "", (*session)(nil)
	for id, v := range s.byID {
		if v.caller != caller {
			continue
		}
		held++
		if v.inUse == 0 && (idle == nil || v.since.Before(idle.since)) {
			oldest, idle = id, v
		}
	}
	full := total >= limits.total || held >= limits.perCaller()
	granted := !s.stopped && (!full || idle != nil)
	if granted {
		s.opening[caller]++
		if full {
			s.drop(oldest)
		}
	}
	s.mu.Unlock()
	if granted && full {
		s.end(oldest)
	}
	return granted
}

// release gives up a place that no session came of.
func (s *sessions) release(caller string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveUp(caller)
}

// giveUp ends a reservation. The caller holds the lock.
func (s *sessions) giveUp(caller string) {
	if s.opening[caller]--; s.opening[caller] <= 0 {
		delete(s.opening, caller)
	}
}

// open turns a place into a new session, in use by the request that opened it.
func (s *sessions) open(id, caller string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveUp(caller)
	s.byID[id] = &session{caller: caller, inUse: 1, messages: newActivity()}
}

// enter notes one more use of a session; false when there is none of that id and caller.
func (s *sessions) enter(id, caller string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.byID[id]
	if v == nil || v.caller != caller {
		return false
	}
	v.inUse++
	if v.timer != nil {
		v.timer.Stop()
		v.timer = nil
	}
	return true
}

// leave ends one use of a session; the last one starts its idle time.
func (s *sessions) leave(id string, limits sessionLimits) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.byID[id]
	if v == nil {
		return
	}
	v.inUse--
	v.since = time.Now()
	if v.inUse == 0 && limits.idle > 0 && !s.stopped {
		v.timer = time.AfterFunc(limits.idle, func() { s.expire(id, v) })
	}
}

// messages are the messages of a session that are being answered; once closed, the session is ending. Those of a session
// that is gone are closed.
func (s *sessions) messages(id string) *activity {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.byID[id]; v != nil {
		return v.messages
	}
	gone := newActivity()
	gone.close()
	return gone
}

// expire ends a session whose idle time is over, unless it was used again meanwhile.
func (s *sessions) expire(id string, v *session) {
	s.mu.Lock()
	idle := s.byID[id] == v && v.inUse == 0
	if idle {
		s.drop(id)
	}
	s.mu.Unlock()
	if idle {
		s.end(id)
	}
}

// forget drops a session that has ended.
func (s *sessions) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(id)
}

// drop removes a session and its timer. The caller holds the lock.
func (s *sessions) drop(id string) {
	if v := s.byID[id]; v != nil {
		if v.timer != nil {
			v.timer.Stop()
		}
		delete(s.byID, id)
	}
}

// stop forgets all sessions, ends their timers and grants no more places.
func (s *sessions) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	for id := range s.byID {
		s.drop(id)
	}
}

func (s *sessions) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.byID)
}
