package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"portside/shared/lambda/logevents"
	"portside/shared/pulls"
)

// recorder stores pulls. pullsdynamo.Store implements it.
type recorder interface {
	Record(ctx context.Context, pulls []pulls.Pull) (int, error)
}

// record returns the handler. After an error Lambda retries the event, which is harmless, because each pull is recorded only
// once. A corrupt batch or line is logged and skipped, because a retry would not help and would delay later batches.
func record(store recorder) func(context.Context, events.CloudwatchLogsEvent) error {
	return func(ctx context.Context, event events.CloudwatchLogsEvent) error {
		batch, err := logevents.Unpack(event)
		if err != nil {
			slog.ErrorContext(ctx, "corrupt batch", "error", err.Error(), "bytes", len(event.AWSLogs.Data))
			return nil
		}
		if batch.Len() == 0 {
			return nil
		}
		found, broken := readPulls(batch.Events)
		added, err := store.Record(ctx, found)
		broken += batch.Skipped
		level := slog.LevelInfo
		if broken > 0 { // the counts lack a pull
			level = slog.LevelWarn
		}
		slog.Log(ctx, level, "pulls", "lines", batch.Len(), "recorded", added, "broken", broken)
		return err
	}
}

// readPulls returns the pulls among the lines, and the number of lines with an invalid pull.
func readPulls(lines []events.CloudwatchLogsLogEvent) (found []pulls.Pull, broken int) {
	for _, line := range lines {
		p, isPull, err := pulls.ReadLogged([]byte(line.Message), loggedAt(line))
		switch {
		case err != nil:
			broken++
		case isPull:
			found = append(found, p)
		}
	}
	return found, broken
}

// minTimestampMillis is earlier than every log event and later than placeholders for a missing timestamp.
const minTimestampMillis = 1e12

// loggedAt returns the time of a line, or the zero time if its timestamp is missing or impossible.
func loggedAt(line events.CloudwatchLogsLogEvent) time.Time {
	if line.Timestamp < minTimestampMillis {
		return time.Time{}
	}
	return time.UnixMilli(line.Timestamp)
}
