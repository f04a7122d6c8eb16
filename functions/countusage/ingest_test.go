package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"portside/shared/analytics"
	"portside/shared/analytics/logs"
	"portside/shared/core/calendar"
	"portside/shared/testkit"
	"portside/shared/testkit/webtest"
)

func TestEvents(t *testing.T) {
	webtest.EachSampleEvent(t, "countusage", func(t *testing.T, golden string, payload []byte) {
		var event events.CloudwatchLogsEvent
		if err := json.Unmarshal(payload, &event); err != nil {
			t.Fatal(err)
		}
		e := newEngines(t)
		for range 2 {
			if err := handle(ingest(counting(e.recorder())))(t.Context(), event); err != nil {
				t.Error(err)
			}
		}
		got, err := json.Marshal(e.sums(t))
		if err != nil {
			t.Fatal(err)
		}
		webtest.GoldenJSON(t, golden, got)
	})
}

// unreachableRecorder fails the test if it is called.
type unreachableRecorder struct{ t *testing.T }

func (s unreachableRecorder) Record(_ context.Context, p logs.Segment) (logs.Segment, error) {
	s.t.Errorf("%d lines of %s were counted", len(p.Lines), p.Day)
	return p, nil
}

func TestIngestLogsInvalidDeliveriesOnce(t *testing.T) {
	line := simple("1", midnight)
	line.Message += "secret-content"
	for name, c := range map[string]struct {
		event events.CloudwatchLogsEvent
		want  string
	}{
		"empty event":   {events.CloudwatchLogsEvent{}, "corrupt batch"},
		"not gzip":      {events.CloudwatchLogsEvent{AWSLogs: events.CloudwatchLogsRawData{Data: "c2VjcmV0"}}, "corrupt batch"},
		"not JSON":      {compressedEvent(t, "secret-content"), "corrupt batch"},
		"gzip bomb":     {compressedEvent(t, strings.Repeat("0", 21<<20)), "it is larger than 20 MB uncompressed"},
		"other group":   {delivery(t, "portside-UsersLogs", "s", line), `"foreign log group","group":"portside-UsersLogs","lines":1`},
		"its own group": {delivery(t, "portside-CountUsageLogs", "s", line), "foreign log group"},
		"no group":      {delivery(t, "", "s", line), "foreign log group"},
		"no lines":      {delivery(t, from.Access, "s"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			out := testkit.CaptureLogs(t)
			err := handle(ingest(counting(unreachableRecorder{t})))(t.Context(), c.event)
			logged := out.String()
			if err != nil || !strings.Contains(logged, c.want) || strings.Count(logged, "\n") != min(len(c.want), 1) ||
				strings.Contains(logged, "secret") {
				t.Errorf("%s: error %v, and the function logged %q", name, err, logged)
			}
		})
	}
}

