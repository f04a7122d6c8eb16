package logs

import (
	"strings"
	"testing"
	"time"

	"portside/shared/analytics"
	"portside/shared/core/calendar"
	"portside/shared/core/loglines"
)

var second = time.Date(2026, 11, 22, 0, 0, 1, 0, time.UTC)

const requestLine = `{"requestId":"WSg1ihmdliAEJXA=","time":"1795305601000","ip":"203.0.113.9","method":"POST",` +
	`"route":"ANY /v1/capabilities/{proxy+}","status":"200","latencyMs":"12","responseBytes":"512",` +
	`"path":"/v1/capabilities/compare/media"}`

func TestReadRequest(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string
		want     analytics.Request
	}{
		"unchanged line": {"", "", analytics.Request{At: second, Status: 200, LatencyMillis: 12, IsMediaCall: true, Task: analytics.CompareTask}},
		"older path": {`"/v1/capabilities/`, `"/v1/ai/`, analytics.Request{
			At: second, Status: 200, LatencyMillis: 12, IsMediaCall: true, Task: analytics.CompareTask,
		}},
		"GET request":   {"POST", "GET", analytics.Request{At: second, Status: 200, LatencyMillis: 12}},
		"an upload":     {"/v1/capabilities/compare/media", "/v1/uploads", analytics.Request{At: second, Status: 200, LatencyMillis: 12}},
		"unknown path":  {"compare/media", "nonsense", analytics.Request{At: second, Status: 200, LatencyMillis: 12}},
		"a job by POST": {"compare/media", "jobs/1", analytics.Request{At: second, Status: 200, LatencyMillis: 12}},
		"unknown alias": {"capabilities/compare/media", "ai/extract/media", analytics.Request{At: second, Status: 200, LatencyMillis: 12}},
		"text call": {"compare/media", "summarize", analytics.Request{
			At: second, Status: 200, LatencyMillis: 12, IsMediaCall: true, Task: analytics.SummarizeTask,
		}},
		"a file": {"compare/media", "extract/media", analytics.Request{
			At: second, Status: 200, LatencyMillis: 12, IsMediaCall: true, Task: analytics.ExtractTask,
		}},
		"path unknown": {"/v1/capabilities/compare/media", "-", analytics.Request{At: second, Status: 200, LatencyMillis: 12}},
		"unauthorized": {`"200"`, `"401"`, analytics.Request{At: second, Status: 401, LatencyMillis: 12}},
		"forbidden":    {`"200"`, `"403"`, analytics.Request{At: second, Status: 403, LatencyMillis: 12}},
		"not found":    {`"200"`, `"404"`, analytics.Request{At: second, Status: 404, LatencyMillis: 12}},
		"rejected input": {`"200"`, `"422"`, analytics.Request{
			At: second, Status: 422, LatencyMillis: 12, IsMediaCall: true, Task: analytics.CompareTask,
		}},
		"latency unknown": {`"12"`, `"-"`, analytics.Request{
			At: second, Status: 200, LatencyMillis: -1, IsMediaCall: true, Task: analytics.CompareTask,
		}},
		"status unknown": {`"200"`, `"-"`, analytics.Request{At: second, LatencyMillis: 12, IsMediaCall: true, Task: analytics.CompareTask}},
		"very slow": {`"12"`, `"9999999999"`, analytics.Request{
			At: second, Status: 200, LatencyMillis: 32767, IsMediaCall: true, Task: analytics.CompareTask,
		}},
		"additional field": {`"ip"`, `"new":{"a":[1]},"ip"`, analytics.Request{
			At: second, Status: 200, LatencyMillis: 12, IsMediaCall: true, Task: analytics.CompareTask,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readRequest(strings.Replace(requestLine, c.old, c.new, 1))
			if got != c.want || err != nil {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

// API Gateway documents the time only as "Epoch-formatted". Access logs of HTTP APIs have seconds.
func TestReadRequestAcceptsEveryTime(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string
		want     time.Time
	}{
		"milliseconds":        {"1795305601000", "1795305601999", second.Add(999 * time.Millisecond)},
		"seconds":             {"1795305601000", "1795305601", second},
		"JSON number":         {`"1795305601000"`, "1795305601", second},
		"missing":             {`"time":"1795305601000",`, "", time.Time{}},
		"unknown":             {"1795305601000", "-", time.Time{}},
		"null":                {`"1795305601000"`, "null", time.Time{}},
		"an object":           {`"1795305601000"`, `{"seconds":1}`, time.Time{}},
		"microseconds":        {"1795305601000", "1795305601000000", time.Time{}},
		"negative":            {"1795305601000", "-1795305601", time.Time{}},
		"fractions":           {"1795305601000", "1795305601.5", time.Time{}},
		"seconds of long ago": {"1795305601000", "999999999", time.Time{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readRequest(strings.Replace(requestLine, c.old, c.new, 1))
			if !got.At.Equal(c.want) || got.Status != 200 || err != nil {
				t.Errorf("%+v, %v, want the time %s", got, err, c.want)
			}
		})
	}
}

func TestReadRequestRejectsInvalidLines(t *testing.T) {
	for name, c := range map[string][2]string{
		"empty line":            {requestLine, ""},
		"not an object":         {requestLine, `"text"`},
		"truncated":             {`"path":"/v1/capabilities/compare/media"}`, ""},
		"two objects":           {`media"}`, `media"}{}`},
		"a megabyte":            {"203.0.113.9", strings.Repeat("9", 1<<20)},
		"status not a number":   {`"200"`, `"OK"`},
		"status above 599":      {`"200"`, `"600"`},
		"status below 100":      {`"200"`, `"99"`},
		"status with sign":      {`"200"`, `"+200"`},
		"status missing":        {`"status":"200",`, ""},
		"latency negative":      {`"12"`, `"-12"`},
		"latency with decimals": {`"12"`, `"1.2"`},
		"latency huge":          {`"12"`, `"99999999999999999999"`},
	} {
		line := strings.Replace(requestLine, c[0], c[1], 1)
		if line == requestLine {
			t.Fatalf("%s: the line does not contain %s", name, c[0])
		}
		if got, err := readRequest(line); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// FuzzLines puts a line of arbitrary content and time between two valid lines of either log. It
// checks that the valid lines count once, and that the line between them is within the documented
// limits.
func FuzzLines(f *testing.F) {
	const callLine = `{"time":"2026-11-22T00:00:01Z","msg":"model call","inputTokens":1,"outputTokens":2,"status":200,"microUSD":3}`
	f.Add(requestLine, second.UnixMilli())
	f.Add(callLine, second.UnixMilli())
	f.Add(strings.Replace(requestLine, "1795305601000", "1795305601", 1), int64(0))
	f.Add(strings.Replace(callLine, `"2026-11-22T00:00:01Z"`, "{}", 1), second.UnixMilli())
	f.Fuzz(func(t *testing.T, message string, logged int64) {
		for log, valid := range map[Log]string{AccessLog: requestLine, ModelLog: callLine} {
			segments, lost := Batch{Log: log, Now: second, Events: []loglines.Event{
				{ID: "before", LoggedAt: second, Message: valid},
				{ID: "between", LoggedAt: time.UnixMilli(logged), Message: message},
				{ID: "after", LoggedAt: second.Add(time.Millisecond), Message: valid},
			}}.Segments()
			checkNeighbors(t, segments)
			if lost > 1 || len(segments)+lost > 2 {
				t.Fatalf("%d segments and %d lost events", len(segments), lost)
			}
			for _, p := range segments {
				checkSegment(t, p)
			}
		}
	})
}

// checkNeighbors fails unless both valid lines are in the segment of their day.
func checkNeighbors(t *testing.T, segments []Segment) {
	t.Helper()
	counted := 0
	for _, p := range segments {
		for _, line := range p.Lines {
			if line.ID != "between" && p.Day == calendar.DayOf(second) && (line.Request != nil || line.Call != nil) {
				counted++
			}
		}
	}
	if counted != 2 {
		t.Errorf("%d of two valid lines are counted: %+v", counted, segments)
	}
}

func checkSegment(t *testing.T, p Segment) {
	t.Helper()
	for _, line := range p.Lines {
		before := line.LoggedAt.Sub(line.At())
		if p.Day != calendar.DayOf(line.At()) || before > maxEventAge || before < -maxClockSkew || len(FormatMillis(line.LoggedAt)) != 13 {
			t.Errorf("%+v", p)
		}
		if r := line.Request; r != nil && (r.LatencyMillis < -1 || analytics.BucketOf(r.LatencyMillis) >= 352 || r.Status < 0 || r.Status > 599) {
			t.Errorf("%+v", *r)
		}
		if c := line.Call; c != nil && (c.InputTokens < 0 || c.OutputTokens < 0 || c.MicroUSD < 0 || c.Calls != 1) {
			t.Errorf("%+v", *c)
		}
	}
}
