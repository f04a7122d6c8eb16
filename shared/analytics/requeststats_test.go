package analytics_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"portside/shared/analytics"
)

func TestRequestStatsAddAndMerge(t *testing.T) {
	at := time.Date(2026, 11, 21, 0, 30, 0, 0, time.FixedZone("", 3600)) // 23:30 in UTC
	r := &analytics.RequestStats{}
	for _, q := range []analytics.Request{
		{At: at, Status: 200, LatencyMillis: 10}, {At: at, Status: 499, LatencyMillis: 64, IsMediaCall: true, Task: analytics.ExtractTask},
		{At: at, Status: 500, LatencyMillis: 66},
		{At: at, Status: 503, LatencyMillis: -1}, {At: at.Add(time.Hour), Status: 200, LatencyMillis: 0},
	} {
		r.Add(q)
	}
	want := &analytics.RequestStats{
		Calls: 5, Errors: 2, Millis: 140, Media: 1, Latency: analytics.Histogram{0: 1, 10: 1, 64: 1, 65: 1},
		Tasks: analytics.MediaTasks{Extract: 1},
	}
	want.HourCalls[23], want.HourErrors[23], want.HourCalls[0] = 4, 2, 1
	if diff := cmp.Diff(want, r); diff != "" {
		t.Error(diff)
	}
	if average := r.Average(); average != 35 {
		t.Errorf("average %v, want 35", average)
	}
	sum := &analytics.RequestStats{Unread: 1}
	sum.Merge(r)
	sum.Merge(&analytics.RequestStats{Unread: 2})
	want.Unread = 3
	if diff := cmp.Diff(want, sum); diff != "" {
		t.Error(diff)
	}
	if average := (&analytics.RequestStats{Calls: 1}).Average(); average != 0 {
		t.Errorf("average %v without latencies, want 0", average)
	}
}
