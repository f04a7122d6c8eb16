package pullsdynamo_test

import (
	"slices"
	"testing"
	"time"

	"portside/shared/core/calendar"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/testkit/awstest"
)

// TestPullsOf400Days records a pull in the first and in the last millisecond of each day. Each counts on its day, and
// the list has all of them in the order of their times, across the monthly partitions.
func TestPullsOf400Days(t *testing.T) {
	s := newTables(t)
	store := pullsdynamo.New(s.client, s.pulls, s.analytics)
	var all []pulls.Pull
	for midnight := range awstest.Days() {
		for _, at := range []time.Time{midnight, midnight.Add(24*time.Hour - time.Millisecond)} {
			all = append(all, pulls.Pull{
				At: at, Kind: pulls.Chart, Repository: "acme", Reference: "1.0", CredentialID: "a", OwnerID: "ada",
			})
		}
	}
	if n, err := store.Record(t.Context(), all); n != len(all) || err != nil {
		t.Fatal(n, err)
	}
	checkCounts(t, s, all)
	for midnight := range awstest.Days() {
		if midnight.Day() > 1 && midnight.AddDate(0, 0, 1).Day() > 1 {
			continue // counting from the log depends on the partitions, which are months
		}
		if n, err := store.Count(t.Context(), calendar.DayOf(midnight)); n[pulls.Chart] != 2 || err != nil {
			t.Errorf("Count = %v on %s, %v", n, midnight.Format(time.DateOnly), err)
		}
	}
	q := pulls.Query{From: all[0].At, To: all[len(all)-1].At.Add(time.Millisecond), Limit: 100}
	for left := all; len(left) > 0; {
		page, err := pulls.NewService(store).List(t.Context(), manager, q)
		if err != nil || len(page.Pulls) == 0 {
			t.Fatalf("%d pulls are missing from the list: %v", len(left), err)
		}
		for _, p := range page.Pulls {
			if last := left[len(left)-1]; p.Position() != last.Position() {
				t.Fatalf("the next pull in the list is from %s, want %s", p.At, last.At)
			}
			left = left[:len(left)-1]
		}
		q.After = page.Next
	}
}

func TestPositionsOnEveryDaySortLikeTimes(t *testing.T) {
	var positions []string
	for midnight := range awstest.Days() {
		for _, at := range []time.Time{midnight, midnight.Add(time.Millisecond),
			midnight.Add(24*time.Hour - time.Millisecond)} {
			p := pulls.Pull{At: at.In(time.FixedZone("UTC+14", 14*3600)), Repository: "acme"}.Position()
			if read, ok := p.At(); !ok || !read.Equal(at) {
				t.Errorf("At of %s = %s", p, read)
			}
			positions = append(positions, string(p))
		}
	}
	if !slices.IsSorted(positions) {
		t.Error("positions are not sorted")
	}
}
