package analytics

import (
	"context"
	"errors"
	"sync"
	"time"

	"portside/shared/core/calendar"
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
	Previous *Dashboard // the equally long period before; nil unless requested
	AsOf     time.Time  // when the numbers were computed
	Partial  bool       // the period includes today
}

// Dashboard computes the numbers of a period. With compare it also computes those of the period
// before, from the same reads. It returns the errors of PeriodQuery.Resolve and of the store.
func (s *Service) Dashboard(ctx context.Context, query PeriodQuery, compare bool) (Dashboard, error) {
	now := s.now().UTC().Truncate(time.Millisecond)
	period, err := query.Resolve(calendar.DayOf(now))
	if err != nil {
		return Dashboard{}, err
	}
	span := period
	if compare {
		span.First = period.Previous().First
	}
	data, err := s.readDays(ctx, span, now, allSources)
	if err != nil {
		return Dashboard{}, err
	}
	d := data.dashboard(period)
	if compare {
		previous := data.dashboard(period.Previous())
		d.Previous = &previous
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

// readDays reads the data of a span of days from the given sources, all at the same time.
func (s *Service) readDays(ctx context.Context, span Period, now time.Time, from source) (dailyData, error) {
	data := dailyData{quota: s.quota, now: now}
	var readers sync.WaitGroup
	var errs [3]error
	read := func(wanted source, err *error, do func() error) {
		if from&wanted != 0 {
			readers.Go(func() { *err = do() })
		}
	}
	read(countsSource, &errs[0], func() (err error) {
		data.counts, err = s.store.Counts(ctx, span.First, calendar.DayOf(now))
		return err
	})
	read(requestsSource, &errs[1], func() (err error) {
		data.requests, err = s.store.Requests(ctx, span.First, span.Last)
		return err
	})
	read(usageSource, &errs[2], func() (err error) {
		data.usage, err = s.store.Usage(ctx, span.First-storageLookbackDays, span.Last)
		return err
	})
	readers.Wait()
	return data, errors.Join(errs[:]...)
}
