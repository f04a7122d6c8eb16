package analytics

import (
	"context"
	"time"

	"portside/shared/core/calendar"
)

// Columns are metrics over the days of a period.
type Columns struct {
	Period Period
	Values map[Metric][]*float64 // one for each day, in order; nil if nothing is known of the day
}

// Daily holds several metrics for each day of a period.
type Daily struct {
	Columns
	Compared *Columns // of the period that this one is compared with; nil unless requested
	AsOf     time.Time
	Partial  bool // the period includes today
}

// Daily returns metrics for each day of a period, and of the period that it is compared with. The
// values equal those of Series; each source is read once. An empty metrics list means all metrics.
// It returns the errors of Series.
func (s *Service) Daily(ctx context.Context, query PeriodQuery, metrics []Metric, with Comparison) (Daily, error) {
	now := s.now().UTC().Truncate(time.Millisecond)
	selected, sources, err := findMetrics(metrics)
	if err != nil {
		return Daily{}, err
	}
	period, other, err := query.resolveBoth(with, calendar.DayOf(now))
	if err != nil {
		return Daily{}, err
	}
	data, err := s.readDays(ctx, spans(period, other), now, sources)
	if err != nil {
		return Daily{}, err
	}
	daily := Daily{Columns: data.columns(period, selected), AsOf: now, Partial: data.partial(period)}
	if other != nil {
		compared := data.columns(*other, selected)
		daily.Compared = &compared
	}
	return daily, nil
}

// findMetrics returns the definitions of metrics, and the sources that they are read from.
func findMetrics(metrics []Metric) (selected []metricDefinition, from source, err error) {
	if len(metrics) == 0 {
		metrics = AllMetrics()
	}
	for _, metric := range metrics {
		m, err := findMetric(metric, "metrics")
		if err != nil {
			return nil, 0, err
		}
		selected, from = append(selected, m), from|m.source
	}
	return selected, from, nil
}

func (d dailyData) columns(p Period, selected []metricDefinition) Columns {
	values := make(map[Metric][]*float64, len(selected))
	for _, m := range selected {
		values[m.metric] = make([]*float64, p.Days())
	}
	d.eachDay(p, func(i int, metrics Metrics) {
		for _, m := range selected {
			values[m.metric][i] = m.valueOf(metrics)
		}
	})
	return Columns{Period: p, Values: values}
}
