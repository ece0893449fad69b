package netboxsim

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

const (
	// maxRequestLine is gunicorn's limit_request_line in bytes, without the line end.
	maxRequestLine = 4094
	// maxRequestBody is how much of a request is read; more is refused with 413 as a
	// proxy in front of NetBox would. The bridge's own limit for a request is lower.
	maxRequestBody = 8 << 20
)

// Server is a NetBox in memory; New makes one. It is an http.Handler and safe for use
// by many goroutines.
type Server struct {
	cfg   Config
	views map[string]*view

	mu       sync.Mutex
	tokens   []Token
	log      []Request
	logBytes int
	faults   []*injected
	items    itemStore
	data     dataset
}

// New returns a seeded NetBox.
func New(cfg Config) *Server {
	cfg = cfg.withDefaults()
	s := &Server{cfg: cfg, tokens: slices.Clone(cfg.Tokens)}
	s.items = seedItems(cfg.Seed)
	s.views = s.allViews()
	return s
}

// ServeHTTP records the request, applies the fault that was injected for it, if any,
// and answers as NetBox does.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequestBody))
	if err != nil {
		http.Error(w, "Request body too large or cut", http.StatusRequestEntityTooLarge)
		return
	}
	s.record(r, body)
	if fault, ok := s.takeFault(r); ok {
		s.serveFault(w, r, body, fault)
		return
	}
	s.handle(w, withBody(r, body))
}

// withBody is the request with its body to be read from the start.
func withBody(r *http.Request, body []byte) *http.Request {
	again := r.WithContext(r.Context())
	again.Body = io.NopCloser(bytes.NewReader(body))
	return again
}

// handle answers without faults.
func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	// gunicorn measures "GET /path HTTP/1.1" without the line end.
	if size := len(r.Method) + len(r.RequestURI) + len(r.Proto) + 2; size > maxRequestLine {
		s.lineTooLong(w, size)
		return
	}
	head := w.Header()
	head.Set("Server", "gunicorn")
	head.Set("Content-Language", "en")
	if !s.hostAllowed(r) {
		sendHTML(w, http.StatusBadRequest, pageBadRequest)
		return
	}
	path, inside := strings.CutPrefix(r.URL.Path, s.cfg.BasePath+"/")
	if inside && s.redirectToSlash(w, r, path) {
		return
	}
	head.Set("Vary", "HX-Request, Accept-Language, Cookie, origin")
	head.Set("X-Request-ID", newUUID())
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "same-origin")
	head.Set("Cross-Origin-Opener-Policy", "same-origin")
	head.Set("X-Frame-Options", "SAMEORIGIN")
	if !inside {
		s.notFound(w, r)
		return
	}
	rest, api := strings.CutPrefix(path, "api/")
	if !api {
		s.servePage(w, r, path)
		return
	}
	head.Set("API-Version", line(s.cfg.Version))
	v, id := s.find(rest)
	if v == nil {
		s.notFound(w, r)
		return
	}
	s.serveView(w, r, v, id)
}

// redirectToSlash sends a reader of a path that lacks its final slash to the path
// that has it (Django's APPEND_SLASH); writes get a 404 instead. The answer carries
// none of the headers that NetBox's own middleware sets, not even API-Version.
func (s *Server) redirectToSlash(w http.ResponseWriter, r *http.Request, path string) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	if path == "" || strings.HasSuffix(path, "/") || !s.known(path+"/") {
		return false
	}
	target := r.URL.EscapedPath() + "/"
	if r.URL.RawQuery != "" {
		target += "?" + r.URL.RawQuery
	}
	head := w.Header()
	head.Set("Vary", "Accept-Language, Cookie, origin")
	head.Set("Location", target)
	sendHTML(w, http.StatusMovedPermanently, "")
	return true
}

// known says whether a path below the base path is served.
func (s *Server) known(path string) bool {
	if rest, ok := strings.CutPrefix(path, "api/"); ok {
		v, _ := s.find(rest)
		return v != nil
	}
	return path == "login/"
}

// hostAllowed is Django's ALLOWED_HOSTS.
func (s *Server) hostAllowed(r *http.Request) bool {
	if len(s.cfg.AllowedHosts) == 0 {
		return true
	}
	host := requestHost(r)
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return slices.ContainsFunc(s.cfg.AllowedHosts, func(allowed string) bool { return strings.EqualFold(allowed, host) })
}

// requestHost is the host NetBox believes it is reached at: it runs with
// USE_X_FORWARDED_HOST.
func requestHost(r *http.Request) string {
	if host := r.Header.Get("X-Forwarded-Host"); host != "" {
		return host
	}
	return r.Host
}

// baseURL is what absolute links in the answer to a request begin with.
func (s *Server) baseURL(r *http.Request) string {
	scheme := "http"
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" {
		scheme = "https"
	}
	return scheme + "://" + requestHost(r) + s.cfg.BasePath
}

// lineTooLong is gunicorn's own refusal, made before NetBox sees the request.
func (s *Server) lineTooLong(w http.ResponseWriter, size int) {
	w.Header().Set("Connection", "close")
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = fmt.Fprintf(w, `<html>
  <head>
    <title>Bad Request</title>
  </head>
  <body>
    <h1><p>Bad Request</p></h1>
    Request Line is too large (%d &gt; %d)
  </body>
</html>
`, size, maxRequestLine)
}

// send writes a whole answer with its length.
func send(w http.ResponseWriter, status int, contentType string, header http.Header, body []byte) {
	maps.Copy(w.Header(), header)
	if contentType != "" {
		w.Header().Set("Content-Type", contentType)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	// A client that went away is not the server's concern.
	_, _ = w.Write(body)
}

// newUUID is a random UUID (RFC 9562, version 4), as NetBox gives each request.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
