package main

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"portside/shared/analytics"
	"portside/shared/lambda/logevents"
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
func ingest(from groups, ledger analytics.Ledger, now func() time.Time) func(context.Context, events.CloudwatchLogsEvent) error {
	return func(ctx context.Context, event events.CloudwatchLogsEvent) error {
		data, err := logevents.Unpack(event)
		if err != nil {
			slog.ErrorContext(ctx, "corrupt batch", "error", err.Error(), "bytes", len(event.AWSLogs.Data))
			return nil
		}
		if data.Len() == 0 {
			return nil
		}
		log, known := from.log(data.Group)
		if !known {
			slog.ErrorContext(ctx, "foreign log group", "group", data.Group, "lines", data.Len())
			return nil
		}
		batch := batchOf(log, data)
		batch.Now = now()
		return count(ctx, ledger, batch, data.Skipped)
	}
}

func batchOf(log analytics.Log, data logevents.Batch) analytics.Batch {
	batch := analytics.Batch{Log: log, Group: data.Group, Stream: data.Stream, Entries: make([]analytics.Entry, len(data.Events))}
	for i, e := range data.Events {
		batch.Entries[i] = analytics.Entry{ID: e.ID, Logged: time.UnixMilli(e.Timestamp), Message: e.Message}
	}
	return batch
}

// count records the parts of all days, also after one that fails. Broken are the entries that the batch lacks because they are
// none. What is missing in the numbers is a warning, so that one can be alerted of it.
func count(ctx context.Context, ledger analytics.Ledger, batch analytics.Batch, broken int) error {
	parts, lost := batch.Parts()
	lost += broken
	var failed []error
	recorded, unread := 0, 0
	for _, part := range parts {
		counted, err := ledger.Record(ctx, part)
		failed = append(failed, err)
		recorded += len(counted.Lines)
		unread += counted.Unread()
	}
	level := slog.LevelInfo
	if unread+lost > 0 {
		level = slog.LevelWarn
	}
	slog.Log(ctx, level, "log lines", "log", string(batch.Log), "lines", len(batch.Entries)+broken,
		"recorded", recorded, "unread", unread, "lost", lost)
	return errors.Join(failed...)
}
