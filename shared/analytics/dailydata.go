package analytics

import (
	"math"
	"time"

	"portside/shared/core/calendar"
)

// dailyData is the data of all days of one or two periods. The numbers of the dashboard are pure
// functions of it.
type dailyData struct {
	counts   Counts
	requests map[calendar.Day]*RequestStats
	usage    map[calendar.Day]*Usage
	quota    Quota
	now      time.Time
}

// storageLookbackDays is how many days before a period a measurement of the storage still counts.
const storageLookbackDays = 7

func (d dailyData) dashboard(p Period) Dashboard {
	return Dashboard{
		Period: p, AsOf: d.now, Partial: d.partial(p),
		Metrics: d.metrics(p, d.counts.At(p.First-1), d.counts.At(p.Last)),
	}
}

// partial reports whether a period includes today.
func (d dailyData) partial(p Period) bool { return p.Last >= calendar.DayOf(d.now) }

// metrics computes the numbers of a period from the counters at the end of the day before it and at
// the end of its last day.
func (d dailyData) metrics(p Period, before, after Counters) Metrics {
	requests, usage := d.sum(p)
	return Metrics{
		Users: users(before, after), Projects: d.projects(p, after), Storage: d.storage(p), Quota: d.quota,
		Calls: requests.Calls, Pulls: Pulls{Charts: usage.Charts, Images: usage.Images, Checks: usage.Checks},
		Media: Media{Calls: requests.Media, Tasks: requests.Tasks, Models: usage.Models},
		Performance: Performance{
			Uptime: d.uptime(p), TimedRequests: requests.Latency.Count(), Average: round(requests.Average(), 1), Errors: requests.Errors,
			P95: requests.Latency.Percentile(95), P99: requests.Latency.Percentile(99),
		},
	}
}

// sum adds up the days of the period.
func (d dailyData) sum(p Period) (*RequestStats, *Usage) {
	requests, usage := &RequestStats{}, &Usage{}
	for day := p.First; day <= p.Last; day++ {
		if stats := d.requests[day]; stats != nil {
			requests.Merge(stats)
		}
		if used := d.usage[day]; used != nil {
			usage.add(used)
		}
	}
	return requests, usage
}

// ProjectStatuses lists the statuses that projects are counted by.
func ProjectStatuses() []string {
	return []string{"draft", "active", "on_hold", "completed", "archived"}
}

func (d dailyData) projects(p Period, after Counters) Projects {
	counts := Projects{Total: after["projects"], ByStatus: map[string]int64{}}
	for _, status := range ProjectStatuses() {
		counts.ByStatus[status] = after["project:"+status]
	}
	for day := p.First; day <= p.Last; day++ {
		counts.Created += d.counts.Changes[day]["created"]
		counts.Archived += d.counts.Changes[day]["archived"]
	}
	return counts
}

// storage returns the last measurement in the period or in the days before it.
func (d dailyData) storage(p Period) *StorageBytes {
	for day := p.Last; day >= p.First-storageLookbackDays; day-- {
		if used := d.usage[day]; used != nil && used.Storage != nil {
			return used.Storage
		}
	}
	return nil
}

func round(x float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(x*scale) / scale
}
