package credentialrequests

import (
	"regexp"
	"testing"
	"time"

	"pgregory.net/rapid"

	"portside/testclient/scale"
)

func TestDueAt(t *testing.T) {
	for made, want := range map[string]string{
		"2026-03-02T09:00:00Z":      "2026-03-03T09:00:00Z", // Monday
		"2026-03-05T23:59:59Z":      "2026-03-06T23:59:59Z", // Thursday
		"2026-03-06T15:00:00Z":      "2026-03-09T15:00:00Z", // Friday
		"2026-03-07T00:00:00Z":      "2026-03-10T00:00:00Z", // Saturday: the end of Monday
		"2026-03-08T23:59:59Z":      "2026-03-10T00:00:00Z", // Sunday
		"2026-03-06T23:30:00-02:00": "2026-03-10T00:00:00Z", // Saturday in UTC
		"2026-12-31T12:00:00Z":      "2027-01-01T12:00:00Z",
	} {
		t.Run(made, func(t *testing.T) {
			at, err := time.Parse(time.RFC3339, made)
			if err != nil {
				t.Fatal(err)
			}
			if got := DueAt(at).Format(time.RFC3339); got != want {
				t.Errorf("%s is due %s, want %s", made, got, want)
			}
		})
	}
}

// TestDueLeavesOneBusinessDay counts the hours of Monday to Friday between any request and its due time: always 24.
func TestDueLeavesOneBusinessDay(t *testing.T) {
	rapid.Check(scale.Checks(t), func(t *rapid.T) {
		made := time.Unix(rapid.Int64Range(1_700_000_000, 2_500_000_000).Draw(t, "made"), 0).UTC().Truncate(time.Hour)
		hours, due := 0, DueAt(made)
		for at := made; at.Before(due); at = at.Add(time.Hour) {
			if day := at.Weekday(); day != time.Saturday && day != time.Sunday {
				hours++
			}
		}
		if hours != 24 {
			t.Fatalf("%s is due %s, %d business hours later", made, due, hours)
		}
	})
}

func TestUsername(t *testing.T) {
	for email, want := range map[string]string{
		"ada@acme.com": `^acme-[a-z2-7]{8}$`,
		"ada@a-very-long-label-of-a-domain.example": `^a-very-long-label-of-[a-z2-7]{8}$`,
		"ada@localhost": `^localhost-[a-z2-7]{8}$`,
	} {
		t.Run(email, func(t *testing.T) {
			if got := username(email); !regexp.MustCompile(want).MatchString(got) {
				t.Errorf("user name %q for %s, want %s", got, email, want)
			}
		})
	}
	if first, second := username("ada@acme.com"), username("ada@acme.com"); first == second {
		t.Error("two user names are the same")
	}
}
