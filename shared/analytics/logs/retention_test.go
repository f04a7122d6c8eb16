package logs_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"portside/shared/analytics/logs"
	"portside/shared/core/loglines"
	"portside/testclient/scale"
)

// A line that arrives again must find its segment and its marker, or it would count twice. So whenever a line is
// accepted, what an earlier delivery stored exists for another day at least.
func TestLinesAreAcceptedOnlyWhileTheirSegmentsExist(t *testing.T) {
	const day = 24 * time.Hour
	begin := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		at := begin.Add(time.Duration(rapid.Int64Range(0, int64(day-1)).Draw(t, "time of the request"))).Truncate(time.Millisecond)
		age := rapid.OneOf(
			rapid.Int64Range(0, int64(420*day)), rapid.Int64Range(int64(logs.Retention-time.Second), int64(logs.Retention+time.Second)),
		)
		now := at.Add(time.Duration(age.Draw(t, "age")))
		batch := logs.Batch{Log: logs.AccessLog, Group: "g", Stream: "s", Now: now, Events: []loglines.Event{{
			ID: "1", LoggedAt: at, Message: fmt.Sprintf(`{"time":"%d","method":"GET","path":"/","status":"200","latencyMs":"1"}`, at.UnixMilli()),
		}}}
		segments, lost := batch.Segments()
		if now.Sub(at) > logs.Retention {
			if len(segments) != 0 || lost != 1 {
				t.Fatalf("a line of %s counts after %s: %d lost", at, now.Sub(at), lost)
			}
			return
		}
		if len(segments) != 1 || lost != 0 {
			t.Fatalf("a line of %s is lost after %s", at, now.Sub(at))
		}
		if left := segments[0].PurgeAt().Sub(now); left < day {
			t.Fatalf("the marker exists only for %s more", left)
		}
		// S3 counts the days from the creation of an object, which the clocks put at most five minutes before the
		// request, to a midnight.
		expiry := at.Add(-5*time.Minute).AddDate(0, 0, logs.KeptDays)
		if midnight := expiry.Truncate(day); midnight != expiry {
			expiry = midnight.Add(day)
		}
		if left := expiry.Sub(now); left < day {
			t.Fatalf("the object exists only for %s more", left)
		}
	})
}
