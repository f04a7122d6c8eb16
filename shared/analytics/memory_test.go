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

// shelf is a Store that notes what is read of it. Each day has as many calls as its number.
type shelf struct {
	read []string
	fail error
}

func (s *shelf) Counts(_ context.Context, since, today calendar.Day) (analytics.Counts, error) {
	s.read = append(s.read, fmt.Sprintf("counts %d-%d", since, today))
	counts := analytics.Counts{Now: analytics.Counters{"users": int64(len(s.read))}, Changes: map[calendar.Day]analytics.Counters{}}
	for day := since; day <= today; day++ {
		counts.Changes[day] = analytics.Counters{"users": int64(day)}
	}
	return counts, s.fail
}

func (s *shelf) Requests(_ context.Context, first, last calendar.Day) (map[calendar.Day]*analytics.Requests, error) {
	s.read = append(s.read, fmt.Sprintf("requests %d-%d", first, last))
	days := map[calendar.Day]*analytics.Requests{}
	for day := first; day <= last; day++ {
		days[day] = &analytics.Requests{Calls: int64(day)}
	}
	return days, s.fail
}

func (s *shelf) Usage(_ context.Context, first, last calendar.Day) (map[calendar.Day]*analytics.Usage, error) {
	s.read = append(s.read, fmt.Sprintf("usage %d-%d", first, last))
	return map[calendar.Day]*analytics.Usage{last: {Charts: int64(last)}}, s.fail
}

func (s *shelf) expect(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(s.read, want) {
		t.Errorf("read %q, want %q", s.read, want)
	}
	s.read = nil
}

func TestPastDaysAreRemembered(t *testing.T) {
	s := &shelf{}
	now := calendar.Day(100).Begin().Add(12 * time.Hour)
	memory := analytics.NewMemory(s, func() time.Time { return now })
	requests := func(first, last calendar.Day) {
		t.Helper()
		days, err := memory.Requests(t.Context(), first, last)
		if err != nil || len(days) != int(last-first)+1 {
			t.Fatalf("got %d days of %d to %d, %v", len(days), first, last, err)
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
	s.expect(t) // its days were read with the others
	requests(90, 97)
	requests(90, 97)
	requests(99, 100)
	requests(99, 100)
	s.expect(t, "requests 90-97", "requests 99-100", "requests 99-100")
	now = now.Add(time.Minute)
	requests(90, 97)
	s.expect(t, "requests 90-97")

	for range 2 {
		counts, err := memory.Counts(t.Context(), 90, 100)
		if err != nil || len(counts.Changes) != 11 || counts.Now["users"] != int64(len(s.read)) {
			t.Errorf("got %v, %v", counts, err)
		}
	}
	for range 2 {
		if days, err := memory.Usage(t.Context(), 83, 100); err != nil || days[100].Charts != 100 {
			t.Errorf("got %v, %v", days, err)
		}
	}
	s.expect(t, "counts 90-100", "counts 99-100", "usage 83-100", "usage 99-100")
}

func TestFailuresAreNotRemembered(t *testing.T) {
	s := &shelf{fail: errors.New("away")}
	memory := analytics.NewMemory(s, time.Now)
	for range 2 {
		if _, err := memory.Requests(t.Context(), 1, 2); !errors.Is(err, s.fail) {
			t.Errorf("got %v", err)
		}
		if _, err := memory.Counts(t.Context(), 1, 2); !errors.Is(err, s.fail) {
			t.Errorf("got %v", err)
		}
	}
	s.expect(t, "requests 1-2", "counts 1-2", "requests 1-2", "counts 1-2")
}

func TestMemoryIsBounded(t *testing.T) {
	s := &shelf{}
	memory := analytics.NewMemory(s, time.Now)
	for round := range 2 {
		for first := range calendar.Day(40) {
			if _, err := memory.Requests(t.Context(), first, 50); err != nil {
				t.Fatal(round, err)
			}
		}
	}
	if len(s.read) < 60 {
		t.Errorf("of 80 requests for 40 ranges only %d were read", len(s.read))
	}
}
