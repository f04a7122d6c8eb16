package usersdynamo_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/testkit/awstest"
	"portside/shared/users"
)

// TestDeletionReadsAtOnce fails if the user and the credentials are read one after the other. A deletion takes three
// round trips: authentication, these two reads, and the transaction.
func TestDeletionReadsAtOnce(t *testing.T) {
	d := newFixture(t)
	d.create(t, "root@example.com", principal.Admin)
	ada := d.create(t, "ada@example.com", principal.User)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	metered, meter := awstest.Metered(awstest.Together(d.client, 2))
	deletion, err := d.over(metered).Deletion(ctx, ada.ID, ada.UpdatedAt)
	if err != nil || meter.Calls() != 2 || meter.ReadUnits() != 2 {
		t.Fatalf("%d calls and %v read units, %v; want 2 and 2", meter.Calls(), meter.ReadUnits(), err)
	}
	if err := deletion.Commit(t.Context()); err != nil || meter.Calls() != 3 {
		t.Errorf("%d calls, %v; want 3", meter.Calls(), err)
	}
}

// TestCostOfPages asserts calls, which wait for each other, and read units. Authentication adds one call.
func TestCostOfPages(t *testing.T) {
	d := newFixture(t)
	if _, err := d.store.Bulk.CreateAll(t.Context(), newcomers("x", 300)); err != nil {
		t.Fatal(err)
	}
	client, meter := awstest.Metered(d.client)
	store := d.over(client)
	for _, c := range []struct {
		role   principal.Role
		offset int64
		calls  int
		reads  float64
	}{
		{"", 0, 2, 2}, {"", 31, 2, 3}, {"", 32, 3, 4}, {"", 250, 3, 5}, {"", 300, 1, 1}, {principal.User, 50, 3, 5},
	} {
		t.Run(fmt.Sprintf("%q at %d", c.role, c.offset), func(t *testing.T) {
			meter.Reset()
			if _, err := store.List(t.Context(), users.Query{Role: c.role, Limit: 20, Offset: c.offset}); err != nil {
				t.Fatal(err)
			}
			if meter.Calls() > c.calls || meter.ReadUnits() > c.reads {
				t.Errorf("%d calls and %v read units, want at most %d and %v", meter.Calls(), meter.ReadUnits(), c.calls, c.reads)
			}
		})
	}
}

// TestCursorsCostLessThanOffsets follows the cursors of all users. Each page takes the read of the total and one Query.
func TestCursorsCostLessThanOffsets(t *testing.T) {
	d := newFixture(t)
	if _, err := d.store.Bulk.CreateAll(t.Context(), newcomers("x", 300)); err != nil {
		t.Fatal(err)
	}
	client, meter := awstest.Metered(d.client)
	store := d.over(client)
	query := users.Query{Limit: 20}
	for query.Offset < 300 {
		page, err := store.List(t.Context(), query)
		if err != nil || len(page.Users) != query.Limit || (page.Next == "") != (query.Offset == 280) {
			t.Fatalf("%d users, then %q: %v", len(page.Users), page.Next, err)
		}
		query.Offset += 20
		after := users.Query{Limit: 20, After: page.Next}
		meter.Reset()
		if _, err := store.List(t.Context(), after); err != nil {
			t.Fatal(err)
		}
		if byCursor := meter.ReadUnits(); after.After != "" && (meter.Calls() != 2 || byCursor > 2.5) {
			t.Errorf("after %q: %d calls and %v read units, want 2 and at most 2.5", after.After, meter.Calls(), byCursor)
		}
	}
}

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
		writes float64 // with 3 for the audit event; the comment is the share of day counters and of the history of a deleted user
	}{
		{"creation", func() error {
			newcomer := newUser("ada@example.com", principal.User)
			newcomer.Name = "Ada Byron"
			created, err := store.Create(t.Context(), users.Creation{User: newcomer})
			ada = created.User
			return err
		}, 2, 32}, // 4
		{"name", change(func(u *users.User) { u.Name = "Ada Lovelace" }), 1, 21},                            // 0
		{"department", change(func(u *users.User) { u.Department = "Engines" }), 1, 5},                      // 0
		{"metadata", change(func(u *users.User) { u.Metadata = []byte(`{"a": 1}`) }), 1, 5},                 // 0
		{"role", change(func(u *users.User) { u.Role = principal.Viewer }), 2, 29},                          // 4
		{"status", change(func(u *users.User) { u.Status = users.Suspended }), 2, 31},                       // 4
		{"role and status", change(func(u *users.User) { u.Role, u.Status = "user", users.Active }), 2, 31}, // 4
		{"deletion", func() error { return store.Delete(t.Context(), ada, ada.UpdatedAt) }, 2, 37},          // 4 + 2
		{"import of 7", func() error {
			_, err := store.Bulk.CreateAll(t.Context(), newcomers("x", 7))
			return err
		}, 3, 160}, // 4
	} {
		meter.Reset()
		if err := c.do(); err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		if meter.Calls() != c.calls || meter.WriteUnits() != c.writes {
			t.Errorf("%s: %d calls and %v write units, want %d and %v", c.what, meter.Calls(), meter.WriteUnits(), c.calls,
				c.writes)
		}
	}
}
