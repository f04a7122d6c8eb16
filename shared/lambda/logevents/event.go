package logevents

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"

	"github.com/aws/aws-lambda-go/events"

	"portside/shared/core/loglines"
)

// Event invokes a function that counts log lines. It has either a batch of lines, from a
// subscription of the function, or the names of S3 objects with batches, which Firehose writes.
type Event struct {
	AWSLogs events.CloudwatchLogsRawData `json:"awslogs,omitzero"`
	Records []events.S3EventRecord       `json:"Records,omitempty"`
}

// Objects reads S3 objects.
type Objects interface {
	// Get returns the content of an object. Errors: ErrNoObject.
	Get(ctx context.Context, bucket, key string) ([]byte, error)
}

// ErrNoObject means that an object does not exist, for example because it has expired.
var ErrNoObject = errors.New("the object does not exist")

// Read returns the batches of an event. An error that wraps ErrCorrupt means that a part of the event
// cannot be read, now or later; the batches of the other parts are valid. After another error, a
// later call can succeed.
func Read(ctx context.Context, event Event, objects Objects) ([]loglines.Batch, error) {
	if event.Records == nil {
		batch, err := Unpack(events.CloudwatchLogsEvent{AWSLogs: event.AWSLogs})
		return []loglines.Batch{batch}, err
	}
	var all []loglines.Batch
	var corrupt error
	for _, record := range event.Records {
		found, err := readRecord(ctx, record, objects)
		if err != nil && !errors.Is(err, ErrCorrupt) {
			return nil, err
		}
		all, corrupt = append(all, found...), errors.Join(corrupt, err)
	}
	return all, corrupt
}

func readRecord(ctx context.Context, record events.S3EventRecord, objects Objects) ([]loglines.Batch, error) {
	key, err := url.QueryUnescape(record.S3.Object.Key)
	if err != nil {
		return nil, fmt.Errorf("%w: the name of its object is not valid", ErrCorrupt)
	}
	content, err := objects.Get(ctx, record.S3.Bucket.Name, key)
	if errors.Is(err, ErrNoObject) {
		return nil, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", key, err)
	}
	return ReadObject(content)
}

// Handler returns the handler of a function that counts log lines. An error of count makes Lambda
// retry the event, so count must be safe to repeat. Corrupt parts of an event are logged and
// skipped, because a retry would not help.
func Handler(objects Objects, count func(context.Context, loglines.Batch) error) func(context.Context, Event) error {
	return func(ctx context.Context, event Event) error {
		batches, err := Read(ctx, event, objects)
		if err != nil && !errors.Is(err, ErrCorrupt) {
			return err
		}
		if err != nil {
			slog.ErrorContext(ctx, "corrupt batch", "error", err.Error(), "bytes", len(event.AWSLogs.Data), "objects",
				len(event.Records))
		}
		var failed error
		for _, batch := range batches {
			if batch.Len() > 0 {
				failed = errors.Join(failed, count(ctx, batch))
			}
		}
		return failed
	}
}
