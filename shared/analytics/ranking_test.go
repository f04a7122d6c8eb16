package analytics

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"portside/shared/core/calendar"
	"portside/shared/testkit/awstest"
)

// daysOf returns the days of a year, month or day.
func daysOf(tb testing.TB, span string) (first, last calendar.Day) {
	tb.Helper()
	begin, err := calendar.ParseDay((span + "-01")[:len("2006-01-02")])
	if err != nil {
		tb.Fatal(err)
	}
	at := begin.Begin()
	if len(span) == len("2006-01") {
		return begin, calendar.DayOf(at.AddDate(0, 1, 0)) - 1
	}
	return begin, begin
}

// checkSpans checks that the spans of a period follow each other, and end with it or, if it ends
// today, not before.
func checkSpans(t *testing.T, p Period, today calendar.Day) {
	t.Helper()
	next := p.First
	for _, span := range p.calendarSpans(today) {
		first, last := daysOf(t, span)
		if first != next {
			t.Errorf("%s to %s on %s: %s begins before or after %s", p.First, p.Last, today, span, next)
		}
		next = last + 1
	}
	if end := next - 1; end != p.Last && (p.Last != today || end < today) {
		t.Errorf("%s to %s on %s: the spans end on %s", p.First, p.Last, today, end)
	}
}

func TestCalendarSpansCoverThePeriod(t *testing.T) {
	for midnight := range awstest.Days() {
		today := calendar.DayOf(midnight)
		for _, kind := range PeriodKinds()[:10] {
			p, err := PeriodQuery{Kind: kind}.Resolve(today)
			if err != nil {
				t.Fatal(err)
			}
			checkSpans(t, p, today)
			if n := len(p.calendarSpans(today)); n > 12 {
				t.Errorf("%s on %s has %d spans", kind, today, n)
			}
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		today := calendar.Day(rapid.IntRange(19_000, 22_000).Draw(r, "today"))
		last := today - calendar.Day(rapid.IntRange(0, 500).Draw(r, "end"))
		p := days(last-calendar.Day(rapid.IntRange(0, 5*365).Draw(r, "days")), last)
		checkSpans(t, p, today)
		if n := len(p.calendarSpans(today)); n > 120 {
			t.Errorf("%s to %s has %d spans", p.First, p.Last, n)
		}
	})
}

// pullLog has the pulls of each artifact by day, from which it computes everything.
type pullLog map[calendar.Day]map[string]int64

func (l pullLog) sum(first, last calendar.Day) map[string]int64 {
	sums := map[string]int64{}
	for day, pulls := range l {
		for name, n := range pulls {
			if first <= day && day <= last {
				sums[name] += n
			}
		}
	}
	return sums
}

func (l pullLog) Top(_ context.Context, _ RankingKind, span string, limit int) ([]PullCount, error) {
	begin := (span + "-01")[:len("2006-01-02")]
	first, err := calendar.ParseDay(begin)
	if err != nil {
		return nil, err
	}
	last := first
	for strings.HasPrefix((last + 1).String(), span) {
		last++
	}
	var top []PullCount
	for name, n := range l.sum(first, last) {
		top = append(top, PullCount{RankedItem{Kind: "image", Repository: name}, n})
	}
	slices.SortFunc(top, func(a, b PullCount) int { return cmp.Or(cmp.Compare(b.Pulls, a.Pulls), a.compare(b.RankedItem)) })
	return top[:min(len(top), limit)], nil
}

func (l pullLog) PullsOf(_ context.Context, item RankedItem, first, last calendar.Day) (int64, error) {
	return l.sum(first, last)[item.Repository], nil
}

// Rankings read few entries of each span here, so they often are not complete. Their counts are
// always exact, and a ranking that says that it is complete is.
func TestRankingsEqualTheLog(t *testing.T) {
	completed, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		log, names := pullLog{}, rapid.IntRange(1, 12).Draw(t, "names")
		for range rapid.IntRange(0, 150).Draw(t, "pulls") {
			day := saturday - calendar.Day(rapid.IntRange(0, 70).Draw(t, "day"))
			if log[day] == nil {
				log[day] = map[string]int64{}
			}
			log[day][fmt.Sprint("acme/", rapid.IntRange(1, names).Draw(t, "name"))] += rapid.Int64Range(1, 20).Draw(t, "n")
		}
		rankings := NewRankings(log, func() time.Time { return at(12) })
		rankings.entriesPerSpan = rapid.IntRange(2, 6).Draw(t, "entries per span")
		last := saturday - calendar.Day(rapid.IntRange(0, 40).Draw(t, "end"))
		first := last - calendar.Day(rapid.IntRange(0, 60).Draw(t, "length"))
		limit := rapid.IntRange(1, rankings.entriesPerSpan).Draw(t, "limit")
		query := RankingQuery{Period: PeriodQuery{Kind: Custom, From: &first, To: &last}, Of: Artifacts, Limit: limit, Compare: WithPrevious}
		got, err := rankings.Top(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		checkRanking(t, got, log, limit)
		if all++; got.Complete {
			completed++
		}
	})
	if completed == 0 || completed == all {
		t.Errorf("%d of %d rankings are complete", completed, all)
	}
}

func checkRanking(t *rapid.T, got Ranking, log pullLog, limit int) {
	sums := log.sum(got.Period.First, got.Period.Last)
	before := log.sum(got.Compared.First, got.Compared.Last)
	if len(got.Entries) != min(limit, len(sums)) {
		t.Fatalf("%d entries of %v, want at most %d", len(got.Entries), sums, limit)
	}
	least := int64(1 << 62)
	for _, e := range got.Entries {
		if e.Pulls != sums[e.Repository] || e.Before != before[e.Repository] || e.Pulls > least {
			t.Errorf("%+v, want %d and %d before, and at most %d", e, sums[e.Repository], before[e.Repository], least)
		}
		least = e.Pulls
		delete(sums, e.Repository)
	}
	for name, n := range sums {
		if got.Complete && n > least {
			t.Errorf("%s has %d, but the ranking ends with %d", name, n, least)
		}
	}
}
