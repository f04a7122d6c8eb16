package replay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"portside/cmd/portside/installation"
	"portside/cmd/portside/operator"
	"portside/shared/lambda/logevents"
	"portside/shared/lambda/s3client"
)

// failedPrefix begins the names of the objects that Lambda writes for events that failed.
const failedPrefix = "aws/lambda/async/"

// failedBatches are the events in the bucket of failed batches.
type failedBatches struct {
	client *s3.Client
	bucket string
}

func newFailedBatches(tables *installation.AnalyticsTables, bucket string) failedBatches {
	return failedBatches{installation.S3Client(tables.Config, tables.Stack.S3), bucket}
}

// replay counts the batches in the order of their functions and times. It reports the batches that
// it cannot count, and continues.
func (f failedBatches) replay(ctx context.Context, p operator.Process, counter *lineCounter) error {
	pages := s3.NewListObjectsV2Paginator(f.client, &s3.ListObjectsV2Input{Bucket: &f.bucket, Prefix: aws.String(failedPrefix)})
	var left int
	var first error
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("list the failed batches: %w", err)
		}
		for _, object := range page.Contents {
			err := f.replayOne(ctx, p, counter, aws.ToString(object.Key))
			if ctx.Err() != nil {
				return err
			}
			if err != nil {
				left++
				first = cmp.Or(first, err)
				p.Report("left: %s: %s", aws.ToString(object.Key), operator.SingleLine(err))
			}
		}
	}
	if left > 0 {
		return fmt.Errorf("%d batches are left; the first reason: %w", left, first)
	}
	return nil
}

// replayOne counts the lines of one event, and then deletes the event. If it stops in between, the
// next run finds that all lines are counted.
func (f failedBatches) replayOne(ctx context.Context, p operator.Process, counter *lineCounter, key string) error {
	event, err := f.readEvent(ctx, key)
	if s3client.IsMissing(err) {
		return nil // another run has counted and deleted it since it was listed
	}
	if err != nil {
		return err
	}
	batches, failed := logevents.Read(ctx, event, logevents.S3{Client: f.client})
	var counts lineOutcomes
	for _, batch := range batches {
		if batch.Len() == 0 {
			continue
		}
		done, err := counter.count(ctx, batch)
		counts, failed = counts.plus(done), errors.Join(failed, err)
	}
	if _, err := fmt.Fprintf(p.Stdout, "%s: %s\n", key, counts); err != nil || failed != nil {
		return errors.Join(failed, err)
	}
	_, err = f.client.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &f.bucket, Key: &key})
	return err
}

// readEvent returns the event of a function from Lambda's record of its failure.
func (f failedBatches) readEvent(ctx context.Context, key string) (logevents.Event, error) {
	content, err := s3client.Get(ctx, f.client, f.bucket, key)
	if err != nil {
		return logevents.Event{}, err
	}
	var record struct {
		Payload *logevents.Event `json:"requestPayload"`
	}
	if json.Unmarshal(content, &record) != nil || record.Payload == nil {
		return logevents.Event{}, errors.New("the object is not Lambda's record of a failed batch")
	}
	return *record.Payload, nil
}
