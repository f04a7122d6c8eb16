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
	"portside/shared/users"
	"portside/shared/web/resource"
)

const victim = `{"email":"victim@elsewhere.example","name":"V","role":"viewer"}`

// invite creates the user, who gets a mail, and deletes it again.
func invite(client webtest.Client, body string) webtest.Response {
	created := client.Post("/v1/users", body)
	if created.Status == http.StatusCreated {
		client.Delete("/v1/users/" + created.Text("data.id")).WantStatus(http.StatusNoContent)
	}
	return created
}

// TestAddressGetsFewInvitations invites the same address again and again, and deletes the user each time. An address
// has these limits: one of each customer, one of all customers together, and one of the staff.
//
//proves:docs/security.md
func TestAddressGetsFewInvitations(t *testing.T) {
	p := newFixtureWithCustomers(t)
	clients := map[string]webtest.Client{"staff": p.asAdmin()}
	for name, id := range map[string]string{"acme": acme, "bolt": bolt} {
		_, key := p.userOf(id, "admin@"+name+".example", principal.Admin)
		clients[name] = p.withKey(key)
	}
	mails := 0
	for _, sender := range []struct {
		name   string
		mails  int
		detail string
	}{
		{"acme", 5, "The limit is 5 invitations to one address per day for the users of your customer, and it is used up until " +
			"2026-03-03 00:00 UTC. Wait until then."},
		{"bolt", 5, "The limit is 5 invitations to one address per day for the users of your customer, and it is used up until " +
			"2026-03-03 00:00 UTC. Wait until then."},
		{"staff", 10, "The limit is 10 invitations to one address per day for the vendor's staff, and it is used up until " +
			"2026-03-03 00:00 UTC. Wait until then."},
	} {
		client := clients[sender.name]
		for n := range sender.mails {
			body := victim
			if n%2 == 1 { // the same address
				body = strings.Replace(victim, "victim@else", " Victim@ELSE", 1)
			}
			invite(client, body).WantStatus(http.StatusCreated)
		}
		mails += sender.mails
		client.Post("/v1/users", victim).WantStatus(http.StatusTooManyRequests).WantValue("code", "QUOTA_EXCEEDED").
			WantHeader("Retry-After", "54000").WantValue("detail", sender.detail)
		invite(client, strings.Replace(victim, "victim", "other-"+sender.name, 1)).WantStatus(http.StatusCreated)
		invite(client, strings.Replace(victim, "{", `{"sendActivationEmail":false,`, 1)).WantStatus(http.StatusCreated)
	}
	if got := len(p.post.letters); got != mails+3 {
		t.Errorf("%d mails, want %d to the victim and 3 to others", got, mails)
	}
	p.clock.Advance(15 * time.Hour)
	for _, client := range clients {
		invite(client, victim).WantStatus(http.StatusCreated)
	}
}

// TestAddressGetsFewInvitationsOfAllCustomers uses up the limit of all customers together. It does not keep the staff
// from inviting.
//
//proves:docs/security.md
func TestAddressGetsFewInvitationsOfAllCustomers(t *testing.T) {
	p := newFixtureWithCustomers(t)
	_, key := p.userOf(acme, "admin@acme.example", principal.Admin)
	p.use(mail.InvitationsTo(ofAcme(), "victim@elsewhere.example")[2], 1)
	invite(p.withKey(key), victim).WantStatus(http.StatusCreated)
	invite(p.withKey(key), victim).WantStatus(http.StatusTooManyRequests).WantValue("detail", "The limit is 10 invitations to one address "+
		"per day for the users of all customers together, and it is used up until 2026-03-03 00:00 UTC. Wait until then.")
	invite(p.asAdmin(), victim).WantStatus(http.StatusCreated)
	service := users.NewService(p.store, users.NewInviter(p.store.Invitations, p.post, p.clock.Now), resource.NewID, p.clock.Now)
	for n := range 20 {
		person := users.NewUser{Email: "victim@elsewhere.example", Name: "V", Role: principal.Viewer, ActivationEmail: true}
		created, err := service.Create(t.Context(), users.CreateOptions{Caller: principal.Operator()}, person)
		if err != nil {
			t.Fatalf("invitation %d of the operator: %v", n, err)
		}
		p.asAdmin().Delete("/v1/users/" + created.User.ID).WantStatus(http.StatusNoContent)
	}
}

