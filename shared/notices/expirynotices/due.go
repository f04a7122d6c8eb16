package expirynotices

import (
	"slices"
	"strings"
	"time"

	"portside/shared/core/calendar"
	"portside/shared/credentials"
)

// span is the days that a run covers: those after done, up to today. A done of 0 means that no run has completed yet.
type span struct{ done, today calendar.Day }

// expiryDays returns the days on which a credential must expire to reach a threshold within the span, nearest first.
// However long the span is, they begin today, because expired credentials get no notice.
func (s span) expiryDays() []calendar.Day {
	var all []calendar.Day
	for expires := s.today; expires <= s.today+calendar.Day(Thresholds()[0]); expires++ {
		if len(s.reached(expires)) > 0 {
			all = append(all, expires)
		}
	}
	return all
}

// reached returns the thresholds, in days and in descending order, that a credential which expires on a day reached
// within the span.
func (s span) reached(expires calendar.Day) []int {
	return slices.DeleteFunc(Thresholds(), func(days int) bool {
		noticeDay := expires - calendar.Day(days)
		return noticeDay > s.today || noticeDay <= s.done
	})
}

// notices returns the notices that are due for the credentials that still work, sorted by credential id.
func (s span) notices(found []credentials.Credential, now time.Time) []Notice {
	var all []Notice
	for _, c := range found {
		if days, ok := s.nearestThreshold(c); ok && c.Works(now) {
			all = append(all, Notice{Credential: c, Days: days})
		}
	}
	slices.SortFunc(all, func(a, b Notice) int { return strings.Compare(a.Credential.ID, b.Credential.ID) })
	return all
}

// nearestThreshold returns the smallest threshold that the credential reached within the span and after the day of its
// creation. A token that is created for one day gets no notice that it expires tomorrow.
func (s span) nearestThreshold(c credentials.Credential) (days int, ok bool) {
	expires, created := calendar.DayOf(c.ExpiresAt), calendar.DayOf(c.CreatedAt)
	for _, threshold := range s.reached(expires) {
		if expires-calendar.Day(threshold) > created {
			days, ok = threshold, true
		}
	}
	return days, ok
}
