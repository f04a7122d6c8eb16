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

// groups are the log groups that are counted.
type groups struct {
	access string
	models []string
}

// logOf returns the kind of log in a group; false for an unknown group.
func (g groups) logOf(group string) (analytics.Log, bool) {
	switch {
	case group == g.access:
		return analytics.AccessLog, true
	case slices.Contains(g.models, group):
		return analytics.ModelLog, true
	}
	return "", false
}

// ingest returns the handler. After an error Lambda retries the event, which is harmless, because each line is counted only
// once. A retry would not help with a corrupt batch, a batch from an unknown group, or lines that cannot be parsed, so these
// are logged and skipped.
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
		log, known := from.logOf(data.Group)
		if !known {
			slog.ErrorContext(ctx, "foreign log group", "group", data.Group, "lines", data.Len())
			return nil
		}
		batch := batchOf(log, data)
		batch.Now = now()
		return record(ctx, ledger, batch, data.Skipped)
	}
}

func batchOf(log analytics.Log, data logevents.Batch) analytics.Batch {
	batch := analytics.Batch{Log: log, Group: data.Group, Stream: data.Stream, Entries: make([]analytics.Entry, len(data.Events))}
	for i, e := range data.Events {
		batch.Entries[i] = analytics.Entry{ID: e.ID, Logged: time.UnixMilli(e.Timestamp), Message: e.Message}
	}
	return batch
}

// record records the batch, one part for each day. It continues after a part that fails. skipped is the number of invalid
// entries, which are not in the batch. It logs a warning if the counts lack lines, so that an alarm can be set on it.
func record(ctx context.Context, ledger analytics.Ledger, batch analytics.Batch, skipped int) error {
	parts, lost := batch.Parts()
	lost += skipped
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
	slog.Log(ctx, level, "log lines", "log", string(batch.Log), "lines", len(batch.Entries)+skipped,
		"recorded", recorded, "unread", unread, "lost", lost)
	return errors.Join(failed...)
}
