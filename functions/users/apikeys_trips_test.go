package main

import (
	"net/http"
	"testing"

	"github.com/google/uuid"

	"portside/shared/core/principal"
	"portside/shared/testkit/awstest"
)

// TestAPIKeyTakesThreeTrips makes the calls of DynamoDB wait for those that should run at the same time. The first
// round is the authentication, with the owner; the second one the transaction, with the maker; and the third one
// removes the notice that the mail has replaced. Where the caller or the owner belongs to a customer, another round
// reads the state of the customer, which the first one finds.
func TestAPIKeyTakesThreeTrips(t *testing.T) {
	p := newFixture(t)
	other, _ := p.user("ada@example.com", principal.Viewer)
	manager, managerKey := p.userOf(exampleCustomer, "manager@customer.example", principal.Admin)
	member, _ := p.userOf(exampleCustomer, "member@customer.example", principal.Viewer)
	for name, test := range map[string]struct {
		key, owner string
		rounds     []int
		mails      int
	}{
		"an own key":                        {p.key, p.admin.ID, []int{3, 1}, 0},
		"another user's key":                {p.key, other.ID, []int{3, 2, 1}, 1},
		"an own key of a customer's user":   {managerKey, manager.ID, []int{3, 1, 1}, 0},
		"another user's key in a customer":  {managerKey, member.ID, []int{3, 1, 2, 1}, 1},
		"staff's key for a customer's user": {p.key, member.ID, []int{3, 2, 1, 1}, 1}, // the maker is read beside the state
	} {
		t.Run(name, func(t *testing.T) {
			for _, key := range []string{p.key, managerKey} {
				p.withKey(key).For(t).Get("/v1/users/" + manager.ID).WantStatus(http.StatusOK) // the first use in five minutes writes more
			}
			before := len(p.post.letters)
			client, left := awstest.Rounds(p.client, test.rounds...)
			p.connect(client)
			defer p.connect(p.client)
			once := p.withKey(test.key).For(t).With("Idempotency-Key", uuid.NewString())
			once.Post("/v1/users/"+test.owner+"/api-keys", `{"name":"key"}`).WantStatus(http.StatusCreated)
			if left() != 0 || len(p.post.letters)-before != test.mails {
				t.Errorf("%d calls less, and %d mails", left(), len(p.post.letters)-before)
			}
		})
	}
}
