package main

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"portside/shared/core/audit"
	"portside/shared/core/principal"
	"portside/shared/testkit/audittest"
	"portside/shared/testkit/webtest"
	"portside/shared/users"
)

// TestImportsHaveADailyQuota uses up all but two of the rows of the day, for dry runs and for imports. A refused
// request neither counts nor writes an event.
//
//proves:docs/security.md
func TestImportsHaveADailyQuota(t *testing.T) {
	p := newFixture(t)
	caller := principal.Principal{UserID: p.admin.ID, Role: principal.Admin}
	for _, isDry := range []bool{false, true} {
		for _, rows := range []int{5_000, users.MaxCheckedDaily - 5_000 - 2} {
			if err := p.store.Bulk.CountChecked(t.Context(), caller, users.CheckedRows{Rows: rows, DryRun: isDry}, p.clock.Now()); err != nil {
				t.Fatal(err)
			}
		}
	}
	file := "email,name,role\n"
	one, three := file+"a@x.example,A,user\n", file+"a@x.example,A,user\nb@x.example,B,user\nc@x.example,C,user\n"
	send := func(body string, status int) webtest.Response {
		t.Helper()
		return p.asAdmin().Post("/v1/users/imports", body).WantStatus(status)
	}
	send(importBody("csv", three, dryRun), http.StatusTooManyRequests).WantValue("code", "QUOTA_EXCEEDED").
		WantHeader("Retry-After", "54000") // 09:00 to midnight
	send(importBody("csv", "email,name,role\nx,A,user\n"), http.StatusOK) // looks nothing up
	send(importBody("csv", one, dryRun), http.StatusOK)
	send(importBody("csv", one, dryRun), http.StatusOK)
	send(importBody("csv", one, dryRun), http.StatusTooManyRequests)
	send(importBody("csv", three), http.StatusTooManyRequests)
	send(importBody("csv", one), http.StatusOK).WantValue("data.created", 1)
	send(importBody("csv", one), http.StatusOK).WantValue("data.existing", 1)
	send(importBody("csv", one), http.StatusTooManyRequests) // would tell that the address exists
	send(importBody("csv", one, dryRun), http.StatusTooManyRequests)
	p.clock.Advance(15 * time.Hour)
	send(importBody("csv", three, dryRun), http.StatusOK).WantValue("data.existing", 1)
	var rows []string
	for _, event := range audittest.Events(t, p.client, p.log) {
		if event.Action == audit.UserImportChecked && event.Target.ID == p.admin.ID {
			rows = append(rows, string(event.After["rows"]))
		}
	}
	if got := fmt.Sprint(rows); got != "[5000 14998 5000 14998 1 1 1 1 3]" {
		t.Errorf("the events have %s rows", got)
	}
}

// TestImportsOfACustomerShareTheirQuota lets one user of a customer use up the rows of the day. Another customer and
// the staff keep theirs, and dry runs do not stop imports.
//
//proves:docs/security.md
func TestImportsOfACustomerShareTheirQuota(t *testing.T) {
	p := newFixtureWithCustomers(t)
	first, _ := p.userOf(acme, "first@acme.example", principal.Admin)
	caller := principal.Principal{UserID: first.ID, CustomerID: acme, Role: principal.Admin}
	for range 2 {
		checked := users.CheckedRows{Rows: users.MaxCheckedDaily / 2, DryRun: true}
		if err := p.store.Bulk.CountChecked(t.Context(), caller, checked, p.clock.Now()); err != nil {
			t.Fatal(err)
		}
	}
	_, second := p.userOf(acme, "second@acme.example", principal.Admin)
	_, other := p.userOf(bolt, "other@bolt.example", principal.Admin)
	const one = "email,name,role\na@x.example,A,user\n"
	p.withKey(second).Post("/v1/users/imports", importBody("csv", one)).WantStatus(http.StatusOK).
		WantValue("data.created", 1)
	for key, status := range map[string]int{second: http.StatusTooManyRequests, other: http.StatusOK,
		p.key: http.StatusOK} {
		p.withKey(key).Post("/v1/users/imports", importBody("csv", one, dryRun)).WantStatus(status)
	}
}
