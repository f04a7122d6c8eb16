package main

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"portside/shared/analytics"
	"portside/shared/subscription"
)

// groups are the log groups whose lines are counted.
type groups struct {
	access string
	models []string
}

// log is what a group is of; false for strangers.
func (g groups) log(group string) (analytics.Log, bool) {
	switch {
	case group == g.access:
		return analytics.AccessLog, true
	case slices.Contains(g.models, group):
		return analytics.ModelLog, true
	}
	return "", false
}

// ingest returns the handler. An error makes Lambda try the event again, which is harmless: each line counts once. What another
// try would not mend is no error: a damaged delivery and a stranger's are noted in the function's own log, and so is how many
// lines could not be read. They hold up nothing of what is beside them.
func ingest(from groups, ledger analytics.Ledger) func(context.Context, events.CloudwatchLogsEvent) error {
	return func(ctx context.Context, event events.CloudwatchLogsEvent) error {
		data, err := subscription.Unpack(event)
		if err != nil {
			slog.ErrorContext(ctx, "corrupt batch", "error", err.Error(), "bytes", len(event.AWSLogs.Data))
			return nil
		}
		if len(data.LogEvents) == 0 {
			return nil
		}
		log, known := from.log(data.LogGroup)
		if !known {
			slog.ErrorContext(ctx, "foreign log group", "group", data.LogGroup, "lines", len(data.LogEvents))
			return nil
		}
		return count(ctx, ledger, batchOf(log, data))
	}
}

func batchOf(log analytics.Log, data events.CloudwatchLogsData) analytics.Batch {
	batch := analytics.Batch{Log: log, Group: data.LogGroup, Stream: data.LogStream, Entries: make([]analytics.Entry, len(data.LogEvents))}
	for i, e := range data.LogEvents {
		batch.Entries[i] = analytics.Entry{ID: e.ID, Logged: time.UnixMilli(e.Timestamp), Message: e.Message}
	}
	return batch
}

// count records the parts of all days, also after one that fails.
func count(ctx context.Context, ledger analytics.Ledger, batch analytics.Batch) error {
	parts, lost := batch.Parts()
	var failed []error
	recorded, unread := 0, 0
	for _, part := range parts {
		counted, err := ledger.Record(ctx, part)
		failed = append(failed, err)
		recorded += len(counted.Lines)
		unread += counted.Unread()
	}
	slog.InfoContext(ctx, "log lines", "log", string(batch.Log), "lines", len(batch.Entries),
		"recorded", recorded, "unread", unread, "lost", lost)
	return errors.Join(failed...)
}
