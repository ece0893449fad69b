package manifest

import (
	"fmt"
	"strings"
	"testing"
)

func TestCache(t *testing.T) {
	document := func(name string) []byte { return []byte(manifestJSON(toolJSON(member{"name", `"` + name + `"`}))) }
	weight := int64(len(document("a"))) + keptOverhead
	c := NewCache(2 * weight)
	get := func(name string) *Manifest {
		t.Helper()
		m, err := c.Parse(document(name), "example")
		if err != nil {
			t.Fatal(err)
		}
		if m.Tools[0].Name != name {
			t.Fatalf("the manifest of %s has the tool %s", name, m.Tools[0].Name)
		}
		return m
	}
	a := get("a")
	if get("a") != a {
		t.Error("the same document was read twice")
	}
	b := get("b")
	get("a") // is now the more recent
	get("c") // b makes room
	if get("a") != a {
		t.Error("the recently used manifest made room")
	}
	if c.held != 2*weight || c.recent.Len() != 2 || len(c.entries) != 2 {
		t.Errorf("%d bytes are held in %d and %d entries", c.held, c.recent.Len(), len(c.entries))
	}
	if get("b") == b {
		t.Error("the least recently used manifest was kept")
	}
	if _, err := c.Parse(document("b"), "other"); err == nil {
		t.Error("a manifest that is kept is another plugin's")
	}
	if _, err := c.Parse([]byte(strings.Replace(string(document("b")), `"run/"`, `"/run/"`, 1)), "example"); err == nil {
		t.Error("a changed manifest is judged as before")
	}
	if _, err := c.Parse([]byte("{"+strings.Repeat(" ", MaxManifestBytes)+"}"), "example"); err == nil {
		t.Error("an oversize document is a manifest")
	}
	for _, c := range []*Cache{nil, NewCache(0), NewCache(weight - 1)} {
		if m, err := c.Parse(document("a"), "example"); err != nil || m.Tools[0].Name != "a" {
			t.Errorf("a cache without room: %v, %v", m, err)
		}
		if c != nil && (c.held != 0 || len(c.entries) != 0) {
			t.Errorf("a cache without room holds %d bytes", c.held)
		}
	}
}

func TestCacheIsConcurrent(t *testing.T) {
	c := NewCache(4 * keptOverhead)
	done := make(chan error)
	for range 6 {
		go func() {
			var failed error
			for i := range 200 {
				name := fmt.Sprintf("t%d", i%6)
				m, err := c.Parse([]byte(manifestJSON(toolJSON(member{"name", `"` + name + `"`}))), "example")
				if err != nil || m.Tools[0].Name != name {
					failed = fmt.Errorf("%s: %v, %v", name, m, err)
				}
			}
			done <- failed
		}()
	}
	for range 6 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if c.held > 4*keptOverhead || c.recent.Len() != len(c.entries) {
		t.Errorf("%d bytes in %d and %d entries", c.held, c.recent.Len(), len(c.entries))
	}
}
