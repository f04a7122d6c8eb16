package analytics

import "time"

// RequestStats are the totals of the requests of one day or of several days.
type RequestStats struct {
	Calls      int64
	Errors     int64 // responses with a status of 500 or above
	Millis     int64 // sum of all known latencies
	Latency    Histogram
	Media      int64 // requests to summarize, extract from or compare files and texts
	Tasks      MediaTasks
	Unread     int64 // log lines that could not be parsed
	HourCalls  [24]int64
	HourErrors [24]int64
}

// Request is one request in the access log.
type Request struct {
	At            time.Time
	Status        int
	LatencyMillis int64 // negative if unknown
	IsMediaCall   bool
	Task          MediaTask // of a media call; empty if it is not known
}

// MediaTask is what a media call asks for.
type MediaTask string

// The tasks.
const (
	SummarizeTask MediaTask = "summarize"
	ExtractTask   MediaTask = "extract"
	CompareTask   MediaTask = "compare"
)

// MediaTasks are numbers of media calls by task. The sum is less than RequestStats.Media for days
// that were counted before tasks were.
type MediaTasks struct{ Summarize, Extract, Compare int64 }

func (t *MediaTasks) add(task MediaTask) {
	switch task {
	case SummarizeTask:
		t.Summarize++
	case ExtractTask:
		t.Extract++
	case CompareTask:
		t.Compare++
	}
}

// Add counts a request.
func (r *RequestStats) Add(q Request) {
	hour := q.At.UTC().Hour()
	r.Calls++
	r.HourCalls[hour]++
	if q.Status >= 500 {
		r.Errors++
		r.HourErrors[hour]++
	}
	if q.LatencyMillis >= 0 {
		if r.Latency == nil {
			r.Latency = Histogram{}
		}
		r.Millis += q.LatencyMillis
		r.Latency[BucketOf(q.LatencyMillis)]++
	}
	if q.IsMediaCall {
		r.Media++
		r.Tasks.add(q.Task)
	}
}

// Merge adds other totals. The counts by hour are meaningful only when both are of the same day.
func (r *RequestStats) Merge(others *RequestStats) {
	r.Calls += others.Calls
	r.Errors += others.Errors
	r.Millis += others.Millis
	r.Media += others.Media
	r.Tasks.Summarize += others.Tasks.Summarize
	r.Tasks.Extract += others.Tasks.Extract
	r.Tasks.Compare += others.Tasks.Compare
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

// Average returns the mean latency in milliseconds, or 0 if no latency is known.
func (r *RequestStats) Average() float64 {
	if n := r.Latency.Count(); n > 0 {
		return float64(r.Millis) / float64(n)
	}
	return 0
}
