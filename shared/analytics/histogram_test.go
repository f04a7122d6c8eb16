package analytics_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"portside/shared/analytics"
	"portside/testclient/scale"
)

// The test visits all buckets in order.
func TestBucketsCoverEachMillisecondOnce(t *testing.T) {
	next := int64(0)
	for bucket := range analytics.LastBucket + 1 {
		first, last := bucket.Bounds()
		if first != next || analytics.BucketOf(first) != bucket || analytics.BucketOf(last) != bucket {
			t.Fatalf("bucket %d covers %d to %d, want it to start at %d", bucket, first, last, next)
		}
		if first < 64 && last != first || (bucket.Middle()-float64(first))*64 > float64(first) {
			t.Errorf("bucket %d from %d to %d is too wide", bucket, first, last)
		}
		next = last + 1
	}
	for ms, want := range map[int64]analytics.Bucket{
		-5: 0, math.MinInt64: 0, 0: 0, 63: 63, 64: 64, 65: 64, 66: 65, 127: 95, 128: 96, 30_000: 346,
		next - 1: analytics.LastBucket, next: analytics.LastBucket, math.MaxInt64: analytics.LastBucket,
	} {
		if got := analytics.BucketOf(ms); got != want {
			t.Errorf("%d ms is in bucket %d, want %d", ms, got, want)
		}
	}
}

// The test adds the histograms of random slices, and compares their percentiles with the sorted list.
func TestPercentilesOfMergedHistograms(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		latencies := rapid.SliceOfN(rapid.Int64Range(0, 900_000), 1, 300).Draw(t, "latencies")
		all := &analytics.RequestStats{}
		for from := 0; from < len(latencies); {
			to := rapid.IntRange(from+1, len(latencies)).Draw(t, "to")
			part := &analytics.RequestStats{}
			for _, ms := range latencies[from:to] {
				part.Add(analytics.Request{LatencyMillis: ms})
			}
			all.Merge(part)
			from = to
		}
		slices.Sort(latencies)
		for _, percent := range []int64{1, 50, 95, 99, 100} {
			rank := int(math.Ceil(float64(percent) * float64(len(latencies)) / 100))
			exact, got := float64(latencies[rank-1]), all.Latency.Percentile(percent)
			if math.Abs(got-exact) > exact*0.016 {
				t.Errorf("p%d of %d latencies is %v, want about %v", percent, len(latencies), got, exact)
			}
		}
		if n := all.Latency.Count(); n != int64(len(latencies)) {
			t.Errorf("%d of %d latencies were counted", n, len(latencies))
		}
	})
}

func TestPercentileOfEmptyHistogram(t *testing.T) {
	for _, h := range []analytics.Histogram{nil, {}, {5: 0}} {
		if got := h.Percentile(95); got != 0 {
			t.Errorf("%v: got %v", h, got)
		}
	}
}
