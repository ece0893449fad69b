package endpoint

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"caddy-netbox-mcp/bridge/strictjson"
)

// anyObject is an input schema that takes one property of any value.
const anyObject = `{"type":"object","properties":{"v":{}},"additionalProperties":false}`

// TestPublishedJSON has each document as the answer of a tool, as a manifest's place, and inside the arguments of a raw message.
func TestPublishedJSON(t *testing.T) {
	var cases []struct {
		Text  string
		Valid bool
		Why   string
	}
	publishedCases(t, "strictjson/testdata/strict-json.json", &cases)
	overBothEras(t, func(t *testing.T, version string) {
		w := newWorks(t, version, worksConfig{})
		published := manifestJSON(
			toolJSON("look", "GET", "look/", "read", `{"type":"object","additionalProperties":false}`, "", readHints),
			toolJSON("store", "POST", "store/", "write", anyObject, "", writeHints))
		for _, c := range cases {
			w.publish(published)
			w.answer("GET /api/plugins/example/look/", 200, c.Text)
			r := w.run(t, "look", `{}`)
			if c.Valid {
				doc, err := strictjson.Parse([]byte(c.Text), strictjson.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				if got, want := r.body(t), string(doc.AppendCompact(nil)); got != want {
					t.Errorf("%q (%s): the body is %s, want %s", c.Text, c.Why, got, want)
				}
			} else {
				r.want(t, "response_invalid", "strict, finite JSON")
			}

			// No document of them is a manifest, but only the invalid ones are no JSON.
			w.answer("GET "+exampleManifest, 200, c.Text)
			r = w.list(t)
			r.want(t, "manifest_invalid")
			if strings.Contains(r.Message, "reading the manifest") == c.Valid {
				t.Errorf("%q (%s) as a manifest: %s", c.Text, c.Why, r.Message)
			}

			w.publish(published)
			w.answer("POST /api/plugins/example/store/", 200, `{}`)
			w.sim.Reset()
			status, text := w.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+w.meta()+`"name":"plugin_call_tool","arguments":{"plugin":"example","tool":"store","arguments":{"v":`+c.Text+`}}}}`)
			sent := w.targets()
			switch {
			case c.Valid && (status != 200 || len(sent) != 1):
				t.Errorf("%q (%s) as an argument: status %d, %d requests: %s", c.Text, c.Why, status, len(sent), text)
			case c.Valid:
				doc, _ := strictjson.Parse([]byte(`{"v":`+c.Text+`}`), strictjson.Limits{})
				if got, want := string(sent[0].Body), string(doc.AppendCompact(nil)); got != want {
					t.Errorf("%q (%s): NetBox got %s, want %s", c.Text, c.Why, got, want)
				}
			case len(sent) != 0 || status != 400 || !strings.Contains(text, `"code":-32700`):
				t.Errorf("%q (%s) as an argument: status %d, %d requests: %s", c.Text, c.Why, status, len(sent), text)
			}
		}
	})
}

// meta is what a raw message of the newer era carries in its parameters.
func (w *works) meta() string {
	if w.version != newest {
		return ""
	}
	return `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + newest + `","io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}},`
}

// post sends a message as it is written.
func (w *works) post(t *testing.T, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", w.version)
	if w.version == newest {
		r.Header.Set("Mcp-Method", "tools/call")
		r.Header.Set("Mcp-Name", "plugin_call_tool")
	} else {
		r.Header.Set("Mcp-Session-Id", w.client.ID())
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// TestPublishedManifests serves each manifest: a valid one is listed, an invalid one is named and hides no other plugin.
func TestPublishedManifests(t *testing.T) {
	var cases []struct {
		Manifest json.RawMessage
		Valid    bool
		Why      string
	}
	publishedCases(t, "manifest/testdata/manifests.json", &cases)
	overBothEras(t, func(t *testing.T, version string) {
		w := newWorks(t, version, worksConfig{})
		other := toolJSON("look", "GET", "look/", "read", `{"type":"object","additionalProperties":false}`, "", readHints)
		w.answer("GET /api/plugins/other/", 200, strings.ReplaceAll(exampleAd, "example", "other"))
		w.answer("GET /api/plugins/other/mcp/", 200, strings.Replace(manifestJSON(other), "example", "other", 1))
		for i, c := range cases {
			w.publish(string(c.Manifest))
			one := w.list(t)
			w.answer("GET /api/plugins/", 200, `{"other":"/api/plugins/other/","example":"/api/plugins/example/"}`)
			all := w.call(t, "plugin_list_tools", `{}`)
			if all.failed || !strings.Contains(all.text, `"qualified_name":"other.look"`) {
				t.Errorf("case %d (%s) hides another plugin: %s", i, c.Why, all.text)
			}
			if c.Valid {
				if one.failed || !strings.Contains(one.text, `"plugin":"example"`) || !strings.Contains(all.text, `"problems":[]`) {
					t.Errorf("case %d (%s) is not listed: %.300s", i, c.Why, one.text)
				}
				continue
			}
			one.want(t, "manifest_invalid", `the MCP manifest of plugin "example": `)
			if !strings.Contains(all.text, `"problems":[{"plugin":"example","error":"the MCP manifest of plugin \"example\": `) {
				t.Errorf("case %d (%s) is no problem of a listing: %.300s", i, c.Why, all.text)
			}
		}
	})
}

