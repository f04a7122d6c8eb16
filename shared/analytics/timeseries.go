package analytics

import (
	"context"
	"slices"
	"time"

	"portside/shared/core/calendar"
	"portside/shared/core/fault"
)

// Point is the value of a metric on one day.
type Point struct {
	Day   calendar.Day
	Value *float64 // nil if nothing is known of the day
}

// Series is a metric over the days of a period.
type Series struct {
	Metric  Metric
	Period  Period
	Points  []Point // one for each day, in order
	AsOf    time.Time
	Partial bool // the period includes today
}

// Metric is the name of a number that is available as a series.
type Metric string

// metricDefinition says how to read a metric from the dashboard numbers of one day.
type metricDefinition struct {
	metric   Metric
	source   source
	value    func(Metrics) float64
	hasValue func(Metrics) bool // nil if the metric always has a value
}

// metricDefinitions returns all metrics, named by their path in the dashboard response.
func metricDefinitions() []metricDefinition {
	called := func(m Metrics) bool { return m.Calls > 0 }
	timed := func(m Metrics) bool { return m.Performance.TimedRequests > 0 }
	return []metricDefinition{
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
		{"usage.pulls.checks", usageSource, func(m Metrics) float64 { return float64(m.Pulls.Checks) }, nil},
		{"usage.media.calls", requestsSource, func(m Metrics) float64 { return float64(m.Media.Calls) }, nil},
		{"usage.media.cost", usageSource, func(m Metrics) float64 { return m.Media.Models.USD() }, nil},
		{"performance.uptime", requestsSource, func(m Metrics) float64 { return m.Performance.Uptime }, called},
		{"performance.responseTime.avg", requestsSource, func(m Metrics) float64 { return m.Performance.Average }, timed},
		{"performance.responseTime.p95", requestsSource, func(m Metrics) float64 { return m.Performance.P95 }, timed},
		{"performance.responseTime.p99", requestsSource, func(m Metrics) float64 { return m.Performance.P99 }, timed},
		{"performance.errors", requestsSource, func(m Metrics) float64 { return float64(m.Performance.Errors) }, nil},
	}
}

// AllMetrics lists every metric that is available as a series.
func AllMetrics() []Metric {
	var all []Metric
	for _, m := range metricDefinitions() {
		all = append(all, m.metric)
	}
	return all
}

// findMetric returns the definition of a metric. Its error names the parameter that selects it.
func findMetric(metric Metric, parameter string) (metricDefinition, error) {
	all := metricDefinitions()
	at := slices.IndexFunc(all, func(m metricDefinition) bool { return m.metric == metric })
	if at < 0 {
		return metricDefinition{}, fault.Invalid(invalidParameter(parameter, "must be one of %s", commaSeparated(AllMetrics())))
	}
	return all[at], nil
}

// Series returns a metric for each day of a period: the value that the dashboard has for that day
// alone. It reads only the source of the metric. It returns the errors of PeriodQuery.Resolve and
// of the store, and a validation error for an unknown metric.
func (s *Service) Series(ctx context.Context, query PeriodQuery, metric Metric) (Series, error) {
	now := s.now().UTC().Truncate(time.Millisecond)
	m, err := findMetric(metric, "metric")
	if err != nil {
		return Series{}, err
	}
	period, err := query.Resolve(calendar.DayOf(now))
	if err != nil {
		return Series{}, err
	}
	data, err := s.readDays(ctx, []Period{period}, now, m.source)
	if err != nil {
		return Series{}, err
	}
	return Series{
		Metric: metric, Period: period, Points: data.points(period, m),
		AsOf: now, Partial: data.partial(period),
	}, nil
}

func (d dailyData) points(p Period, m metricDefinition) []Point {
	points := make([]Point, p.Days())
	d.eachDay(p, func(i int, metrics Metrics) {
		points[i] = Point{Day: p.First + calendar.Day(i), Value: m.valueOf(metrics)}
	})
	return points
}

// eachDay visits the numbers of each day of a period. It starts from the last day, because the
// counters at the end of a day follow from those of the day after.
func (d dailyData) eachDay(p Period, visit func(i int, metrics Metrics)) {
	after := d.counts.At(p.Last)
	for i := p.Days() - 1; i >= 0; i-- {
		day := p.First + calendar.Day(i)
		before := after.minus(d.counts.Changes[day])
		visit(i, d.metrics(Period{First: day, Last: day}, before, after))
		after = before
	}
}

// valueOf returns the metric, or nil if nothing is known.
func (m metricDefinition) valueOf(metrics Metrics) *float64 {
	if m.hasValue != nil && !m.hasValue(metrics) {
		return nil
	}
	value := m.value(metrics)
	return &value
}
