package analytics

import (
	"math/bits"
)

// Histogram counts latencies by bucket. Histograms can be added: the sum of the days of a year is
// exactly the histogram of the year, so its percentiles are as accurate as for one day.
//
// The buckets are the same as in HdrHistogram (https://hdrhistogram.org) with 32 buckets in each octave.
// They are exact below 64 ms. Above, a bucket is at most 1/32 as wide as its lower bound, so its
// middle is at most 1/64 (1.57 %) off.
type Histogram map[Bucket]int64

// Bucket is the index of a range of milliseconds, from 0.
type Bucket int

const (
	bucketsPerOctave = 32
	maxTrackedMillis = 1<<20 - 1 // longer latencies count as this one
)

// LastBucket is the bucket of the longest latencies, 511.
const LastBucket Bucket = bucketsPerOctave*14 + maxTrackedMillis>>14

// BucketOf returns the bucket of a latency in milliseconds. A negative latency counts as 0. A
// latency above 17 minutes, which no request can reach, counts as 17 minutes.
func BucketOf(ms int64) Bucket {
	ms = min(max(ms, 0), maxTrackedMillis)
	halvings := max(bits.Len64(uint64(ms))-6, 0) // until it is below 64
	return Bucket(bucketsPerOctave*halvings + int(ms>>halvings))
}

// Bounds returns the first and the last millisecond of the bucket.
func (b Bucket) Bounds() (first, last int64) {
	if b < 2*bucketsPerOctave {
		return int64(b), int64(b)
	}
	halvings := int(b)/bucketsPerOctave - 1
	first = int64(int(b)-bucketsPerOctave*halvings) << halvings
	return first, first + 1<<halvings - 1
}

// Middle returns the latency that stands for all latencies of the bucket.
func (b Bucket) Middle() float64 {
	first, last := b.Bounds()
	return float64(first+last) / 2
}
