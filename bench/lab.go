package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"caddy-netbox-mcp/bridge/netboxsim"
)

// startTime is how long the server may take to listen.
const startTime = 30 * time.Second

// lab is an upstream, the product in front of it, and a client of the product.
type lab struct {
	upstream, server *child
	client           *client
	baseline         *client
	profiling        bool
}

// lab starts the processes of one measurement; the label is the name of its CPU profile, if profiles are wanted.
func (b *bench) lab(ctx context.Context, label string, o upstreamOptions) (_ *lab, err error) {
	dir, err := os.MkdirTemp(b.dir, "lab-")
	if err != nil {
		return nil, fmt.Errorf("making a folder: %w", err)
	}
	l := &lab{}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	if l.upstream, err = startChild(ctx, upstreamRole, dir, o); err != nil {
		return nil, err
	}
	var upstream string
	if err := l.upstream.ask(askAddress, &upstream); err != nil {
		return nil, err
	}
	listen, err := freeAddress()
	if err != nil {
		return nil, err
	}
	// One storage for all servers, one after the other: a server that starts finds its certificate, as a server of long
	// standing does.
	so := serverOptions{Listen: listen, Upstream: "http://" + upstream, Storage: filepath.Join(b.dir, "storage")}
	l.server, err = startChild(ctx, serverRole, dir, so, callerTokenVariable+"="+callerToken, upstreamTokenName+"="+netboxsim.TestbedToken)
	if err != nil {
		return nil, err
	}
	if err := awaitServer(ctx, listen); err != nil {
		return nil, l.server.failed(err)
	}
	_, port, _ := net.SplitHostPort(listen)
	url := "https://" + net.JoinHostPort("localhost", port)
	if l.client, err = newClient(url+productPath, so.caFile()); err != nil {
		return nil, err
	}
	l.baseline = l.client.at(url + baselinePath)
	if b.profiles != "" {
		path, err := filepath.Abs(filepath.Join(b.profiles, label+".prof"))
		if err != nil {
			return nil, fmt.Errorf("naming a profile: %w", err)
		}
		var ok bool
		if err := l.server.ask(askProfile+path, &ok); err != nil {
			return nil, err
		}
		l.profiling = true
	}
	return l, nil
}

// close ends the processes.
func (l *lab) close() {
	if l.profiling {
		var ok bool
		_ = l.server.ask(askProfileDone, &ok) // a profile that is cut is seen when it is read
	}
	if l.client != nil {
		l.client.http.CloseIdleConnections()
	}
	for _, c := range []*child{l.server, l.upstream} {
		if c != nil {
			c.stop()
		}
	}
}

// requests is how many requests reached the upstream since it was last asked.
func (l *lab) requests() (n int64, err error) {
	err = l.upstream.ask(askRequests, &n)
	return n, err
}

// expectRequests is an error unless exactly so many requests reached the upstream since it was last asked.
func (l *lab) expectRequests(want int64) error {
	got, err := l.requests()
	if err == nil && got != want {
		err = fmt.Errorf("%d requests reached the upstream, want %d: the figures would be of something else", got, want)
	}
	return err
}

// memory asks the server a question about its memory.
func (l *lab) memory(command string) (m memory, err error) {
	err = l.server.ask(command, &m)
	return m, err
}

// freeAddress is a loopback address that nothing listened on a moment ago.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("finding a free port: %w", err)
	}
	return l.Addr().String(), l.Close()
}

// awaitServer waits until a server has its certificate.
func awaitServer(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	// Only whether it answers is asked; the client that measures verifies the certificate.
	dialer := tls.Dialer{Config: &tls.Config{ServerName: "localhost", InsecureSkipVerify: true}}
	for {
		conn, err := dialer.DialContext(ctx, "tcp", address)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for the server: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
