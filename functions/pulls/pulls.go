package main

import (
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"portside/shared/pulls"
)

// recorder is the part of pulls.Store that writes.
type recorder interface {
	Record(ctx context.Context, pulls []pulls.Pull) (int, error)
}

// record returns the handler. An error makes Lambda try the event again, which is harmless: each pull counts once. A line
// that is broken stays so, and is counted and passed over, since another try would only hold up the pulls beside it.
func record(store recorder) func(context.Context, events.CloudwatchLogsEvent) error {
	return func(ctx context.Context, event events.CloudwatchLogsEvent) error {
		batch, err := unpack(event.AWSLogs.Data)
		if err != nil {
			return err
		}
		if batch.MessageType == "CONTROL_MESSAGE" { // CloudWatch Logs tries out whether the function is there
			return nil
		}
		found, broken := read(batch.LogEvents)
		added, err := store.Record(ctx, found)
		slog.InfoContext(ctx, "pulls", "lines", len(batch.LogEvents), "recorded", added, "broken", broken)
		return err
	}
}

// read returns the pulls among the lines, and how many lines claim to be one and are not.
func read(lines []events.CloudwatchLogsLogEvent) (found []pulls.Pull, broken int) {
	for _, line := range lines {
		p, isPull, err := pulls.Read([]byte(line.Message))
		switch {
		case err != nil:
			broken++
		case isPull:
			found = append(found, p)
		}
	}
	return found, broken
}

// maxBatch is more than CloudWatch Logs delivers at once: a few bytes must not unpack to more than the function's memory.
const maxBatch = 20 << 20

var errTooLarge = fmt.Errorf("the log events unpack to more than %d MB", maxBatch>>20)

// unpack returns the log events that an event carries as gzip in Base64.
func unpack(data string) (events.CloudwatchLogsData, error) {
	var batch events.CloudwatchLogsData
	unpacked, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	if err != nil {
		return batch, fmt.Errorf("unpack the log events: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(unpacked, maxBatch+1))
	if err != nil {
		return batch, fmt.Errorf("unpack the log events: %w", err)
	}
	if len(text) > maxBatch {
		return batch, errTooLarge
	}
	if err := json.Unmarshal(text, &batch); err != nil {
		return batch, errors.New("unpack the log events: they are not the JSON of CloudWatch Logs")
	}
	return batch, nil
}
