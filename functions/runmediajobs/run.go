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

// runner does a job; media.Runner is the real one.
type runner interface {
	Run(ctx context.Context, owner, id string) error
}

// work returns the handler, which runs the jobs that an event names, with a runner over the event's bucket. An error makes
// Lambda try again; jobs that are done are passed over then.
func work(over func(bucket string) (runner, error)) func(context.Context, events.S3Event) error {
	return func(ctx context.Context, event events.S3Event) error {
		var failed []error
		for _, record := range event.Records {
			owner, id, err := jobOf(record.S3.Object.URLDecodedKey)
			if err != nil {
				slog.WarnContext(ctx, "an event of no job", "error", err)
				continue
			}
			r, err := over(record.S3.Bucket.Name)
			if err == nil {
				err = r.Run(ctx, owner, id)
			}
			if err != nil {
				failed = append(failed, fmt.Errorf("job %s: %w", id, err))
			}
		}
		return errors.Join(failed...)
	}
}

// jobOf reads a key of the queue.
func jobOf(key string) (owner, id string, err error) {
	rest, queued := strings.CutPrefix(key, medias3.Queue)
	owner, id, found := strings.Cut(rest, "/")
	if !queued || !found {
		return "", "", errors.New("the key is not below queue/")
	}
	return owner, id, nil
}
