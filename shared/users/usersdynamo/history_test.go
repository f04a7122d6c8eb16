package usersdynamo_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/dynamo/items"
	"portside/shared/mail"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/liststest"
	"portside/shared/testkit/resourcetest"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

// less returns all counts minus others.
func less(all, others resourcetest.DayCounts) resourcetest.DayCounts {
	rest := resourcetest.DayCounts{}
	for sign, counts := range map[int64]resourcetest.DayCounts{1: all, -1: others} {
		for day, counters := range counts {
			for name, n := range counters {
				rest.AddTo(day, sign*n, name)
			}
		}
	}
	return rest
}

func (d *fixture) storedDays(t *testing.T) resourcetest.DayCounts {
	t.Helper()
	return resourcetest.StoredDays(t, d.client, d.analytics)
}

func (d *fixture) historyDays(t *testing.T) resourcetest.DayCounts {
	t.Helper()
	return resourcetest.HistoryDays(t, d.store.Histories(t.Context()))
}

// on returns noon of a day in March.
func on(day int) time.Time { return time.Date(2026, 3, day, 12, 0, 0, 0, time.UTC) }

// createOn adds a user on a day in March.
func (d *fixture) createOn(t *testing.T, day int, email string, role principal.Role) users.User {
	t.Helper()
	user := newUser(email, role)
	user.CreatedAt = on(day)
	created, err := d.store.Create(t.Context(), users.Creation{User: user})
	if err != nil {
		t.Fatal(err)
	}
	return created.User
}

// changeOn edits a user on a day in March.
func (d *fixture) changeOn(t *testing.T, day int, before users.User, edit func(*users.User)) users.User {
	t.Helper()
	after := before
	edit(&after)
	after.UpdatedAt = on(day)
	after, err := d.store.Update(t.Context(), before, after)
	if err != nil {
		t.Fatal(err)
	}
	return after
}

func demote(u *users.User)  { u.Role = principal.Viewer }
func suspend(u *users.User) { u.Status = users.Suspended }
func rename(u *users.User)  { u.Name += "!" }

func TestDailyCountsOfOneUser(t *testing.T) {
	d := newFixture(t)
	ada := d.createOn(t, 1, "ada@example.com", principal.User)
	ada = d.changeOn(t, 3, ada, demote)
	ada = d.changeOn(t, 4, ada, rename)
	ada = d.changeOn(t, 3, ada, suspend)
	want := resourcetest.DayCounts{
		"2026-03-01": {"users": 1, "users:active": 1, "role:user": 1},
		"2026-03-03": {"role:user": -1, "role:viewer": 1, "users:active": -1, "users:suspended": 1},
		"total":      {"users": 1, "users:suspended": 1, "role:viewer": 1},
	}
	if diff := cmp.Diff(want, d.storedDays(t)); diff != "" {
		t.Error(diff)
	}
	d.check(t)
	if err := d.store.Delete(t.Context(), ada, on(9)); err != nil {
		t.Fatal(err)
	}
	want["2026-03-09"] = map[string]int64{"users": -1, "users:suspended": -1, "role:viewer": -1}
	delete(want, "total")
	if diff := cmp.Diff(want, d.storedDays(t)); diff != "" {
		t.Error(diff)
	}
	d.check(t)
	left := d.raw(t, items.Key("gone#"+ada.ID, "gone"))
	if attributes := slices.Sorted(maps.Keys(left)); !slices.Equal(attributes, []string{"life", "pk", "sk"}) {
		t.Errorf("a deleted user leaves the attributes %v", attributes)
	}
}

func (d *fixture) raw(t *testing.T, key items.Map) items.Map {
	t.Helper()
	out, err := d.client.GetItem(t.Context(),
		&dynamodb.GetItemInput{TableName: &d.users, Key: key, ConsistentRead: aws.Bool(true)})
	if err != nil {
		t.Fatal(err)
	}
	return out.Item
}

