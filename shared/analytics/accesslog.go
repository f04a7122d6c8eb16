package analytics

import (
	"encoding/json"
	"strconv"
	"time"
)

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
const maxLatencyMillis = 1<<15 - 1

// readRequest reads a line of the access log.
func readRequest(message string) (Request, error) {
	var line accessLine
	if len(message) > maxLineBytes || json.Unmarshal([]byte(message), &line) != nil {
		return Request{}, errUnreadable
	}
	at, isTime := parseNumber(line.Time, maxMillis)
	status, isStatus := parseNumber(line.Status, 599)
	latency, isLatency := parseNumber(line.Latency, maxMillis)
	if !isTime || at < minMillis || !isStatus || status >= 0 && status < 100 || !isLatency {
		return Request{}, errUnreadable
	}
	r := Request{At: time.UnixMilli(at).UTC(), Status: int(max(status, 0)), LatencyMillis: min(latency, maxLatencyMillis)}
	r.IsMediaCall = line.Method == post && isMedia(line.Path) && !isUnauthorized(r.Status)
	return r, nil
}

// number reads a number from 0; -1 for the dash.
func parseNumber(text string, most int64) (int64, bool) {
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
func isUnauthorized(status int) bool { return status == 401 || status == 403 || status == 404 }
