// Package analytics knows what the dashboard says: of how many users and projects there were, how much was used, and how the
// service performed over a period of days.
//
// Nothing is counted when somebody asks. Every number comes from small items that were added up by the day when things
// happened, so that a year costs a few reads however busy it was; and each can be computed again from what it counts, which
// "portside reconcile" does. All days are UTC.
package analytics

import (
	"context"
	"maps"

	"portside/shared/core/calendar"
)

// Store reads what was added up by the day. Days without anything are missing in its answers.
type Store interface {
	// Counts returns the changes of the counters since a day, and their sums as of now, of one moment.
	Counts(ctx context.Context, since calendar.Day, today calendar.Day) (Counts, error)
	// Requests returns the requests of the days. They are a minute behind, and may be a little more.
	Requests(ctx context.Context, first, last calendar.Day) (map[calendar.Day]*Requests, error)
	// Usage returns what was used on the days.
	Usage(ctx context.Context, first, last calendar.Day) (map[calendar.Day]*Usage, error)
}

// Counters are numbers by name. Those of users: "users", "users:<status>", "role:<role>"; of projects: "projects",
// "project:<status>", and what happens to them: "created", "archived".
type Counters map[string]int64

// Counts are the counters over time.
type Counts struct {
	Now     Counters
	Changes map[calendar.Day]Counters // by how much they changed on each day
}

// At returns how many users and projects there were on the evening of a day, not before the one that Changes go back to the
// morning of. What happens is no number of an evening, and its counters mean nothing there.
func (c Counts) At(day calendar.Day) Counters {
	then := Counters{}
	maps.Copy(then, c.Now)
	for changed, change := range c.Changes {
		if changed > day {
			then.add(change, -1)
		}
	}
	return then
}

// less returns the counters before a change.
func (c Counters) less(change Counters) Counters {
	before := maps.Clone(c)
	before.add(change, -1)
	return before
}

func (c Counters) add(change Counters, times int64) {
	for name, n := range change {
		c[name] += times * n
	}
}

// Usage is what was used on a day.
type Usage struct {
	Storage *Storage // as last measured on the day; nil: it was not
	Charts  int64    // pulls
	Images  int64
	Models  Models
}

// merge adds what was used on another day; the storage is no sum.
func (u *Usage) merge(other *Usage) {
	u.Charts += other.Charts
	u.Images += other.Images
	u.Models.Calls += other.Models.Calls
	u.Models.InputTokens += other.Models.InputTokens
	u.Models.OutputTokens += other.Models.OutputTokens
	u.Models.MicroUSD += other.Models.MicroUSD
}

// Storage is how many bytes are kept.
type Storage struct{ Charts, Media int64 }

// Gigabytes is the sum in units of 10⁹ bytes, with six decimals.
func (s Storage) Gigabytes() float64 { return rounded(float64(s.Charts+s.Media)/1e9, 6) }

// Models is what language models were asked, and what it cost.
type Models struct {
	Calls        int64
	InputTokens  int64
	OutputTokens int64
	MicroUSD     int64 // millionths of a US dollar, as far as prices are known
}

// USD is what it cost in US dollars.
func (m Models) USD() float64 { return float64(m.MicroUSD) / 1e6 }
