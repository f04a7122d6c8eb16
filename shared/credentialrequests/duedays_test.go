package credentialrequests

import (
	"testing"
	"time"

	"portside/shared/testkit/awstest"
)

// TestDueAtEveryHourOf400Days compares dueAt with a count of hours: the due time is after 24 hours that are on business days
// in UTC, and never on a weekend. The time zone of the request does not matter.
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
			// The 24 hours of a request made on Friday at 00:00 end on Saturday at 00:00; it is due on Monday at 00:00.
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
