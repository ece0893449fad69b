package contract

import (
	"strings"
	"testing"
)

func TestParseLine(t *testing.T) {
	tests := []struct {
		version string
		want    Line
	}{
		{"4.7", "4.7"}, {"4.3", "4.3"}, {"v4.4", "4.4"}, {" 4.7.3 ", "4.7"}, {"4.7.0-beta1", "4.7"},
		{"3.9", ""}, {"4", ""}, {"", ""}, {"4.8.1", ""}, {"4.70", ""}, {"latest", ""}, {strings.Repeat("9", 1000), ""},
	}
	for _, tt := range tests {
		got, err := ParseLine(tt.version)
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("ParseLine(%.50q) = %q, %v; want %q", tt.version, got, err, tt.want)
		}
		if err != nil && (!strings.Contains(err.Error(), "Supported release lines: 4.3, 4.4, 4.5, 4.6, 4.7") || len(err.Error()) > 200) {
			t.Errorf("ParseLine(%.50q): the error is %q", tt.version, err)
		}
	}
}
