package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/mail"
	"portside/shared/testkit/webtest"
)

// use counts mails against a quota until only some are left.
func (p *fixture) use(quota mail.Quota, left int) {
	p.tb.Helper()
	p.write(p.keys.Windows.Count(quota.Window(), quota.Limit-left, p.clock.Now())...)
}

// ofAcme is a caller of the customer acme.
func ofAcme() principal.Principal { return principal.Principal{UserID: "somebody", CustomerID: acme} }

func invitation(name string) string {
	return `{"email":"` + name + `@acme.example","name":"Ada","role":"viewer"}`
}

// TestInvitationsHaveADailyQuota uses up the invitations of a customer. Users without an invitation, other customers
// and the staff are not affected, and the quota is renewed at midnight.
//
//proves:docs/security.md
func TestInvitationsHaveADailyQuota(t *testing.T) {
	p := newFixtureWithCustomers(t)
	_, key := p.userOf(acme, "admin@acme.example", principal.Admin)
	_, other := p.userOf(bolt, "admin@bolt.example", principal.Admin)
	p.use(mail.Invitations(ofAcme()), 2)
	member := p.withKey(key)
	first := member.With("Idempotency-Key", onceKey).Post("/v1/users", invitation("first")).WantStatus(http.StatusCreated)
	again := "/v1/users/" + first.Text("data.id") + "/invitation"
	p.clock.Advance(time.Hour)
	member.Post(again, "").WantStatus(http.StatusOK)
	p.clock.Advance(time.Hour)

	const detail = "The limit is 1000 invitations per day for the users of your customer, and it is used up until 2026-03-03 00:00 UTC. " +
		"Wait until then."
	for _, refused := range []webtest.Response{member.Post("/v1/users", invitation("second")), member.Post(again, "")} {
		refused.WantStatus(http.StatusTooManyRequests).WantValue("code", "QUOTA_EXCEEDED").WantHeader("Retry-After", "46800").
			WantValue("detail", detail)
	}
	member.Get("/v1/users").WantValue("pagination.total", 2) // the admin and the first one
	member.With("Idempotency-Key", onceKey).Post("/v1/users", invitation("first")).WantStatus(http.StatusCreated).
		WantHeader("Idempotency-Replayed", "true")
	member.Post("/v1/users", strings.Replace(invitation("quiet"), "{", `{"sendActivationEmail":false,`, 1)).
		WantStatus(http.StatusCreated)
	p.withKey(other).Post("/v1/users", strings.ReplaceAll(invitation("b"), "acme", "bolt")).WantStatus(http.StatusCreated)
	p.asAdmin().Post("/v1/users", strings.Replace(invitation("c"), "{", `{"customerId":"`+acme+`",`, 1)).
		WantStatus(http.StatusCreated)
	p.clock.Advance(13 * time.Hour)
	member.Post("/v1/users", invitation("second")).WantStatus(http.StatusCreated)
}

// TestImportNamesRowsAboveTheQuota has rows with and without invitations, of which two have room.
func TestImportNamesRowsAboveTheQuota(t *testing.T) {
	for customer, caller := range map[string]principal.Principal{acme: ofAcme(), "": {UserID: "somebody"}} {
		t.Run(customer, func(t *testing.T) {
			p := newFixtureWithCustomers(t)
			_, key := p.userOf(customer, "admin@acme.example", principal.Admin)
			quota := mail.Invitations(caller)
			p.use(quota, 2)
			text := "email,name,role,sendActivationEmail\n"
			for n, invited := range []bool{true, false, true, true, false, true} {
				text += fmt.Sprintf("u%d@acme.example,U,user,%v\n", n, invited)
			}
			for _, run := range []struct{ body, status string }{{importBody("csv", text, dryRun), "ready"},
				{importBody("csv", text), "created"}} {
				report := p.withKey(key).Post("/v1/users/imports", run.body).WantStatus(http.StatusOK).
					WantValue("data."+run.status, 4).
					WantValue("data.failed", 2)
				for _, n := range []int{3, 5} {
					report.WantValue(fmt.Sprintf("data.rows.%d.status", n), "failed").
						WantValue(fmt.Sprintf("data.rows.%d.reasons.0", n), quota.Exceeded(p.clock.Now()).Detail)
				}
			}
			p.clock.Advance(15 * time.Hour)
			p.withKey(key).Post("/v1/users/imports", importBody("csv", text)).WantStatus(http.StatusOK).
				WantValue("data.created", 2).
				WantValue("data.existing", 4)
		})
	}
}

//proves:docs/security.md
func TestConcurrentInvitationsKeepTheQuota(t *testing.T) {
	p := newFixtureWithCustomers(t)
	_, key := p.userOf(acme, "admin@acme.example", principal.Admin)
	p.use(mail.Invitations(ofAcme()), 3)
	statuses := webtest.Concurrently(8, func(i int) int {
		return p.withKey(key).Post("/v1/users", invitation(fmt.Sprintf("u%d", i))).Status
	})
	if statuses[http.StatusCreated] != 3 || statuses[http.StatusTooManyRequests] != 5 || len(p.post.letters) != 3 {
		t.Errorf("statuses %v and %d mails, want 3 users and mails", statuses, len(p.post.letters))
	}
}

// TestKeysForOthersHaveADailyQuota creates keys for another user and for the admin, who gets no mail about an own one.
//
//proves:docs/security.md
func TestKeysForOthersHaveADailyQuota(t *testing.T) {
	p := newFixtureWithCustomers(t)
	admin, key := p.userOf(acme, "admin@acme.example", principal.Admin)
	user, _ := p.userOf(acme, "user@acme.example", principal.User)
	p.use(mail.KeyNotices(ofAcme()), 1)
	member, others := p.withKey(key), "/v1/users/"+user.ID+"/api-keys"
	member.Post(others, `{"name":"a"}`).WantStatus(http.StatusCreated)
	member.Post(others, `{"name":"b"}`).WantStatus(http.StatusTooManyRequests).WantValue("code", "QUOTA_EXCEEDED").
		WantHeader("Retry-After", "54000")
	member.Post("/v1/users/"+admin.ID+"/api-keys", `{"name":"own"}`).WantStatus(http.StatusCreated)
	member.Post("/v1/users", invitation("ada")).WantStatus(http.StatusCreated)
	p.asAdmin().Post(others, `{"name":"c"}`).WantStatus(http.StatusCreated)
}
