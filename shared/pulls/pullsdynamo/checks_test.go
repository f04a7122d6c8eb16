package pullsdynamo_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/calendar"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/testkit/awstest"
	"portside/testclient/scale"
)

// checks returns n checks of one tag with one credential, the given time apart.
func checks(n int, apart time.Duration) []pulls.Pull {
	all := many(n, 1, 1)
	for i := range all {
		all[i].IsCheck, all[i].At = true, midnight.Add(time.Duration(i)*apart)
	}
	return all
}

// TestChecksOfAnHourAreOneEntry checks a tag every 20 seconds for two hours, and again twice within a second. Some
// lines arrive twice.
func TestChecksOfAnHourAreOneEntry(t *testing.T) {
	s, given := newTables(t), checks(360, 20*time.Second)
	given = append(given, given[5], given[300])
	given[360].At = given[360].At.Add(time.Millisecond)
	added := 0
	for _, batch := range [][]pulls.Pull{given[:100], given[90:], given} {
		n, err := s.store().Record(t.Context(), batch)
		if err != nil {
			t.Fatal(err)
		}
		added += n
	}
	page, err := pulls.NewService(s.store()).List(t.Context(), manager, pulls.Query{
		IsChecks: true, From: midnight, To: midnight.Add(24 * time.Hour), Limit: 10,
	})
	if err != nil || len(page.Pulls) != 2 || added != 360 {
		t.Fatalf("%d are new, and the list has %+v, %v", added, page.Pulls, err)
	}
	want := given[0]
	want.Checks = 180
	if page.Pulls[1] != want {
		t.Errorf("the first hour is %+v, want %+v", page.Pulls[1], want)
	}
	if later := page.Pulls[0]; later.Checks != 180 || !later.At.Equal(midnight.Add(time.Hour)) {
		t.Errorf("the second hour is %+v", later)
	}
	checkCounts(t, s, given)
	counted, err := s.store().Count(t.Context(), calendar.DayOf(midnight))
	if err != nil || counted[pullsdynamo.Checks] != 360 || counted[pulls.Image] != 0 {
		t.Errorf("the log counts %v, %v", counted, err)
	}
	if n := len(s.scan(t, s.pulls)); n != 7 { // for each hour an entry, its batch and its seconds; and one window
		t.Errorf("the table has %d items, want 7", n)
	}
}

// TestChecksCountOnceAfterCrashes records and counts checks with a client that crashes at each call in turn. Then it
// repeats the lines with more checks of the same hour.
func TestChecksCountOnceAfterCrashes(t *testing.T) {
	all := checks(8, time.Second)
	first, step := scale.Every(2)
	for _, lost := range []bool{false, true} {
		awstest.CrashAtCalls(first, step, lost, func(crashing func(*dynamodb.Client) *dynamodb.Client) error {
			s := newTables(t)
			crashes := pullsdynamo.New(crashing(s.client), s.pulls, s.analytics)
			_, crash := crashes.Record(t.Context(), all[:5])
			if crash == nil {
				_, crash = crashes.CountPending(t.Context())
			}
			for _, n := range []int{5, 8} {
				if _, err := s.store().Impatient().Record(t.Context(), all[max(0, n-5):n]); err != nil {
					t.Fatal(err)
				}
				checkCounts(t, s, all[:n])
			}
			checkLists(t, s.store(), all)
			return crash
		})
	}
}

// TestCostOfChecks limits the cost of one check a minute. Each check takes one write to add it, one for its note, and
// two to count it; each window takes three. An hour has further writes once. No write grows during the hour.
func TestCostOfChecks(t *testing.T) {
	s := newTables(t)
	client, meter := awstest.Metered(s.client)
	store := pullsdynamo.New(client, s.pulls, s.analytics)
	minutes := checks(60, time.Minute)
	for _, check := range minutes {
		if _, err := store.Record(t.Context(), []pulls.Pull{check}); err != nil {
			t.Fatal(err)
		}
		if _, err := store.CountPending(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	const perCheck, perHour = 7, 6
	if units := meter.WriteUnits(); units > perCheck*60+perHour {
		t.Errorf("60 checks took %.0f write units", units)
	}
	meter.Reset()
	if _, err := store.Record(t.Context(), minutes); err != nil || meter.WriteUnits() > 0 {
		t.Errorf("checks that are known took %.0f write units, %v", meter.WriteUnits(), err)
	}
}
