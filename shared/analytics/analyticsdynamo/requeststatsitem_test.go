package analyticsdynamo

import (
	"bytes"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"portside/shared/analytics"
	"portside/shared/dynamo/items"
	"portside/testclient/scale"
)

// anyRequestStats draws statistics with numbers of any size.
func anyRequestStats(t *rapid.T) *analytics.RequestStats {
	count := rapid.Int64Range(0, math.MaxInt64)
	r := &analytics.RequestStats{
		Calls: count.Draw(t, "calls"), Errors: count.Draw(t, "errors"), Millis: count.Draw(t, "millis"),
		Tasks: analytics.MediaTasks{
			Summarize: count.Draw(t, "summaries"), Extract: count.Draw(t, "extractions"), Compare: count.Draw(t, "comparisons"),
		},
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

func TestRequestStatsRoundTrip(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		want := anyRequestStats(t)
		got, err := decodeRequestStats(itemOf(0, want))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestEveryBucketRoundTrips(t *testing.T) {
	want := &analytics.RequestStats{Latency: analytics.Histogram{}}
	for bucket := range analytics.LastBucket + 1 {
		want.Latency[bucket] = 1e6
	}
	item := encodeRequestStats(want)
	got, err := item.decode()
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, %s", err, diff)
	}
}

// The day has a million requests in every latency bucket up to half a minute.
func TestBusyDayItemIsSmall(t *testing.T) {
	r := &analytics.RequestStats{Latency: analytics.Histogram{}}
	for bucket := range analytics.BucketOf(30_000) + 1 {
		r.Latency[bucket] = 1e6
	}
	for hour := range r.HourCalls {
		r.HourCalls[hour], r.HourErrors[hour] = 15e6, 1e6
	}
	if i := encodeRequestStats(r); len(i.Latency)+len(i.Hours) > 1600 {
		t.Errorf("latencies take %d bytes and hours %d, want at most 1600 together", len(i.Latency), len(i.Hours))
	}
}

func TestDecodeItemWithoutRequests(t *testing.T) {
	got, err := decodeRequestStats(items.Key(requests, "2026-11-21"))
	if diff := cmp.Diff(&analytics.RequestStats{Latency: analytics.Histogram{}}, got); diff != "" || err != nil {
		t.Errorf("%v, %s", err, diff)
	}
}

func TestDecodeRejectsInvalidItems(t *testing.T) {
	hours := items.Bytes(make([]byte, 50))
	for name, item := range map[string]items.Map{
		"string for a number": {"calls": items.Text("many")},
		"25 hours":            {"hours": hours},
		"half an hour":        {"hours": items.Bytes([]byte{2})},
		"half a number":       {"latency": items.Bytes([]byte{2, 0x80})},
		"no such bucket":      {"latency": items.Bytes([]byte{0x80, 0x04, 2})},
		"far below zero":      {"latency": items.Bytes(append(bytes.Repeat([]byte{0xff}, 9), 1, 2))},
	} {
		if r, err := decodeRequestStats(item); err == nil {
			t.Errorf("%s: decoded to %+v, want an error", name, r)
		}
	}
	for name, item := range map[string]items.Map{
		"nothing": {}, "a number": {"sk": items.Number(1)}, "no such day": items.Key("usage", "2026-02-30"),
	} {
		if day, err := itemDay(item); err == nil {
			t.Errorf("%s: decoded to %s, want an error", name, day)
		}
	}
	if _, err := decodeUsage(items.Map{"charts": items.Text("many")}); err == nil {
		t.Error("decodeUsage accepted a string as a number")
	}
}

func FuzzLatency(f *testing.F) {
	f.Add([]byte{2, 2, 2, 4})
	f.Add([]byte{0x80})
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := requestStatsItem{Latency: data, Hours: data}.decode()
		if err != nil {
			return
		}
		again, err := encodeRequestStats(r).decode()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r.HourCalls, again.HourCalls); diff != "" || r.Latency.Count() != again.Latency.Count() {
			t.Errorf("differs after encoding and decoding: %s", diff)
		}
	})
}
