package caddymodule

import (
	"testing"

	"caddy-netbox-mcp/bridge/netboxsim"
)

// TestBridgeLimitsCanBeLowered meets each limit that a site lowered, over the endpoint.
func TestBridgeLimitsCanBeLowered(t *testing.T) {
	const list = `{"plugin":"testbed"}`
	tests := []struct {
		name, options   string
		tool, arguments string
		limit           string
		max             int64
	}{
		{"result", "max_result_bytes 1K", "plugin_call_tool", `{"plugin":"testbed","tool":"big"}`, "content-length", 1024},
		{"manifest", "max_manifest_bytes 2K", "plugin_list_tools", list, "manifest bytes", 2048},
		{"manifest in a call", "max_manifest_bytes 2K", "plugin_call_tool", `{"plugin":"testbed","tool":"echo"}`, "manifest bytes", 2048},
		{"selection", "max_scan_bytes 1024", "plugin_list_tools", list, "aggregate limit in bytes", 1024},
		{"scan", "max_scan_bytes 1K", "plugin_list_tools", `{}`, "aggregate limit in bytes", 1024},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, line := simulated(t, netboxsim.Testbed(), netboxsim.TestbedToken)
			s := plainSite(t, line, tt.options, "")
			for _, era := range eras {
				session := s.client(era)
				f := call(t, session, tt.tool, tt.arguments).fails(t, "limit_exceeded")
				if f.Details["limit"] != tt.limit || f.Details["max"] != float64(tt.max) {
					t.Errorf("%s: details %v, want limit %q of %d", era, f.Details, tt.limit, tt.max)
				}
			}
		})
	}
}
