package netboxsim

import (
	"bytes"
	"fmt"
	"maps"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Fault replaces or spoils the answer to a request. Its zero value changes nothing.
// The parts work in this order: Delay; the real handling when After is set; Hang,
// Reset or Wire; then the answer, which is Handler's if set, whatever the next three say, else
// built from Status, Header and Body, each of which replaces that part of the real
// answer, which is computed when neither Status nor Body is given or After is set; at
// last Cut.
type Fault struct {
	// Times is how many requests the fault meets before it is used up; 0 is no limit.
	Times int
	// Delay is how long the request waits first, or until its client goes away.
	Delay time.Duration
	// After handles the request for real before the fault: a write happens and its
	// answer is lost.
	After bool
	// Hang never answers; the request ends when its client goes away.
	Hang bool
	// Reset closes the connection with a TCP reset instead of an answer.
	Reset bool
	// Wire answers with bytes of its own, whether they are HTTP or not. The connection
	// ends when it returns; a read fails when the client goes away. HTTP/1.1 only:
	// other connections are aborted.
	Wire func(net.Conn)
	// Status is the status of the answer; 0 keeps the real one's, or 200 with a Body.
	Status int
	// Header replaces headers of the answer, name by name; an empty list removes one.
	Header http.Header
	// Body is the body of the answer; nil keeps the real one's, or none with a Status.
	Body []byte
	// Handler answers instead of NetBox. Its body is sent as it is written, unless Cut
	// is set, which buffers it. The request's body is there to be read.
	Handler http.HandlerFunc
	// Cut ends the connection after CutAfter bytes of the body, although the headers
	// announced all of it.
	Cut bool
	// CutAfter is how many bytes of the body are still sent when Cut is set.
	CutAfter int
}

// injected is a Fault with the requests it is meant for.
type injected struct {
	method, path string
	prefix       bool
	fault        Fault
	left         int
}

// Inject adds a fault for the requests that match a pattern, and returns a function
// that removes it again. A pattern is a method or "*", a space, and a decoded path below
// BasePath; a path that ends in "*" matches whatever begins like it. Of several
// faults for a request the one that was added first is taken, so faults with Times
// make a script. It panics on a pattern of another form, which is a mistake in the
// test and not a condition to handle.
func (s *Server) Inject(pattern string, f Fault) (remove func()) {
	method, path, ok := strings.Cut(pattern, " ")
	if !ok || method == "" || !strings.HasPrefix(path, "/") {
		panic(fmt.Sprintf("netboxsim: bad fault pattern %.200q: write it as in \"GET /api/plugins/\"", pattern))
	}
	path, prefix := strings.CutSuffix(path, "*")
	in := &injected{method: method, path: path, prefix: prefix, fault: f, left: f.Times}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, in)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.dropFault(in)
	}
}

// dropFault forgets a fault; s.mu is held.
func (s *Server) dropFault(in *injected) {
	kept := s.faults[:0:0]
	for _, other := range s.faults {
		if other != in {
			kept = append(kept, other)
		}
	}
	s.faults = kept
}

// takeFault returns the fault for a request, if any, and counts it.
func (s *Server) takeFault(r *http.Request) (Fault, bool) {
	path := strings.TrimPrefix(r.URL.Path, s.cfg.BasePath)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, in := range s.faults {
		if in.method != "*" && in.method != r.Method {
			continue
		}
		if path != in.path && (!in.prefix || !strings.HasPrefix(path, in.path)) {
			continue
		}
		if in.fault.Times > 0 {
			if in.left--; in.left == 0 {
				s.dropFault(in)
			}
		}
		return in.fault, true
	}
	return Fault{}, false
}

// serveFault answers a request as the fault says.
func (s *Server) serveFault(w http.ResponseWriter, r *http.Request, body []byte, f Fault) {
	if !wait(r, f.Delay) {
		panic(http.ErrAbortHandler)
	}
	answer := newBuffered()
	silent := f.Hang || f.Reset || f.Wire != nil
	if f.After || (!silent && f.Handler == nil && f.Status == 0 && f.Body == nil) {
		s.handle(answer, withBody(r, body))
	} else {
		answer.Header().Set("Content-Type", "application/json")
		answer.Header().Set("API-Version", line(s.cfg.Version))
	}
	switch {
	case f.Hang:
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	case f.Reset:
		reset(w)
		return
	case f.Wire != nil:
		wire(w, f.Wire)
		return
	case f.Handler != nil && !f.Cut:
		f.Handler(w, withBody(r, body))
		return
	case f.Handler != nil:
		answer = newBuffered()
		f.Handler(answer, withBody(r, body))
		f = Fault{Cut: true, CutAfter: f.CutAfter}
	}
	f.send(w, answer)
}

// send writes the answer, changed by the fault's parts.
func (f Fault) send(w http.ResponseWriter, answer *buffered) {
	body := answer.body.Bytes()
	if f.Body != nil || f.Status != 0 {
		body = bytes.Clone(f.Body)
	}
	maps.Copy(w.Header(), answer.header)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	for name, values := range f.Header {
		name = http.CanonicalHeaderKey(name)
		if len(values) == 0 {
			w.Header().Del(name)
			continue
		}
		w.Header()[name] = values
	}
	status := answer.status
	if f.Status != 0 {
		status = f.Status
	}
	w.WriteHeader(status)
	if f.Cut {
		body = body[:max(0, min(f.CutAfter, len(body)))]
	}
	// A client that went away is no concern of a server that was about to fail it.
	_, _ = w.Write(body)
	if f.Cut {
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// wait passes the time, and says whether the request is still wanted afterwards.
func wait(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

// reset ends the connection so that the client sees "connection reset by peer": with
// SO_LINGER 0 the kernel sends RST. Where the connection cannot be had (HTTP/2) it is
// aborted the way that protocol knows.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	raw := conn
	if tls, ok := conn.(interface{ NetConn() net.Conn }); ok {
		raw = tls.NetConn()
	}
	if tcp, ok := raw.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = raw.Close()
}

// wire lets a script have the connection.
func wire(w http.ResponseWriter, script func(net.Conn)) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer conn.Close()
	script(conn)
}

// buffered is an answer that was written but not sent yet.
type buffered struct {
	status int
	header http.Header
	body   bytes.Buffer
	wrote  bool
}

func newBuffered() *buffered {
	return &buffered{status: http.StatusOK, header: http.Header{}}
}

func (b *buffered) Header() http.Header { return b.header }

func (b *buffered) WriteHeader(status int) {
	if !b.wrote {
		b.status, b.wrote = status, true
	}
}

func (b *buffered) Write(p []byte) (int, error) {
	b.WriteHeader(http.StatusOK)
	return b.body.Write(p)
}
