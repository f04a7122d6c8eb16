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
			if err := ingest(from, e.recorder(), later)(t.Context(), event); err != nil {
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

// stranger is the ledger for what must not reach one.
type stranger struct{ t *testing.T }

func (s stranger) Record(_ context.Context, p analytics.Part) (analytics.Part, error) {
	s.t.Errorf("%d lines of %s were counted", len(p.Lines), p.Day)
	return p, nil
}

// TestWhatIsNotOurs is said in the log, once, and never tried again.
func TestWhatIsNotOurs(t *testing.T) {
	line := simple("1", midnight)
	line.Message += "secret-content"
	for name, c := range map[string]struct {
		event events.CloudwatchLogsEvent
		said  string
	}{
		"nothing":       {events.CloudwatchLogsEvent{}, "corrupt batch"},
		"no gzip":       {events.CloudwatchLogsEvent{AWSLogs: events.CloudwatchLogsRawData{Data: "c2VjcmV0"}}, "corrupt batch"},
		"no JSON":       {packed(t, "secret-content"), "corrupt batch"},
		"a bomb":        {packed(t, strings.Repeat("0", 21<<20)), "it is larger than 20 MB uncompressed"},
		"other group":   {delivery(t, "portside-UsersLogs", "s", line), `"foreign log group","group":"portside-UsersLogs","lines":1`},
		"its own group": {delivery(t, "portside-CountUsageLogs", "s", line), "foreign log group"},
		"no group":      {delivery(t, "", "s", line), "foreign log group"},
		"no lines":      {delivery(t, from.access, "s"), ""},
	} {
		out := testkit.CaptureLogs(t)
		err := ingest(from, stranger{t}, later)(t.Context(), c.event)
		said := out.String()
		if err != nil || !strings.Contains(said, c.said) || strings.Count(said, "\n") != min(len(c.said), 1) || strings.Contains(said, "secret") {
			t.Errorf("%s: error %v, and the function logged %q", name, err, said)
		}
	}
}

// TestHostileLines are counted as what they are, and those beside them count all the same.
func TestHostileLines(t *testing.T) {
	good, day := access(midnight, "POST ANY /v1/ai/{proxy+}", 500, 70), analytics.DayOf(midnight)
	type lines = []events.CloudwatchLogsLogEvent
	const tolerated = 5 * time.Minute
	soon := access(midnight.Add(tolerated), "GET ANY /v1/users", 200, 1)
	tooSoon := access(midnight.Add(tolerated+time.Millisecond), "GET ANY /v1/users", 200, 1)
	for name, c := range map[string]struct {
		lines        lines
		calls        int64
		unread, lost int
	}{
		"a line of a megabyte":    {lines: lines{entry("2", midnight, strings.Repeat("x", 1<<20))}, unread: 1},
		"an id again":             {lines: lines{entry("1", midnight, good), entry("1", midnight.Add(time.Second), good)}},
		"no ids":                  {lines: lines{entry("", midnight, good), entry("", midnight, good), simple("", midnight)}, calls: 2},
		"a long id":               {lines: lines{entry(strings.Repeat("9", 5000), midnight, good)}, calls: 1},
		"logged at no time":       {lines: lines{{ID: "2", Timestamp: -1 << 63, Message: good}, {ID: "3", Message: good}}, lost: 2},
		"logged long after":       {lines: lines{{ID: "2", Timestamp: 1<<63 - 1, Message: good}}, lost: 1},
		"happened a day before":   {lines: lines{simple("2", midnight), entry("3", midnight.Add(24*time.Hour), good)}, calls: 2},
		"happened long before":    {lines: lines{entry("3", midnight.Add(24*time.Hour+time.Millisecond), good)}, unread: 1},
		"a line of another group": {lines: lines{entry("2", midnight, call(midnight, 200, analytics.Models{}))}, unread: 1},
		"happened much later":     {lines: lines{entry("2", midnight, tooSoon)}, unread: 1},
		"of a faster clock":       {lines: lines{entry("2", midnight, soon)}, calls: 1},
		"logged in the future":    {lines: lines{simple("2", later().Add(tolerated+time.Millisecond))}, lost: 1},
	} {
		e, out := newEngines(t), testkit.CaptureLogs(t)
		all := append(lines{entry("1", midnight, good)}, c.lines...)
		if err := ingest(from, e.recorder(), later)(t.Context(), delivery(t, from.access, "s", all...)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		got := e.sums(t).Requests
		unread := int64(0)
		for _, requests := range got {
			unread += requests.Unread
		}
		if got[day].Calls != 1+c.calls || got[day].Media < 1 || unread != int64(c.unread) {
			t.Errorf("%s: %+v and %d unread, want %d calls and %d", name, got[day], unread, 1+c.calls, c.unread)
		}
		level := "INFO"
		if c.unread+c.lost > 0 {
			level = "WARN"
		}
		want := fmt.Sprintf(`"unread":%d,"lost":%d}`, c.unread, c.lost)
		if said := out.String(); !strings.Contains(said, want) || !strings.Contains(said, `"level":"`+level+`"`) {
			t.Errorf("%s: the function logged %q, want %q", name, out, want)
		}
	}
}

// TestBrokenEvents are lost, and those beside them count all the same.
func TestBrokenEvents(t *testing.T) {
	e, out := newEngines(t), testkit.CaptureLogs(t)
	event := packed(t, map[string]any{
		"messageType": "DATA_MESSAGE", "logGroup": from.access, "logStream": "s",
		"logEvents": []any{map[string]any{"id": "1", "timestamp": "secret-content"}, simple("2", midnight), nil},
	})
	if err := ingest(from, e.recorder(), later)(t.Context(), event); err != nil {
		t.Fatal(err)
	}
	said := out.String()
	if got := e.sums(t).Requests[analytics.DayOf(midnight)]; got == nil || got.Calls != 1 ||
		!strings.Contains(said, `"lines":3,"recorded":1,"unread":0,"lost":2}`) || strings.Contains(said, "secret-content") {
		t.Errorf("%+v; logged %s", got, said)
	}
}

// TestTooManyDays bounds what a batch may cost: no more transactions than three.
func TestTooManyDays(t *testing.T) {
	e, out := newEngines(t), testkit.CaptureLogs(t)
	const n = 10_000
	var lines []events.CloudwatchLogsLogEvent
	for i := range n {
		lines = append(lines, simple(fmt.Sprint(i), midnight.AddDate(0, 0, i)))
	}
	lines = append(lines, simple("again", midnight.AddDate(0, 0, 2)))
	if err := ingest(from, e.recorder(), later)(t.Context(), delivery(t, from.access, "s", lines...)); err != nil {
		t.Fatal(err)
	}
	days := slices.Sorted(maps.Keys(e.sums(t).Requests))
	first := analytics.DayOf(midnight)
	said := fmt.Sprintf(`"recorded":4,"unread":0,"lost":%d`, n-3)
	if !slices.Equal(days, []analytics.Day{first, first + 1, first + 2}) || !strings.Contains(out.String(), said) {
		t.Errorf("days %v; logged %s", days, out)
	}
}

// TestLinesOfModels has each kind that the media functions write, and what else is in their log.
func TestLinesOfModels(t *testing.T) {
	e, out := newEngines(t), testkit.CaptureLogs(t)
	lines := []string{
		call(midnight, 200, analytics.Models{InputTokens: 100, OutputTokens: 10, MicroUSD: 7}),
		call(midnight.Add(-time.Nanosecond), 200, analytics.Models{InputTokens: 1000, OutputTokens: 100}), // of the day before
		call(midnight, 429, analytics.Models{InputTokens: 50, OutputTokens: 5, MicroUSD: 2}),
		call(midnight, 0, analytics.Models{}),
		`{"time":"2026-11-22T00:00:01Z","msg":"model call","engine":"transcribe","good":true,"microUSD":3}`,
		`{"time":"2026-11-22T00:00:01Z","msg":"request","inputTokens":5,"note":"model call"}`,
		"START RequestId: 8f5 Version: $LATEST model call",
		call(midnight, 200, analytics.Models{InputTokens: -1}),
		call(midnight, 200, analytics.Models{InputTokens: 1 << 62}),
		`{"msg":"model call"}`,
		`{"time":"2026-11-22T00:00:01Z","msg":"model call","status":"200"}`,
	}
	for _, group := range from.models {
		var all []events.CloudwatchLogsLogEvent
		for i, line := range lines {
			all = append(all, entry(fmt.Sprint(i), midnight, line))
		}
		for range 2 {
			if err := ingest(from, e.recorder(), later)(t.Context(), delivery(t, group, "one name", all...)); err != nil {
				t.Fatal(err)
			}
		}
	}
	day, got := analytics.DayOf(midnight), e.sums(t)
	want := analytics.Models{Calls: 8, InputTokens: 300, OutputTokens: 30, MicroUSD: 24}
	before := analytics.Models{Calls: 2, InputTokens: 2000, OutputTokens: 200}
	if got.Usage[day].Models != want || got.Usage[day-1].Models != before || len(got.Requests) != 0 {
		t.Errorf("got %+v and %+v", got.Usage[day], got.Usage[day-1])
	}
	if !strings.Contains(out.String(), `"log":"models","lines":11,"recorded":9,"unread":4,"lost":0`) {
		t.Errorf("the function logged %s", out)
	}
}

var errAway = errors.New("away")

// away is a ledger that cannot be reached on one day.
type away struct {
	day      analytics.Day
	recorded []analytics.Day
}

func (a *away) Record(_ context.Context, p analytics.Part) (analytics.Part, error) {
	if p.Day == a.day {
		return analytics.Part{}, errAway
	}
	a.recorded = append(a.recorded, p.Day)
	return p, nil
}

func TestErrorsAreLambdasToTryAgain(t *testing.T) {
	today := analytics.DayOf(midnight)
	ledger := &away{day: today - 1}
	event := delivery(t, from.access, "s", simple("1", midnight.Add(-time.Second)), simple("2", midnight))
	err := ingest(from, ledger, later)(t.Context(), event)
	if !errors.Is(err, errAway) || !slices.Equal(ledger.recorded, []analytics.Day{today}) {
		t.Errorf("error %v, and recorded %v", err, ledger.recorded)
	}
}
