package analytics

import (
	"math"
	"time"

	"portside/shared/core/calendar"
	"portside/shared/core/principal"
)

// facts are all that is known of the days of one or two periods. What follows from them is pure arithmetic.
type facts struct {
	counts   Counts
	requests map[calendar.Day]*Requests
	usage    map[calendar.Day]*Usage
	quota    Quota
	now      time.Time
}

// measured is for how many days before a period a measurement of storage is looked for.
const measured = 7

func (f facts) dashboard(p Period) Dashboard {
	return Dashboard{
		Period: p, AsOf: f.now, Partial: f.partial(p),
		Metrics: f.metrics(p, f.counts.At(p.First-1), f.counts.At(p.Last)),
	}
}

// partial reports whether a period includes today.
func (f facts) partial(p Period) bool { return p.Last >= calendar.DayOf(f.now) }

// metrics computes the numbers of a period from the counters on the evening before it and on its last.
func (f facts) metrics(p Period, before, after Counters) Metrics {
	requests, usage := f.over(p)
	return Metrics{
		Users: users(before, after), Projects: f.projects(p, after), Storage: f.storage(p), Quota: f.quota,
		Calls: requests.Calls, Pulls: Pulls{Charts: usage.Charts, Images: usage.Images},
		Media: Media{Calls: requests.Media, Models: usage.Models},
		Performance: Performance{
			Uptime: f.uptime(p), Timed: requests.Latency.Count(), Average: rounded(requests.Average(), 1), Errors: requests.Errors,
			P95: requests.Latency.Percentile(95), P99: requests.Latency.Percentile(99),
		},
	}
}

// over adds up the days of the period.
func (f facts) over(p Period) (*Requests, *Usage) {
	requests, usage := &Requests{}, &Usage{}
	for day := p.First; day <= p.Last; day++ {
		if of := f.requests[day]; of != nil {
			requests.Merge(of)
		}
		if of := f.usage[day]; of != nil {
			usage.merge(of)
		}
	}
	return requests, usage
}

func users(before, after Counters) Users {
	u := Users{
		Total: after["users"], Active: after["users:active"], Growth: growth(before["users"], after["users"]),
		ByRole: map[string]int64{},
	}
	for _, role := range principal.Roles() {
		u.ByRole[string(role)] = after["role:"+string(role)]
	}
	return u
}

// ProjectStatuses lists the statuses that projects are counted by.
func ProjectStatuses() []string {
	return []string{"draft", "active", "on_hold", "completed", "archived"}
}

func (f facts) projects(p Period, after Counters) Projects {
	all := Projects{Total: after["projects"], ByStatus: map[string]int64{}}
	for _, status := range ProjectStatuses() {
		all.ByStatus[status] = after["project:"+status]
	}
	for day := p.First; day <= p.Last; day++ {
		all.Created += f.counts.Changes[day]["created"]
		all.Archived += f.counts.Changes[day]["archived"]
	}
	return all
}

// storage is the last measurement of the period or of the days before it.
func (f facts) storage(p Period) *Storage {
	for day := p.Last; day >= p.First-measured; day-- {
		if of := f.usage[day]; of != nil && of.Storage != nil {
			return of.Storage
		}
	}
	return nil
}

// uptime is 100 less the mean share of failed requests over the hours of the period that have begun. An hour without requests
// has not failed anybody.
func (f facts) uptime(p Period) float64 {
	failed, hours := 0.0, 0
	for day := p.First; day <= p.Last; day++ {
		begun := f.begun(day)
		hours += begun
		if of := f.requests[day]; of != nil {
			failed += of.failed(begun)
		}
	}
	if hours == 0 {
		return 100
	}
	return rounded(100-100*failed/float64(hours), 3)
}

// begun is how many hours of the day have begun.
func (f facts) begun(day calendar.Day) int {
	switch today := calendar.DayOf(f.now); {
	case day < today:
		return 24
	case day > today:
		return 0
	}
	return f.now.UTC().Hour() + 1
}

// growth is by how many percent a number grew. From nothing to something is 100 by definition.
func growth(before, after int64) float64 {
	switch before {
	case after:
		return 0
	case 0:
		return 100
	}
	return rounded(float64(after-before)/float64(before)*100, 2)
}

func rounded(x float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(x*scale) / scale
}
