package main

import (
	"context"
	"encoding/json"
	"log/slog"

	"portside/shared/analytics"
	"portside/shared/lambda/metrics"
)

// measure returns the handler of a schedule. It ignores the event. It continues the measurement where the last run
// stopped; an error changes nothing of that, and Lambda and the next hour try again.
func measure(m analytics.StorageMeasurer) func(context.Context, json.RawMessage) error {
	return func(ctx context.Context, _ json.RawMessage) error {
		run, err := m.Measure(ctx)
		if err != nil || run.Skipped {
			slog.InfoContext(ctx, "storage", "skipped", run.Skipped)
			return err
		}
		slog.InfoContext(ctx, "storage",
			append([]any{"chartBytes", run.Size.Charts, "mediaBytes", run.Size.Media, "complete", run.IsComplete},
				metrics.Fields(m.Now(), metrics.Seconds("StorageAge", run.Age))...)...)
		return nil
	}
}
