package analytics

import (
	"context"
	"maps"
	"sync"
	"time"

	"portside/shared/core/calendar"
)

// CachedStore is a Store that caches past days for a short time. Users look at the same dashboard
// again and again, and days before yesterday rarely change: only when a log arrives late, or when a
// repair changes them. Today and yesterday are always read from the store.
//
// So a function that answers for the same period again reads two days instead of a yeac. The first
// answer costs as many calls as without the cache.
type CachedStore struct {
	store    Store
	now      func() time.Time
	changes  dayCache[Counters]
	requests dayCache[*RequestStats]
	usage    dayCache[*Usage]
}

// How long past days stay in the cache, and for how many periods.
const (
	cacheLifetime    = time.Minute
	maxCachedPeriods = 16
)

// NewCachedStore returns a cache in front of the store. Callers must not change the values that it
// returns.
func NewCachedStore(store Store, now func() time.Time) *CachedStore {
	return &CachedStore{store: store, now: now}
}

// Counts implements Store.
func (s *CachedStore) Counts(ctx context.Context, since, today calendar.Day) (Counts, error) {
	var counts Counts
	period := Period{First: since, Last: today}
	changes, err := s.changes.load(s.now(), period, func(first, _ calendar.Day) (_ map[calendar.Day]Counters, err error) {
		counts, err = s.store.Counts(ctx, first, today)
		return counts.Changes, err
	})
	return Counts{Now: counts.Now, Changes: changes}, err
}

// Requests implements Store.
func (s *CachedStore) Requests(ctx context.Context, first, last calendar.Day) (map[calendar.Day]*RequestStats, error) {
	return s.requests.load(s.now(), Period{First: first, Last: last}, func(first, last calendar.Day) (map[calendar.Day]*RequestStats, error) {
		return s.store.Requests(ctx, first, last)
	})
}

// Usage implements Store.
func (s *CachedStore) Usage(ctx context.Context, first, last calendar.Day) (map[calendar.Day]*Usage, error) {
	return s.usage.load(s.now(), Period{First: first, Last: last}, func(first, last calendar.Day) (map[calendar.Day]*Usage, error) {
		return s.store.Usage(ctx, first, last)
	})
}

// dayCache holds the past days of several periods. The zero value is empty.
type dayCache[T any] struct {
	mu      sync.Mutex
	periods map[Period]cachedDays[T]
}

type cachedDays[T any] struct {
	days   map[calendar.Day]T
	readAt time.Time
}

// load returns the days of a period and reads only the days that are not in the cache.
func (c *dayCache[T]) load(
	now time.Time, p Period, read func(first, last calendar.Day) (map[calendar.Day]T, error),
) (map[calendar.Day]T, error) {
	past := Period{First: p.First, Last: min(p.Last, calendar.DayOf(now)-2)}
	cached, isCached := c.get(past, now)
	if isCached && past.Last == p.Last {
		return cached, nil
	}
	if isCached {
		p.First = past.Last + 1
	}
	days, err := read(p.First, p.Last)
	switch {
	case err != nil:
		return nil, err
	case isCached:
		maps.Copy(days, cached)
	case past.First <= past.Last:
		c.put(past, days, now)
	}
	return days, nil
}

func (c *dayCache[T]) get(past Period, now time.Time) (_ map[calendar.Day]T, isCached bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	cached, found := c.periods[past]
	return cached.days, found && now.Sub(cached.readAt) < cacheLifetime
}

// put stores the past days of a period. It first empties a cache that is full.
func (c *dayCache[T]) put(past Period, days map[calendar.Day]T, now time.Time) {
	pastDays := maps.Clone(days)
	maps.DeleteFunc(pastDays, func(day calendar.Day, _ T) bool { return day < past.First || day > past.Last })
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.periods == nil || len(c.periods) >= maxCachedPeriods {
		c.periods = map[Period]cachedDays[T]{}
	}
	c.periods[past] = cachedDays[T]{pastDays, now}
}
