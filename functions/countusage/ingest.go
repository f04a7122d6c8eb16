package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"portside/shared/analytics/logs"
	"portside/shared/core/loglines"
	"portside/shared/lambda/metrics"
)

// ingest returns the function that counts a batch. An error makes Lambda retry the event, which is
// safe because each line counts once. Problems that a retry cannot fix are logged and not returned:
// an unknown log group, and lines that cannot be parsed. They do not affect the other lines.
func ingest(counter logs.Ingester) func(context.Context, loglines.Batch) error {
	return func(ctx context.Context, batch loglines.Batch) error {
		done, err := counter.Ingest(ctx, batch)
		if errors.Is(err, logs.ErrForeignGroup) {
			slog.ErrorContext(ctx, "foreign log group", "group", batch.Group, "lines", batch.Len())
			return nil
		}
		report(ctx, done)
		return err
	}
}

// report logs what became of the lines. If any line is missing from the numbers, the level is WARN, and an alarm on
// RejectedLines is raised.
func report(ctx context.Context, done logs.Ingested) {
	level := slog.LevelInfo
	if done.Unread+done.Lost > 0 {
		level = slog.LevelWarn
	}
	measured := metrics.Fields(time.Now(),
		metrics.Count("CountedLines", done.Recorded-done.Unread), metrics.Count("RejectedLines", done.Unread+done.Lost))
	slog.With(measured...).Log(ctx, level, "log lines", "log", string(done.Log), "lines", done.Lines,
		"recorded", done.Recorded, "unread", done.Unread, "lost", done.Lost)
}
