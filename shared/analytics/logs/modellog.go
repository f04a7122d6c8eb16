package logs

import (
	"encoding/json"
	"strings"
	"time"

	"portside/shared/analytics"
)

// ModelCall is one call of a language model.
type ModelCall struct {
	At time.Time
	analytics.ModelUsage
}

// modelCallMessage is the message of the lines of the ModelLog.
const modelCallMessage = "model call"

// callLine holds the fields of a media function's log line that are counted.
type callLine struct {
	Time     json.RawMessage `json:"time"`
	Status   int             `json:"status"` // HTTP status; parsed only to reject lines where it is not a number
	Input    int64           `json:"inputTokens"`
	Output   int64           `json:"outputTokens"`
	MicroUSD int64           `json:"microUSD"`
}

// maxCallAmount is more than a call can use or cost. The limit keeps the sums of a day from
// overflowing.
const maxCallAmount = 1e12

// readCall parses a line of the ModelLog. It returns false for a line that does not report a call.
// Each attempt is a call. The tokens and the cost of a line count even if the call failed, because
// the provider charges for them. The time of the call is zero if the line has no possible one.
func readCall(message string) (ModelCall, bool, error) {
	if !isModelCall(message) {
		return ModelCall{}, false, nil
	}
	var line callLine
	if json.Unmarshal([]byte(message), &line) != nil {
		return ModelCall{}, true, errUnreadable
	}
	for _, n := range []int64{line.Input, line.Output, line.MicroUSD} {
		if n < 0 || n > maxCallAmount {
			return ModelCall{}, true, errUnreadable
		}
	}
	spent := analytics.ModelUsage{Calls: 1, InputTokens: line.Input, OutputTokens: line.Output, MicroUSD: line.MicroUSD}
	return ModelCall{At: parseTime(line.Time), ModelUsage: spent}, true, nil
}

// parseTime parses a time in JSON. It returns the zero time if that fails or the time is impossible.
func parseTime(text json.RawMessage) time.Time {
	var at time.Time
	if json.Unmarshal(text, &at) != nil || !isPossible(at) {
		return time.Time{}
	}
	return at.UTC()
}

// isModelCall looks only at the message, so other fields of the line cannot cause an error.
func isModelCall(message string) bool {
	if len(message) > maxLineBytes || !strings.Contains(message, modelCallMessage) {
		return false
	}
	var line struct {
		Message any `json:"msg"`
	}
	return json.Unmarshal([]byte(message), &line) == nil && line.Message == modelCallMessage
}
