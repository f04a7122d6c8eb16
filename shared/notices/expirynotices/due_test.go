package expirynotices

import (
	"slices"
	"testing"
	"time"

	"portside/shared/core/calendar"
	"portside/shared/credentials"
	"portside/shared/testkit/awstest"
)

// expiring returns a working credential that was created 90 days before it expires.
func expiring(at time.Time) credentials.Credential {
	return credentials.Credential{
		ID: "c", Owner: credentials.Owner{ID: "ada", Active: true}, CreatedAt: at.AddDate(0, 0, -90), ExpiresAt: at,
	}
}

// dailyRuns returns the thresholds of the notices that daily runs send during the life of a credential.
func dailyRuns(c credentials.Credential) (days []int) {
	expiry := calendar.DayOf(c.ExpiresAt)
	for today := calendar.DayOf(c.CreatedAt); today < expiry+2; today++ {
		s := span{done: today - 1, today: today}
		for _, expires := range s.expiryDays() {
			if expires != expiry {
				continue // the store would not find the credential on that day
			}
			for _, notice := range s.notices([]credentials.Credential{c}, today.Begin().Add(6*time.Hour)) {
				days = append(days, notice.Days)
			}
		}
	}
	return days
}

func TestFourNoticesForAnExpiryOnEveryDay(t *testing.T) {
	for midnight := range awstest.Days() {
		for _, at := range []time.Time{midnight, midnight.Add(12 * time.Hour),
			midnight.Add(24*time.Hour - time.Millisecond)} {
			if got := dailyRuns(expiring(at)); !slices.Equal(got, Thresholds()) {
				t.Errorf("notices for an expiry at %s are sent %v days before", at, got)
			}
		}
	}
}

// TestOneNoticeAfterMissedRunsOnEveryDay checks that, after days without a run, only the notice of the nearest passed
// threshold is due.
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
			s := span{done: calendar.DayOf(today) - 40, today: calendar.DayOf(today)}
			for _, notice := range s.notices([]credentials.Credential{c}, today) {
				got = append(got, notice.Days)
			}
			if !slices.Equal(got, want) {
				t.Errorf("notices on %s, %d days before the expiry: %v, want %v", today.Format(time.DateOnly), ahead, got, want)
			}
		}
	}
}
