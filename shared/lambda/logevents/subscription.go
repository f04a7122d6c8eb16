// Package subscription reads what CloudWatch Logs delivers to the functions that subscribe to a log.
//
// A delivery can come again, in pieces and in any order, and it can be damaged. What is damaged stays so however often it is
// tried again, so that a function counts it, says so in its own log, and goes on.
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

// maxBatch is more than CloudWatch Logs delivers at once: a few bytes must not unpack to more than a function's memory.
const maxBatch = 20 << 20

// Errors of Unpack. They repeat nothing of the delivery. ErrTooLarge and ErrForeign are each an ErrCorrupt.
var (
	ErrCorrupt  = errors.New("the delivery is not one of CloudWatch Logs")
	ErrTooLarge = fmt.Errorf("%w: it unpacks to more than %d MB", ErrCorrupt, maxBatch>>20)
	ErrForeign  = fmt.Errorf("%w: its type is neither %s nor %s", ErrCorrupt, data, control)
)

// Batch is what is delivered at once.
type Batch struct {
	Group, Stream string
	Events        []events.CloudwatchLogsLogEvent
	Broken        int // events that are none, and are missing among Events
}

// Len is how many events were delivered.
func (b Batch) Len() int { return len(b.Events) + b.Broken }

// Unpack returns the log events that an event carries as JSON in gzip in Base64. What CloudWatch Logs sends to try out
// whether the function is there has none. Its errors are ErrCorrupt.
func Unpack(event events.CloudwatchLogsEvent) (Batch, error) {
	text, err := unpack(event.AWSLogs.Data)
	if err != nil {
		return Batch{}, err
	}
	var delivered delivery
	if err := json.Unmarshal(text, &delivered); err != nil {
		return Batch{}, fmt.Errorf("%w: no JSON of its form", ErrCorrupt)
	}
	switch delivered.MessageType {
	case data:
		return delivered.batch(), nil
	case control:
		return Batch{}, nil
	}
	return Batch{}, ErrForeign
}

func unpack(base string) ([]byte, error) {
	packed := base64.NewDecoder(base64.StdEncoding, strings.NewReader(base))
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return nil, fmt.Errorf("%w: no gzip in Base64", ErrCorrupt)
	}
	var text bytes.Buffer
	switch n, err := io.Copy(&text, io.LimitReader(unpacked, maxBatch+1)); {
	case err != nil:
		return nil, fmt.Errorf("%w: its gzip is broken", ErrCorrupt)
	case n > maxBatch:
		return nil, ErrTooLarge
	}
	return text.Bytes(), nil
}

// The types of deliveries.
const (
	data    = "DATA_MESSAGE"
	control = "CONTROL_MESSAGE" // sent to see whether there is somebody
)

// delivery is what is read of one. Its events are read one by one: a broken one takes no other with it.
type delivery struct {
	MessageType string            `json:"messageType"`
	LogGroup    string            `json:"logGroup"`
	LogStream   string            `json:"logStream"`
	LogEvents   []json.RawMessage `json:"logEvents"`
}

func (d delivery) batch() Batch {
	b := Batch{Group: d.LogGroup, Stream: d.LogStream, Events: make([]events.CloudwatchLogsLogEvent, 0, len(d.LogEvents))}
	for _, text := range d.LogEvents {
		var event *events.CloudwatchLogsLogEvent
		if json.Unmarshal(text, &event) != nil || event == nil {
			b.Broken++
			continue
		}
		b.Events = append(b.Events, *event)
	}
	return b
}
