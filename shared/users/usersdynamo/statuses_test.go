package usersdynamo_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/liststest"
	"portside/shared/users"
)

// forgetStatuses makes the table what a release without lists of statuses has written: it lacks these lists and their
// counts.
func (d *fixture) forgetStatuses(t *testing.T) {
	t.Helper()
	for _, raw := range liststest.Scan(t, d.client, d.users) {
		pk, sk := liststest.Text(raw, "pk"), liststest.Text(raw, "sk")
		for _, status := range users.Statuses() {
			if strings.HasPrefix(pk, "list#") && strings.HasSuffix(pk, "#"+string(status)) {
				d.remove(t, items.Key(pk, sk))
			}
		}
		if !strings.HasPrefix(pk, "rank#") {
			continue
		}
		for name := range raw {
			if len(name) == 2 && name[1] >= 'A' && name[1] <= 'Z' {
				delete(raw, name)
			}
		}
		if _, err := d.client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &d.users, Item: raw}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestUpgradeBuildsListsOfStatuses updates a table of an earlier release. Until the rebuild, every change works, and
// the other lists are exact. After it, everything is.
func TestUpgradeBuildsListsOfStatuses(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	d.create(t, "root@example.com", principal.Admin)
	var people []users.User
	for n := range 12 {
		user := newUser(fmt.Sprintf("u%d@example.com", n), principal.Roles()[n%4])
		user.CustomerID, user.Status = customers[n/4%2], users.Statuses()[n%3] // active, pending, inactive
		created, err := d.store.Create(t.Context(), users.Creation{User: user})
		if err != nil {
			t.Fatal(err)
		}
		people = append(people, created.User)
	}
	d.forgetStatuses(t)
	for n, u := range people[:9] {
		after := u
		after.Name, after.Role, after.Status = "Changed", principal.Roles()[(n+1)%4],
			[]users.Status{users.Active, users.Suspended}[n%2]
		if n == 1 {
			after.CustomerID = customers[1]
		}
		if _, err := d.store.Update(t.Context(), u, after); err != nil {
			t.Errorf("change %d: %v", n, err)
		}
	}
	if err := d.store.Delete(t.Context(), people[10], leapDay()); err != nil {
		t.Error(err)
	}
	d.create(t, "new@example.com", principal.Viewer)
	if page, err := d.store.List(t.Context(), users.Query{Limit: 20}); err != nil || page.Total != 13 ||
		len(page.Users) != 13 {
		t.Errorf("before the rebuild: %d users of %d, %v", len(page.Users), page.Total, err)
	}
	if repairs, err := d.store.Rebuild(t.Context(), nil); err != nil || repairs.Resources == 0 ||
		len(repairs.Disputes) > 0 {
		t.Errorf("%+v, %v", repairs, err)
	}
	if _, err := d.store.RebuildCustomer(t.Context(), customers[1]); err != nil {
		t.Error(err)
	}
	d.check(t)
}

// TestLargestChange changes everything of a user of a customer who has as many credentials as possible: more than one
// transaction can hold.
func TestLargestChange(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	user := newUser("first.last@acme.example", principal.Manager)
	user.CustomerID, user.Name = customers[1], "One of Many"
	created, err := d.store.Create(t.Context(), users.Creation{User: user})
	if err != nil {
		t.Fatal(err)
	}
	h := &holder{fixture: d, t: t, table: d.table(), user: created.User}
	for range credentials.MaxLive {
		if err := h.issue(h.user); err != nil {
			t.Fatal(err)
		}
	}
	for range credentials.MaxSessions {
		_, session := credentials.NewSession(owner(h.user), "test", leapDay())
		writes := append(h.table.Writes.Issue(session), h.table.Writes.Tally(h.user.ID, credentialsdynamo.Change{Sessions: 1}))
		if err := transactions.Write(t.Context(), d.client, writes); err != nil {
			t.Fatal(err)
		}
	}
	after := h.user
	after.Name, after.Role, after.Status = "Another Three Words", principal.Viewer, users.Suspended
	updated, err := d.store.Update(t.Context(), h.user, after)
	if err != nil {
		t.Fatal(err)
	}
	d.check(t)
	for _, c := range h.live() {
		if c.Owner.Role != principal.Viewer || c.Owner.Active {
			t.Errorf("a credential has the owner %+v", c.Owner)
		}
	}
	if err := d.store.Delete(t.Context(), updated, leapDay()); err != nil {
		t.Error(err)
	}
	d.check(t)
}

// TestPagesOfStatusesCostTheSame compares calls and read units at the start and at the end of long lists.
func TestPagesOfStatusesCostTheSame(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	people := newcomers("x", 400)
	for i := range people {
		people[i].User.Status = users.Statuses()[i/2%4]
	}
	if _, err := d.store.Bulk.CreateAll(t.Context(), people); err != nil {
		t.Fatal(err)
	}
	client, meter := awstest.Metered(d.client)
	store := d.over(client)
	for _, c := range []users.Query{
		{Status: users.Active, Offset: 40}, {Status: users.Suspended, Offset: 80},
		{Role: principal.User, Status: users.Pending, Offset: 40}, {Status: users.Inactive, Offset: 99},
	} {
		meter.Reset()
		c.Limit = 20
		page, err := store.List(t.Context(), c)
		if err != nil || page.Total == 0 || meter.Calls() > 3 || meter.ReadUnits() > 5 {
			t.Errorf("%+v: %d calls and %v read units, %v, want at most 3 and 5", c, meter.Calls(), meter.ReadUnits(), err)
		}
	}
}
