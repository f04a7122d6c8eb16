package analytics

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"
)

// Log is which of the logs a line is of.
type Log string

// The logs that are counted.
const (
	AccessLog Log = "requests" // of the HTTP API
	ModelLog  Log = "models"   // what the media functions say of the models they call
)

// Entry is a line as the log delivers it.
type Entry struct {
	ID      string
	Logged  time.Time // when the log got it
	Message string
}

// Line is what is counted of a line. It has no address, and nothing of a user.
type Line struct {
	ID      string
	Logged  time.Time
	Request *Request // of the AccessLog
	Call    *Call    // of the ModelLog; neither: the line cannot be read
}

// Call is one call of a language model.
type Call struct {
	At time.Time
	Models
}

// maxLine is more than either log writes in a line.
const maxLine = 16 << 10

// errUnreadable is what is wrong with a line that should tell something and does not. It does not repeat the line.
var errUnreadable = errors.New("the line cannot be read")

// accessLine is what template.yaml says about the access log: all are texts, and what is not known is a dash.
type accessLine struct {
	Time    string `json:"time"` // Unix milliseconds
	Method  string `json:"method"`
	Route   string `json:"route"`
	Status  string `json:"status"`
	Latency string `json:"latencyMs"`
}

// slowestCounted is as long as a request can take, and a little more: an API waits for half a minute. With it the latencies of a
// day have 352 buckets at most.
const slowestCounted = 1<<15 - 1

// readRequest reads a line of the access log.
func readRequest(message string) (Request, error) {
	var line accessLine
	if len(message) > maxLine || json.Unmarshal([]byte(message), &line) != nil {
		return Request{}, errUnreadable
	}
	at, isTime := number(line.Time, maxMillis)
	status, isStatus := number(line.Status, 599)
	latency, isLatency := number(line.Latency, maxMillis)
	if !isTime || at < minMillis || !isStatus || status >= 0 && status < 100 || !isLatency {
		return Request{}, errUnreadable
	}
	return Request{
		At: time.UnixMilli(at).UTC(), Status: int(max(status, 0)), Latency: min(latency, slowestCounted),
		Media: line.Method == post && isMedia(line.Route),
	}, nil
}

// number reads a number from 0; -1 for the dash.
func number(text string, most int64) (int64, bool) {
	if text == "-" {
		return -1, true
	}
	n, err := strconv.ParseUint(text, 10, 63)
	return int64(n), err == nil && int64(n) <= most
}

// post is the method by which all media are sent; with others one asks for what came of a job.
const post = "POST"

// isMedia tells the routes by which media are asked for something, such as "ANY /v1/capabilities/{proxy+}".
func isMedia(route string) bool {
	_, path, _ := strings.Cut(route, " ")
	return strings.HasPrefix(path, "/v1/capabilities/") || strings.HasPrefix(path, "/v1/ai/")
}

// modelCall is the message of the lines of the ModelLog.
const modelCall = "model call"

// callLine is what a media function says of a call, as far as it is counted.
type callLine struct {
	Time     time.Time `json:"time"`
	Status   int       `json:"status"` // of HTTP; what knows none asks for no tokens
	Input    int64     `json:"inputTokens"`
	Output   int64     `json:"outputTokens"`
	MicroUSD int64     `json:"microUSD"`
}

// maxCall is more than a call can take or cost: sums of a day must not overflow.
const maxCall = 1e12

// readCall reads a line of the ModelLog; false for one that tells of something else. Each attempt is a call, and those that
// came to nothing have no tokens, whatever they say.
func readCall(message string) (Call, bool, error) {
	if !isCall(message) {
		return Call{}, false, nil
	}
	var line callLine
	if json.Unmarshal([]byte(message), &line) != nil {
		return Call{}, true, errUnreadable
	}
	for _, n := range []int64{line.Input, line.Output, line.MicroUSD} {
		if n < 0 || n > maxCall {
			return Call{}, true, errUnreadable
		}
	}
	call := Call{At: line.Time.UTC(), Models: Models{Calls: 1, MicroUSD: line.MicroUSD}}
	if line.Status == 200 {
		call.InputTokens, call.OutputTokens = line.Input, line.Output
	}
	return call, true, nil
}

// isCall looks at nothing but the message, so that whatever else a line holds cannot make it an error.
func isCall(message string) bool {
	if len(message) > maxLine || !strings.Contains(message, modelCall) {
		return false
	}
	var line struct {
		Message any `json:"msg"`
	}
	return json.Unmarshal([]byte(message), &line) == nil && line.Message == modelCall
}

// Times that are written with 13 digits as Unix milliseconds, the years 2001 to 2286: they sort as text.
const (
	minMillis = 1e12
	maxMillis = 1e13 - 1
)

// isPossible tells times that a log can have.
func isPossible(at time.Time) bool { return at.UnixMilli() >= minMillis && at.UnixMilli() <= maxMillis }

// far is by how much a line's own time may differ from when it was logged.
const far = 24 * time.Hour

// readLine reads an entry; false for one that tells of something that is not counted.
func (l Log) readLine(e Entry) (Line, bool) {
	line := Line{ID: e.identity(), Logged: e.Logged.UTC().Truncate(time.Millisecond)}
	if l == AccessLog {
		if r, err := readRequest(e.Message); err == nil && near(r.At, e.Logged) {
			line.Request = &r
		}
		return line, true
	}
	call, is, err := readCall(e.Message)
	if err == nil && near(call.At, e.Logged) {
		line.Call = &call
	}
	return line, is
}

func near(a, b time.Time) bool { return a.Sub(b).Abs() <= far }

// At is the line's own time, or where it cannot be read, when it was logged.
func (l Line) At() time.Time {
	switch {
	case l.Request != nil:
		return l.Request.At
	case l.Call != nil:
		return l.Call.At
	}
	return l.Logged
}
