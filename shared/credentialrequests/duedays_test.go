package credentialrequests

import (
	"testing"
	"time"

	"portside/shared/testkit/awstest"
)

// TestDueAtEveryHourOf400Days compares with a walk over the hours: the due time is 24 hours of Monday to Friday after the
// request, the earliest such time at which a business day goes on or has just ended, in whatever zone the request's time is.
func TestDueAtEveryHourOf400Days(t *testing.T) {
	zone := time.FixedZone("UTC-3:30", -7*1800)
	var previous time.Time
	for midnight := range awstest.Days() {
		for hour := range 24 {
			made := midnight.Add(time.Duration(hour) * time.Hour)
			due, left := made, 24
			for left > 0 {
				if day := due.Weekday(); day != time.Saturday && day != time.Sunday {
					left--
				}
				due = due.Add(time.Hour)
			}
			// The end of Friday is no time to be due: a request of Friday 00:00 is due when Monday begins.
			if due.Weekday() == time.Saturday {
				due = due.AddDate(0, 0, 2)
			}
			if got := dueAt(made.In(zone)); !got.Equal(due) {
				t.Errorf("%s is due %s, want %s", made, got, due)
			}
			if got := dueAt(made); got.Before(previous) {
				t.Errorf("%s is due %s, before an earlier request, %s", made, got, previous)
			}
			previous = dueAt(made)
		}
	}
}
