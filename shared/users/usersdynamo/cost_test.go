package usersdynamo_test

import (
	"testing"

	"portside/shared/core/principal"
	"portside/shared/testkit/awstest"
	"portside/shared/users"
)

// TestCostOfChanges asserts write units, which do not depend on the machine. Only changes of role
// or status pay for the day counters.
func TestCostOfChanges(t *testing.T) {
	d := newFixture(t)
	d.create(t, "root@example.com", principal.Admin)
	client, meter := awstest.Metered(d.client)
	store := d.over(client)
	var ada users.User
	change := func(edit func(*users.User)) func() error {
		return func() (err error) {
			after := ada
			edit(&after)
			ada, err = store.Update(t.Context(), ada, after)
			return err
		}
	}
	for _, c := range []struct {
		what   string
		do     func() error
		calls  int
		writes float64 // the comment is the share of day counters and of the history of a deleted user
	}{
		{"creation", func() error {
			created, err := store.Create(t.Context(), users.Creation{User: newUser("ada@example.com", principal.User)})
			ada = created.User
			return err
		}, 2, 21}, // 4
		{"name", change(func(u *users.User) { u.Name = "Ada" }), 1, 6},                                      // 0
		{"department", change(func(u *users.User) { u.Department = "Engines" }), 1, 2},                      // 0
		{"metadata", change(func(u *users.User) { u.Metadata = []byte(`{"a": 1}`) }), 1, 2},                 // 0
		{"role", change(func(u *users.User) { u.Role = principal.Viewer }), 2, 22},                          // 4
		{"status", change(func(u *users.User) { u.Status = users.Suspended }), 2, 14},                       // 4
		{"role and status", change(func(u *users.User) { u.Role, u.Status = "user", users.Active }), 2, 22}, // 4
		{"deletion", func() error { return store.Delete(t.Context(), ada, ada.UpdatedAt) }, 2, 26},          // 4 + 2
		{"import of 18", func() error {
			_, err := store.CreateAll(t.Context(), newcomers("x", 18))
			return err
		}, 3, 159}, // 4
	} {
		meter.Reset()
		if err := c.do(); err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		if meter.Calls() != c.calls || meter.WriteUnits() != c.writes {
			t.Errorf("%s: %d calls and %v write units, want %d and %v", c.what, meter.Calls(), meter.WriteUnits(), c.calls, c.writes)
		}
	}
}
