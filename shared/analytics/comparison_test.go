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
		t.Run(test.first+" to "+test.last, func(t *testing.T) {
			p := analytics.Period{Kind: analytics.Custom, First: day(t, test.first), Last: day(t, test.last)}
			want := analytics.Period{Kind: analytics.Custom, First: day(t, test.wantFirst), Last: day(t, test.wantLast)}
			if got := p.YearAgo(); got != want {
				t.Errorf("got %s to %s, want %s to %s", got.First, got.Last, want.First, want.Last)
			}
		})
	}
}

func TestUnitBefore(t *testing.T) {
	for _, test := range []struct{ first, last, today, wantFirst, wantLast string }{
		{"2026-10-01", "2026-10-31", "2026-11-21", "2026-09-01", "2026-09-30"}, // October has one day more
		{"2026-07-01", "2026-09-30", "2026-11-21", "2026-04-01", "2026-06-30"},
		{"2024-01-01", "2024-12-31", "2026-11-21", "2023-01-01", "2023-12-31"},
		{"2026-12-28", "2027-01-03", "2027-01-09", "2026-12-21", "2026-12-27"}, // week 53
		{"2024-03-01", "2024-03-01", "2026-11-21", "2024-02-29", "2024-02-29"},
		{"2026-10-01", "2026-10-20", "2026-11-21", "2026-09-01", "2026-09-20"}, // the beginning of October
		{"2026-10-05", "2026-10-09", "2026-11-21", "2026-09-28", "2026-10-02"}, // Monday to Friday
		{"2026-06-01", "2026-06-05", "2026-11-21", "2026-05-25", "2026-05-29"}, // begins a week and a month: the smaller one
		{"2026-06-01", "2026-06-10", "2026-11-21", "2026-05-01", "2026-05-10"},
		{"2026-04-01", "2026-05-31", "2026-11-21", "2026-01-01", "2026-02-28"}, // two of three months
		{"2024-01-01", "2024-04-29", "2026-11-21", "2023-01-01", "2023-04-29"},
		{"2027-03-01", "2027-03-31", "2027-03-31", "2027-02-01", "2027-02-28"},
		{"2027-02-01", "2027-02-28", "2027-02-28", "2027-01-01", "2027-01-28"}, // the last day is not over
		{"2027-02-01", "2027-02-28", "2027-03-01", "2027-01-01", "2027-01-31"},
		{"2026-10-10", "2026-10-20", "2026-11-21", "", ""},
		{"2026-10-05", "2026-10-12", "2026-11-21", "", ""}, // eight days from a Monday
		{"2026-10-01", "2027-01-01", "2027-01-01", "", ""},
		{"2024-01-01", "2025-12-31", "2026-11-21", "", ""}, // two years
	} {
		t.Run(test.first+" to "+test.last+" on "+test.today, func(t *testing.T) {
			p := analytics.Period{Kind: analytics.Custom, First: day(t, test.first), Last: day(t, test.last)}
			got, isUnit := p.UnitBefore(day(t, test.today))
			if isUnit != (test.wantFirst != "") || isUnit && (got.First.String() != test.wantFirst || got.Last.String() != test.wantLast) {
				t.Errorf("got %s to %s, %t; want %s to %s", got.First, got.Last, isUnit, test.wantFirst, test.wantLast)
			}
		})
	}
}

// unit is a calendar unit in the words of package time.
type unit struct {
	name  string
	of    func(time.Time) string // the same for all days of a unit
	place func(time.Time) int    // of a day in its unit: later days have larger places, and the same days of other units the same place
}

// units returns all units, the smallest first.
func units() []unit {
	return []unit{
		{"day", func(at time.Time) string { return at.Format(time.DateOnly) }, func(time.Time) int { return 0 }},
		{"week", func(at time.Time) string { return fmt.Sprint(at.ISOWeek()) }, func(at time.Time) int { return (int(at.Weekday()) + 6) % 7 }},
		{"month", func(at time.Time) string { return at.Format("2006-01") }, time.Time.Day},
		{
			"quarter", func(at time.Time) string { return fmt.Sprint(at.Year(), (at.Month()-1)/3) },
			func(at time.Time) int { return int(at.Month()-1)%3*100 + at.Day() },
		},
		{"year", func(at time.Time) string { return at.Format("2006") }, func(at time.Time) int { return int(at.Month())*100 + at.Day() }},
	}
}

// isIn reports whether a period begins the unit and does not continue after it.
func (u unit) isIn(p analytics.Period) bool {
	first := u.of(p.First.Begin())
	return first == u.of(p.Last.Begin()) && first != u.of((p.First-1).Begin())
}

