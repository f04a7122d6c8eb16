package expirynotices

import (
	"slices"
	"testing"
	"time"

	"portside/shared/credentials"
	"portside/shared/testkit/awstest"
)

// expiring is a working credential that was made 90 days before it expires.
func expiring(at time.Time) credentials.Credential {
	return credentials.Credential{
		ID: "c", Owner: credentials.Owner{ID: "ada", Active: true}, CreatedAt: at.AddDate(0, 0, -90), ExpiresAt: at,
	}
}

// dailyRuns are the thresholds of the notices that a run on every day of a credential's life sends.
func dailyRuns(c credentials.Credential) (days []int) {
	first := c.CreatedAt.UTC().Truncate(day)
	for today := first; today.Before(c.ExpiresAt.AddDate(0, 0, 2)); today = today.Add(day) {
		s := span{done: today.Add(-day), today: today}
		for _, expires := range s.expiries() {
			if !expires.Equal(c.ExpiresAt.UTC().Truncate(day)) {
				continue // the store would not find it there
			}
			for _, notice := range s.due([]credentials.Credential{c}, today.Add(6*time.Hour)) {
				days = append(days, notice.Days)
			}
		}
	}
	return days
}

func TestFourNoticesForAnExpiryOnEveryDay(t *testing.T) {
	for midnight := range awstest.Days() {
		for _, at := range []time.Time{midnight, midnight.Add(12 * time.Hour), midnight.Add(day - time.Millisecond)} {
			if got := dailyRuns(expiring(at)); !slices.Equal(got, Thresholds()) {
				t.Errorf("for an expiry at %s, notices come %v days before", at, got)
			}
		}
	}
}

// After any number of days without a run, what is due is the nearest threshold that has passed.
func TestOneNoticeAfterMissedRunsOnEveryDay(t *testing.T) {
	for today := range awstest.Days() {
		for ahead := 1; ahead <= 31; ahead++ {
			c := expiring(today.AddDate(0, 0, ahead).Add(time.Hour))
			var want []int
			for _, threshold := range Thresholds() {
				if ahead <= threshold {
					want = []int{threshold}
				}
			}
			var got []int
			for _, notice := range (span{done: today.AddDate(0, 0, -40), today: today}).due([]credentials.Credential{c}, today) {
				got = append(got, notice.Days)
			}
			if !slices.Equal(got, want) {
				t.Errorf("on %s, %d days before the end: %v, want %v", today.Format(time.DateOnly), ahead, got, want)
			}
		}
	}
}
