package analytics

import "time"

// Requests are those of a day, or of several added together.
type Requests struct {
	Calls      int64
	Errors     int64 // answered with 5xx
	Millis     int64 // all latencies together
	Latency    Histogram
	Media      int64 // files and texts that were sent to be summarized, searched or compared
	Unread     int64 // lines of the log that say nothing
	HourCalls  [24]int64
	HourErrors [24]int64
}

// Request is one request, as the access log has it.
type Request struct {
	At      time.Time
	Status  int
	Latency int64 // milliseconds; below 0: not known
	Media   bool
}

// Add counts a request.
func (r *Requests) Add(q Request) {
	hour := q.At.UTC().Hour()
	r.Calls++
	r.HourCalls[hour]++
	if q.Status >= 500 {
		r.Errors++
		r.HourErrors[hour]++
	}
	if q.Latency >= 0 {
		if r.Latency == nil {
			r.Latency = Histogram{}
		}
		r.Millis += q.Latency
		r.Latency[BucketOf(q.Latency)]++
	}
	if q.Media {
		r.Media++
	}
}

// Merge adds others. The hours are those of the day only if both are of the same.
func (r *Requests) Merge(others *Requests) {
	r.Calls += others.Calls
	r.Errors += others.Errors
	r.Millis += others.Millis
	r.Media += others.Media
	r.Unread += others.Unread
	if r.Latency == nil {
		r.Latency = Histogram{}
	}
	for bucket, n := range others.Latency {
		r.Latency[bucket] += n
	}
	for hour := range r.HourCalls {
		r.HourCalls[hour] += others.HourCalls[hour]
		r.HourErrors[hour] += others.HourErrors[hour]
	}
}

// Average is the mean latency in milliseconds; 0 without any.
func (r *Requests) Average() float64 {
	if n := r.Latency.Count(); n > 0 {
		return float64(r.Millis) / float64(n)
	}
	return 0
}

// failed adds up, over the first hours of a day, the share of each hour's requests that failed.
func (r *Requests) failed(hours int) float64 {
	sum := 0.0
	for hour, calls := range r.HourCalls[:hours] {
		if calls > 0 {
			sum += float64(r.HourErrors[hour]) / float64(calls)
		}
	}
	return sum
}
