package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/netboxsim"
)

// upstreamOptions describe the NetBox of a scenario.
type upstreamOptions struct {
	Latency time.Duration // what each request waits before it is handled
	Plugins int
	Tools   int // of each plugin
	Bytes   int // of each manifest, about
	Items   int // in the answer of readTool
	Bomb    *bombOptions
}

// upstream is the in-memory NetBox with plugins in front of it that cost it nothing: their documents are made at the start.
type upstream struct {
	netbox    http.Handler
	latency   time.Duration
	documents map[string][]byte
	bombs     map[string]*bomb
	requests  atomic.Int64
}

// newUpstream makes the documents for an upstream that is reached at a base URL.
func newUpstream(base string, o upstreamOptions) (*upstream, error) {
	u := &upstream{
		netbox: netboxsim.New(netboxsim.Testbed()), latency: o.Latency,
		documents: map[string][]byte{"/api/plugins/": listingOf(base, o.Plugins)}, bombs: map[string]*bomb{},
	}
	items := itemsOf(o.Items)
	for i := range o.Plugins {
		slug := pluginSlug(i)
		root := "/api/plugins/" + slug + "/"
		u.documents[root] = rootOf(base, slug)
		u.documents[root+"mcp/"] = manifestOf(slug, o.Tools, o.Bytes)
		u.documents[root+"items/"] = items
	}
	if o.Bomb == nil {
		return u, nil
	}
	path, limit := "/api/plugins/", manifest.MaxRootBytes
	if o.Bomb.Place == inAnswer {
		path, limit = "/api/plugins/"+pluginSlug(0)+"/items/", manifest.MaxInstanceBytes
	}
	b, err := newBomb(*o.Bomb, limit)
	if err != nil {
		return nil, err
	}
	u.bombs[path] = b
	return u, nil
}

// ServeHTTP answers late.
func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.requests.Add(1)
	if !pause(r, u.latency) {
		return
	}
	if b := u.bombs[r.URL.Path]; b != nil {
		b.ServeHTTP(w, r)
		return
	}
	document := u.documents[r.URL.Path]
	if document == nil || r.Method != http.MethodGet {
		u.netbox.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(document)))
	w.Header().Set("API-Version", "4.7")
	_, _ = w.Write(document) // a client that went away is no failure of a server
}

// pause waits, and says whether the client still does.
func pause(r *http.Request, d time.Duration) bool {
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

// The commands of the upstream's process.
const (
	askAddress  = "address"  // answered with host:port
	askRequests = "requests" // answered with the number of requests since the last time
)

// serveUpstream is the upstream's process.
func serveUpstream() error {
	var o upstreamOptions
	if err := options(&o); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	u, err := newUpstream("http://"+listener.Addr().String(), o)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: u, ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }() // ends with the process
	return answerCommands(os.Stdin, os.Stdout, func(command string) (any, error) {
		switch command {
		case askAddress:
			return listener.Addr().String(), nil
		case askRequests:
			return u.requests.Swap(0), nil
		}
		return nil, errCommand
	})
}
