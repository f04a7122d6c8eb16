package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"portside/shared/analytics"
	"portside/shared/lambda/logevents"
	"portside/shared/lambda/metrics"
)

// ingest returns the handler. An error makes Lambda retry the event, which is safe because each
// line counts once. Problems that a retry cannot fix are logged and not returned: a damaged
// delivery, an unknown log group, and lines that cannot be parsed. They do not affect the other
// lines of the delivery.
func ingest(counter analytics.Ingester) func(context.Context, events.CloudwatchLogsEvent) error {
	return func(ctx context.Context, event events.CloudwatchLogsEvent) error {
		batch, err := logevents.Unpack(event)
		if err != nil {
			slog.ErrorContext(ctx, "corrupt batch", "error", err.Error(), "bytes", len(event.AWSLogs.Data))
			return nil
		}
		if batch.Len() == 0 {
			return nil
		}
		done, err := counter.Ingest(ctx, batch)
		if errors.Is(err, analytics.ErrForeignGroup) {
			slog.ErrorContext(ctx, "foreign log group", "group", batch.Group, "lines", batch.Len())
			return nil
		}
		report(ctx, done)
		return err
	}
}

// report logs what became of the lines. If any line is missing from the numbers, the level is WARN, and an alarm on
// RejectedLines is raised.
func report(ctx context.Context, done analytics.Ingested) {
	level := slog.LevelInfo
	if done.Unread+done.Lost > 0 {
		level = slog.LevelWarn
	}
	measured := metrics.Fields(time.Now(),
		metrics.Count("CountedLines", done.Recorded-done.Unread), metrics.Count("RejectedLines", done.Unread+done.Lost))
	slog.With(measured...).Log(ctx, level, "log lines", "log", string(done.Log), "lines", done.Lines,
		"recorded", done.Recorded, "unread", done.Unread, "lost", done.Lost)
}
