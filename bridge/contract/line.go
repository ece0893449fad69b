package contract

import (
	"fmt"
	"slices"
	"strings"
)

// Line is a NetBox release line, such as "4.7".
type Line string

// lines are the supported lines, oldest first.
var lines = []Line{"4.3", "4.4", "4.5", "4.6", "4.7"}

// ParseLine reads the line out of a version: "4.7", "v4.7.3", "4.7.0-beta1". The error lists the supported lines.
func ParseLine(version string) (Line, error) {
	parts := strings.SplitN(strings.TrimPrefix(strings.TrimSpace(version), "v"), ".", 3)
	if len(parts) >= 2 {
		if line := Line(parts[0] + "." + parts[1]); slices.Contains(lines, line) {
			return line, nil
		}
	}
	names := make([]string, len(lines))
	for i, l := range lines {
		names[i] = string(l)
	}
	return "", fmt.Errorf("NetBox version %.40q is not supported. Supported release lines: %s", version, strings.Join(names, ", "))
}
