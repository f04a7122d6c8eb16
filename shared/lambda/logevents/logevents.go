// Package logevents reads the batches that CloudWatch Logs sends to functions that subscribe to a log group.
//
// CloudWatch Logs can send a batch twice, in parts and out of order, and a batch can be corrupt. A retry does not repair a
// corrupt batch, so functions count it, log it, and continue.
package logevents

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/aws/aws-lambda-go/events"
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

// Batch is the log events of one group and stream that CloudWatch Logs sends at once.
type Batch struct {
	Group, Stream string
	Events        []events.CloudwatchLogsLogEvent
	Skipped       int // number of invalid events, which are not in Events
}

// Len returns the number of log events in the batch, including invalid ones.
func (b Batch) Len() int { return len(b.Events) + b.Skipped }

// Unpack decodes the batch in an event, which is JSON in gzip in Base64. The batch is empty for the message that
// CloudWatch Logs sends to check that the function exists. All errors are ErrCorrupt.
func Unpack(event events.CloudwatchLogsEvent) (Batch, error) {
	text, err := unpack(event.AWSLogs.Data)
	if err != nil {
		return Batch{}, err
	}
	var decoded message
	if err := json.Unmarshal(text, &decoded); err != nil {
		return Batch{}, fmt.Errorf("%w: it is not JSON of the documented form", ErrCorrupt)
	}
	switch decoded.MessageType {
	case dataMessage:
		return decoded.batch(), nil
	case controlMessage:
		return Batch{}, nil
	}
	return Batch{}, ErrForeign
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

// message is the JSON of a batch. Its events are decoded one by one, so that an invalid one does not affect the others.
type message struct {
	MessageType string            `json:"messageType"`
	LogGroup    string            `json:"logGroup"`
	LogStream   string            `json:"logStream"`
	LogEvents   []json.RawMessage `json:"logEvents"`
}

func (m message) batch() Batch {
	b := Batch{Group: m.LogGroup, Stream: m.LogStream, Events: make([]events.CloudwatchLogsLogEvent, 0, len(m.LogEvents))}
	for _, text := range m.LogEvents {
		var event *events.CloudwatchLogsLogEvent
		if json.Unmarshal(text, &event) != nil || event == nil {
			b.Skipped++
			continue
		}
		b.Events = append(b.Events, *event)
	}
	return b
}
