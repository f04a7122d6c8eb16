package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"portside/shared/media/medias3"
)

// runner does the work of a job; jobs.Runner is the real one.
type runner interface {
	Run(ctx context.Context, owner, id string) error
}

// work returns the handler. It runs the jobs that an event names, with the runner for the event's
// bucket. After an error, Lambda delivers the whole event again; jobs that have ended are then
// skipped.
func work(newRunner func(bucket string) (runner, error)) func(context.Context, events.S3Event) error {
	return func(ctx context.Context, event events.S3Event) error {
		var failures []error
		for _, record := range event.Records {
			owner, id, err := parseQueueKey(record.S3.Object.URLDecodedKey)
			if err != nil {
				slog.WarnContext(ctx, "event ignored", "error", err)
				continue
			}
			r, err := newRunner(record.S3.Bucket.Name)
			if err == nil {
				err = r.Run(ctx, owner, id)
			}
			if err != nil {
				failures = append(failures, fmt.Errorf("job %s: %w", id, err))
			}
		}
		return errors.Join(failures...)
	}
}

// parseQueueKey returns the job that a key of the queue names.
func parseQueueKey(key string) (owner, id string, err error) {
	rest, isQueued := strings.CutPrefix(key, medias3.Queue)
	owner, job, hasID := strings.Cut(rest, "/")
	id, _, _ = strings.Cut(job, "/") // the rest tells starts of the job apart
	if !isQueued || !hasID {
		return "", "", errors.New("the object key is not one of the job queue")
	}
	return owner, id, nil
}
