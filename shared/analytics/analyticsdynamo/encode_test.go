package analyticsdynamo

import (
	"bytes"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"portside/shared/analytics"
	"portside/shared/dynamo/items"
)

// anyRequests draws requests as a day may have them, and as none will.
func anyRequests(t *rapid.T) *analytics.Requests {
	count := rapid.Int64Range(0, math.MaxInt64)
	r := &analytics.Requests{
		Calls: count.Draw(t, "calls"), Errors: count.Draw(t, "errors"), Millis: count.Draw(t, "millis"),
		Media: count.Draw(t, "media"), Unread: count.Draw(t, "unread"), Latency: analytics.Histogram{},
	}
	for hour := range r.HourCalls {
		r.HourCalls[hour], r.HourErrors[hour] = count.Draw(t, "hour's calls"), count.Draw(t, "hour's errors")
	}
	for range rapid.IntRange(0, 40).Draw(t, "buckets") {
		bucket := analytics.BucketOf(rapid.Int64().Draw(t, "latency"))
		r.Latency[bucket] = rapid.Int64Range(1, math.MaxInt64).Draw(t, "times")
	}
	return r
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyRequests(t)
		got, err := requestsOf(itemOf(0, want))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestEveryBucketIsRead(t *testing.T) {
	want := &analytics.Requests{Latency: analytics.Histogram{}}
	for bucket := range analytics.Slowest + 1 {
		want.Latency[bucket] = 1e6
	}
	item := packed(want)
	got, err := item.requests()
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, %s", err, diff)
	}
}

// TestAFullDayIsSmall has a million requests of every latency up to half a minute.
func TestAFullDayIsSmall(t *testing.T) {
	r := &analytics.Requests{Latency: analytics.Histogram{}}
	for bucket := range analytics.BucketOf(30_000) + 1 {
		r.Latency[bucket] = 1e6
	}
	for hour := range r.HourCalls {
		r.HourCalls[hour], r.HourErrors[hour] = 15e6, 1e6
	}
	if i := packed(r); len(i.Latency)+len(i.Hours) > 1600 {
		t.Errorf("a day takes %d and %d bytes", len(i.Latency), len(i.Hours))
	}
}

func TestADayWithoutRequestsIsEmpty(t *testing.T) {
	got, err := requestsOf(items.Key(requests, "2026-11-21"))
	if diff := cmp.Diff(&analytics.Requests{Latency: analytics.Histogram{}}, got); diff != "" || err != nil {
		t.Errorf("%v, %s", err, diff)
	}
}

func TestItemsOfAnotherShapeAreErrors(t *testing.T) {
	hours := items.Bytes(make([]byte, 50))
	for name, item := range map[string]items.Map{
		"text for a number": {"calls": items.Text("many")},
		"25 hours":          {"hours": hours},
		"half an hour":      {"hours": items.Bytes([]byte{2})},
		"half a number":     {"latency": items.Bytes([]byte{2, 0x80})},
		"no such bucket":    {"latency": items.Bytes([]byte{0x80, 0x04, 2})},
		"far below zero":    {"latency": items.Bytes(append(bytes.Repeat([]byte{0xff}, 9), 1, 2))},
	} {
		if r, err := requestsOf(item); err == nil {
			t.Errorf("%s is read as %+v", name, r)
		}
	}
	for name, item := range map[string]items.Map{
		"nothing": {}, "a number": {"sk": items.Number(1)}, "no such day": items.Key("usage", "2026-02-30"),
	} {
		if day, err := dayOf(item); err == nil {
			t.Errorf("%s is read as %s", name, day)
		}
	}
	if _, err := usageOf(items.Map{"charts": items.Text("many")}); err == nil {
		t.Error("text is read as usage")
	}
}

func FuzzLatency(f *testing.F) {
	f.Add([]byte{2, 2, 2, 4})
	f.Add([]byte{0x80})
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := requestsItem{Latency: data, Hours: data}.requests()
		if err != nil {
			return
		}
		again, err := packed(r).requests()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r.HourCalls, again.HourCalls); diff != "" || r.Latency.Count() != again.Latency.Count() {
			t.Errorf("read again it differs: %s", diff)
		}
	})
}
