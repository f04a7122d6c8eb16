// Package logevents reads the batches that CloudWatch Logs sends to functions that subscribe to a log group.
//
// CloudWatch Logs can send a batch twice, in parts and out of order, and a batch can be corrupt. A retry does not
// repair a corrupt batch, so functions count it, log it, and continue.
package logevents

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"portside/shared/core/loglines"
)

// maxBatchBytes is more than CloudWatch Logs ever sends at once. It keeps a small compressed batch from using up the
// function's memory.
const maxBatchBytes = 20 << 20

// Errors of Unpack. They contain nothing from the batch. ErrTooLarge and ErrForeign wrap ErrCorrupt.
var (
	ErrCorrupt  = errors.New("not a valid batch of CloudWatch Logs")
	ErrTooLarge = fmt.Errorf("%w: it is larger than %d MB uncompressed", ErrCorrupt, maxBatchBytes>>20)
	ErrForeign  = fmt.Errorf("%w: its messageType is neither %s nor %s", ErrCorrupt, dataMessage, controlMessage)
)

// Unpack decodes the batch in an event, which is JSON in gzip in Base64. The batch is empty for the message that
// CloudWatch Logs sends to check that the function exists. All errors are ErrCorrupt.
func Unpack(event events.CloudwatchLogsEvent) (loglines.Batch, error) {
	text, err := unpack(event.AWSLogs.Data)
	if err != nil {
		return loglines.Batch{}, err
	}
	var decoded message
	if err := json.Unmarshal(text, &decoded); err != nil {
		return loglines.Batch{}, fmt.Errorf("%w: it is not JSON of the documented form", ErrCorrupt)
	}
	switch decoded.MessageType {
	case dataMessage:
		return decoded.batch(), nil
	case controlMessage:
		return loglines.Batch{}, nil
	}
	return loglines.Batch{}, ErrForeign
}

func unpack(base string) ([]byte, error) {
	packed := base64.NewDecoder(base64.StdEncoding, strings.NewReader(base))
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return nil, fmt.Errorf("%w: it is not gzip in Base64", ErrCorrupt)
	}
	var text bytes.Buffer
	switch n, err := io.Copy(&text, io.LimitReader(unpacked, maxBatchBytes+1)); {
	case err != nil:
		return nil, fmt.Errorf("%w: its gzip is corrupt", ErrCorrupt)
	case n > maxBatchBytes:
		return nil, ErrTooLarge
	}
	return text.Bytes(), nil
}

// The message types.
const (
	dataMessage    = "DATA_MESSAGE"
	controlMessage = "CONTROL_MESSAGE" // checks that the function exists
)

// message is the JSON of a batch. Its events are decoded one by one, so that an invalid event does not affect the rest.
type message struct {
	MessageType string            `json:"messageType"`
	LogGroup    string            `json:"logGroup"`
	LogStream   string            `json:"logStream"`
	LogEvents   []json.RawMessage `json:"logEvents"`
}

// logEvent is the JSON of one event. Its time may have any form, because an event must not be lost
// for its time.
type logEvent struct {
	ID        string          `json:"id"`
	Timestamp json.RawMessage `json:"timestamp"` // Unix milliseconds
	Message   *string         `json:"message"`
}

func (m message) batch() loglines.Batch {
	b := loglines.Batch{Group: m.LogGroup, Stream: m.LogStream, Events: make([]loglines.Event, 0, len(m.LogEvents))}
	for _, text := range m.LogEvents {
		var event logEvent
		if json.Unmarshal(text, &event) != nil || event.Message == nil {
			b.Skipped++
			continue
		}
		millis, _ := strconv.ParseInt(string(event.Timestamp), 10, 64) // 0 means unknown
		b.Events = append(b.Events, loglines.Event{ID: event.ID, LoggedAt: time.UnixMilli(millis), Message: *event.Message})
	}
	return b
}
