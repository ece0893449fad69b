package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// revision is the protocol revision that the load generator speaks: the one without sessions.
const revision = "2026-07-28"

// message is a tools/call, encoded once and sent many times.
type message struct {
	tool string
	body []byte
}

// callOf is a call of a tool. Arguments are JSON text.
func callOf(tool, arguments string) message {
	return message{tool, encode(object{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": object{
			"name": tool, "arguments": json.RawMessage(arguments),
			"_meta": object{
				"io.modelcontextprotocol/protocolVersion":    revision,
				"io.modelcontextprotocol/clientCapabilities": object{},
				"io.modelcontextprotocol/clientInfo":         object{"name": "bench", "version": "1"},
			},
		},
	})}
}

// result is the result of a call as an agent sees it.
type result struct {
	text    string
	failed  bool
	elapsed time.Duration // from the request's first byte to the answer's last
}

// code is the failure's code and the limit that it names, "" for none.
func (r result) code() (code, limit string) {
	var f struct {
		Error struct {
			Code    string `json:"code"`
			Details struct {
				Limit string `json:"limit"`
			} `json:"details"`
		} `json:"error"`
	}
	if !r.failed || json.Unmarshal([]byte(r.text), &f) != nil {
		return "", ""
	}
	return f.Error.Code, f.Error.Details.Limit
}

// client sends messages to one path of the server over connections with TLS that it keeps: HTTP/1.1, one connection for
// each call in progress, as most MCP clients do.
type client struct {
	http *http.Client
	url  string
}

// maxCallers is how many calls the load generator has in progress at most; the server admits as many.
const maxCallers = 64

func newClient(url, caFile string) (*client, error) {
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("reading the server's authority: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, errors.New("the server's authority has no certificate")
	}
	return &client{url: url, http: &http.Client{Transport: &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: pool},
		MaxIdleConnsPerHost: maxCallers,
		IdleConnTimeout:     time.Minute,
	}}}, nil
}

// at is the client for another path of the same server, over the same connections.
func (c *client) at(url string) *client { return &client{http: c.http, url: url} }

// call sends a message and reads the answer.
func (c *client) call(ctx context.Context, m message) (result, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(m.body))
	if err != nil {
		return result{}, fmt.Errorf("making a request: %w", err)
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + callerToken, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": revision, "Mcp-Method": "tools/call", "Mcp-Name": m.tool,
	} {
		r.Header.Set(name, value)
	}
	begin := time.Now()
	resp, err := c.http.Do(r)
	if err != nil {
		return result{}, fmt.Errorf("calling %s: %w", m.tool, err)
	}
	body, err := io.ReadAll(resp.Body)
	elapsed := time.Since(begin)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return result{}, fmt.Errorf("reading the answer of %s: %w", m.tool, err)
	}
	if resp.StatusCode != http.StatusOK {
		return result{}, fmt.Errorf("calling %s: status %d: %.200s", m.tool, resp.StatusCode, body)
	}
	var answer struct {
		Result *struct {
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
			IsError bool `json:"isError"`
		} `json:"result"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Result == nil || len(answer.Result.Content) != 1 {
		return result{}, fmt.Errorf("the answer of %s is no result of one text: %.200s", m.tool, body)
	}
	return result{answer.Result.Content[0].Text, answer.Result.IsError, elapsed}, nil
}

// succeed is call for a result that must be no failure.
func (c *client) succeed(ctx context.Context, m message) (result, error) {
	r, err := c.call(ctx, m)
	if err == nil && r.failed {
		err = fmt.Errorf("%s failed: %.300s", m.tool, r.text)
	}
	return r, err
}
