package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"

	"portside/shared/charts"
)

// syncer updates the index of one bucket for the chart under a key. charts.Indexer implements it.
type syncer interface {
	Sync(ctx context.Context, key string) ([]charts.Outcome, error)
}

// notification has the buckets and keys of an S3 event. It replaces the type of aws-lambda-go, which rejects the whole
// event if one of its keys cannot be unescaped.
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

// handler returns the handler. It continues after a key that fails, and then fails the invocation, so that Lambda
// retries the event. The retry does not change charts that were indexed already.
func handler(indexer func(bucket string) syncer) func(context.Context, notification) error {
	return func(ctx context.Context, event notification) error {
		var problems []error
		seen := map[[2]string]bool{}
		for _, record := range event.Records {
			bucket := record.S3.Bucket.Name
			key, err := url.QueryUnescape(record.S3.Object.Key)
			if err != nil {
				problems = append(problems, fmt.Errorf("unescape a key of the event: %w", err))
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
