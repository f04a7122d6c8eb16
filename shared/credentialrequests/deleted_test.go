package credentialrequests_test

import (
	"testing"

	"portside/shared/core/audit"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentialrequests"
	"portside/shared/credentialrequests/credentialrequestsdynamo"
	"portside/shared/testkit/audittest"
	"portside/shared/users/usersdynamo"
)

// The events of a request belong to the customer of its user also after the user was deleted.
func TestEventsOfDeletedRequestersBelongToTheirCustomer(t *testing.T) {
	f := newFixture(t)
	log := audittest.Log(t, f.client)
	f.credentials = f.credentials.Audited(log)
	people := usersdynamo.New(f.client, f.usersTable, f.credentials, f.days)
	f.service.Store = credentialrequestsdynamo.New(f.client, f.credentials, people.People)
	c := f.company("acme", 2)
	for _, who := range c.viewers {
		f.ask(who)
	}
	page, err := f.service.List(t.Context(), f.grace, credentialrequests.Query{OldestFirst: true, Limit: 10})
	if err != nil || len(page.Requests) != 2 {
		t.Fatal(page, err)
	}
	f.decide(page.Requests[0].ID, true)
	for _, who := range c.viewers {
		if err := f.users.Delete(t.Context(), principal.Operator(), versions.Target{ID: who.UserID}); err != nil {
			t.Fatal(err)
		}
	}
	f.decide(page.Requests[1].ID, false)
	f.wait(credentialrequests.LinkLifetime, 1)
	seen := map[audit.Action]int{}
	for _, event := range audittest.Events(t, f.client, log) {
		if event.Target.Kind != audit.CredentialRequest {
			continue
		}
		seen[event.Action]++
		if event.CustomerID != c.id {
			t.Errorf("%s belongs to customer %q", event.Action, event.CustomerID)
		}
	}
	if seen[audit.RequestDenied] != 1 || seen[audit.RequestChanged] != 1 || len(seen) != 4 {
		t.Errorf("events: %v", seen)
	}
}
