package endpoint

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	// heartbeat is how often a quiet stream shows that it is alive: proxies cut connections that are idle for 30 to 60 s.
	heartbeat = 25 * time.Second
	// maxRefusal bounds the SDK's own refusal texts.
	maxRefusal = 1 << 10
	// eventStream is the media type of event streams.
	eventStream = "text/event-stream"
)

// response stands between the SDK and the client's connection. It adds heartbeats to event streams and turns the SDK's
// plain-text refusals into JSON-RPC errors, and its own errors into clearer ones. The SDK writes each event in one Write, so heartbeats fall between events.
type response struct {
	w         http.ResponseWriter
	header    http.Header // what the SDK sets; copied to the client's when it is sent
	heartbeat time.Duration
	id        json.RawMessage   // of the message that is answered, nil if it has none
	sessions  bool              // of the protocol era with sessions
	onHeader  func(http.Header) // sees the header of a successful answer before it is sent

	mu      sync.Mutex // guards the writer against the heartbeat
	status  int
	refusal *bytes.Buffer // collects a plain-text refusal
	early   http.Header   // what a heartbeat before the first event sends; the SDK sends none until then
	framed  bool          // an error that was meant to be the whole answer goes into a stream that has begun
	closed  bool
	stop    chan struct{} // ends the heartbeat
	done    chan struct{} // closed when it has ended
}

func newResponse(w http.ResponseWriter, heartbeat time.Duration, id json.RawMessage) *response {
	header := make(http.Header)
	maps.Copy(header, w.Header())
	return &response{w: w, header: header, heartbeat: heartbeat, id: id}
}

// Header implements [http.ResponseWriter].
func (r *response) Header() http.Header { return r.header }

// WriteHeader implements [http.ResponseWriter].
func (r *response) WriteHeader(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.status != 0 && status >= 400 {
		r.framed = true
	}
	r.writeHeader(status, r.header)
}

// writeHeader sends a header, once. The caller holds the lock.
func (r *response) writeHeader(status int, h http.Header) {
	if r.status != 0 {
		return
	}
	r.status = status
	if status >= 400 && strings.HasPrefix(h.Get("Content-Type"), "text/plain") {
		r.refusal = new(bytes.Buffer)
		return
	}
	if status < 300 && r.onHeader != nil {
		r.onHeader(h)
	}
	r.copyHeader(h)
	if strings.HasPrefix(h.Get("Content-Type"), eventStream) {
		// nginx would otherwise hold events back.
		r.w.Header().Set("X-Accel-Buffering", "no")
		// Connection is not for HTTP/2 and later, and net/http decides it for HTTP/1.1.
		r.w.Header().Del("Connection")
		r.startBeat()
	}
	r.w.WriteHeader(status)
}

func (r *response) copyHeader(h http.Header) {
	clear(r.w.Header())
	maps.Copy(r.w.Header(), h)
}

// started notes that the message is being handled. The SDK has set the header of its answer by then, and changes it at most
// when it answers, so that a stream can begin with a heartbeat before there is an event.
func (r *response) started() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.status == 0 && !r.closed && strings.HasPrefix(r.header.Get("Content-Type"), eventStream) {
		r.early = r.header.Clone()
		r.startBeat()
	}
}

// startBeat starts the heartbeat, once. The caller holds the lock.
func (r *response) startBeat() {
	if r.stop == nil && !r.closed {
		r.stop, r.done = make(chan struct{}), make(chan struct{})
		go r.beat(r.stop, r.done)
	}
}

// Write implements [http.ResponseWriter].
func (r *response) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writeHeader(http.StatusOK, r.header)
	if r.refusal != nil {
		r.refusal.Write(p[:min(len(p), maxRefusal-min(maxRefusal, r.refusal.Len()))])
		return len(p), nil
	}
	text := rewordWritten(p)
	if r.framed {
		if _, err := r.w.Write([]byte(eventHead + string(text) + "\n\n")); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	if _, err := r.w.Write(text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// FlushError lets [http.ResponseController] flush through this writer.
func (r *response) FlushError() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writeHeader(http.StatusOK, r.header)
	if r.refusal != nil {
		return nil
	}
	return http.NewResponseController(r.w).Flush()
}

// beat writes a comment into a quiet stream until the response is closed; clients ignore comments by the format's rules.
func (r *response) beat(stop <-chan struct{}, done chan<- struct{}) {
	defer close(done)
	ticker := time.NewTicker(r.heartbeat)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
			if err := r.alive(); err != nil {
				return
			}
		}
	}
}

// alive writes one heartbeat.
func (r *response) alive() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writeHeader(http.StatusOK, r.early)
	if r.refusal != nil || r.framed {
		return http.ErrNotSupported // it has become an error, which ends the stream
	}
	if _, err := r.w.Write([]byte(": alive\n\n")); err != nil {
		return err
	}
	return http.NewResponseController(r.w).Flush()
}

// close ends the heartbeat, which must not touch the writer after the handler returned, and sends a collected refusal.
func (r *response) close() {
	r.mu.Lock()
	r.closed = true
	stop, done := r.stop, r.done
	r.mu.Unlock()
	if stop != nil {
		close(stop)
		<-done
	}
	if r.refusal != nil {
		r.copyHeader(r.header)
		r.refuse(strings.ToValidUTF8(strings.TrimSpace(r.refusal.String()), ""))
	}
}

// refuse answers in place of the SDK's plain text.
func (r *response) refuse(text string) {
	f := Refusal{Status: r.status, Code: codeInvalidRequest, ID: r.id, Message: text}
	if unknown, ok := strings.CutPrefix(text, "JSON RPC not handled: "); ok && r.sessions {
		if r.id == nil {
			// JSON-RPC has no answer to a notification, and the protocol tells to ignore unknown ones.
			r.w.Header().Del("Content-Type")
			r.w.WriteHeader(http.StatusAccepted)
			return
		}
		f.Status, f.Code, f.Message = http.StatusOK, codeMethodNotFound, "method not found: "+strings.TrimSuffix(unknown, " unsupported")
	}
	if strings.HasPrefix(text, "malformed payload: ") {
		f.Message = notJSONRPC
	}
	f.WriteTo(r.w)
}
