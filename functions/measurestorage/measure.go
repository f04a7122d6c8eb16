package main

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"portside/shared/analytics"
)

// reserve is left of the function's time to say that it was too short.
const reserve = 2 * time.Second

// measure returns the handler, for a schedule whose event says nothing. What cannot be measured in the function's time is an
// error: Lambda tries again, and the next hour does.
func measure(m analytics.Meter) func(context.Context, json.RawMessage) error {
	return func(ctx context.Context, _ json.RawMessage) error {
		if deadline, limited := ctx.Deadline(); limited {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, deadline.Add(-reserve))
			defer cancel()
		}
		size, err := m.Measure(ctx)
		if err == nil {
			slog.InfoContext(ctx, "storage", "chartBytes", size.Charts, "mediaBytes", size.Media)
		}
		return err
	}
}
