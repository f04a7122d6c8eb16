package analyticsdynamo

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"portside/shared/analytics"
	"portside/shared/core/calendar"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/pullcounts"
	"portside/shared/testkit/awstest"
)

// userID has the length of real IDs.
func userID(n int) string { return fmt.Sprintf("01939f6e-8a8e-7d5c-a3c1-%012d", n) }

// fillRankings adds two years in which 120 users pull every day, the first ones most.
func (b testTable) fillRankings() {
	first, last := calendar.DayOf(now.AddDate(-1, 1-int(now.Month()), 1-now.Day())), today
	years, tops := map[string]items.Map{}, map[string][]pullcounts.Place{}
	for user := range 120 {
		name := pullcounts.Name(pullcounts.Person, userID(user))
		byYear := map[string]pullcounts.Days{}
		spans := map[string]calendar.Span{}
		for day := first; day <= last; day++ {
			year := pullcounts.Year(day)
			if byYear[year] == nil {
				byYear[year] = pullcounts.Days{}
			}
			byYear[year][day] = int64(120 - user)
			for _, span := range calendar.SpansOf(day) {
				spans[span.Name] = span
			}
		}
		for year, days := range byYear {
			item := days.Pack()
			maps.Copy(item, pullcounts.Key(name, year))
			years[name+year] = item
		}
		for _, span := range spans {
			n := int64(min(last, span.Last)-max(first, span.First)+1) * int64(120-user)
			tops[span.Name] = append(tops[span.Name], pullcounts.Place{Name: name, Pulls: n})
		}
	}
	b.put(slices.Collect(maps.Values(years)))
	b.putTops(tops)
}

func (b testTable) putTops(tops map[string][]pullcounts.Place) {
	var all []items.Map
	for span, places := range tops {
		item, err := pullcounts.PackTop(pullcounts.Merge(nil, places))
		if err != nil {
			b.Fatal(err)
		}
		maps.Copy(item, pullcounts.TopKey(pullcounts.Person, span))
		all = append(all, item)
	}
	b.put(all)
}

func TestRankingCost(t *testing.T) {
	b := newTestTable(t)
	b.fillRankings()
	client, meter := awstest.Metered(b.client)
	rankings := analytics.NewRankings(New(client, b.table), func() time.Time { return now })
	from := calendar.DayOf(now.AddDate(-1, 0, 5))
	for _, test := range []struct {
		name   string
		period analytics.PeriodQuery
		with   analytics.Comparison
		calls  int
		units  float64
	}{
		{"today", analytics.PeriodQuery{Kind: analytics.Today}, "", 1, 2},
		{"this week", analytics.PeriodQuery{Kind: analytics.ThisWeek}, "", 1, 2},
		{"this month", analytics.PeriodQuery{}, "", 1, 2},
		{"this month and before", analytics.PeriodQuery{}, analytics.WithPrevious, 11, 7},
		{"this year", analytics.PeriodQuery{Kind: analytics.ThisYear}, "", 1, 2},
		{"this year and a year ago", analytics.PeriodQuery{Kind: analytics.ThisYear}, analytics.WithYearAgo, 11, 7},
		{"a year of 11 months and some days", analytics.PeriodQuery{Kind: analytics.Custom, From: &from, To: &today}, "", 1, 12},
	} {
		t.Run(test.name, func(t *testing.T) {
			meter.Reset()
			got, err := rankings.Top(t.Context(), analytics.RankingQuery{Period: test.period, Of: analytics.People, Limit: 10, Compare: test.with})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d calls, %v read units", meter.Calls(), meter.ReadUnits())
			if meter.Calls() > test.calls || meter.ReadUnits() > test.units {
				t.Errorf("%d calls and %v read units, want %d and %v", meter.Calls(), meter.ReadUnits(), test.calls, test.units)
			}
			if first := got.Entries[0]; len(got.Entries) != 10 || first.UserID != userID(0) || first.Before == 0 && test.with != "" {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestRankingsRejectDamagedItems(t *testing.T) {
	b := newTestTable(t)
	counts := pullcounts.Key(pullcounts.Name(pullcounts.Person, userID(1)), pullcounts.Year(today))
	top := pullcounts.TopKey(pullcounts.Person, today.String())
	counts["days"], top["places"] = items.Bytes([]byte{0xff}), items.Bytes([]byte{0xff})
	b.put([]items.Map{counts, top})
	if n, err := b.store().PullsOf(t.Context(), analytics.RankedItem{UserID: userID(1)}, today, today); err == nil {
		t.Errorf("got %d pulls from a damaged item", n)
	}
	spans := []calendar.Span{{Name: today.String(), First: today, Last: today}}
	if tops, _, err := b.store().Tops(t.Context(), analytics.People, spans); err == nil {
		t.Errorf("got %v from a damaged item", tops)
	}
}
