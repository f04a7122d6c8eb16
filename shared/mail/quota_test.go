package mail_test

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"portside/shared/core/principal"
	"portside/shared/mail"
	"portside/testclient/scale"
)

// TestQuotaEndsAtMidnight draws times in any zone.
func TestQuotaEndsAtMidnight(t *testing.T) {
	rapid.Check(scale.Checks(t), func(r *rapid.T) {
		zone := time.FixedZone("", rapid.IntRange(-12, 14).Draw(r, "zone")*3600)
		at := time.Unix(rapid.Int64Range(1_700_000_000, 4_000_000_000).Draw(r, "at"), 0).In(zone)
		exceeded := mail.Invitations(principal.Principal{CustomerID: "acme"}).Exceeded(at)
		end := at.Add(exceeded.RetryAfter).UTC()
		if !errors.Is(exceeded, mail.ErrQuota) || exceeded.RetryAfter <= 0 || end.Format("15:04:05") != "00:00:00" ||
			end.AddDate(0, 0, -1).After(at) {
			r.Errorf("the quota that is exceeded at %v ends at %v: %v", at, end, exceeded)
		}
	})
}

// TestQuotasAreApart checks that no two kinds of mails or senders share a quota, and that the operator has none.
func TestQuotasAreApart(t *testing.T) {
	seen := map[mail.Quota]bool{}
	for _, quota := range []func(principal.Principal) mail.Quota{mail.Invitations, mail.KeyNotices, mail.CredentialRequests} {
		for _, customerID := range []string{"", "acme", "bolt"} {
			q := quota(principal.Principal{UserID: "ada", CustomerID: customerID})
			limit := q.Limit
			q.Limit = 0
			if seen[q] || limit <= 0 {
				t.Errorf("the quota %+v of %q is not its own, or has the limit %d", q, customerID, limit)
			}
			seen[q] = true
		}
		if q := quota(principal.Operator()); q != (mail.Quota{}) {
			t.Errorf("the operator has the quota %+v", q)
		}
	}
}
