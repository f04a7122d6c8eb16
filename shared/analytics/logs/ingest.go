package logs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"portside/shared/core/loglines"
)

// Groups are the names of the log groups that are counted.
type Groups struct {
	Access string
	Models []string
}

// log returns which log a group belongs to. It returns false for an unknown group.
func (g Groups) log(group string) (Log, bool) {
	switch {
	case group == g.Access:
		return AccessLog, true
	case slices.Contains(g.Models, group):
		return ModelLog, true
	}
	return "", false
}

// ErrForeignGroup means that a batch comes from a log group that is not counted.
var ErrForeignGroup = errors.New("the log group is not counted")

// Ingester counts the lines of log groups. All ways in which lines arrive use it: subscriptions,
// objects that Firehose delivers, and repeated deliveries. So a line counts once, however often and
// in whatever way it arrives.
type Ingester struct {
	Groups   Groups
	Recorder Recorder
	Now      func() time.Time
}

// Ingested says what became of the lines of a batch.
type Ingested struct {
	Log      Log
	Lines    int // all lines, including those that are not counted by design
	Recorded int // counted for the first time
	Known    int // counted before
	Unread   int // lines among Recorded that could not be parsed
	Lost     int // lines that cannot be counted on any day
}

// Ingest counts the lines of a batch. It counts the lines of all days, even after one of them fails.
// After an error it is safe to call Ingest again. Errors: ErrForeignGroup.
func (i Ingester) Ingest(ctx context.Context, lines loglines.Batch) (Ingested, error) {
	log, ok := i.Groups.log(lines.Group)
	if !ok {
		return Ingested{}, fmt.Errorf("%w: %s", ErrForeignGroup, lines.Group)
	}
	batch := Batch{Log: log, Group: lines.Group, Stream: lines.Stream, Events: lines.Events, Now: i.Now()}
	segments, lost := batch.Segments()
	done := Ingested{Log: log, Lines: lines.Len(), Lost: lost + lines.Skipped}
	var errs []error
	for _, segment := range segments {
		counted, err := i.Recorder.Record(ctx, segment)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		done.Recorded += len(counted.Lines)
		done.Known += len(segment.Lines) - len(counted.Lines)
		done.Unread += counted.Unreadable()
	}
	return done, errors.Join(errs...)
}
