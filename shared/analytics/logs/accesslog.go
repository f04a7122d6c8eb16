package logs

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"portside/shared/analytics"
)

// accessLine is the format of the access log in template.yaml. All values are strings; a dash
// stands for an unknown value.
type accessLine struct {
	Time    json.RawMessage `json:"time"` // Unix seconds or milliseconds; see parseEpoch
	Method  string          `json:"method"`
	Path    string          `json:"path"`
	Status  string          `json:"status"`
	Latency string          `json:"latencyMs"`
}

// maxLatencyMillis is slightly longer than a request can take, since an API waits for half a
// minute. It limits the latencies of a day to 352 buckets.
const maxLatencyMillis = 1<<15 - 1

// readRequest parses a line of the access log. The time of the request is zero if the line has no
// possible one.
func readRequest(message string) (analytics.Request, error) {
	var line accessLine
	if len(message) > maxLineBytes || json.Unmarshal([]byte(message), &line) != nil {
		return analytics.Request{}, errUnreadable
	}
	status, isStatus := parseNumber(line.Status, 599)
	latency, isLatency := parseNumber(line.Latency, maxMillis)
	if !isStatus || status >= 0 && status < 100 || !isLatency {
		return analytics.Request{}, errUnreadable
	}
	r := analytics.Request{At: parseEpoch(line.Time), Status: int(max(status, 0)), LatencyMillis: min(latency, maxLatencyMillis)}
	if line.Method == post && !isUnauthorized(r.Status) {
		r.Task = mediaTaskOf(line.Path)
		r.IsMediaCall = r.Task != ""
	}
	return r, nil
}

// parseEpoch parses $context.requestTimeEpoch. API Gateway documents it only as "Epoch-formatted": the
// access logs of HTTP APIs have seconds, other logs milliseconds. Seconds have fewer than 13 digits
// until the year 33658. It returns the zero time for anything else.
func parseEpoch(text json.RawMessage) time.Time {
	n, err := strconv.ParseInt(strings.Trim(string(text), `"`), 10, 64)
	if err != nil || n < 0 || n > maxMillis {
		return time.Time{}
	}
	at := time.UnixMilli(n)
	if n < minMillis {
		at = time.Unix(n, 0)
	}
	if !isPossible(at) {
		return time.Time{}
	}
	return at.UTC()
}

// parseNumber parses a number from 0 to limit. It returns -1 for a dash.
func parseNumber(text string, limit int64) (int64, bool) {
	if text == "-" {
		return -1, true
	}
	n, err := strconv.ParseUint(text, 10, 63)
	return int64(n), err == nil && int64(n) <= limit
}

// post is the method of all media calls. Requests with other methods only ask for the result of a
// job.
const post = "POST"

// mediaTaskOf returns the task of a media call by its path, or "" for other paths. The route of the
// log line is not enough: it covers every path below /v1/capabilities, including those that do not
// exist.
func mediaTaskOf(path string) analytics.MediaTask {
	switch path {
	case "/v1/capabilities/summarize", "/v1/capabilities/summarize/media", "/v1/capabilities/summarize/batch":
		return analytics.SummarizeTask
	case "/v1/capabilities/extract", "/v1/capabilities/extract/media", "/v1/capabilities/extract/batch":
		return analytics.ExtractTask
	case "/v1/capabilities/compare", "/v1/capabilities/compare/media", "/v1/ai/compare/media":
		return analytics.CompareTask
	}
	return ""
}

// isUnauthorized reports the statuses that callers without access get. Such requests do not count
// as media calls.
func isUnauthorized(status int) bool { return status == 401 || status == 403 || status == 404 }
