package credentialrequests

import (
	"testing"
	"time"

	"portside/shared/testkit/awstest"
)

// TestDueAtEveryHourOf400Days compares dueAt with an hour-by-hour computation: a request is due after 24 hours
// from Monday to Friday, and never at the end of a Friday. The time zone of the request does not matter.
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
			// A request of Friday 00:00 is due when Monday begins, not when Friday ends.
			if due.Weekday() == time.Saturday {
				due = due.AddDate(0, 0, 2)
			}
			if got := DueAt(made.In(zone)); !got.Equal(due) {
				t.Errorf("%s is due %s, want %s", made, got, due)
			}
			if got := DueAt(made); got.Before(previous) {
				t.Errorf("%s is due %s, before an earlier request, %s", made, got, previous)
			}
			previous = DueAt(made)
		}
	}
}
