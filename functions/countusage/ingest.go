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

// groups are the names of the log groups that are counted.
type groups struct {
	access string
	models []string
}

// log returns which log a group belongs to. It returns false for an unknown group.
func (g groups) log(group string) (analytics.Log, bool) {
	switch {
	case group == g.access:
		return analytics.AccessLog, true
	case slices.Contains(g.models, group):
		return analytics.ModelLog, true
	}
	return "", false
}

// ingest returns the handler. An error makes Lambda retry the event, which is safe because each
// line counts once. Problems that a retry cannot fix are logged and not returned: a damaged
// delivery, an unknown log group, and lines that cannot be parsed. They do not affect the other
// lines of the delivery.
func ingest(from groups, recorder analytics.Recorder, now func() time.Time) func(context.Context, events.CloudwatchLogsEvent) error {
	return func(ctx context.Context, event events.CloudwatchLogsEvent) error {
		data, err := logevents.Unpack(event)
		if err != nil {
			slog.ErrorContext(ctx, "corrupt batch", "error", err.Error(), "bytes", len(event.AWSLogs.Data))
			return nil
		}
		if data.Len() == 0 {
			return nil
		}
		log, ok := from.log(data.Group)
		if !ok {
			slog.ErrorContext(ctx, "foreign log group", "group", data.Group, "lines", data.Len())
			return nil
		}
		batch := newLogBatch(log, data)
		batch.Now = now()
		return count(ctx, recorder, batch, data.Skipped)
	}
}

func newLogBatch(log analytics.Log, data logevents.Batch) analytics.LogBatch {
	batch := analytics.LogBatch{Log: log, Group: data.Group, Stream: data.Stream, Events: make([]analytics.LogEvent, len(data.Events))}
	for i, e := range data.Events {
		batch.Events[i] = analytics.LogEvent{ID: e.ID, LoggedAt: time.UnixMilli(e.Timestamp), Message: e.Message}
	}
	return batch
}

// count records the segments of all days, even after one of them fails. Broken is the number of log
// events that could not be decoded and are missing from the batch. If any line is missing from the
// numbers, the log line has the level WARN, so that operators can set an alarm.
func count(ctx context.Context, recorder analytics.Recorder, batch analytics.LogBatch, broken int) error {
	segments, lost := batch.Segments()
	lost += broken
	var errs []error
	recorded, unread := 0, 0
	for _, segment := range segments {
		counted, err := recorder.Record(ctx, segment)
		errs = append(errs, err)
		recorded += len(counted.Lines)
		unread += counted.Unreadable()
	}
	level := slog.LevelInfo
	if unread+lost > 0 {
		level = slog.LevelWarn
	}
	slog.Log(ctx, level, "log lines", "log", string(batch.Log), "lines", len(batch.Events)+broken,
		"recorded", recorded, "unread", unread, "lost", lost)
	return errors.Join(errs...)
}
