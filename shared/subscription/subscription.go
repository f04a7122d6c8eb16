// Package subscription reads what CloudWatch Logs delivers to the functions that subscribe to a log.
//
// A delivery can come again, in pieces and in any order, and it can be damaged. What is damaged stays so however often it is
// tried again, so that a function counts it, says so in its own log, and goes on.
package subscription

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

// Errors of Unpack. They repeat nothing of the delivery. ErrTooLarge is an ErrCorrupt.
var (
	ErrCorrupt  = errors.New("the delivery is not one of CloudWatch Logs")
	ErrTooLarge = fmt.Errorf("%w: it unpacks to more than %d MB", ErrCorrupt, maxBatch>>20)
)

// Unpack returns the log events that an event carries as JSON in gzip in Base64. What CloudWatch Logs sends to try out
// whether the function is there has none. Its errors are ErrCorrupt.
func Unpack(event events.CloudwatchLogsEvent) (events.CloudwatchLogsData, error) {
	var batch events.CloudwatchLogsData
	packed := base64.NewDecoder(base64.StdEncoding, strings.NewReader(event.AWSLogs.Data))
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return batch, fmt.Errorf("%w: no gzip in Base64", ErrCorrupt)
	}
	var text bytes.Buffer
	switch n, err := io.Copy(&text, io.LimitReader(unpacked, maxBatch+1)); {
	case err != nil:
		return batch, fmt.Errorf("%w: its gzip is broken", ErrCorrupt)
	case n > maxBatch:
		return batch, ErrTooLarge
	}
	if err := json.Unmarshal(text.Bytes(), &batch); err != nil {
		return events.CloudwatchLogsData{}, fmt.Errorf("%w: no JSON of its form", ErrCorrupt)
	}
	if batch.MessageType == control {
		batch.LogEvents = nil
	}
	return batch, nil
}

// control is the type of what is sent to see whether there is somebody.
const control = "CONTROL_MESSAGE"
