package main

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"portside/shared/core/audit"
	"portside/shared/core/principal"
	"portside/shared/testkit/audittest"
	"portside/shared/users"
)

// TestDryRunsHaveADailyQuota uses up all but one of the rows of the day. What is refused neither counts nor writes an event.
func TestDryRunsHaveADailyQuota(t *testing.T) {
	p := newFixture(t)
	caller := principal.Principal{UserID: p.admin.ID, Role: principal.Admin}
	for _, rows := range []int{10_000, users.MaxCheckedDaily - 10_000 - 1} {
		if err := p.store.CountChecked(t.Context(), caller, rows, p.clock.Now()); err != nil {
			t.Fatal(err)
		}
	}
	file := "email,name,role\n"
	one, two := file+"a@x.example,A,user\n", file+"a@x.example,A,user\nb@x.example,B,user\n"
	dry := func(text string, status int) {
		t.Helper()
		p.asAdmin().Post("/v1/users/imports", importBody("csv", text, dryRun)).WantStatus(status)
	}
	p.asAdmin().Post("/v1/users/imports", importBody("csv", two, dryRun)).WantStatus(http.StatusTooManyRequests).
		WantValue("code", "QUOTA_EXCEEDED").WantHeader("Retry-After", "54000") // 09:00 to midnight
	dry(one, http.StatusOK)
	dry(one, http.StatusTooManyRequests)
	p.clock.Advance(15 * time.Hour)
	dry(two, http.StatusOK)
	var rows []string
	for _, event := range audittest.Events(t, p.client, p.log) {
		if event.Action == audit.UserImportChecked && event.Target.ID == p.admin.ID {
			rows = append(rows, string(event.After["rows"]))
		}
	}
	if got := fmt.Sprint(rows); got != "[10000 9999 1 2]" {
		t.Errorf("the events have %s rows", got)
	}
}
