package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"caddy-netbox-mcp/bridge/manifest"
	"caddy-netbox-mcp/bridge/strictjson"
)

func TestLargeManifest(t *testing.T) {
	text := manifestOf("plugin-000", manifestTools, manifestBytes)
	if n := len(text); n > manifestBytes || n < manifestBytes-manifestTools {
		t.Errorf("the manifest has %d bytes, want %d or a little less", n, manifestBytes)
	}
	m, err := manifest.Parse(text, "plugin-000")
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Tools) != manifest.MaxTools {
		t.Errorf("it has %d tools, want %d", len(m.Tools), manifest.MaxTools)
	}
	for _, name := range []string{readTool, storeTool} {
		if _, ok := m.Tool(name); !ok {
			t.Errorf("it has no tool %s", name)
		}
	}
	other, err := manifest.Parse(manifestOf("plugin-001", manifestTools, manifestBytes), "plugin-001")
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Tools {
		if bytes.Equal(m.Tools[i].InputSchema, other.Tools[i].InputSchema) {
			t.Errorf("two plugins have the same input schema: %s", m.Tools[i].InputSchema)
		}
	}
}

func TestSmallManifest(t *testing.T) {
	m, err := manifest.Parse(manifestOf("plugin-127", 4, 4<<10), "plugin-127")
	if err != nil || len(m.Tools) != 4 {
		t.Errorf("%v, %+v; want 4 tools", err, m)
	}
}

func TestListing(t *testing.T) {
	l, err := manifest.ParseListing(listingOf("http://netbox", 128))
	if err != nil || len(l.Members) != 128 || l.Members[127].Value.Text != "http://netbox/api/plugins/plugin-127/" {
		t.Errorf("%v, %+v", err, l)
	}
	root, err := manifest.ParseRoot(rootOf("http://netbox", "plugin-000"), "plugin-000")
	if err != nil || root == nil || root.Manifest != "http://netbox/api/plugins/plugin-000/mcp/" {
		t.Errorf("%v, %+v", err, root)
	}
}

func TestAnswers(t *testing.T) {
	m, err := manifest.Parse(manifestOf("p", namedTools, 0), "p")
	if err != nil {
		t.Fatal(err)
	}
	tool, _ := m.Tool(readTool)
	for _, items := range []int{10, largestItems()} {
		text := itemsOf(items)
		v, err := strictjson.Parse(text, manifest.InstanceLimits())
		if err == nil {
			err = tool.ValidateOutput(v)
		}
		if err != nil {
			t.Errorf("%d items: %v", items, err)
		}
	}
	if n := len(itemsOf(largestItems())); n < manifest.MaxInstanceBytes*98/100 {
		t.Errorf("the largest answer has %d bytes, want nearly %d", n, manifest.MaxInstanceBytes)
	}
}

// TestShapes: each is as large as something may be, and judged valid, since a value that breaks its schema is not read on.
func TestShapes(t *testing.T) {
	for _, s := range shapes() {
		t.Run(s.name, func(t *testing.T) {
			tool, text, err := s.prepare()
			if err != nil {
				t.Fatal(err)
			}
			if len(text) < manifest.MaxInstanceBytes*9/10 {
				t.Errorf("the arguments have %d bytes, want nearly %d", len(text), manifest.MaxInstanceBytes)
			}
			v, err := strictjson.Parse(text, manifest.InstanceLimits())
			if err != nil {
				t.Fatal(err)
			}
			if s.name == "depth 32" {
				if v.Check(strictjson.Limits{Depth: shapeDepth - 1}) == nil {
					t.Error("it is not as deep as it may be")
				}
			}
			if value := &v.Members[0].Value; len(value.Items) > 100 {
				value.Items = value.Items[:100] // all of them are alike
			}
			if err := tool.ValidateInput(v); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestGzipBomb(t *testing.T) {
	const size, stop = 1 << 20, 100_000
	first, second, err := gzipBomb(size, stop)
	if err != nil {
		t.Fatal(err)
	}
	if len(first)+len(second) > size/100 {
		t.Errorf("it has %d bytes compressed: that is no bomb", len(first)+len(second))
	}
	z, err := gzip.NewReader(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, z); n != stop || err != io.ErrUnexpectedEOF {
		t.Errorf("the first part gives %d bytes and %v, want %d and an unexpected end", n, err, stop)
	}
	if z, err = gzip.NewReader(bytes.NewReader(append(first, second...))); err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, z); n != size || err != nil {
		t.Errorf("the whole gives %d bytes and %v, want %d", n, err, size)
	}
}

// TestZstdBomb walks the frame as RFC 8878 describes it. That the product's decoder takes it too is seen when it runs into its
// limit instead of calling the answer malformed.
func TestZstdBomb(t *testing.T) {
	const size, stop = 1 << 20, 300_000
	first, second := zstdBomb(size, stop)
	whole := append(append([]byte(nil), first...), second...)
	rest, ok := bytes.CutPrefix(whole, []byte(zstdMagic+zstdHeader))
	if !ok {
		t.Fatalf("it begins with %x", whole[:6])
	}
	decoded, last := 0, false
	for len(rest) > 0 && !last {
		header := binary.LittleEndian.Uint32(append(append([]byte(nil), rest[:3]...), 0))
		n := int(header >> 3)
		last = header&1 == 1
		content := 1
		switch kind := header >> 1 & 3; kind {
		case zstdRaw:
			content = n
		case zstdRepeat:
		default:
			t.Fatalf("a block of kind %d", kind)
		}
		if n > zstdBlock {
			t.Fatalf("a block of %d bytes", n)
		}
		if rest = rest[3+content:]; len(rest) == len(second) && decoded+n != stop {
			t.Errorf("the first part gives %d bytes, want %d", decoded+n, stop)
		}
		decoded += n
	}
	if decoded != size || !last || len(rest) != 0 {
		t.Errorf("it gives %d bytes, the last block is marked: %v, %d bytes follow; want %d, true and none", decoded, last, len(rest), size)
	}
}

func TestUnknownBomb(t *testing.T) {
	if _, err := newBomb(bombOptions{Coding: "br"}, 1<<20); err == nil || !strings.Contains(err.Error(), `"br"`) {
		t.Errorf("error %v, want one that names the coding", err)
	}
}

func TestCallOf(t *testing.T) {
	m := callOf("a_tool", `{"x":1.50}`)
	var got struct {
		Method string
		Params struct {
			Name      string
			Arguments json.RawMessage
			Meta      map[string]any `json:"_meta"`
		}
	}
	if err := json.Unmarshal(m.body, &got); err != nil {
		t.Fatal(err)
	}
	if got.Method != "tools/call" || got.Params.Name != "a_tool" || string(got.Params.Arguments) != `{"x":1.50}` ||
		got.Params.Meta["io.modelcontextprotocol/protocolVersion"] != revision || m.tool != "a_tool" {
		t.Errorf("the message is %s", m.body)
	}
}
