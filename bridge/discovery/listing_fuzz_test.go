package discovery

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"caddy-netbox-mcp/bridge/manifest"
)

var rootLink = regexp.MustCompile(`^(?:(?i:https://netbox\.example\.com)(?::443)?)?/api/plugins/([a-z0-9][a-z0-9_-]{0,63})/$`)

// listed is a second opinion on a listing that is strict JSON, by encoding/json and a pattern: the plugins, and the labels of
// what is none, in order.
func listed(t *testing.T, data []byte) (plugins map[string]bool, labels []string) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber() // an integer may have more digits than a double
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		t.Fatalf("%q accepted, but it begins with %v, %v", data, open, err)
	}
	plugins = map[string]bool{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := d.Decode(&value); err != nil {
			t.Fatal(err)
		}
		link, _ := value.(string)
		switch m := rootLink.FindStringSubmatch(strings.Trim(link, " \t\r\n\v\f")); {
		case m == nil:
			labels = append(labels, string([]rune(name.(string))[:min(64, len([]rune(name.(string))))]))
		case m[1] != "installed-plugins":
			plugins[m[1]] = true
		}
	}
	return plugins, labels
}

// FuzzListing holds the reading of the listing against the second opinion.
func FuzzListing(f *testing.F) {
	for _, listing := range []string{
		`{}`, `[]`, `null`, listingOf("a", "b-c", "0_9"), hostile()[listingPath], listingOf(append(slugs(MaxRoots-1), builtin)...), listingOf(slugs(MaxRoots + 1)...),
		`{"a":"https://netbox.example.com/api/plugins/a/","b":"HTTPS://NetBox.example.com:443/api/plugins/b/","c":"http://netbox.example.com/api/plugins/c/"}`,
		`{"a":"/api/plugins/A/","b":"/api/plugins//","c":"/api/plugins/a/b/","d":" \t/api/plugins/d/\n","e":"/api/plugins/-e/","f":"/api/dcim/f/"}`,
		`{"` + strings.Repeat("é", 65) + `":null,"x":true,"y":["/api/plugins/y/"],"z":{}}`, `{"a":"/api/plugins/a/","a":"/api/plugins/a/"}`,
		`{"a":"/api/plugins/` + strings.Repeat("a", 64) + `/","b":"/api/plugins/` + strings.Repeat("a", 65) + `/"}`, `{"a":` + strings.Repeat("3", 400) + `}`, `{"a":"/netbox/api/plugins/a/","b":"//netbox.example.com/api/plugins/b/"}`,
	} {
		f.Add([]byte(listing))
	}
	d := newDiscoverer()
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := d.parseListing(&document{path: listingPath, limit: manifest.MaxRootBytes, bound: boundRoot, response: ok(string(data))})
		if e, ours := errors.AsType[*Error](err); err != nil && (!ours || l != nil || e.Plugin != "") {
			t.Fatalf("%T %v, with %v", err, err, l)
		}
		if _, refused := manifest.ParseListing(data); refused != nil {
			wantError(t, err, Listing, errorsBound(refused), "")
			return
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(data, &members); err != nil {
			t.Fatalf("%q accepted, but: %v", data, err)
		}
		if len(members) > 128 {
			wantError(t, err, Limit, boundRoots, "128")
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		plugins, labels := listed(t, data)
		if !maps.Equal(l.roots, plugins) || !slices.Equal(l.slugs(), slices.Sorted(maps.Keys(plugins))) {
			t.Fatalf("%q lists %v, read as %v", data, plugins, l.roots)
		}
		var told []string
		for _, p := range l.problems {
			told = append(told, p.Plugin)
			if p.Error == "" || len([]rune(p.Error)) > 2_000 {
				t.Fatalf("the problem of %q is %q", p.Plugin, p.Error)
			}
		}
		if fmt.Sprintf("%q", told) != fmt.Sprintf("%q", labels) {
			t.Fatalf("%q has problems with %q, told of %q", data, labels, told)
		}
	})
}

// errorsBound is the limit that a refusal of package manifest names.
func errorsBound(err error) string {
	e, _ := errors.AsType[*manifest.Error](err)
	return e.Bound
}
