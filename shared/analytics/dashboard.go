package analytics

import (
	"context"
	"errors"
	"sync"
	"time"

	"portside/shared/core/calendar"
)

// Quota is how many bytes may be stored, as the dashboard shows it; nothing is refused above it.
type Quota int64

// Gigabytes returns a quota of so many units of 10⁹ bytes.
func Gigabytes(n int) Quota { return Quota(n) * 1e9 }

// Gigabytes is the quota in units of 10⁹ bytes.
func (q Quota) Gigabytes() float64 { return float64(q) / 1e9 }

// Service answers what the dashboard asks.
type Service struct {
	store Store
	quota Quota
	now   func() time.Time
}

// NewService returns a Service over a store.
func NewService(store Store, quota Quota, now func() time.Time) *Service {
	return &Service{store: store, quota: quota, now: now}
}

// Dashboard is what the service was like in a period.
type Dashboard struct {
	Period   Period
	Metrics  Metrics
	Previous *Dashboard // of the equally long period before; nil unless asked for
	AsOf     time.Time
	Partial  bool // the period is not over
}

// Metrics are the numbers of a period.
type Metrics struct {
	Users       Users
	Projects    Projects
	Storage     *Storage // as last measured in the period or in the week before it; nil: it was not
	Quota       Quota
	Calls       int64
	Pulls       Pulls
	Media       Media
	Performance Performance
}

// Users are counted on the evening of the period's last day.
type Users struct {
	Total, Active int64
	Growth        float64          // percent more than on the evening before the period, two decimals
	ByRole        map[string]int64 // every role
}

// Projects are counted as users are; created and archived is what happened within the period.
type Projects struct {
	Total             int64
	ByStatus          map[string]int64 // every status
	Created, Archived int64
}

// Pulls are charts and images that customers fetched.
type Pulls struct{ Charts, Images int64 }

// Media is how much the media capabilities were used.
type Media struct {
	Calls  int64
	Models Models
}

// Performance is how well the service did.
type Performance struct {
	Uptime            float64 // percent, three decimals
	Timed             int64   // requests whose response time is known; of none, the following are 0
	Average, P95, P99 float64 // milliseconds, one decimal
	Errors            int64   // answers of 500 and above
}

// Dashboard computes the numbers of a period, and with compare those of the period before it as well, from the same reads.
// Errors: those of Asked.Resolve, and of the store.
func (s *Service) Dashboard(ctx context.Context, asked Asked, compare bool) (Dashboard, error) {
	now := s.now().UTC().Truncate(time.Millisecond)
	period, err := asked.Resolve(calendar.DayOf(now))
	if err != nil {
		return Dashboard{}, err
	}
	span := period
	if compare {
		span.First = period.Previous().First
	}
	f, err := s.facts(ctx, span, now, everything)
	if err != nil {
		return Dashboard{}, err
	}
	d := f.dashboard(period)
	if compare {
		previous := f.dashboard(period.Previous())
		d.Previous = &previous
	}
	return d, nil
}

// source is where numbers come from; several of them are their sum.
type source int

const (
	countsSource source = 1 << iota
	requestsSource
	usageSource
	everything = countsSource | requestsSource | usageSource
)

// facts reads what is known of a span, from all sources at the same time.
func (s *Service) facts(ctx context.Context, span Period, now time.Time, from source) (facts, error) {
	f := facts{quota: s.quota, now: now}
	var reading sync.WaitGroup
	var failed [3]error
	read := func(part source, into *error, do func() error) {
		if from&part != 0 {
			reading.Go(func() { *into = do() })
		}
	}
	read(countsSource, &failed[0], func() (err error) {
		f.counts, err = s.store.Counts(ctx, span.First, calendar.DayOf(now))
		return err
	})
	read(requestsSource, &failed[1], func() (err error) {
		f.requests, err = s.store.Requests(ctx, span.First, span.Last)
		return err
	})
	read(usageSource, &failed[2], func() (err error) {
		f.usage, err = s.store.Usage(ctx, span.First-measured, span.Last)
		return err
	})
	reading.Wait()
	return f, errors.Join(failed[:]...)
}
