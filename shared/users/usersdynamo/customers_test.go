package usersdynamo_test

import (
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/principal"
	"portside/shared/dynamo/items"
	"portside/shared/testkit/liststest"
	"portside/shared/users"
)

// userOf adds a user of a customer.
func (d *fixture) userOf(t *testing.T, customerID, email string, role principal.Role) users.User {
	t.Helper()
	user := newUser(email, role)
	user.CustomerID = customerID
	created, err := d.store.Create(t.Context(), users.Creation{User: user})
	if err != nil {
		t.Fatal(err)
	}
	return created.User
}

// Admins of customers neither count as admins of the vendor nor get the mails to approvers.
//
//proves:docs/security.md
func TestAdminsOfCustomersAreNotStaff(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.userOf(t, customers[1], "chief@acme.example", principal.Admin)
	staff := d.userOf(t, "", "root@example.com", principal.Admin)
	holders, err := d.store.Holders(t.Context(), principal.CredentialsApprove, 10)
	if err != nil || len(holders) != 1 || holders[0].ID != staff.ID {
		t.Errorf("the holders are %+v, %v, want only the staff", holders, err)
	}
	repairs, err := d.store.Rebuild(t.Context(), nil)
	if err != nil || repairs.Admins || repairs.Strays+repairs.Resources+repairs.Counters > 0 {
		t.Errorf("the rebuild has changed a correct table: %+v, %v", repairs, err)
	}
	if n, err := d.store.ActiveAdmins(t.Context()); err != nil || n != 1 {
		t.Errorf("%d active admins, %v, want 1", n, err)
	}
}

// Rebuild and RebuildCustomer repair the lists, counts and terms of a customer's users.
func TestRebuildRepairsUsersOfCustomers(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	of := customers[1]
	for n := range 3 {
		d.userOf(t, of, fmt.Sprintf("u%d@acme.example", n), principal.User)
	}
	for _, raw := range liststest.Scan(t, d.client, d.users) {
		pk := liststest.Text(raw, "pk")
		if pk == "list#"+of+"#user" || pk == "rank#users#"+of+"#1#0" || pk == "search#"+of+"#u" {
			d.remove(t, items.Key(pk, liststest.Text(raw, "sk")))
		}
	}
	if _, err := d.store.Rebuild(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		if wrong, err := d.store.RebuildCustomer(t.Context(), of); err != nil || wrong != want {
			t.Errorf("wrong %v, %v, want %v", wrong, err, want)
		}
	}
	checkConsistency(t, d.client, d.users)
}

func (d *fixture) remove(t *testing.T, key items.Map) {
	t.Helper()
	if _, err := d.client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &d.users, Key: key}); err != nil {
		t.Fatal(err)
	}
}