// edit sets an attribute of a user's item, or removes it if value is nil.
func (d *fixture) edit(t *testing.T, u users.User, attribute string, value types.AttributeValue) {
	t.Helper()
	input := &dynamodb.UpdateItemInput{
		TableName: &d.users, Key: items.Key("user#"+u.ID, "user"), UpdateExpression: aws.String("REMOVE #a"),
		ExpressionAttributeNames: map[string]string{"#a": attribute},
	}
	if value != nil {
		input.UpdateExpression, input.ExpressionAttributeValues = aws.String("SET #a = :v"), items.Map{":v": value}
	}
	if _, err := d.client.UpdateItem(t.Context(), input); err != nil {
		t.Fatal(err)
	}
}

func (d *fixture) get(t *testing.T, u users.User) users.User {
	t.Helper()
	u, err := d.store.Get(t.Context(), u.ID)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestUsersWithMissingOrOutdatedHistory has users without a history, and one whose history is older than the latest
// change. The difference between histories and counters stays the same with every change, so adding it once, at any
// time, repairs the counters.
func TestUsersWithMissingOrOutdatedHistory(t *testing.T) {
	d := newFixture(t)
	d.createOn(t, 1, "root@example.com", principal.Admin)
	bare := d.createOn(t, 2, "bare@example.com", principal.Manager)
	doomed := d.createOn(t, 2, "doomed@example.com", principal.User)
	stale := d.createOn(t, 3, "stale@example.com", principal.User)
	d.edit(t, bare, "life", nil)
	d.edit(t, bare, "updated", items.Number(on(4).UnixMilli()))
	d.edit(t, doomed, "life", nil)
	d.edit(t, stale, "status", items.Text("inactive"))
	d.edit(t, stale, "updated", items.Number(on(5).UnixMilli()))
	if err := d.dropCounts(t); err != nil {
		t.Fatal(err)
	}
	lacking := d.historyDays(t)
	want := resourcetest.DayCounts{
		"2026-03-01": {"users": 1, "users:active": 1, "role:admin": 1},
		"2026-03-02": {"users": 2, "users:active": 2, "role:manager": 1, "role:user": 1},
		"2026-03-03": {"users": 1, "users:active": 1, "role:user": 1},
		"2026-03-05": {"users:active": -1, "users:inactive": 1},
		"total": {"users": 4, "users:active": 3, "users:inactive": 1, "role:admin": 1, "role:manager": 1,
			"role:user": 2},
	}
	if diff := cmp.Diff(want, lacking); diff != "" {
		t.Fatal(diff)
	}
	check := func(what string) {
		t.Helper()
		if diff := cmp.Diff(lacking, less(d.historyDays(t), d.storedDays(t))); diff != "" {
			t.Errorf("after %s: %s", what, diff)
		}
	}
	bare, stale = d.changeOn(t, 6, d.get(t, bare), rename), d.changeOn(t, 6, d.get(t, stale), rename)
	check("other changes")
	if counted := d.storedDays(t); len(counted) > 0 {
		t.Errorf("changes of names changed the counters: %v", counted)
	}
	bare, stale = d.changeOn(t, 7, d.get(t, bare), demote), d.changeOn(t, 8, d.get(t, stale), demote)
	check("changes of roles")
	if bare.History == "" || !cmp.Equal(bare, d.get(t, bare)) {
		t.Errorf("the change returned %+v", bare)
	}
	for _, u := range []users.User{d.get(t, doomed), stale} {
		if err := d.store.Delete(t.Context(), u, on(9)); err != nil {
			t.Fatal(err)
		}
	}
	check("deletions")
}

func (d *fixture) dropCounts(t *testing.T) error {
	t.Helper()
	var failed error
	for _, raw := range liststest.Scan(t, d.client, d.analytics) {
		_, err := d.client.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{
			TableName: &d.analytics, Key: items.Map{"pk": raw["pk"], "sk": raw["sk"]},
		})
		failed = errors.Join(failed, err)
	}
	return failed
}

