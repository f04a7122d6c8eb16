package analytics

import (
	"encoding/json"
	"strings"
	"time"
)

// Call is one call of a language model.
type ModelCall struct {
	At time.Time
	ModelUsage
}

// modelCall is the message of the lines of the ModelLog.
const modelCallMessage = "model call"

// callLine is what a media function says of a call, as far as it is counted.
type callLine struct {
	Time     time.Time `json:"time"`
	Status   int       `json:"status"` // of HTTP; only read, because a line in which it is no number is damaged
	Input    int64     `json:"inputTokens"`
	Output   int64     `json:"outputTokens"`
	MicroUSD int64     `json:"microUSD"`
}

// maxCall is more than a call can take or cost: sums of a day must not overflow.
const maxCallAmount = 1e12

// readCall reads a line of the ModelLog; false for one that tells of something else. Each attempt is a call, and whatever a line
// says was spent, tokens and cost alike, was spent, however it ended: both are what the provider writes on its bill.
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
	spent := ModelUsage{Calls: 1, InputTokens: line.Input, OutputTokens: line.Output, MicroUSD: line.MicroUSD}
	return ModelCall{At: line.Time.UTC(), ModelUsage: spent}, true, nil
}

// isCall looks at nothing but the message, so that whatever else a line holds cannot make it an error.
func isModelCall(message string) bool {
	if len(message) > maxLineBytes || !strings.Contains(message, modelCallMessage) {
		return false
	}
	var line struct {
		Message any `json:"msg"`
	}
	return json.Unmarshal([]byte(message), &line) == nil && line.Message == modelCallMessage
}