// before returns the days of the unit before: all, or those with at most the place of the last day.
func (u unit) before(p analytics.Period, today calendar.Day) analytics.Period {
	isOver := p.Last < today && u.of((p.Last+1).Begin()) != u.of(p.Last.Begin())
	found := analytics.Period{Kind: analytics.Custom}
	for day := p.First - 1; u.of(day.Begin()) == u.of((p.First - 1).Begin()); day-- {
		found.First = day
		if isOver || u.place(day.Begin()) <= u.place(p.Last.Begin()) {
			found.Last = max(found.Last, day)
		}
	}
	return found
}

// wantUnitBefore compares the result for a period with a walk over the days of the unit before.
func wantUnitBefore(tb rapid.TB, u unit, p analytics.Period, today calendar.Day) {
	tb.Helper()
	want := u.before(p, today)
	if got, isUnit := p.UnitBefore(today); got != want || !isUnit {
		tb.Errorf("%s, %s to %s, on %s: got %s to %s, %t; want %s to %s", p.Kind, p.First, p.Last, today, got.First, got.Last, isUnit,
			want.First, want.Last)
	}
}

// daysOfEightYears returns the days from 2023 to 2030, with two leap years and two years that have a week 53.
func daysOfEightYears(tb testing.TB) (all []calendar.Day) {
	tb.Helper()
	for d := day(tb, "2023-01-01"); d <= day(tb, "2030-12-31"); d++ {
		all = append(all, d)
	}
	return all
}

func TestUnitBeforeNamedPeriodsOnEveryDay(t *testing.T) {
	kinds := map[string][]analytics.PeriodKind{
		"day": {analytics.Today, analytics.Yesterday}, "week": {analytics.ThisWeek, analytics.LastWeek},
		"month": {analytics.ThisMonth, analytics.LastMonth}, "quarter": {analytics.ThisQuarter, analytics.LastQuarter},
		"year": {analytics.ThisYear, analytics.LastYear},
	}
	for _, today := range daysOfEightYears(t) {
		for _, u := range units() {
			for _, kind := range kinds[u.name] {
				p, err := analytics.PeriodQuery{Kind: kind}.Resolve(today)
				if err != nil {
					t.Fatal(err)
				}
				wantUnitBefore(t, u, p, today)
			}
		}
	}
}

// Every unit that ends on a day or contains it is asked for by its dates, on that day and later.
func TestUnitBeforeDatesOnEveryDay(t *testing.T) {
	for _, last := range daysOfEightYears(t) {
		for _, u := range units() {
			p := analytics.Period{Kind: analytics.Custom, First: last, Last: last}
			for !u.isIn(p) {
				p.First--
			}
			for _, smaller := range units() { // Monday the 1st begins a week and a month
				if smaller.isIn(p) {
					u = smaller
					break
				}
			}
			for _, today := range []calendar.Day{last, last + 1, last + 400} {
				wantUnitBefore(t, u, p, today)
			}
		}
	}
}

// A custom period is compared with the unit before if it is the beginning of a unit, and rejected otherwise.
func TestUnitBeforeAnyDates(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		p := analytics.Period{Kind: analytics.Custom, First: anyDay().Draw(t, "first")}
		if date := p.First.Begin(); rapid.Bool().Draw(t, "first of a month") {
			p.First -= calendar.Day(date.Day() - 1)
		}
		p.Last = p.First + calendar.Day(rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(0, 800)).Draw(t, "days"))
		today := p.Last + calendar.Day(rapid.IntRange(0, 2).Draw(t, "later"))
		failures := analytics.PeriodQuery{Kind: p.Kind, From: &p.First, To: &p.Last}.CheckComparison(analytics.WithCalendar)
		for _, u := range units() {
			if u.isIn(p) {
				wantUnitBefore(t, u, p, today)
				if len(failures) > 0 {
					t.Errorf("%s to %s begins a %s: %v", p.First, p.Last, u.name, failures)
				}
				return
			}
		}
		if got, isUnit := p.UnitBefore(today); isUnit || len(failures) != 1 || failures[0].Pointer != "query/compare" {
			t.Errorf("%s to %s: got %v and %v, want a failure", p.First, p.Last, got, failures)
		}
	})
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
		if with == analytics.WithCalendar { // the beginning of a unit
			first = rapid.SampledFrom(calendar.SpansOf(last)).Draw(t, "unit").First
		}
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

func ExamplePeriod_UnitBefore() {
	today, _ := calendar.ParseDay("2026-11-21")
	period, _ := analytics.PeriodQuery{Kind: analytics.ThisMonth}.Resolve(today)
	before, _ := period.UnitBefore(today)
	fmt.Println(before.First, before.Last)
	// Output: 2026-10-01 2026-10-21
}
