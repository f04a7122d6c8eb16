package analytics

import (
	"maps"
	"slices"
)

// Count returns how many latencies the histogram has.
func (h Histogram) Count() int64 {
	var n int64
	for _, count := range h {
		n += count
	}
	return n
}

// Percentile returns the smallest latency that the given percentage of all latencies does not
// exceed (nearest rank), such as p95 and p99 of the dashboard. It returns 0 for an empty histogram.
func (h Histogram) Percentile(percent int64) float64 {
	const hundred = 100
	rank := (h.Count()*percent + hundred - 1) / hundred // rounded up
	for _, bucket := range slices.Sorted(maps.Keys(h)) {
		if rank -= h[bucket]; rank <= 0 && h[bucket] > 0 {
			return bucket.Middle()
		}
	}
	return 0
}
