package expirynotices

import (
	"slices"
	"strings"
	"time"

	"portside/shared/credentials"
)

const day = 24 * time.Hour

// span is the days after done up to today, both midnight in UTC. A zero done means that there was no run before.
type span struct{ done, today time.Time }

// expiries returns the days on which something expires that some threshold has passed over within the span, nearest
// first. They are at most those of the first threshold, however long no run was done: what has expired is past telling.
func (s span) expiries() []time.Time {
	var all []time.Time
	for ahead := range Thresholds()[0] + 1 {
		expires := s.today.Add(time.Duration(ahead) * day)
		if len(s.passed(expires)) > 0 {
			all = append(all, expires)
		}
	}
	return all
}

// passed returns the thresholds, in days, that came up within the span for what expires on a day.
func (s span) passed(expires time.Time) []int {
	return slices.DeleteFunc(Thresholds(), func(days int) bool {
		told := expires.Add(-time.Duration(days) * day)
		return told.After(s.today) || !told.After(s.done)
	})
}

// due returns the notice for each credential that still works and has one, by id.
func (s span) due(found []credentials.Credential, now time.Time) []Notice {
	var all []Notice
	for _, c := range found {
		if days, has := s.nearest(c); has && c.Works(now) {
			all = append(all, Notice{Credential: c, Days: days})
		}
	}
	slices.SortFunc(all, func(a, b Notice) int { return strings.Compare(a.Credential.ID, b.Credential.ID) })
	return all
}

// nearest returns the smallest threshold that came up within the span and after the day on which the credential was made:
// who has just got a token for a day need not be told that it ends tomorrow.
func (s span) nearest(c credentials.Credential) (days int, has bool) {
	expires, made := c.ExpiresAt.UTC().Truncate(day), c.CreatedAt.UTC().Truncate(day)
	for _, threshold := range s.passed(expires) {
		if expires.Add(-time.Duration(threshold) * day).After(made) {
			days, has = threshold, true
		}
	}
	return days, has
}