// Hostile lines do not keep the other lines of the batch from being counted.
func TestIngestHostileLines(t *testing.T) {
	good, day := access(midnight, "POST ANY /v1/ai/{proxy+}", 500, 70), calendar.DayOf(midnight)
	type lines = []events.CloudwatchLogsLogEvent
	const maxSkew = 5 * time.Minute
	soon := access(midnight.Add(maxSkew), "GET ANY /v1/users", 200, 1)
	tooSoon := access(midnight.Add(maxSkew+time.Millisecond), "GET ANY /v1/users", 200, 1)
	old := access(midnight.Add(-2*time.Millisecond), "GET ANY /v1/users", 200, 1)
	untimed, seconds := accessAt("-", "GET ANY /v1/users", 200, 1),
		accessAt(fmt.Sprint(midnight.Unix()), "GET ANY /v1/users", 200, 1)
	for name, c := range map[string]struct {
		lines        lines
		calls        int64
		unread, lost int
	}{
		"line of 1 MB": {lines: lines{entry("2", midnight, strings.Repeat("x", 1<<20))}, unread: 1},
		"repeated ID":  {lines: lines{entry("1", midnight, good), entry("1", midnight.Add(time.Second), good)}},
		"no IDs": {lines: lines{entry("", midnight, good), entry("", midnight, good), simple("", midnight)},
			calls: 2},
		"long ID": {lines: lines{entry(strings.Repeat("9", 5000), midnight, good)}, calls: 1},
		"impossible log time": {lines: lines{{ID: "2", Timestamp: -1 << 63, Message: good}, {ID: "3", Message: good}},
			calls: 2},
		"log time too large": {lines: lines{{ID: "2", Timestamp: 1<<63 - 1, Message: good}}, calls: 1},
		"no possible time":   {lines: lines{{ID: "2", Message: untimed}, {ID: "3", Message: "half a li"}}, lost: 2},
		"seconds":            {lines: lines{entry("2", midnight.Add(time.Second), seconds)}, calls: 1},
		"no time of its own": {lines: lines{entry("2", midnight, untimed)}, calls: 1},
		"one day old": {lines: lines{simple("2", midnight), entry("3", midnight.Add(24*time.Hour), good)},
			calls: 2},
		"more than one day old": {lines: lines{entry("3", midnight.Add(24*time.Hour-time.Millisecond), old)}, calls: 1},
		"line of another log":   {lines: lines{entry("2", midnight, call(midnight, 200, analytics.ModelUsage{}))}, unread: 1},
		"clock too far ahead":   {lines: lines{entry("2", midnight, tooSoon)}, calls: 1},
		"clock slightly ahead":  {lines: lines{entry("2", midnight, soon)}, calls: 1},
		"logged in the future":  {lines: lines{simple("2", later().Add(maxSkew+time.Millisecond))}, lost: 1},
		"logged too long ago":   {lines: lines{simple("2", later().Add(-logs.Retention-time.Millisecond))}, lost: 1},
	} {
		t.Run(name, func(t *testing.T) {
			e, out := newEngines(t), testkit.CaptureLogs(t)
			all := append(lines{entry("1", midnight, good)}, c.lines...)
			if err := handle(ingest(counting(e.recorder())))(t.Context(), delivery(t, from.Access, "s", all...)); err != nil {
				t.Error(err)
			}
			got := e.sums(t).Requests
			unread := int64(0)
			for _, requests := range got {
				unread += requests.Unread
			}
			if got[day].Calls != 1+c.calls || got[day].Media < 1 || unread != int64(c.unread) {
				t.Errorf("got %+v and %d unreadable lines, want %d calls and %d unreadable lines", got[day], unread,
					1+c.calls, c.unread)
			}
			level := "INFO"
			if c.unread+c.lost > 0 {
				level = "WARN"
			}
			want := fmt.Sprintf(`"unread":%d,"lost":%d}`, c.unread, c.lost)
			if logged := out.String(); !strings.Contains(logged, want) || !strings.Contains(logged, `"level":"`+level+`"`) {
				t.Errorf("the function logged %q, want %q", out, want)
			}
		})
	}
}

// Log events that cannot be decoded are lost. The other events of the delivery are counted.
func TestIngestCountsBesideBrokenEvents(t *testing.T) {
	e, out := newEngines(t), testkit.CaptureLogs(t)
	event := compressedEvent(t, map[string]any{
		"messageType": "DATA_MESSAGE", "logGroup": from.Access, "logStream": "s",
		"logEvents": []any{map[string]any{"id": "1", "message": []string{"secret-content"}}, simple("2", midnight), nil},
	})
	if err := handle(ingest(counting(e.recorder())))(t.Context(), event); err != nil {
		t.Fatal(err)
	}
	logged := out.String()
	if got := e.sums(t).Requests[calendar.DayOf(midnight)]; got == nil || got.Calls != 1 ||
		!strings.Contains(logged, `"lines":3,"recorded":1,"unread":0,"lost":2}`) ||
		strings.Contains(logged, "secret-content") {
		t.Errorf("%+v; logged %s", got, logged)
	}
}

