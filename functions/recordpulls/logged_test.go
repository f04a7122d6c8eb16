package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"portside/shared/pulls"
	"portside/shared/testkit"
)

// TestPullsWithImpossibleTimes checks that pulls whose own time is impossible get the time of their log line.
func TestPullsWithImpossibleTimes(t *testing.T) {
	logged := midnight.Add(9 * time.Hour)
	for name, c := range map[string]struct {
		at   string
		want time.Time
	}{
		"as it is logged":   {quoted(logged), logged},
		"a fast clock":      {quoted(logged.Add(5 * time.Minute)), logged.Add(5 * time.Minute)},
		"the future":        {quoted(logged.Add(5*time.Minute + time.Millisecond)), logged},
		"far future":        {quoted(time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)), logged},
		"a day before":      {quoted(logged.Add(-9 * time.Hour)), logged.Add(-9 * time.Hour)},
		"long before":       {quoted(logged.Add(-24*time.Hour - time.Millisecond)), logged},
		"microseconds":      {`"2026-11-22T08:59:59.123456Z"`, logged.Add(-877 * time.Millisecond)},
		"no time":           {"null", logged},
		"no text":           {`{"secret":1}`, logged},
		"milliseconds":      {"1795305601000", logged},
		"not a valid month": {`"2026-13-22T09:00:00Z"`, logged},
	} {
		t.Run(name, func(t *testing.T) {
			store, out := newStore(t), testkit.CaptureLogs(t)
			message, err := json.Marshal(fmt.Sprintf(`{"msg":"pull","pull":{"at":%s,"kind":"chart","repository":"p","reference":"1",`+
				`"credential":"a","owner":"b"}}`, c.at))
			if err != nil {
				t.Fatal(err)
			}
			event := fmt.Sprintf(`{"messageType":"DATA_MESSAGE","logEvents":[{"id":"1","timestamp":%d,"message":%s}]}`,
				logged.UnixMilli(), message)
			for range 2 {
				if err := handle(record(store))(t.Context(), compress(t, []byte(event))); err != nil {
					t.Error(err)
				}
			}
			found := recorded(t, store)
			if len(found) != 1 || !found[0].At.Equal(c.want) ||
				!strings.Contains(out.String(), `"lines":1,"recorded":1,"broken":0`) {
				t.Errorf("recorded %+v, want the time %s; the function logged %s", found, c.want, out)
			}
		})
	}
}

// quoted returns a time as the functions log it.
func quoted(at time.Time) string { return strconv.Quote(at.Format(pulls.Stamp)) }
