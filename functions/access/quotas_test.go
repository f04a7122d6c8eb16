package main

import (
	"net/http"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/dynamo/transactions"
	"portside/shared/mail"
)

// TestRequestsHaveADailyQuota uses up all but one of the requests of the day. A request that is repeated with its key
// does not count again.
//
//proves:docs/security.md
func TestRequestsHaveADailyQuota(t *testing.T) {
	o := newRequestFixture(t)
	quota := mail.CredentialRequests(principal.Principal{UserID: o.ada.ID})
	if err := transactions.Write(t.Context(), o.client, o.table.Windows.Count(quota.Window(), quota.Limit-1, o.now)); err != nil {
		t.Fatal(err)
	}
	ada := o.withKey(o.requester)
	for range 2 {
		ada.With("Idempotency-Key", "7f3b6c1e-6a0f-4c52-9d0b-0f6f3f3e6a11").Post(requestsPath, requestBodyJSON).
			WantStatus(http.StatusCreated)
	}
	ada.Post(requestsPath, requestBodyJSON).WantStatus(http.StatusTooManyRequests).WantValue("code", "QUOTA_EXCEEDED").
		WantHeader("Retry-After", "54000") // 09:00 to midnight
	o.advance(15 * time.Hour)
	ada.Post(requestsPath, requestBodyJSON).WantStatus(http.StatusCreated)
}
