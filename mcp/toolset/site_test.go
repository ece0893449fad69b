package toolset_test

import (
	"fmt"
	"testing"

	"caddy-netbox-mcp/mcp/toolset"
)

func TestServesAndMayWrite(t *testing.T) {
	tests := []struct {
		siteReadOnly, callerReadOnly, gate bool
		servesWriter, mayWrite             bool
	}{
		{false, false, false, true, false}, // a closed gate hides nothing: dry runs stay
		{false, false, true, true, true},
		{false, true, false, false, false},
		{false, true, true, false, false},
		{true, false, false, false, false},
		{true, false, true, false, false},
		{true, true, false, false, false},
		{true, true, true, false, false},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("site read-only %t, caller read-only %t, gate %t", tt.siteReadOnly, tt.callerReadOnly, tt.gate), func(t *testing.T) {
			site := &toolset.Site{ReadOnly: tt.siteReadOnly}
			caller := toolset.Principal{ReadOnly: tt.callerReadOnly, AllowMutations: tt.gate}
			if got := site.Serves(caller, &toolset.Tool{OnlyWrites: true}); got != tt.servesWriter {
				t.Errorf("a tool that only writes is served: %t, want %t", got, tt.servesWriter)
			}
			if !site.Serves(caller, &toolset.Tool{}) {
				t.Error("a tool that also reads is not served")
			}
			if got := site.MayWrite(caller); got != tt.mayWrite {
				t.Errorf("MayWrite is %t, want %t", got, tt.mayWrite)
			}
		})
	}
}
