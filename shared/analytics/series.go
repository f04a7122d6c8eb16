package analytics

import (
	"context"
	"slices"
	"time"

	"portside/shared/core/calendar"
	"portside/shared/core/fault"
)

// Point is a number of one day.
type Point struct {
	Day   calendar.Day
	Value *float64 // nil: nothing is known of the day
}

// Series is a number over the days of a period.
type Series struct {
	Metric  Metric
	Period  Period
	Points  []Point // of every day, in their order
	AsOf    time.Time
	Partial bool // the period is not over
}

// Metric is the name of a number that there are series of.
type Metric string

// measure says how a metric is read off the dashboard of a day alone.
type measure struct {
	metric Metric
	from   source
	of     func(Metrics) float64
	known  func(Metrics) bool // nil: it always is
}

// measures are all metrics, as the answer of the dashboard calls them.
func measures() []measure {
	timed := func(m Metrics) bool { return m.Performance.Timed > 0 }
	return []measure{
		{"users.total", countsSource, func(m Metrics) float64 { return float64(m.Users.Total) }, nil},
		{"users.active", countsSource, func(m Metrics) float64 { return float64(m.Users.Active) }, nil},
		{"projects.total", countsSource, func(m Metrics) float64 { return float64(m.Projects.Total) }, nil},
		{"projects.created", countsSource, func(m Metrics) float64 { return float64(m.Projects.Created) }, nil},
		{"projects.archived", countsSource, func(m Metrics) float64 { return float64(m.Projects.Archived) }, nil},
		{"usage.api.calls", requestsSource, func(m Metrics) float64 { return float64(m.Calls) }, nil},
		{"usage.api.avgResponseTime", requestsSource, func(m Metrics) float64 { return m.Performance.Average }, timed},
		{"usage.storage.used", usageSource, func(m Metrics) float64 { return m.Storage.Gigabytes() }, func(m Metrics) bool { return m.Storage != nil }},
		{"usage.pulls.charts", usageSource, func(m Metrics) float64 { return float64(m.Pulls.Charts) }, nil},
		{"usage.pulls.images", usageSource, func(m Metrics) float64 { return float64(m.Pulls.Images) }, nil},
		{"usage.media.calls", requestsSource, func(m Metrics) float64 { return float64(m.Media.Calls) }, nil},
		{"usage.media.cost", usageSource, func(m Metrics) float64 { return m.Media.Models.USD() }, nil},
		{"performance.uptime", requestsSource, func(m Metrics) float64 { return m.Performance.Uptime }, nil},
		{"performance.responseTime.avg", requestsSource, func(m Metrics) float64 { return m.Performance.Average }, timed},
		{"performance.responseTime.p95", requestsSource, func(m Metrics) float64 { return m.Performance.P95 }, timed},
		{"performance.responseTime.p99", requestsSource, func(m Metrics) float64 { return m.Performance.P99 }, timed},
		{"performance.errors", requestsSource, func(m Metrics) float64 { return float64(m.Performance.Errors) }, nil},
	}
}

// AllMetrics lists every metric that there are series of.
func AllMetrics() []Metric {
	var all []Metric
	for _, m := range measures() {
		all = append(all, m.metric)
	}
	return all
}

func find(metric Metric) (measure, error) {
	all := measures()
	at := slices.IndexFunc(all, func(m measure) bool { return m.metric == metric })
	if at < 0 {
		return measure{}, fault.Invalid(problem("metric", "must be one of %s", listed(AllMetrics())))
	}
	return all[at], nil
}

// Series returns a metric of each day of a period: what the dashboard says of that day alone. It reads only the source that the
// metric comes from. Errors: those of Asked.Resolve, and of the store; and an unknown metric.
func (s *Service) Series(ctx context.Context, asked Asked, metric Metric) (Series, error) {
	now := s.now().UTC().Truncate(time.Millisecond)
	m, err := find(metric)
	if err != nil {
		return Series{}, err
	}
	period, err := asked.Resolve(calendar.DayOf(now))
	if err != nil {
		return Series{}, err
	}
	f, err := s.facts(ctx, period, now, m.from)
	if err != nil {
		return Series{}, err
	}
	return Series{
		Metric: metric, Period: period, Points: f.points(period, m), AsOf: now, Partial: f.partial(period),
	}, nil
}

// points goes back from the last day, so that the counters of each evening follow from those of the next.
func (f facts) points(p Period, m measure) []Point {
	points := make([]Point, p.Days())
	after := f.counts.At(p.Last)
	for i := len(points) - 1; i >= 0; i-- {
		day := p.First + calendar.Day(i)
		before := after.less(f.counts.Changes[day])
		points[i] = m.point(day, f.metrics(Period{First: day, Last: day}, before, after))
		after = before
	}
	return points
}

func (m measure) point(day calendar.Day, of Metrics) Point {
	if m.known != nil && !m.known(of) {
		return Point{Day: day}
	}
	value := m.of(of)
	return Point{Day: day, Value: &value}
}
