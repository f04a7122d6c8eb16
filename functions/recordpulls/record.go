package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"portside/shared/lambda/logevents"
	"portside/shared/pulls"
)

// recorder is the part of pulls.Store that writes.
type recorder interface {
	Record(ctx context.Context, pulls []pulls.Pull) (int, error)
}

// record returns the handler. An error makes Lambda try the event again, which is harmless: each pull counts once. What is
// damaged stays so, be it a whole delivery or a line: it is noted in the function's own log and passed over, since another
// try would only hold up what comes behind it.
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
		found, broken := read(batch.Events)
		added, err := store.Record(ctx, found)
		broken += batch.Broken
		level := slog.LevelInfo
		if broken > 0 { // a pull is missing in the numbers
			level = slog.LevelWarn
		}
		slog.Log(ctx, level, "pulls", "lines", batch.Len(), "recorded", added, "broken", broken)
		return err
	}
}

// read returns the pulls among the lines, and how many lines claim to be one and are not.
func read(lines []events.CloudwatchLogsLogEvent) (found []pulls.Pull, broken int) {
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

// earliest is before everything that is logged, and after what stands for no time.
const earliest = 1e12

// loggedAt is the zero time for a line that says no possible one.
func loggedAt(line events.CloudwatchLogsLogEvent) time.Time {
	if line.Timestamp < earliest {
		return time.Time{}
	}
	return time.UnixMilli(line.Timestamp)
}
