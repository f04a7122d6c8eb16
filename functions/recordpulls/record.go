package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"portside/shared/lambda/logevents"
	"portside/shared/lambda/metrics"
	"portside/shared/pulls"
)

// record returns the handler. After an error Lambda retries the event, which is harmless, because each pull is recorded only
// once. A corrupt batch or line is logged and skipped, because a retry would not help and would delay later batches.
func record(recorder pulls.Recorder) func(context.Context, events.CloudwatchLogsEvent) error {
	return func(ctx context.Context, event events.CloudwatchLogsEvent) error {
		batch, err := logevents.Unpack(event)
		if err != nil {
			slog.ErrorContext(ctx, "corrupt batch", "error", err.Error(), "bytes", len(event.AWSLogs.Data))
			return nil
		}
		if batch.Len() == 0 {
			return nil
		}
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