func TestCorruptHistoriesAreReported(t *testing.T) {
	d := newFixture(t)
	d.createOn(t, 1, "root@example.com", principal.Admin)
	ada := d.createOn(t, 1, "ada@example.com", principal.User)
	d.edit(t, ada, "life", items.Text("yesterday users"))
	ada = d.get(t, ada)
	renamed := ada
	renamed.Name = "Countess"
	_, changeErr := d.store.Update(t.Context(), ada, renamed)
	deleteErr := d.store.Delete(t.Context(), ada, on(2))
	for what, err := range map[string]error{"change": changeErr, "deletion": deleteErr,
		"histories": firstError(t, d.store)} {
		if err == nil || !strings.Contains(err.Error(), ada.ID) || fault.KindOf(err) != fault.Internal {
			t.Errorf("%s: %v", what, err)
		}
	}
	d.edit(t, ada, "life", nil)
	if err := d.store.Delete(t.Context(), d.get(t, ada), on(2)); err != nil {
		t.Fatal(err)
	}
	d.check(t)
}

func firstError(t *testing.T, store *usersdynamo.Store) error {
	t.Helper()
	for _, err := range store.Histories(t.Context()) {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestHistoriesAreReadInPages(t *testing.T) {
	d := newFixture(t)
	people := newcomers("page", 90)
	for i := range people {
		people[i].User.Metadata = []byte(`{"a": "` + strings.Repeat("x", 14_000) + `"}`)
	}
	if _, err := d.store.Bulk.CreateAll(t.Context(), people); err != nil {
		t.Fatal(err)
	}
	d.check(t)
	client, meter := awstest.Metered(d.client)
	found := 0
	for _, err := range d.over(client).Histories(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		found++
	}
	if found != 90 || meter.Calls() < 2 {
		t.Errorf("%d histories in %d calls, want 90 in at least 2", found, meter.Calls())
	}
	for _, err := range d.store.Histories(t.Context()) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	err := firstError(t, d.over(awstest.Faulty(d.client, func(_ string, n int) error {
		if n == 2 {
			return errInterrupted
		}
		return nil
	})))
	if !errors.Is(err, errInterrupted) {
		t.Errorf("error of a failed page = %v, want %v", err, errInterrupted)
	}
}

// TestLargestBatch adds invited users, including admins, at numbers where a batch changes the most list counters. Their
// creation days differ, but all users of a call get the same creation time.
func TestLargestBatch(t *testing.T) {
	d := newFixture(t)
	d.createOn(t, 1, "root@example.com", principal.Admin)
	_, err := d.client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: &d.users, Key: items.Key("rank#users", "sequence"), UpdateExpression: aws.String("SET #n = :n"),
		ExpressionAttributeNames:  map[string]string{"#n": "next"},
		ExpressionAttributeValues: items.Map{":n": items.Number(2_097_140)},
	})
	if err != nil {
		t.Fatal(err)
	}
	people := newcomers("many", 2*7)
	for i := range people {
		people[i].User.CreatedAt = on(2 + i/2)
		people[i].User.Name = "One of Many" // has the most terms for searches
		people[i].Invitation = &users.Invitation{
			BaseURL: "https://portal.example.com",
			Quotas:  mail.InvitationsTo(principal.Principal{UserID: "staff"}, people[i].User.Email),
		}
	}
	client, meter := awstest.Metered(d.client)
	outcomes, err := d.over(client).Bulk.CreateAll(t.Context(), people)
	if err != nil {
		t.Fatal(err)
	}
	checkTally(t, outcomes, 2*7, 0)
	if meter.Calls() != 4 { // one to check addresses, one for the numbers, and a transaction for each of two batches
		t.Errorf("%d calls", meter.Calls())
	}
	d.check(t)
	stored := d.storedDays(t)
	if stored["2026-03-02"]["users"] != 14 || len(stored) != 3 {
		t.Errorf("counts of two batches = %v", stored)
	}
}
