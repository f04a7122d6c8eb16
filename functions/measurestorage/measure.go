package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"portside/shared/analytics"
)

// logReserve is the part of the function's time limit that is kept free to log and return an error.
const logReserve = 2 * time.Second

// measure returns the handler of a schedule. It ignores the event. If the measurement does not
// finish within the function's time limit, the handler returns an error, so Lambda retries; so does
// the next hour.
func measure(m analytics.StorageMeasurer) func(context.Context, json.RawMessage) error {
	return func(ctx context.Context, _ json.RawMessage) error {
		if deadline, hasDeadline := ctx.Deadline(); hasDeadline {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, deadline.Add(-logReserve))
			defer cancel()
		}
		size, err := m.Measure(ctx)
		if err == nil {
			slog.InfoContext(ctx, "storage", "chartBytes", size.Charts, "mediaBytes", size.Media)
		}
		return err
	}
}
