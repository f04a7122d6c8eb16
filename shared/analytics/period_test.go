package analytics_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"portside/shared/analytics"
	"portside/shared/core/calendar"
	"portside/shared/core/fault"
	"portside/testclient/scale"
)

func day(tb testing.TB, text string) calendar.Day {
	tb.Helper()
	read, err := calendar.ParseDay(text)
	if err != nil {
		tb.Fatal(err)
	}
	return read
}

// date parses an optional date.
func date(tb testing.TB, text string) *calendar.Day {
	tb.Helper()
	if text == "" {
		return nil
	}
	read := day(tb, text)
	return &read
}

// docs/analytics.md publishes testdata/periods.csv, which another program computed.
func TestPublishedPeriods(t *testing.T) {
	file, err := os.Open("testdata/periods.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) < 200 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	seen := map[analytics.PeriodKind]bool{}
	for _, row := range rows[1:] {
		kind := analytics.PeriodKind(row[1])
		seen[kind] = true
		query := analytics.PeriodQuery{Kind: kind, From: date(t, row[2]), To: date(t, row[3])}
		period, err := query.Resolve(day(t, row[0]))
		if err != nil {
			t.Errorf("%v: %v", row, err)
			continue
		}
		previous := period.Previous()
		got := []string{period.First.String(), period.Last.String(), previous.First.String(), previous.Last.String()}
		if !slices.Equal(got, row[4:8]) || period.Kind != kind || previous.Days() != period.Days() {
			t.Errorf("%v: got %v of %s", row, got, period.Kind)
		}
	}
	if len(seen) != len(analytics.PeriodKinds()) {
		t.Errorf("periods.csv has only the kinds %v", seen)
	}
}

// anyDay draws a day of the years 1971 to 2199.
func anyDay() *rapid.Generator[calendar.Day] {
	return rapid.Map(rapid.IntRange(365, 84_000), func(n int) calendar.Day { return calendar.Day(n) })
}

// isLastDay reports whether a completed period of the kind ends on the day, using only the
// calendar.
func isLastDay(kind analytics.PeriodKind, at time.Time) bool {
	next := at.AddDate(0, 0, 1)
	switch kind {
	case analytics.ThisWeek, analytics.LastWeek:
		_, week := at.ISOWeek()
		_, nextWeek := next.ISOWeek()
		return week != nextWeek
	case analytics.ThisMonth, analytics.LastMonth:
		return at.Month() != next.Month()
	case analytics.ThisQuarter, analytics.LastQuarter:
		return at.Month() != next.Month() && at.Month()%3 == 0
	case analytics.ThisYear, analytics.LastYear:
		return at.Year() != next.Year()
	}
	return true
}

// A period begins on the day after a last day, has no last day inside, and ends on a last day or today.
func TestPeriodsFollowTheCalendar(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		today := anyDay().Draw(t, "today")
		kind := rapid.SampledFrom(analytics.PeriodKinds()[:10]).Draw(t, "kind")
		period, err := analytics.PeriodQuery{Kind: kind}.Resolve(today)
		if err != nil {
			t.Fatal(err)
		}
		if !isLastDay(kind, (period.First - 1).Begin()) {
			t.Errorf("%s on %s starts on %s", kind, today, period.First)
		}
		for day := period.First; day < period.Last; day++ {
			if isLastDay(kind, day.Begin()) {
				t.Errorf("%s on %s continues after %s", kind, today, day)
			}
		}
		isOver := kind[:4] == "last" || kind == analytics.Yesterday
		if isOver == (period.Last == today) || isOver && !isLastDay(kind, period.Last.Begin()) {
			t.Errorf("%s on %s ends on %s", kind, today, period.Last)
		}
	})
}

// A completed period equals the current period as seen on its last day.
func TestLastPeriodEqualsThisPeriodOnItsLastDay(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		today := anyDay().Draw(t, "today")
		unit := rapid.SampledFrom([]string{"week", "month", "quarter", "year"}).Draw(t, "unit")
		now, err := analytics.PeriodQuery{Kind: analytics.PeriodKind("this_" + unit)}.Resolve(today)
		if err != nil {
			t.Fatal(err)
		}
		last, err := analytics.PeriodQuery{Kind: analytics.PeriodKind("last_" + unit)}.Resolve(today)
		if err != nil {
			t.Fatal(err)
		}
		was, err := analytics.PeriodQuery{Kind: analytics.PeriodKind("this_" + unit)}.Resolve(now.First - 1)
		if err != nil || last.First != was.First || last.Last != was.Last {
			t.Errorf("last %s on %s: %v, want %v, %v", unit, today, last, was, err)
		}
	})
}

func TestDefaultPeriodIsThisMonth(t *testing.T) {
	period, err := analytics.PeriodQuery{}.Resolve(day(t, "2026-11-21"))
	if err != nil || period != (analytics.Period{Kind: analytics.ThisMonth, First: day(t, "2026-11-01"), Last: day(t, "2026-11-21")}) {
		t.Errorf("got %v, %v", period, err)
	}
}

func TestResolveRejectsInvalidPeriods(t *testing.T) {
	for _, test := range []struct {
		kind     analytics.PeriodKind
		from, to string
		want     []string
	}{
		{"next_week", "", "", []string{"query/period"}},
		{"Today", "2026-01-01", "", []string{"query/period"}},
		{"custom", "", "", []string{"query/startDate", "query/endDate"}},
		{"custom", "2026-11-01", "", []string{"query/endDate"}},
		{"custom", "", "2026-11-01", []string{"query/startDate"}},
		{"custom", "2026-11-02", "2026-11-01", []string{"query/startDate"}},
		{"custom", "2026-11-01", "2026-11-22", []string{"query/endDate"}},
		{"custom", "2026-12-01", "2026-12-02", []string{"query/endDate"}},
		{"custom", "2021-11-21", "2026-11-21", []string{"query/startDate"}},
		{"custom", "2020-02-29", "2025-03-01", []string{"query/startDate"}},
		{"custom", "1970-01-01", "2026-11-21", []string{"query/startDate"}},
		{"today", "2026-11-01", "", []string{"query/startDate"}},
		{"last_year", "", "2026-11-01", []string{"query/endDate"}},
		{"", "2026-11-01", "2026-11-02", []string{"query/startDate", "query/endDate"}},
	} {
		t.Run(string(test.kind)+" "+test.from+" "+test.to, func(t *testing.T) {
			query := analytics.PeriodQuery{Kind: test.kind, From: date(t, test.from), To: date(t, test.to)}
			period, err := query.Resolve(day(t, "2026-11-21"))
			if got := pointers(err); !slices.Equal(got, test.want) {
				t.Errorf("got %v, %v", period, err)
			}
		})
	}
}

// pointers returns the parameters that an error names.
func pointers(err error) (all []string) {
	if f := fault.As(err); f != nil && f.Kind == fault.Validation {
		for _, field := range f.Fields {
			all = append(all, field.Pointer)
		}
	}
	return all
}

func ExamplePeriod_Previous() {
	today, _ := calendar.ParseDay("2026-11-21")
	period, _ := analytics.PeriodQuery{Kind: analytics.ThisMonth}.Resolve(today)
	fmt.Println(period.First, period.Last)
	fmt.Println(period.Previous().First, period.Previous().Last)
	// Output:
	// 2026-11-01 2026-11-21
	// 2026-10-11 2026-10-31
}
