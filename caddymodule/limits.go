package caddymodule

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"caddy-netbox-mcp/bridge/discovery"
	"caddy-netbox-mcp/bridge/manifest"
)

// minBridgeBytes is the lowest that a limit of the plugin bridge can be set to: nothing useful fits into less.
const minBridgeBytes = 1 << 10

// bridgeLimit is a limit of the plugin bridge that a site may lower.
type bridgeLimit struct {
	option string
	value  *int64
	max    int64 // in bytes: the bridge contract's
}

func (h *Handler) bridgeLimits() []bridgeLimit {
	return []bridgeLimit{
		{"max_scan_bytes", &h.MaxScanBytes, discovery.MaxBytes},
		{"max_manifest_bytes", &h.MaxManifestBytes, manifest.MaxManifestBytes},
		{"max_result_bytes", &h.MaxResultBytes, manifest.MaxInstanceBytes},
	}
}

// check refuses what plugins and agents could not rely on. 0 is the contract's limit.
func (l bridgeLimit) check() error {
	if *l.value != 0 && (*l.value < minBridgeBytes || *l.value > l.max) {
		return fmt.Errorf("%s must be %d to %d bytes: the contract of the plugin bridge allows no more", l.option, minBridgeBytes, l.max)
	}
	return nil
}

// unmarshalBridgeLimit reads the limit under the cursor.
func (h *Handler) unmarshalBridgeLimit(d *caddyfile.Dispenser) error {
	for _, limit := range h.bridgeLimits() {
		if limit.option == d.Val() {
			if err := size(d, limit.value); err != nil {
				return err
			}
			if err := limit.check(); err != nil {
				return d.WrapErr(err)
			}
			return nil
		}
	}
	return d.ArgErr()
}

// size reads one size in bytes, with K for 1024 and M for 1024².
func size(d *caddyfile.Dispenser, target *int64) error {
	option, text := d.Val(), ""
	if err := oneArg(d, &text); err != nil {
		return err
	}
	digits, unit := text, int64(1)
	if before, ok := strings.CutSuffix(text, "K"); ok {
		digits, unit = before, 1<<10
	} else if before, ok := strings.CutSuffix(text, "M"); ok {
		digits, unit = before, 1<<20
	}
	// ParseUint takes no sign; what 32 bits hold cannot overflow times the unit.
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || n == 0 {
		return d.Errf("%s %q: write a size in bytes such as 65536, 64K or 1M", option, text)
	}
	*target = int64(n) * unit
	return nil
}
