package analyticsdynamo

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"portside/shared/analytics"
	"portside/shared/dynamo/items"
)

// Attributes of a day's item that the Recorder maintains: how many times the item was written, and
// the milliseconds between the first and the last line of its longest segment. A third attribute,
// "parts", is the number of counted segments.
const (
	version = "version"
	span    = "span"
)

// requestStatsItem is the form of a day's requests. Hours and latencies are each packed into one
// binary attribute. As separate numbers they would be 180 attributes, and reading a year would
// spend nearly all its time on their names. The packed form requires a read before each write, but
// the Recorder reads the item anyway.
type requestStatsItem struct {
	Calls   int64  `dynamodbav:"calls"`
	Errors  int64  `dynamodbav:"errors"`
	Millis  int64  `dynamodbav:"millis"`
	Media   int64  `dynamodbav:"media"`
	Summary int64  `dynamodbav:"summarize"`
	Extract int64  `dynamodbav:"extract"`
	Compare int64  `dynamodbav:"compare"`
	Unread  int64  `dynamodbav:"unread"`
	Hours   []byte `dynamodbav:"hours"`   // calls and errors of each hour, as varints
	Latency []byte `dynamodbav:"latency"` // for each bucket its distance from the bucket before and its count, as varints
}

func encodeRequestStats(r *analytics.RequestStats) requestStatsItem {
	i := requestStatsItem{
		Calls: r.Calls, Errors: r.Errors, Millis: r.Millis, Media: r.Media, Unread: r.Unread,
		Summary: r.Tasks.Summarize, Extract: r.Tasks.Extract, Compare: r.Tasks.Compare,
	}
	for hour := range r.HourCalls {
		i.Hours = appendPair(i.Hours, r.HourCalls[hour], r.HourErrors[hour])
	}
	before := analytics.Bucket(0)
	for _, bucket := range slices.Sorted(maps.Keys(r.Latency)) {
		if n := r.Latency[bucket]; n != 0 {
			i.Latency = appendPair(i.Latency, int64(bucket-before), n)
			before = bucket
		}
	}
	return i
}

// decode reverses encodeRequestStats. The item of a day without requests decodes to zero.
func (i requestStatsItem) decode() (*analytics.RequestStats, error) {
	r := &analytics.RequestStats{
		Calls: i.Calls, Errors: i.Errors, Millis: i.Millis, Media: i.Media, Unread: i.Unread,
		Tasks:   analytics.MediaTasks{Summarize: i.Summary, Extract: i.Extract, Compare: i.Compare},
		Latency: make(analytics.Histogram, len(i.Latency)/2), // a bucket takes at least two bytes
	}
	hour, bucket := 0, analytics.Bucket(0)
	err := eachPair(i.Hours, func(calls, errors int64) bool {
		if hour == len(r.HourCalls) {
			return false
		}
		r.HourCalls[hour], r.HourErrors[hour] = calls, errors
		hour++
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("read the hours of a day: %w", err)
	}
	err = eachPair(i.Latency, func(distance, n int64) bool {
		if distance > int64(analytics.LastBucket-bucket) {
			return false
		}
		bucket += analytics.Bucket(distance)
		r.Latency[bucket] += n
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("read the latencies of a day: %w", err)
	}
	return r, nil
}

func decodeRequestStats(item items.Map) (*analytics.RequestStats, error) {
	i, err := items.Decode[requestStatsItem](item)
	if err != nil {
		return nil, err
	}
	return i.decode()
}

func appendPair(to []byte, a, b int64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(to, uint64(a)), uint64(b)) //nolint:gosec // counts and sums
}

// eachPair calls take with each pair of numbers until take returns false.
func eachPair(from []byte, take func(a, b int64) bool) error {
	for len(from) > 0 {
		a, n := binary.Uvarint(from)
		b, m := binary.Uvarint(from[max(n, 0):])
		if n <= 0 || m <= 0 || a > math.MaxInt64 || b > math.MaxInt64 || !take(int64(a), int64(b)) {
			return fmt.Errorf("invalid varints %d bytes before the end", len(from))
		}
		from = from[n+m:]
	}
	return nil
}
