package analytics

import (
	"fmt"
	"maps"
	"slices"
)

// Difference is a number that is kept for the dashboard, and another that follows from what it counts.
type Difference struct {
	Of            string // which numbers: "counts", "requests", "models" or "pulls"
	Day           string // 2006-01-02, or "total": all days together
	Counter       string
	Kept, Counted int64
}

// Gap is something that cannot be counted again, and is left as it is.
type Gap struct {
	Of, Day string
	Reason  string
}

// Findings is what counting again brings to light.
type Findings struct {
	Differences []Difference
	Gaps        []Gap
}

// Add adds what else was found.
func (f *Findings) Add(more Findings) {
	f.Differences = append(f.Differences, more.Differences...)
	f.Gaps = append(f.Gaps, more.Gaps...)
}

// Compare adds the differences between counters of a day.
func (f *Findings) Compare(of, day string, kept, counted Counters) {
	names := map[string]bool{}
	for _, counters := range []Counters{kept, counted} {
		for name := range counters {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if kept[name] != counted[name] {
			f.Differences = append(f.Differences, Difference{Of: of, Day: day, Counter: name, Kept: kept[name], Counted: counted[name]})
		}
	}
}

// Counters are all numbers of the requests, also those of hours and latencies.
func (r *Requests) Counters() Counters {
	c := Counters{"calls": r.Calls, "errors": r.Errors, "millis": r.Millis, "media": r.Media, "unread": r.Unread}
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

// Counters are all numbers of the models.
func (m Models) Counters() Counters {
	return Counters{"modelCalls": m.Calls, "inputTokens": m.InputTokens, "outputTokens": m.OutputTokens, "microUSD": m.MicroUSD}
}

// Counters are the numbers of the pulls.
func (p Pulls) Counters() Counters { return Counters{"charts": p.Charts, "images": p.Images} }
