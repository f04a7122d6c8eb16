package usersdynamo_test

import (
	"errors"
	"testing"

	"portside/shared/core/principal"
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
	holders, err := d.store.People.Holders(t.Context(), principal.CredentialsApprove, 10)
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

// A wrong number of active admins, which a rebuild counts again, would let the last admin be deleted.
func TestRebuildCountsAdmins(t *testing.T) {
	t.Parallel()
	w := newPopulatedStore(t)
	for _, damage := range []func(){func() { w.remove(t, adminsKey()) }, func() { damageAdmins(t, w.tables()) }} {
		damage()
		for _, want := range []bool{true, false} {
			if repairs, err := w.Rebuild(t.Context(), nil); err != nil || repairs.Admins != want {
				t.Errorf("admins repaired: %v, %v, want %v", repairs.Admins, err, want)
			}
		}
		w.check(t)
	}
	for i, want := range map[int]error{0: nil, 4: nil} {
		if err := w.Delete(t.Context(), w.people[i], leapDay()); !errors.Is(err, want) {
			t.Errorf("delete admin %d: %v", i, err)
		}
	}
	if err := w.Delete(t.Context(), w.people[8], leapDay()); !errors.Is(err, users.ErrLastAdmin) {
		t.Errorf("delete the last admin: %v, want %v", err, users.ErrLastAdmin)
	}
}
