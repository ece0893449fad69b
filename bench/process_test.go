package main

import (
	"bytes"
	"errors"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestAnswerCommands(t *testing.T) {
	answer := func(command string) (any, error) {
		if command == "bad" {
			return nil, errCommand
		}
		return map[string]string{"to": command}, nil
	}
	var out bytes.Buffer
	if err := answerCommands(strings.NewReader("one\ntwo\n"), &out, answer); err != nil || out.String() != `{"to":"one"}`+"\n"+`{"to":"two"}`+"\n" {
		t.Errorf("%v, %q", err, out.String())
	}
	out.Reset()
	if err := answerCommands(strings.NewReader("one\nbad\ntwo\n"), &out, answer); !errors.Is(err, errCommand) || strings.Contains(out.String(), "two") {
		t.Errorf("%v, %q; want the error and nothing after it", err, out.String())
	}
}

func TestWatchMemory(t *testing.T) {
	const size = 32 << 20
	idle := idleMemory()
	stop := watchMemory()
	held := make([]byte, size)
	peak := stop()
	runtime.KeepAlive(held)
	if grown := int64(peak.Go) - int64(idle.Go); grown < size {
		t.Errorf("the peak is %d over idle, want at least the %d that were allocated", grown, size)
	}
	if peak.Samples < 1 {
		t.Errorf("%d samples", peak.Samples)
	}
	if runtime.GOOS == "linux" && (idle.Resident == 0 || peak.PeakResident < size) {
		t.Errorf("resident %d, at its peak %d", idle.Resident, peak.PeakResident)
	}
}

func TestUpstream(t *testing.T) {
	const late = 30 * time.Millisecond
	u, err := newUpstream("http://netbox", upstreamOptions{Latency: late, Plugins: 2, Tools: 2, Items: 3, Bomb: &bombOptions{Place: inAnswer, Coding: "gzip", Size: 1 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(u)
	defer server.Close()
	tests := []struct {
		path, begins, encoding string
		status                 int
	}{
		{"/api/plugins/", `{"plugin-000":"http://netbox/api/plugins/plugin-000/"`, "", 200},
		{"/api/plugins/plugin-001/", `{"items":"http://netbox/api/plugins/plugin-001/items/","mcp":{`, "", 200},
		{"/api/plugins/plugin-001/mcp/", `{"plugin":"plugin-001","schema_version":"1","tools":[`, "", 200},
		{"/api/plugins/plugin-001/items/?limit=10", `{"count":3,"results":[{`, "", 200},
		{"/api/plugins/plugin-000/items/", "\x1f\x8b", "gzip", 200},
		{"/api/plugins/plugin-002/", "<!DOCTYPE html>", "", 404},
		{"/api/status/", `{"detail":`, "", 403}, // the in-memory NetBox, which wants a token
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+tt.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Accept-Encoding", "identity") // so that the client does not decode
			begin := time.Now()
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if took := time.Since(begin); took < late {
				t.Errorf("it answered after %v, want %v or more", took, late)
			}
			var body bytes.Buffer
			if _, err := body.ReadFrom(resp.Body); err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != tt.status || resp.Header.Get("Content-Encoding") != tt.encoding || !strings.HasPrefix(body.String(), tt.begins) {
				t.Errorf("status %d, encoding %q, body %.200q", resp.StatusCode, resp.Header.Get("Content-Encoding"), body.String())
			}
		})
	}
	if n := u.requests.Load(); n != int64(len(tests)) {
		t.Errorf("%d requests were counted, want %d", n, len(tests))
	}
}
