package analytics

import (
	"strings"
	"testing"
	"time"

	"portside/shared/core/calendar"
)

var second = time.Date(2026, 11, 22, 0, 0, 1, 0, time.UTC)

const requestLine = `{"requestId":"WSg1ihmdliAEJXA=","time":"1795305601000","ip":"203.0.113.9","method":"POST",` +
	`"route":"ANY /v1/capabilities/{proxy+}","status":"200","latencyMs":"12","responseBytes":"512",` +
	`"path":"/v1/capabilities/compare/media"}`

func TestLinesOfTheAccessLog(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string
		want     Request
	}{
		"as it is":         {"", "", Request{At: second, Status: 200, Latency: 12, Media: true}},
		"older path":       {`"/v1/capabilities/`, `"/v1/ai/`, Request{At: second, Status: 200, Latency: 12, Media: true}},
		"asked for a job":  {"POST", "GET", Request{At: second, Status: 200, Latency: 12}},
		"an upload":        {"/v1/capabilities/compare/media", "/v1/uploads", Request{At: second, Status: 200, Latency: 12}},
		"nonsense":         {"compare/media", "nonsense", Request{At: second, Status: 200, Latency: 12}},
		"a job by POST":    {"compare/media", "jobs/1", Request{At: second, Status: 200, Latency: 12}},
		"no such alias":    {"capabilities/compare/media", "ai/extract/media", Request{At: second, Status: 200, Latency: 12}},
		"a text":           {"compare/media", "summarize", Request{At: second, Status: 200, Latency: 12, Media: true}},
		"no path":          {"/v1/capabilities/compare/media", "-", Request{At: second, Status: 200, Latency: 12}},
		"a stranger's":     {`"200"`, `"401"`, Request{At: second, Status: 401, Latency: 12}},
		"not allowed":      {`"200"`, `"403"`, Request{At: second, Status: 403, Latency: 12}},
		"not there":        {`"200"`, `"404"`, Request{At: second, Status: 404, Latency: 12}},
		"refused":          {`"200"`, `"422"`, Request{At: second, Status: 422, Latency: 12, Media: true}},
		"no latency":       {`"12"`, `"-"`, Request{At: second, Status: 200, Latency: -1, Media: true}},
		"no status":        {`"200"`, `"-"`, Request{At: second, Latency: 12, Media: true}},
		"for ever":         {`"12"`, `"9999999999"`, Request{At: second, Status: 200, Latency: 32767, Media: true}},
		"more than needed": {`"ip"`, `"new":{"a":[1]},"ip"`, Request{At: second, Status: 200, Latency: 12, Media: true}},
	} {
		got, err := readRequest(strings.Replace(requestLine, c.old, c.new, 1))
		if got != c.want || err != nil {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestUnreadableLinesOfTheAccessLog(t *testing.T) {
	for name, c := range map[string][2]string{
		"nothing":           {requestLine, ""},
		"no object":         {requestLine, `"text"`},
		"half":              {`"path":"/v1/capabilities/compare/media"}`, ""},
		"two":               {`media"}`, `media"}{}`},
		"a megabyte":        {"203.0.113.9", strings.Repeat("9", 1<<20)},
		"no time":           {`"time":"1795305601000",`, ""},
		"time unknown":      {"1795305601000", "-"},
		"time in seconds":   {"1795305601000", "1795305601"},
		"time in micros":    {"1795305601000", "1795305601000000"},
		"time a number":     {`"1795305601000"`, "1795305601000"},
		"status no number":  {`"200"`, `"OK"`},
		"status impossible": {`"200"`, `"600"`},
		"status small":      {`"200"`, `"99"`},
		"status signed":     {`"200"`, `"+200"`},
		"no status":         {`"status":"200",`, ""},
		"latency negative":  {`"12"`, `"-12"`},
		"latency a break":   {`"12"`, `"1.2"`},
		"latency huge":      {`"12"`, `"99999999999999999999"`},
	} {
		line := strings.Replace(requestLine, c[0], c[1], 1)
		if line == requestLine {
			t.Fatalf("%s: the line has no %s", name, c[0])
		}
		if got, err := readRequest(line); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// FuzzLines reads what strangers write as either log, and checks the bounds of what is counted.
func FuzzLines(f *testing.F) {
	f.Add(requestLine, second.UnixMilli())
	f.Add(`{"time":"2026-11-22T00:00:01Z","msg":"model call","inputTokens":1,"outputTokens":2,"status":200,"microUSD":3}`, second.UnixMilli())
	f.Fuzz(func(t *testing.T, message string, logged int64) {
		for _, log := range []Log{AccessLog, ModelLog} {
			parts, lost := Batch{Log: log, Entries: []Entry{{ID: "1", Logged: time.UnixMilli(logged), Message: message}}}.Parts()
			if len(parts)+lost > 1 {
				t.Fatalf("%d parts and %d lost", len(parts), lost)
			}
			for _, p := range parts {
				checkPart(t, p, time.UnixMilli(logged))
			}
		}
	})
}

func checkPart(t *testing.T, p Part, logged time.Time) {
	t.Helper()
	line := p.Lines[0]
	before := logged.Sub(line.At())
	if len(p.Lines) != 1 || p.Day != calendar.DayOf(line.At()) || before > far || before < -ahead || len(Stamp(p.From())) != 13 {
		t.Errorf("%+v", p)
	}
	if r := line.Request; r != nil && (r.Latency < -1 || BucketOf(r.Latency) >= 352 || r.Status < 0 || r.Status > 599) {
		t.Errorf("%+v", *r)
	}
	if c := line.Call; c != nil && (c.InputTokens < 0 || c.OutputTokens < 0 || c.MicroUSD < 0 || c.Calls != 1) {
		t.Errorf("%+v", *c)
	}
}
