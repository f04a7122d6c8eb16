package main

import (
	"context"
	"log/slog"
	"time"

	"portside/shared/core/loglines"
	"portside/shared/lambda/metrics"
	"portside/shared/pulls"
)

// record returns the function that records the pulls of a batch. After an error Lambda retries the event, which is
// harmless, because each pull is recorded only once. A corrupt line is logged and skipped, because a retry would not
// help and would delay later batches.
func record(recorder pulls.Recorder) func(context.Context, loglines.Batch) error {
	return func(ctx context.Context, batch loglines.Batch) error {
		done, err := pulls.Ingest(ctx, recorder, batch)
		level := slog.LevelInfo
		if done.Broken > 0 { // the counts lack a pull
			level = slog.LevelWarn
		}
		measured := metrics.Fields(time.Now(),
			metrics.Count("RecordedPulls", done.Recorded), metrics.Count("RejectedLines", done.Broken))
		slog.With(measured...).Log(ctx, level, "pulls", "lines", done.Lines, "recorded", done.Recorded, "broken", done.Broken)
		return err
	}
}