// A batch writes at most three days, which limits its cost.
func TestIngestLimitsDaysOfBatch(t *testing.T) {
	e, out := newEngines(t), testkit.CaptureLogs(t)
	const n = 10_000
	var lines []events.CloudwatchLogsLogEvent
	for i := range n {
		lines = append(lines, simple(fmt.Sprint(i), midnight.AddDate(0, 0, i)))
	}
	lines = append(lines, simple("again", midnight.AddDate(0, 0, 2)))
	if err := handle(ingest(counting(e.recorder())))(t.Context(), delivery(t, from.Access, "s", lines...)); err != nil {
		t.Fatal(err)
	}
	days := slices.Sorted(maps.Keys(e.sums(t).Requests))
	first := calendar.DayOf(midnight)
	want := fmt.Sprintf(`"recorded":4,"unread":0,"lost":%d`, n-3)
	if !slices.Equal(days, []calendar.Day{first, first + 1, first + 2}) || !strings.Contains(out.String(), want) {
		t.Errorf("days %v; logged %s", days, out)
	}
}

// The log has every kind of line that the media functions write.
func TestIngestModelLog(t *testing.T) {
	e, out := newEngines(t), testkit.CaptureLogs(t)
	lines := []string{
		call(midnight, 200, analytics.ModelUsage{InputTokens: 100, OutputTokens: 10, MicroUSD: 7}),
		call(midnight.Add(-time.Nanosecond), 200, analytics.ModelUsage{InputTokens: 1000, OutputTokens: 100}), // belongs to the day before
		call(midnight, 429, analytics.ModelUsage{InputTokens: 50, OutputTokens: 5, MicroUSD: 2}),
		call(midnight, 0, analytics.ModelUsage{}),
		`{"time":"2026-11-22T00:00:01Z","msg":"model call","engine":"transcribe","good":true,"microUSD":3}`,
		`{"time":"2026-11-22T00:00:01Z","msg":"request","inputTokens":5,"note":"model call"}`,
		"START RequestId: 8f5 Version: $LATEST model call",
		call(midnight, 200, analytics.ModelUsage{InputTokens: -1}),
		call(midnight, 200, analytics.ModelUsage{InputTokens: 1 << 62}),
		`{"msg":"model call"}`, // counts when it was logged
		`{"time":"2026-11-22T00:00:01Z","msg":"model call","status":"200"}`,
	}
	for _, group := range from.Models {
		var all []events.CloudwatchLogsLogEvent
		for i, line := range lines {
			all = append(all, entry(fmt.Sprint(i), midnight, line))
		}
		for range 2 {
			if err := handle(ingest(counting(e.recorder())))(t.Context(), delivery(t, group, "one name", all...)); err != nil {
				t.Fatal(err)
			}
		}
	}
	day, got := calendar.DayOf(midnight), e.sums(t)
	want := analytics.ModelUsage{Calls: 10, InputTokens: 300, OutputTokens: 30, MicroUSD: 24}
	before := analytics.ModelUsage{Calls: 2, InputTokens: 2000, OutputTokens: 200}
	if got.Usage[day].Models != want || got.Usage[day-1].Models != before || len(got.Requests) != 0 {
		t.Errorf("got %+v and %+v", got.Usage[day], got.Usage[day-1])
	}
	if !strings.Contains(out.String(), `"log":"models","lines":11,"recorded":9,"unread":3,"lost":0`) {
		t.Errorf("the function logged %s", out)
	}
}

var errUnavailable = errors.New("unavailable")

// failingRecorder fails for one day.
type failingRecorder struct {
	day      calendar.Day
	recorded []calendar.Day
}

func (r *failingRecorder) Record(_ context.Context, p logs.Segment) (logs.Segment, error) {
	if p.Day == r.day {
		return logs.Segment{}, errUnavailable
	}
	r.recorded = append(r.recorded, p.Day)
	return p, nil
}

func TestIngestReturnsErrorsForRetry(t *testing.T) {
	today := calendar.DayOf(midnight)
	recorder := &failingRecorder{day: today - 1}
	event := delivery(t, from.Access, "s", simple("1", midnight.Add(-time.Second)), simple("2", midnight))
	err := handle(ingest(counting(recorder)))(t.Context(), event)
	if !errors.Is(err, errUnavailable) || !slices.Equal(recorder.recorded, []calendar.Day{today}) {
		t.Errorf("error %v, and recorded %v", err, recorder.recorded)
	}
}
