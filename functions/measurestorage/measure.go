package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"portside/shared/analytics"
)

// reportMargin is the time that the function reserves to report a timeout.
const reportMargin = 2 * time.Second

// measure returns the handler for a schedule; it ignores the event. If the time of the function is too short, it returns an
// error. Lambda then retries, and the schedule invokes the function again an hour later.
func measure(m analytics.Meter) func(context.Context, json.RawMessage) error {
	return func(ctx context.Context, _ json.RawMessage) error {
		if deadline, hasDeadline := ctx.Deadline(); hasDeadline {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, deadline.Add(-reportMargin))
			defer cancel()
		}
		size, err := m.Measure(ctx)
		if err == nil {
			slog.InfoContext(ctx, "storage", "chartBytes", size.Charts, "mediaBytes", size.Media)
		}
		return err
	}
}
