package netboxapi

import (
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

func TestParseHeadersAccepts(t *testing.T) {
	for _, test := range []struct {
		name  string
		lines []string
		want  http.Header
	}{
		{"none", nil, http.Header{}},
		{"colon", []string{"If-Match: \"abc\""}, http.Header{"If-Match": {`"abc"`}}},
		{"colon without space", []string{"If-Match:abc"}, http.Header{"If-Match": {"abc"}}},
		{"equals sign", []string{"X-Request-ID=abc"}, http.Header{"X-Request-Id": {"abc"}}},
		{"equals sign in the value of a colon form", []string{"X-Request-ID: a=b"}, http.Header{"X-Request-Id": {"a=b"}}},
		{"colon in the value of an equals form", []string{`If-None-Match=W/"a:b"`}, http.Header{"If-None-Match": {`W/"a:b"`}}},
		{"separators in a row", []string{"If-Match:=:x"}, http.Header{"If-Match": {"=:x"}}},
		{"any case", []string{"accept-LANGUAGE: de"}, http.Header{"Accept-Language": {"de"}}},
		{"blanks around both", []string{" \tIf-Match \t: \t a b \t"}, http.Header{"If-Match": {"a b"}}},
		{"tab inside", []string{"If-Match: a\tb"}, http.Header{"If-Match": {"a\tb"}}},
		{"empty value", []string{"If-Match:"}, http.Header{"If-Match": {""}}},
		{"the last of several counts", []string{"If-Match: a", "if-match: b"}, http.Header{"If-Match": {"b"}}},
		{"all that are allowed", []string{"Accept-Language: a", "If-Match: b", "If-None-Match: c", "X-Request-ID: d"},
			http.Header{"Accept-Language": {"a"}, "If-Match": {"b"}, "If-None-Match": {"c"}, "X-Request-Id": {"d"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := ParseHeaders(test.lines)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestParseHeadersRefuses(t *testing.T) {
	const value = "hunter2"
	lines := map[string]string{
		"no separator": "If-Match " + value, "nothing": "", "empty name": ": " + value, "only blanks as name": " \t= " + value,
		"line break in the value": "If-Match: " + value + "\r\nCookie: a", "line break at the end": "If-Match: " + value + "\n",
		"line break before the name": "\r\nIf-Match: " + value, "NUL": "If-Match: " + value + "\x00", "delete": "If-Match: " + value + "\x7f",
		"space in the name": "If Match: " + value, "control in the name": "If-\x01Match: " + value, "letter that is no ASCII": "ıf-match: " + value,
		"underscore for hyphen": "If_Match: " + value,
	}
	for _, name := range []string{
		// Identity and origin.
		"Authorization", "authorization", "Cookie", "Proxy-Authorization", "Remote-User", "X-Remote-User", "X-Forwarded-User",
		"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Forwarded", "Via", "Origin", "Referer", "X-CSRFToken",
		// Routing and framing.
		"Host", "Connection", "Keep-Alive", "Transfer-Encoding", "Content-Length", "TE", "Trailer", "Upgrade", "Expect", "HTTP2-Settings",
		"X-HTTP-Method-Override", "Content-Type", "Content-Encoding", "Accept-Encoding", "Accept", "Range", "User-Agent", "X-NetBox-Branch",
	} {
		lines["header "+name] = name + ": " + value
	}
	for name, line := range lines {
		t.Run(name, func(t *testing.T) {
			// A good header beside it does not help.
			got, err := ParseHeaders([]string{"X-Request-ID: good", line})
			if err == nil {
				t.Fatalf("accepted as %v", got)
			}
			if got != nil {
				t.Errorf("headers come with the error: %v", got)
			}
			if strings.Contains(err.Error(), value) {
				t.Errorf("the error repeats the value: %q", err)
			}
		})
	}
}

func TestParseHeadersQuotesLittle(t *testing.T) {
	_, err := ParseHeaders([]string{strings.Repeat("é", 5000) + ": x"})
	if err == nil || len(err.Error()) > 800 {
		t.Errorf("the error has %d bytes", len(fmt.Sprint(err)))
	}
}

func TestResultHeaders(t *testing.T) {
	answer := http.Header{
		"Content-Type": {"application/json"}, "Content-Length": {"7"}, "Etag": {`W/"a"`, `W/"b"`}, "Last-Modified": {"x"},
		"Retry-After": {"5"}, "X-Request-Id": {"id"}, "Allow": {"GET, HEAD"}, "Api-Version": {"4.7"},
		"Set-Cookie": {"sessionid=secret"}, "Location": {"http://evil/"}, "Server": {"gunicorn"}, "Www-Authenticate": {"Token"},
	}
	want := map[string]string{
		"content-type": "application/json", "content-length": "7", "etag": `W/"a"`, "last-modified": "x",
		"retry-after": "5", "x-request-id": "id", "allow": "GET, HEAD", "api-version": "4.7",
	}
	if got := ResultHeaders(answer); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := ResultHeaders(nil); got == nil || len(got) != 0 {
		t.Errorf("without headers got %v", got)
	}
}

func TestResultHeadersOfAHostileAnswer(t *testing.T) {
	for _, test := range []struct {
		name, value string
		shown       bool
	}{
		{"longest", strings.Repeat("x", maxShown), true},
		{"too long", strings.Repeat("x", maxShown+1), false},
		{"escape sequence", "\x1b[31mred", false},
		{"tab", "a\tb", false},
		{"bidirectional override", "a\u202eb", false},
		{"not UTF-8", "a\xffb", false},
		{"delete", "a\x7f", false},
		{"empty", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, shown := ResultHeaders(http.Header{"Etag": {test.value}})["etag"]; shown != test.shown || shown && got != test.value {
				t.Errorf("shown: %t, as %.40q", shown, got)
			}
		})
	}
}
