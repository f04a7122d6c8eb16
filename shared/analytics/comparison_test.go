package analytics_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"portside/shared/analytics"
	"portside/shared/core/calendar"
	"portside/testclient/scale"
)

func TestYearAgo(t *testing.T) {
	for _, test := range []struct{ first, last, wantFirst, wantLast string }{
		{"2026-11-01", "2026-11-21", "2025-11-01", "2025-11-21"},
		{"2026-12-28", "2027-01-03", "2025-12-28", "2026-01-03"},
		{"2024-02-01", "2024-02-29", "2023-02-01", "2023-02-28"}, // one day less
		{"2024-02-29", "2024-02-29", "2023-02-28", "2023-02-28"},
		{"2024-02-29", "2024-03-01", "2023-02-28", "2023-03-01"},
		{"2025-02-01", "2025-02-28", "2024-02-01", "2024-02-28"}, // not the 29th
		{"2025-02-28", "2025-03-01", "2024-02-28", "2024-03-01"}, // one day more
		{"2025-01-01", "2025-12-31", "2024-01-01", "2024-12-31"},
		{"2021-11-22", "2026-11-21", "2020-11-22", "2025-11-21"}, // overlaps
	} {
		p := analytics.Period{Kind: analytics.Custom, First: day(t, test.first), Last: day(t, test.last)}
		want := analytics.Period{Kind: analytics.Custom, First: day(t, test.wantFirst), Last: day(t, test.wantLast)}
		if got := p.YearAgo(); got != want {
			t.Errorf("%s to %s: got %s to %s, want %s to %s", p.First, p.Last, got.First, got.Last, want.First, want.Last)
		}
	}
}

// yesterdays is a store whose numbers of a day depend only on the day. It records the days that were read.
type yesterdays struct {
	mu   sync.Mutex
	read map[calendar.Day]bool
}

func (y *yesterdays) Counts(_ context.Context, since, today calendar.Day) (analytics.Counts, error) {
	counts := analytics.Counts{Now: analytics.Counters{"users": int64(today) + 1}, Changes: map[calendar.Day]analytics.Counters{}}
	for day := since; day <= today; day++ {
		counts.Changes[day] = analytics.Counters{"users": 1}
	}
	return counts, nil
}

func (y *yesterdays) Requests(_ context.Context, first, last calendar.Day) (map[calendar.Day]*analytics.RequestStats, error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	found := map[calendar.Day]*analytics.RequestStats{}
	for day := first; day <= last; day++ {
		y.read[day] = true
		found[day] = &analytics.RequestStats{Calls: int64(day)}
	}
	return found, nil
}

func (y *yesterdays) Usage(_ context.Context, first, last calendar.Day) (map[calendar.Day]*analytics.Usage, error) {
	found := map[calendar.Day]*analytics.Usage{}
	for day := first; day <= last; day += 5 - day%5 {
		found[day] = &analytics.Usage{Charts: int64(day), Storage: &analytics.StorageBytes{Charts: int64(day)}}
	}
	return found, nil
}

// A comparison has the same numbers as a dashboard of the other period alone, and reads at most a
// week that neither needs.
func TestComparisonEqualsDashboardOfTheOtherPeriod(t *testing.T) {
	now := time.Date(2028, 3, 1, 12, 0, 0, 0, time.UTC)
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		store := &yesterdays{read: map[calendar.Day]bool{}}
		service := analytics.NewService(store, 1, func() time.Time { return now })
		last := calendar.DayOf(now) - calendar.Day(rapid.IntRange(0, 800).Draw(t, "end"))
		first := last - calendar.Day(rapid.IntRange(0, 800).Draw(t, "days"))
		with := rapid.SampledFrom(analytics.Comparisons()).Draw(t, "with")
		got := ask(t, service, analytics.Period{First: first, Last: last}, with)
		read := len(store.read)
		alone := ask(t, service, got.Period, "")
		other := ask(t, service, got.Compared.Period, "")
		if diff := cmp.Diff(alone.Metrics, got.Metrics) + cmp.Diff(other, *got.Compared); diff != "" {
			t.Error(diff)
		}
		if most := alone.Period.Days() + other.Period.Days() + 7; read > most {
			t.Errorf("read %d days, want at most %d", read, most)
		}
	})
}

func ask(t *rapid.T, service *analytics.Service, p analytics.Period, with analytics.Comparison) analytics.Dashboard {
	d, err := service.Dashboard(t.Context(), analytics.PeriodQuery{Kind: analytics.Custom, From: &p.First, To: &p.Last}, with)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func ExamplePeriod_YearAgo() {
	today, _ := calendar.ParseDay("2026-11-21")
	period, _ := analytics.PeriodQuery{Kind: analytics.ThisMonth}.Resolve(today)
	fmt.Println(period.YearAgo().First, period.YearAgo().Last)
	// Output: 2025-11-01 2025-11-21
}
