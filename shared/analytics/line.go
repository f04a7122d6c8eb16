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

// maxLine is more than either log writes in a line: a path may have 10 KB, each of which may be escaped by six characters.
const maxLine = 64 << 10

// errUnreadable is what is wrong with a line that should tell something and does not. It does not repeat the line.
var errUnreadable = errors.New("the line cannot be read")

// accessLine is what template.yaml says about the access log: all are texts, and what is not known is a dash.
type accessLine struct {
	Time    string `json:"time"` // Unix milliseconds
	Method  string `json:"method"`
	Path    string `json:"path"`
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
	r := Request{At: time.UnixMilli(at).UTC(), Status: int(max(status, 0)), Latency: min(latency, slowestCounted)}
	r.Media = line.Method == post && isMedia(line.Path) && !isStrange(r.Status)
	return r, nil
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

// isMedia tells the paths at which media are asked for something. The route would not do: it is one for whatever somebody
// tries below /v1/capabilities.
func isMedia(path string) bool {
	switch path {
	case "/v1/capabilities/summarize", "/v1/capabilities/extract", "/v1/capabilities/compare",
		"/v1/capabilities/summarize/media", "/v1/capabilities/extract/media", "/v1/capabilities/compare/media",
		"/v1/ai/compare/media":
		return true
	}
	return false
}

// isStrange tells the answers that whoever has nothing to do here gets: they are no use of the media.
func isStrange(status int) bool { return status == 401 || status == 403 || status == 404 }

// modelCall is the message of the lines of the ModelLog.
const modelCall = "model call"

// callLine is what a media function says of a call, as far as it is counted.
type callLine struct {
	Time     time.Time `json:"time"`
	Status   int       `json:"status"` // of HTTP; only read, because a line in which it is no number is damaged
	Input    int64     `json:"inputTokens"`
	Output   int64     `json:"outputTokens"`
	MicroUSD int64     `json:"microUSD"`
}

// maxCall is more than a call can take or cost: sums of a day must not overflow.
const maxCall = 1e12

// readCall reads a line of the ModelLog; false for one that tells of something else. Each attempt is a call, and whatever a line
// says was spent, tokens and cost alike, was spent, however it ended: both are what the provider writes on its bill.
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
	spent := Models{Calls: 1, InputTokens: line.Input, OutputTokens: line.Output, MicroUSD: line.MicroUSD}
	return Call{At: line.Time.UTC(), Models: spent}, true, nil
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

// A line tells of what happened before it was logged: at most far before, and after it by no more than two clocks may be apart.
const (
	far   = 24 * time.Hour
	ahead = 5 * time.Minute
)

// readLine reads an entry; false for one that tells of something that is not counted.
func (l Log) readLine(e Entry) (Line, bool) {
	line := Line{ID: e.identity(), Logged: e.Logged.UTC().Truncate(time.Millisecond)}
	if l == AccessLog {
		if r, err := readRequest(e.Message); err == nil && e.tellsOf(r.At) {
			line.Request = &r
		}
		return line, true
	}
	call, is, err := readCall(e.Message)
	if err == nil && e.tellsOf(call.At) {
		line.Call = &call
	}
	return line, is
}

// tellsOf reports whether the entry can tell of a time. It does not depend on when the entry is read, so that one that comes
// again is the same again.
func (e Entry) tellsOf(at time.Time) bool {
	before := e.Logged.Sub(at)
	return before <= far && before >= -ahead
}

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
