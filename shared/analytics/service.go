package analytics

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"portside/shared/core/calendar"
	"portside/shared/core/parallel"
)

// Service answers the requests of the dashboard.
type Service struct {
	store Store
	quota Quota
	now   func() time.Time
}

// NewService returns a Service that reads from a store.
func NewService(store Store, quota Quota, now func() time.Time) *Service {
	return &Service{store: store, quota: quota, now: now}
}

// Dashboard holds the numbers of a period.
type Dashboard struct {
	Period   Period
	Metrics  Metrics
	Compared *Dashboard // the period that this one is compared with; nil unless requested
	AsOf     time.Time  // when the numbers were computed
	Partial  bool       // the period includes today
}

// Dashboard computes the numbers of a period and of the period that it is compared with, from the
// same reads. It returns the errors of PeriodQuery.Resolve and CheckComparison, and of
// the store.
func (s *Service) Dashboard(ctx context.Context, query PeriodQuery, with Comparison) (Dashboard, error) {
	now := s.now().UTC().Truncate(time.Millisecond)
	period, other, err := query.resolveBoth(with, calendar.DayOf(now))
	if err != nil {
		return Dashboard{}, err
	}
	data, err := s.readDays(ctx, spans(period, other), now, allSources)
	if err != nil {
		return Dashboard{}, err
	}
	d := data.dashboard(period)
	if other != nil {
		compared := data.dashboard(*other)
		d.Compared = &compared
	}
	return d, nil
}

// source is a bit set of the places that the numbers come from.
type source int

const (
	countsSource source = 1 << iota
	requestsSource
	usageSource
	allSources = countsSource | requestsSource | usageSource
)

// readDays reads the data of spans of days, in order, from the given sources, all at the same time.
func (s *Service) readDays(ctx context.Context, spans []Period, now time.Time, from source) (dailyData, error) {
	data := dailyData{quota: s.quota, now: now}
	var readers sync.WaitGroup
	var errs [3]error
	read := func(wanted source, err *error, do func() error) {
		if from&wanted != 0 {
			readers.Go(func() { *err = do() })
		}
	}
	read(countsSource, &errs[0], func() (err error) {
		data.counts, err = s.store.Counts(ctx, spans[0].First, calendar.DayOf(now))
		return err
	})
	read(requestsSource, &errs[1], func() (err error) {
		data.requests, err = readSpans(spans, func(p Period) (map[calendar.Day]*RequestStats, error) {
			return s.store.Requests(ctx, p.First, p.Last)
		})
		return err
	})
	read(usageSource, &errs[2], func() (err error) {
		data.usage, err = readSpans(spans, func(p Period) (map[calendar.Day]*Usage, error) {
			return s.store.Usage(ctx, p.First-storageLookbackDays, p.Last)
		})
		return err
	})
	readers.Wait()
	return data, errors.Join(errs[:]...)
}

// readSpans reads the days of all spans at the same time.
func readSpans[T any](spans []Period, read func(Period) (map[calendar.Day]T, error)) (map[calendar.Day]T, error) {
	found := make([]map[calendar.Day]T, len(spans))
	err := parallel.Each(len(spans), len(spans), func(i int) (err error) {
		found[i], err = read(spans[i])
		return err
	})
	all := found[0]
	for _, more := range found[1:] {
		all = maps.Clone(all) // it may belong to a cache
		maps.Copy(all, more)
	}
	return all, err
}
