package analytics

import (
	"fmt"
	"maps"
	"slices"
)

// Difference is a number that the dashboard stores and that differs from a new count.
type Difference struct {
	Source            string // the source of the number: "counts", "requests", "models" or "pulls"
	Day               string // 2006-01-02, or "total" for all days together
	Counter           string
	Stored, Recounted int64
}

// Gap is a day that cannot be counted again. Its numbers stay unchanged.
type Gap struct {
	Source, Day string
	Reason      string
}

// Findings are the results of counting again.
type Findings struct {
	Differences []Difference
	Gaps        []Gap
}

// Add appends other findings.
func (f *Findings) Add(more Findings) {
	f.Differences = append(f.Differences, more.Differences...)
	f.Gaps = append(f.Gaps, more.Gaps...)
}

// Compare appends the differences between the stored and the recounted counters of a day.
func (f *Findings) Compare(source, day string, stored, recounted Counters) {
	names := map[string]bool{}
	for _, counters := range []Counters{stored, recounted} {
		for name := range counters {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if stored[name] == recounted[name] {
			continue
		}
		f.Differences = append(f.Differences, Difference{
			Source: source, Day: day, Counter: name, Stored: stored[name], Recounted: recounted[name],
		})
	}
}

// Counters returns all numbers of the requests by name, including those of each hour and of each
// latency bucket.
func (r *RequestStats) Counters() Counters {
	c := Counters{
		"calls": r.Calls, "errors": r.Errors, "millis": r.Millis, "media": r.Media, "unread": r.Unread,
		"summarize": r.Tasks.Summarize, "extract": r.Tasks.Extract, "compare": r.Tasks.Compare,
	}
	for hour := range r.HourCalls {
		c[fmt.Sprintf("calls from %02d:00", hour)] = r.HourCalls[hour]
		c[fmt.Sprintf("errors from %02d:00", hour)] = r.HourErrors[hour]
	}
	for bucket, n := range r.Latency {
		first, last := bucket.Bounds()
		c[fmt.Sprintf("took %06d to %06d ms", first, last)] = n
	}
	return c
}

// Counters returns all numbers of the model calls by name.
func (m ModelUsage) Counters() Counters {
	return Counters{"modelCalls": m.Calls, "inputTokens": m.InputTokens, "outputTokens": m.OutputTokens, "microUSD": m.MicroUSD}
}

// Counters returns the numbers of pulls by name.
func (p Pulls) Counters() Counters {
	return Counters{"charts": p.Charts, "images": p.Images, "checks": p.Checks}
}
