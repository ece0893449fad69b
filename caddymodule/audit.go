package caddymodule

import (
	"context"

	"go.uber.org/zap"

	"caddy-netbox-mcp/mcp/toolset"
)

// auditLog writes one flat record for each call to a logger of its own, which operators can route and retain apart from the
// rest with Caddy's log options. Its field names are stable.
type auditLog struct{ logger *zap.Logger }

// Record implements [toolset.Recorder].
func (a auditLog) Record(_ context.Context, e *toolset.Entry) {
	a.logger.Info("tool call",
		zap.String("instance", e.Instance),
		zap.String("caller", e.Caller),
		zap.String("tool", e.Tool),
		zap.String("target", e.Target),
		zap.Bool("own_credential", e.OwnCredential),
		zap.String("effect", e.Effect),
		zap.Bool("dry_run", e.DryRun),
		zap.String("outcome", e.Outcome),
		zap.Int("upstream_status", e.Status),
		zap.String("upstream_request_id", e.RequestID),
		zap.Float64("duration_ms", float64(e.Duration.Microseconds())/1000),
	)
}

// Interface guard
var _ toolset.Recorder = auditLog{}
