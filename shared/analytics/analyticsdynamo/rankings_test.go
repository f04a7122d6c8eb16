package analyticsdynamo

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/analytics"
	"portside/shared/core/calendar"
	"portside/shared/dynamo/items"
	"portside/shared/testkit/awstest"
)

// userID has the length of real IDs.
func userID(n int) string { return fmt.Sprintf("01939f6e-8a8e-7d5c-a3c1-%012d", n) }

// pullsOf returns the item of a user's pulls in a month: the same number on each day.
func pullsOf(user int, month string, pulls int64) items.Map {
	item := items.Key("pulls#person#"+userID(user), month)
	for day := range 31 {
		item[fmt.Sprintf("d%02d", day+1)] = items.Number(pulls)
	}
	return item
}

// ranked returns the place of a user in the ranking of a span.
func ranked(user int, span string, pulls int64) items.Map {
	item := items.Key("top#person#"+span, "person#"+userID(user))
	item["pulls"], item["ranking"] = items.Number(pulls), items.Text("person#"+span)
	return item
}

// fillRankings adds two years in which 120 users pull every day.
func (b testTable) fillRankings() {
	var all []items.Map
	for user := range 120 {
		for month := range 24 {
			span := fmt.Sprintf("%d-%02d", 2025+month/12, month%12+1)
			all = append(all, ranked(user, span, 30*int64(120-user)), pullsOf(user, span, int64(120-user)))
		}
		for day := today - 40; day <= today; day++ {
			all = append(all, ranked(user, day.String(), int64(120-user)))
		}
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
		{"this week", analytics.PeriodQuery{Kind: analytics.ThisWeek}, "", 7, 14},
		{"this month", analytics.PeriodQuery{}, "", 1, 2},
		{"this month and before", analytics.PeriodQuery{}, analytics.WithPrevious, 11, 12},
		{"this year", analytics.PeriodQuery{Kind: analytics.ThisYear}, "", 11, 20},
		{"this year and a year ago", analytics.PeriodQuery{Kind: analytics.ThisYear}, analytics.WithYearAgo, 21, 25},
		{"a year of 11 months and some days", analytics.PeriodQuery{Kind: analytics.Custom, From: &from, To: &today}, "", 17, 25},
	} {
		meter.Reset()
		got, err := rankings.Top(t.Context(), analytics.RankingQuery{Period: test.period, Of: analytics.People, Limit: 10, Compare: test.with})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d calls, %v read units", test.name, meter.Calls(), meter.ReadUnits())
		if meter.Calls() > test.calls || meter.ReadUnits() > test.units {
			t.Errorf("%s: %d calls and %v read units, want %d and %v", test.name, meter.Calls(), meter.ReadUnits(), test.calls, test.units)
		}
		if first := got.Entries[0]; len(got.Entries) != 10 || first.UserID != userID(0) || first.Before == 0 && test.with != "" {
			t.Errorf("%s: got %+v", test.name, got)
		}
	}
}

func TestRankingsRejectDamagedItems(t *testing.T) {
	b := newTestTable(t)
	month := today.String()[:len("2006-01")]
	broken := &types.AttributeValueMemberN{Value: "1.5"}
	counts, place := pullsOf(1, month, 1), ranked(1, today.String(), 1)
	counts["d"+today.String()[len("2006-01-"):]], place["pulls"] = broken, broken
	b.put([]items.Map{counts, place})
	if n, err := b.store().PullsOf(t.Context(), analytics.RankedItem{UserID: userID(1)}, today, today); err == nil {
		t.Errorf("got %d pulls from a damaged item", n)
	}
	if top, err := b.store().Top(t.Context(), analytics.People, today.String(), 5); err == nil {
		t.Errorf("got %v from a damaged item", top)
	}
}
