package analytics_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"portside/shared/analytics"
	"portside/shared/core/calendar"
)

// spyStore is a Store that records its reads. The number of calls on a day equals the day's number.
type spyStore struct {
	reads []string
	err   error
}

func (s *spyStore) Counts(_ context.Context, since, today calendar.Day) (analytics.Counts, error) {
	s.reads = append(s.reads, fmt.Sprintf("counts %d-%d", since, today))
	counts := analytics.Counts{Now: analytics.Counters{"users": int64(len(s.reads))}, Changes: map[calendar.Day]analytics.Counters{}}
	for day := since; day <= today; day++ {
		counts.Changes[day] = analytics.Counters{"users": int64(day)}
	}
	return counts, s.err
}

func (s *spyStore) Requests(_ context.Context, first, last calendar.Day) (map[calendar.Day]*analytics.RequestStats, error) {
	s.reads = append(s.reads, fmt.Sprintf("requests %d-%d", first, last))
	days := map[calendar.Day]*analytics.RequestStats{}
	for day := first; day <= last; day++ {
		days[day] = &analytics.RequestStats{Calls: int64(day)}
	}
	return days, s.err
}

func (s *spyStore) Usage(_ context.Context, first, last calendar.Day) (map[calendar.Day]*analytics.Usage, error) {
	s.reads = append(s.reads, fmt.Sprintf("usage %d-%d", first, last))
	return map[calendar.Day]*analytics.Usage{last: {Charts: int64(last)}}, s.err
}

func (s *spyStore) expect(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(s.reads, want) {
		t.Errorf("read %q, want %q", s.reads, want)
	}
	s.reads = nil
}

func TestCachedStoreReadsPastDaysOnce(t *testing.T) {
	s := &spyStore{}
	now := calendar.Day(100).Begin().Add(12 * time.Hour)
	cache := analytics.NewCachedStore(s, func() time.Time { return now })
	requests := func(first, last calendar.Day) {
		t.Helper()
		days, err := cache.Requests(t.Context(), first, last)
		if err != nil || len(days) != int(last-first)+1 {
			t.Fatalf("got %d days for %d to %d, %v", len(days), first, last, err)
		}
		for day, got := range days {
			if got.Calls != int64(day) || day < first || day > last {
				t.Errorf("%d has %d calls", day, got.Calls)
			}
		}
	}
	requests(90, 100)
	requests(90, 100)
	s.expect(t, "requests 90-100", "requests 99-100")
	requests(90, 98)
	s.expect(t) // the first call read these days
	requests(90, 97)
	requests(90, 97)
	requests(99, 100)
	requests(99, 100)
	s.expect(t, "requests 90-97", "requests 99-100", "requests 99-100")
	now = now.Add(time.Minute)
	requests(90, 97)
	s.expect(t, "requests 90-97")

	for range 2 {
		counts, err := cache.Counts(t.Context(), 90, 100)
		if err != nil || len(counts.Changes) != 11 || counts.Now["users"] != int64(len(s.reads)) {
			t.Errorf("got %v, %v", counts, err)
		}
	}
	for range 2 {
		if days, err := cache.Usage(t.Context(), 83, 100); err != nil || days[100].Charts != 100 {
			t.Errorf("got %v, %v", days, err)
		}
	}
	s.expect(t, "counts 90-100", "counts 99-100", "usage 83-100", "usage 99-100")
}

func TestCachedStoreDoesNotCacheErrors(t *testing.T) {
	s := &spyStore{err: errors.New("store is unavailable")}
	cache := analytics.NewCachedStore(s, calendar.Day(100).Begin)
	for range 2 {
		if _, err := cache.Requests(t.Context(), 1, 2); !errors.Is(err, s.err) {
			t.Errorf("got %v", err)
		}
		if _, err := cache.Counts(t.Context(), 1, 2); !errors.Is(err, s.err) {
			t.Errorf("got %v", err)
		}
	}
	s.expect(t, "requests 1-2", "counts 1-2", "requests 1-2", "counts 1-2")
}

func TestCachedStoreIsBounded(t *testing.T) {
	s := &spyStore{}
	cache := analytics.NewCachedStore(s, calendar.Day(100).Begin)
	for round := range 2 {
		for first := range calendar.Day(40) {
			if _, err := cache.Requests(t.Context(), first, 50); err != nil {
				t.Fatal(round, err)
			}
		}
	}
	if len(s.reads) < 60 {
		t.Errorf("80 requests for 40 periods caused %d reads, want at least 60", len(s.reads))
	}
}
