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
	"portside/testclient/scale"
)

// checkSpans checks that the spans of a period follow each other, and end with it or, if it ends
// today, not before.
func checkSpans(t *testing.T, p Period, today calendar.Day) {
	t.Helper()
	next := p.First
	for _, span := range p.calendarSpans(today) {
		if span.First != next {
			t.Errorf("%s to %s on %s: %s begins before or after %s", p.First, p.Last, today, span.Name, next)
		}
		next = span.Last + 1
	}
	if end := next - 1; end != p.Last && (p.Last != today || end < today) {
		t.Errorf("%s to %s on %s: the spans end on %s", p.First, p.Last, today, end)
	}
}

// maxSpans is the largest number of spans of a custom period, found by trying all periods of four to five years that
// end in the 28 years from 2022. Weekdays and leap years repeat after 28 years.
const maxSpans = 40

func TestLargestNumberOfSpans(t *testing.T) {
	first, last := calendar.DayOf(time.Date(2022, 4, 5, 0, 0, 0, 0, time.UTC)), calendar.DayOf(time.Date(2026, 12, 26, 0, 0, 0, 0, time.UTC))
	p := days(first, last)
	checkSpans(t, p, last+1)
	if n := len(p.calendarSpans(last + 1)); n != maxSpans {
		t.Errorf("%s to %s has %d spans, want %d", first, last, n, maxSpans)
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
			if n := len(p.calendarSpans(today)); n != 1 {
				t.Errorf("%s on %s has %d spans, so its ranking may be incomplete", kind, today, n)
			}
		}
	}
	rapid.Check(scale.Checks(t), func(r *rapid.T) {
		today := calendar.Day(rapid.IntRange(19_000, 22_000).Draw(r, "today"))
		last := today - calendar.Day(rapid.IntRange(0, 500).Draw(r, "end"))
		p := days(last-calendar.Day(rapid.IntRange(0, 5*365).Draw(r, "days")), last)
		checkSpans(t, p, today)
		if n := len(p.calendarSpans(today)); n > maxSpans {
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

// top returns all artifacts in the order of a ranking.
func (l pullLog) top(first, last calendar.Day) []PullCount {
	var top []PullCount
	for name, n := range l.sum(first, last) {
		kind, repository, _ := strings.Cut(name, "#")
		top = append(top, PullCount{RankedItem{Kind: kind, Repository: repository}, n})
	}
	slices.SortFunc(top, func(a, b PullCount) int {
		return cmp.Or(cmp.Compare(b.Pulls, a.Pulls), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Repository, b.Repository))
	})
	return top
}

// limitedLog returns at most maxPlaces items of each span.
type limitedLog struct {
	pullLog
	maxPlaces int
}

func (l limitedLog) Tops(_ context.Context, _ RankingKind, spans []calendar.Span) ([][]PullCount, int, error) {
	tops := make([][]PullCount, len(spans))
	for i, span := range spans {
		top := l.top(span.First, span.Last)
		tops[i] = top[:min(len(top), l.maxPlaces)]
	}
	return tops, l.maxPlaces, nil
}

func (l pullLog) PullsOf(_ context.Context, item RankedItem, first, last calendar.Day) (int64, error) {
	return l.sum(first, last)[item.Kind+"#"+item.Repository], nil
}

// Tops have few places here, so rankings of several spans often are not complete. Their counts are always exact, and a
// ranking that says that it is complete equals the first places of all artifacts, with the same order of equal counts.
func TestRankingsEqualTheLog(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		log, names := pullLog{}, rapid.IntRange(1, 12).Draw(t, "names")
		for range rapid.IntRange(0, 150).Draw(t, "pulls") {
			day := saturday - calendar.Day(rapid.IntRange(0, 500).Draw(t, "day"))
			if log[day] == nil {
				log[day] = map[string]int64{}
			}
			kind := rapid.SampledFrom([]string{"image", "chart"}).Draw(t, "kind")
			name := fmt.Sprint(kind, "#acme/", rapid.IntRange(1, names).Draw(t, "name"))
			log[day][name] += rapid.Int64Range(1, 20).Draw(t, "n")
		}
		store := limitedLog{log, rapid.IntRange(2, 6).Draw(t, "places")}
		query := RankingQuery{
			Period: drawPeriod(t), Of: Artifacts, Limit: rapid.IntRange(1, store.maxPlaces).Draw(t, "limit"), Compare: WithPrevious,
		}
		got, err := NewRankings(store, func() time.Time { return at(12) }).Top(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		checkRanking(t, got, log, query)
	})
}

// TestRankingWithHiddenPlacesIsNotComplete has a chart that is the first of two days together, and the third of each.
func TestRankingWithHiddenPlacesIsNotComplete(t *testing.T) {
	first, last := saturday-1, saturday
	log := pullLog{
		first: {"chart#acme/1": 5, "chart#acme/2": 4, "chart#acme/3": 3}, last: {"chart#acme/4": 5, "chart#acme/5": 4, "chart#acme/3": 3},
	}
	for places, want := range map[int]bool{2: false, 4: true} {
		rankings := NewRankings(limitedLog{log, places}, func() time.Time { return at(12) })
		query := RankingQuery{Period: PeriodQuery{Kind: Custom, From: &first, To: &last}, Of: Artifacts, Limit: 1}
		if got, err := rankings.Top(t.Context(), query); err != nil || got.Complete != want {
			t.Errorf("with %d places: %+v, %v; want complete: %v", places, got, err, want)
		}
	}
}

func drawPeriod(t *rapid.T) PeriodQuery {
	kind := rapid.SampledFrom(append(PeriodKinds(), Custom, Custom, Custom, Custom, Custom, Custom)).Draw(t, "period")
	if kind != Custom {
		return PeriodQuery{Kind: kind}
	}
	last := saturday - calendar.Day(rapid.IntRange(0, 40).Draw(t, "end"))
	first := last - calendar.Day(rapid.IntRange(0, 450).Draw(t, "length"))
	return PeriodQuery{Kind: Custom, From: &first, To: &last}
}

func checkRanking(t *rapid.T, got Ranking, log pullLog, query RankingQuery) {
	want := log.top(got.Period.First, got.Period.Last)
	want = want[:min(len(want), query.Limit)]
	sums := log.sum(got.Period.First, got.Period.Last)
	before := log.sum(got.Compared.First, got.Compared.Last)
	if query.Period.Kind != Custom && !got.Complete || len(got.Entries) > len(want) || got.Complete && len(got.Entries) != len(want) {
		t.Fatalf("%+v of %v to %v, want %d entries", got, got.Period.First, got.Period.Last, len(want))
	}
	for i, e := range got.Entries {
		name := e.Kind + "#" + e.Repository
		if e.Pulls != sums[name] || e.Before != before[name] || i > 0 && got.Entries[i-1].Compare(e.PullCount) >= 0 {
			t.Errorf("entry %d is %+v, want %d and %d before", i, e, sums[name], before[name])
		}
		if got.Complete && e.PullCount != want[i] {
			t.Errorf("entry %d is %+v, want %+v", i, e, want[i])
		}
	}
}
