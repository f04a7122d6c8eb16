package analytics

import (
	"context"
	"maps"
	"sync"
	"time"

	"portside/shared/core/calendar"
)

// Memory is a Store that reads past days again only after a while. A dashboard is asked for again and again, and what was the
// day before yesterday and earlier hardly ever changes: by a log that comes late, or by a repair. Yesterday and today are
// always read.
//
// A function that answers the same period again so reads two days instead of a year. The first answer costs as many calls as
// without a Memory.
type Memory struct {
	store    Store
	now      func() time.Time
	changes  remembered[Counters]
	requests remembered[*Requests]
	usage    remembered[*Usage]
}

// How long past days are remembered, and for how many ranges of them.
const (
	remember  = time.Minute
	mostKnown = 16
)

// NewMemory returns a Memory of the store. What it returns must not be changed.
func NewMemory(store Store, now func() time.Time) *Memory { return &Memory{store: store, now: now} }

// Counts implements Store.
func (m *Memory) Counts(ctx context.Context, since, today calendar.Day) (Counts, error) {
	var counts Counts
	changes, err := m.changes.recall(m.now(), Period{First: since, Last: today}, func(
		first, _ calendar.Day,
	) (_ map[calendar.Day]Counters, err error) {
		counts, err = m.store.Counts(ctx, first, today)
		return counts.Changes, err
	})
	return Counts{Now: counts.Now, Changes: changes}, err
}

// Requests implements Store.
func (m *Memory) Requests(ctx context.Context, first, last calendar.Day) (map[calendar.Day]*Requests, error) {
	return m.requests.recall(m.now(), Period{First: first, Last: last}, func(first, last calendar.Day) (map[calendar.Day]*Requests, error) {
		return m.store.Requests(ctx, first, last)
	})
}

// Usage implements Store.
func (m *Memory) Usage(ctx context.Context, first, last calendar.Day) (map[calendar.Day]*Usage, error) {
	return m.usage.recall(m.now(), Period{First: first, Last: last}, func(first, last calendar.Day) (map[calendar.Day]*Usage, error) {
		return m.store.Usage(ctx, first, last)
	})
}

// remembered are the days of ranges that are past. The zero value remembers none.
type remembered[T any] struct {
	mu     sync.Mutex
	ranges map[Period]recollection[T]
}

type recollection[T any] struct {
	days map[calendar.Day]T
	at   time.Time
}

// recall returns the days of a range and reads only those that are not remembered.
func (r *remembered[T]) recall(
	now time.Time, p Period, read func(first, last calendar.Day) (map[calendar.Day]T, error),
) (map[calendar.Day]T, error) {
	past := Period{First: p.First, Last: min(p.Last, calendar.DayOf(now)-2)}
	known, found := r.get(past, now)
	if found && past.Last == p.Last {
		return known, nil
	}
	if found {
		p.First = past.Last + 1
	}
	days, err := read(p.First, p.Last)
	switch {
	case err != nil:
		return nil, err
	case found:
		maps.Copy(days, known)
	case past.First <= past.Last:
		r.keep(past, days, now)
	}
	return days, nil
}

func (r *remembered[T]) get(past Period, now time.Time) (_ map[calendar.Day]T, found bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known, found := r.ranges[past]
	return known.days, found && now.Sub(known.at) < remember
}

// keep notes the past days of a range, and forgets all others when they become too many.
func (r *remembered[T]) keep(past Period, days map[calendar.Day]T, now time.Time) {
	kept := maps.Clone(days)
	maps.DeleteFunc(kept, func(day calendar.Day, _ T) bool { return day < past.First || day > past.Last })
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ranges == nil || len(r.ranges) >= mostKnown {
		r.ranges = map[Period]recollection[T]{}
	}
	r.ranges[past] = recollection[T]{kept, now}
}
