package analytics

import (
	"maps"
	"math/bits"
	"slices"
)

// Histogram counts latencies by bucket. Histograms of parts added together are that of the whole, whatever the parts and
// their order: so each day keeps its own, and a year's percentiles are as exact as a day's.
//
// The buckets are those of HdrHistogram (https://hdrhistogram.org) with 32 in each octave: exact below 64 ms, and then no
// wider than a 32nd of their lower end, so that the middle is off by at most 1/64, 1.57 %.
type Histogram map[Bucket]int64

// Bucket is a range of milliseconds, from 0.
type Bucket int

const (
	octave  = 32 // buckets
	slowest = 1<<20 - 1
)

// Slowest is the last bucket, 511.
const Slowest Bucket = octave*14 + slowest>>14

// BucketOf returns the bucket of a latency in milliseconds. What is negative counts as 0, and what takes over 17 minutes, which
// no request can, as that.
func BucketOf(ms int64) Bucket {
	ms = min(max(ms, 0), slowest)
	halvings := max(bits.Len64(uint64(ms))-6, 0) // until it is below 64
	return Bucket(octave*halvings + int(ms>>halvings))
}

// Bounds are the first and the last millisecond of the bucket.
func (b Bucket) Bounds() (first, last int64) {
	if b < 2*octave {
		return int64(b), int64(b)
	}
	halvings := int(b)/octave - 1
	first = int64(int(b)-octave*halvings) << halvings
	return first, first + 1<<halvings - 1
}

// Middle stands for all latencies of the bucket.
func (b Bucket) Middle() float64 {
	first, last := b.Bounds()
	return float64(first+last) / 2
}

// Count is how many latencies there are.
func (h Histogram) Count() int64 {
	var n int64
	for _, count := range h {
		n += count
	}
	return n
}

// Percentile returns the latency that a share of all, in percent, does not exceed: the smallest for which that holds (nearest
// rank). 0 without any latency.
func (h Histogram) Percentile(percent int64) float64 {
	const whole = 100
	rank := (h.Count()*percent + whole - 1) / whole
	for _, bucket := range slices.Sorted(maps.Keys(h)) {
		if rank -= h[bucket]; rank <= 0 && h[bucket] > 0 {
			return bucket.Middle()
		}
	}
	return 0
}
