package netboxsim

import (
	"bytes"
	"net/http"
	"slices"
)

const (
	// maxRecorded is how many requests the log holds; the oldest make room. A scan of
	// 128 plugin roots needs 257.
	maxRecorded = 4096
	// maxRecordedBytes is what the recorded bodies may take together; the oldest make
	// room, so a long-running demo stays small.
	maxRecordedBytes = 16 << 20
)

// Request is what a client asked.
type Request struct {
	// Method is the request's method.
	Method string
	// Path is the decoded path as it was sent, BasePath included.
	Path string
	// RawQuery is the query as it was sent, without the question mark.
	RawQuery string
	// Host is the Host header.
	Host string
	// Header holds the other headers.
	Header http.Header
	// Body is the whole body as it was sent; nil when there was none.
	Body []byte
}

// Requests returns what was asked since the start or the last Reset, oldest first. Of
// more than 4,096 requests, or 16 MiB of bodies, only the latest are there.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// Reset forgets the recorded requests. Data, tokens and faults stay.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log, s.logBytes = nil, 0
}

// record remembers a request whose body was read already.
func (s *Server) record(r *http.Request, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, Request{
		Method: r.Method, Path: r.URL.Path, RawQuery: r.URL.RawQuery, Host: r.Host,
		Header: r.Header.Clone(), Body: bytes.Clone(body),
	})
	s.logBytes += len(body)
	for len(s.log) > maxRecorded || s.logBytes > maxRecordedBytes {
		s.logBytes -= len(s.log[0].Body)
		s.log[0] = Request{}
		s.log = s.log[1:]
	}
}
