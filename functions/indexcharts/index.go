package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"

	"portside/shared/charts"
)

// syncer makes one bucket's index agree with what is published under a key.
type syncer interface {
	Sync(ctx context.Context, key string) ([]charts.Outcome, error)
}

// notification is what matters of an event of S3: where to look. The type of aws-lambda-go refuses the whole event when one
// of its keys cannot be unescaped.
type notification struct {
	Records []struct {
		S3 struct {
			Bucket struct {
				Name string `json:"name"`
			} `json:"bucket"`
			Object struct {
				Key string `json:"key"`
			} `json:"object"`
		} `json:"s3"`
	} `json:"Records"`
}

// handler returns the handler. One key's error does not stop the others, but fails the invocation, so that the event comes
// again; for what was done already, that changes nothing.
func handler(indexer func(bucket string) syncer) func(context.Context, notification) error {
	return func(ctx context.Context, event notification) error {
		var problems []error
		seen := map[[2]string]bool{}
		for _, record := range event.Records {
			bucket := record.S3.Bucket.Name
			key, err := url.QueryUnescape(record.S3.Object.Key)
			if err != nil {
				problems = append(problems, fmt.Errorf("key in the event: %w", err))
				continue
			}
			if place := [2]string{bucket, key}; !seen[place] {
				seen[place] = true
				problems = append(problems, sync(ctx, indexer(bucket), key))
			}
		}
		return errors.Join(problems...)
	}
}

func sync(ctx context.Context, indexer syncer, key string) error {
	done, err := indexer.Sync(ctx, key)
	for _, o := range done {
		switch o.Act {
		case charts.Listed:
			slog.InfoContext(ctx, "chart listed", "file", o.File)
		case charts.Unlisted:
			slog.InfoContext(ctx, "chart unlisted", "file", o.File)
		case charts.Rejected:
			slog.WarnContext(ctx, "chart rejected", "file", o.File, "reason", o.Reason)
		}
	}
	return err
}