// TestPublishedLinks advertises each link.
func TestPublishedLinks(t *testing.T) {
	var cases []struct {
		Base  string `json:"base_url"`
		Link  json.RawMessage
		Valid bool
		Why   string
	}
	publishedCases(t, "manifest/testdata/links.json", &cases)
	overBothEras(t, func(t *testing.T, version string) {
		at := make(map[string]*works)
		for _, c := range cases {
			if at[c.Base] == nil {
				at[c.Base] = newWorks(t, version, worksConfig{base: c.Base})
			}
			w := at[c.Base]
			w.publish(manifestJSON(toolJSON("look", "GET", "look/", "read", `{"type":"object","additionalProperties":false}`, "", readHints)))
			w.answer("GET "+exampleRoot, 200, `{"mcp":{"schema_version":"1","manifest":`+string(c.Link)+`}}`)
			switch r := w.list(t); {
			case c.Valid && (r.failed || !strings.Contains(r.text, `"qualified_name":"example.look"`)):
				t.Errorf("%s on %s (%s): %s", c.Link, c.Base, c.Why, r.text)
			case !c.Valid:
				r.want(t, "advertisement_invalid")
			}
		}
	})
}

// TestPublishedInstances has each value as the arguments of a write and as the answer of a read.
func TestPublishedInstances(t *testing.T) {
	type instance struct {
		Schema json.RawMessage
		Text   string
		Valid  bool
		Why    string
	}
	var cases []instance
	publishedCases(t, "schema/testdata/instances.json", &cases)
	var times []struct {
		Value string
		Valid bool
		Why   string
	}
	publishedCases(t, "schema/testdata/date-time.json", &times)
	for _, c := range times {
		text, err := json.Marshal(map[string]string{"v": c.Value})
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, instance{
			json.RawMessage(`{"type":"object","properties":{"v":{"type":"string","format":"date-time"}},"additionalProperties":false}`), string(text), c.Valid, c.Why,
		})
	}
	overBothEras(t, func(t *testing.T, version string) {
		w := newWorks(t, version, worksConfig{})
		for _, c := range cases {
			w.publish(manifestJSON(
				toolJSON("store", "POST", "store/", "write", string(c.Schema), "", writeHints),
				toolJSON("look", "GET", "look/", "read", `{"type":"object","additionalProperties":false}`, string(c.Schema), readHints)))
			w.answer("POST /api/plugins/example/store/", 200, `{}`)
			w.answer("GET /api/plugins/example/look/", 200, c.Text)
			w.sim.Reset()
			read := w.run(t, "look", `{}`)
			doc, err := strictjson.Parse([]byte(c.Text), strictjson.Limits{})
			if err != nil { // no JSON: as arguments it is TestPublishedJSON's
				read.want(t, "response_invalid")
				continue
			}
			w.sim.Reset()
			write := w.run(t, "store", c.Text)
			sent := w.targets()
			if !c.Valid {
				read.want(t, "response_invalid")
				write.want(t, "invalid_arguments")
				if len(sent) != 0 {
					t.Errorf("%s (%s): %d requests were sent", c.Text, c.Why, len(sent))
				}
				continue
			}
			want := string(doc.AppendCompact(nil))
			if got := read.body(t); got != want {
				t.Errorf("%s (%s): read %s", want, c.Why, got)
			}
			if write.failed || len(sent) != 1 || string(sent[0].Body) != want {
				t.Errorf("%s (%s): wrote %v, %s", want, c.Why, sent, write.text)
			}
		}
	})
}

// TestPublishedQueries compares what NetBox is asked.
func TestPublishedQueries(t *testing.T) {
	var cases []struct {
		Arguments string
		Query     [][2]string
		Why       string
	}
	publishedCases(t, "manifest/testdata/query.json", &cases)
	overBothEras(t, func(t *testing.T, version string) {
		w := newWorks(t, version, worksConfig{})
		for _, c := range cases {
			doc, err := strictjson.Parse([]byte(c.Arguments), strictjson.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			properties := make([]string, len(doc.Members))
			for i, m := range doc.Members {
				scalar := `{"type":["string","number","boolean","null"]}`
				if m.Value.Kind == strictjson.Array {
					scalar = `{"type":"array","items":` + scalar + `}`
				}
				name, _ := json.Marshal(m.Name)
				properties[i] = string(name) + ":" + scalar
			}
			w.publish(manifestJSON(toolJSON("look", "GET", "look/", "read",
				`{"type":"object","properties":{`+strings.Join(properties, ",")+`},"additionalProperties":false}`, "", readHints)))
			w.answer("GET /api/plugins/example/look/", 200, `{}`)
			w.sim.Reset()
			r := w.run(t, "look", c.Arguments)
			sent := w.targets()
			if r.failed || len(sent) != 1 {
				t.Errorf("%s (%s): %d requests, %s", c.Arguments, c.Why, len(sent), r.text)
				continue
			}
			var got [][2]string
			for pair := range strings.SplitSeq(sent[0].RawQuery, "&") {
				if pair == "" {
					continue
				}
				name, value, _ := strings.Cut(pair, "=")
				name, err1 := url.QueryUnescape(name)
				value, err2 := url.QueryUnescape(value)
				if err1 != nil || err2 != nil {
					t.Fatalf("pair %q", pair)
				}
				got = append(got, [2]string{name, value})
			}
			if !slices.Equal(got, c.Query) {
				t.Errorf("%s (%s): NetBox was asked %q, want %q", c.Arguments, c.Why, got, c.Query)
			}
		}
	})
}