// TestResendsAndImportsCountForTheAddress uses up the limit of an address with links and imports. Other rows of the
// file are imported.
//
//proves:docs/security.md
func TestResendsAndImportsCountForTheAddress(t *testing.T) {
	p := newFixtureWithCustomers(t)
	_, key := p.userOf(acme, "admin@acme.example", principal.Admin)
	member := p.withKey(key)
	id := member.Post("/v1/users", victim).WantStatus(http.StatusCreated).Text("data.id")
	for range 2 {
		p.clock.Advance(time.Hour)
		member.Post("/v1/users/"+id+"/invitation", "").WantStatus(http.StatusOK)
	}
	const header, row = "email,name,role,sendActivationEmail\n", "victim@elsewhere.example,V,user,true\n"
	for range 2 {
		member.Delete("/v1/users/" + id).WantStatus(http.StatusNoContent)
		id = member.Post("/v1/users/imports", importBody("csv", header+row)).WantStatus(http.StatusOK).
			WantValue("data.created", 1).Text("data.rows.0.userId")
	}
	p.clock.Advance(time.Hour)
	member.Delete("/v1/users/" + id).WantStatus(http.StatusNoContent)
	reason := mail.InvitationsTo(ofAcme(), "victim@elsewhere.example")[1].Exceeded(p.clock.Now()).Detail
	file := header + "a@acme.example,A,user,true\n" + row + "b@acme.example,B,user,true\n"
	for _, run := range []struct{ body, status string }{{importBody("csv", file, dryRun), "ready"},
		{importBody("csv", file), "created"}} {
		member.Post("/v1/users/imports", run.body).WantStatus(http.StatusOK).WantValue("data."+run.status, 2).
			WantValue("data.failed", 1).
			WantValue("data.rows.1.reasons.0", reason)
	}
}

// TestAddressGetsFewMailsAboutKeys creates keys for a user who is deleted and created again meanwhile. The user's own
// keys cause no mail.
//
//proves:docs/security.md
func TestAddressGetsFewMailsAboutKeys(t *testing.T) {
	p := newFixtureWithCustomers(t)
	_, key := p.userOf(acme, "admin@acme.example", principal.Admin)
	member, body := p.withKey(key), strings.Replace(victim, "{", `{"sendActivationEmail":false,`, 1)
	var last string
	for range 4 {
		id := member.Post("/v1/users", body).WantStatus(http.StatusCreated).Text("data.id")
		last = "/v1/users/" + id
		for n := range 5 {
			member.Post(last+"/api-keys", fmt.Sprintf(`{"name":"k%d"}`, n)).WantStatus(http.StatusCreated)
		}
		member.Delete(last).WantStatus(http.StatusNoContent)
	}
	last = "/v1/users/" + member.Post("/v1/users", body).WantStatus(http.StatusCreated).Text("data.id")
	member.Post(last+"/api-keys", `{"name":"k"}`).WantStatus(http.StatusTooManyRequests).
		WantValue("code", "QUOTA_EXCEEDED").
		WantHeader("Retry-After", "54000")
	own := p.asAdmin().Post(last+"/api-keys", `{"name":"k"}`).WantStatus(http.StatusCreated).Text("data.key")
	p.withKey(own).Post(last+"/api-keys", `{"name":"own"}`).WantStatus(http.StatusCreated)
}

// TestConcurrentMailsKeepTheQuotaOfTheAddress creates keys at the same time, of which three may cause a mail.
//
//proves:docs/security.md
func TestConcurrentMailsKeepTheQuotaOfTheAddress(t *testing.T) {
	p := newFixtureWithCustomers(t)
	_, key := p.userOf(acme, "admin@acme.example", principal.Admin)
	user, _ := p.userOf(acme, "user@acme.example", principal.User)
	p.use(mail.KeyNoticesTo(ofAcme(), user.Email)[1], 3)
	statuses := webtest.Concurrently(8, func(int) int {
		return p.withKey(key).Post("/v1/users/"+user.ID+"/api-keys", `{"name":"k"}`).Status
	})
	if statuses[http.StatusCreated] != 3 || statuses[http.StatusTooManyRequests] != 5 {
		t.Errorf("statuses %v, want 3 keys", statuses)
	}
}
