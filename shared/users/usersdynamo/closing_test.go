package usersdynamo_test

import (
	"errors"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit/awstest"
	"portside/shared/users"
)

// holder is a user with keys and a session.
type holder struct {
	*fixture
	t     *testing.T
	table *credentialsdynamo.Table
	user  users.User
	ids   []string // of all credentials that were issued
}

func newHolder(t *testing.T) *holder {
	t.Helper()
	d := newFixture(t)
	d.create(t, "root@example.com", principal.Admin)
	h := &holder{
		fixture: d, t: t, table: credentialsdynamo.New(d.client, d.keys, d.counts), user: d.create(t, "ada@example.com", principal.Manager),
	}
	for range 3 {
		if err := h.issue(h.user); err != nil {
			t.Fatal(err)
		}
	}
	_, session := credentials.NewSession(owner(h.user), "test", leapDay())
	writes := append(h.table.Writes.Issue(session), h.table.Writes.Tally(h.user.ID, credentialsdynamo.Change{Sessions: 1}))
	if err := transactions.Write(t.Context(), d.client, writes); err != nil {
		t.Fatal(err)
	}
	h.ids = append(h.ids, session.ID)
	return h
}

func owner(u users.User) credentials.Owner {
	return credentials.Owner{ID: u.ID, Role: u.Role, Active: u.Status == users.Active}
}

// issue creates a key for the user in the state that h has read.
func (h *holder) issue(u users.User) error {
	secret := credentials.Mint(credentials.APIKey)
	err := h.store.Keys.Issue(h.t.Context(), u, users.Issued{Key: credentials.Credential{
		ID: secret.ID(), Kind: credentials.APIKey, Hash: secret.Hash(), Name: "key", Owner: owner(u), CreatedAt: leapDay(),
	}})
	if err == nil {
		h.ids = append(h.ids, secret.ID())
	}
	return err
}

// flood returns a client before each transaction of which the user creates a key and deletes it again.
func (h *holder) flood(client *dynamodb.Client) *dynamodb.Client {
	return awstest.Faulty(client, func(operation string, _ int) error {
		if operation != "TransactWriteItems" {
			return nil
		}
		if err := h.issue(h.user); err != nil && !versions.IsStale(err) {
			h.t.Errorf("a key during the change: %v", err)
		}
		return nil
	})
}

// crashInSweep returns a client with a flood that crashes after the transaction that closes the user.
func (h *holder) crashInSweep() *dynamodb.Client {
	transactionsSent := 0
	return awstest.Faulty(h.flood(h.client), func(operation string, _ int) error {
		if operation == "TransactWriteItems" {
			transactionsSent++
		}
		if transactionsSent > 2 {
			return errors.New("the process has crashed")
		}
		return nil
	})
}

// live returns the records, which authentication reads, of the credentials that are neither revoked nor expired.
func (h *holder) live() []credentials.Credential {
	h.t.Helper()
	var records []credentials.Credential
	for _, id := range h.ids {
		record, err := h.table.Get(h.t.Context(), id)
		if err != nil {
			h.t.Fatal(err)
		}
		if record.Live(leapDay()) {
			records = append(records, record)
		}
	}
	return records
}

// wantUnlisted checks that no listing of a key or session is left, which would stay forever.
func (h *holder) wantUnlisted() {
	h.t.Helper()
	if left, err := h.table.List(h.t.Context(), h.user.ID, credentials.APIKey, credentials.Session); err != nil || len(left) != 0 {
		h.t.Errorf("%d listings are left, %v", len(left), err)
	}
}

// TestDeletionLeavesNoListings deletes users with few and with many keys, which need one transaction and several.
func TestDeletionLeavesNoListings(t *testing.T) {
	for _, keys := range []int{3, credentials.MaxLive} {
		h := newHolder(t)
		for range keys - 3 { // those of newHolder
			if err := h.issue(h.user); err != nil {
				t.Fatal(err)
			}
		}
		if err := h.store.Delete(t.Context(), h.user, leapDay()); err != nil {
			t.Fatal(err)
		}
		h.wantUnlisted()
		if live := h.live(); len(live) != 0 {
			t.Errorf("%d of %d keys work after the deletion", len(live), keys)
		}
	}
}

// TestDeletionNeedsNoClosingAfterOneNewKey issues a key between the reads and the transaction of a deletion. The next
// transaction deletes the user together with all keys, so no key works after another request has seen that the user is
// gone.
func TestDeletionNeedsNoClosingAfterOneNewKey(t *testing.T) {
	h := newHolder(t)
	store := h.over(h.client)
	store.SweepTime = 0 // a closing leaves all keys to the schedule
	deletion, err := store.Deletion(t.Context(), h.user.ID, leapDay())
	if err != nil {
		t.Fatal(err)
	}
	if err := h.issue(h.user); err != nil {
		t.Fatal(err)
	}
	if err := deletion.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if live := h.live(); len(live) != 0 {
		t.Errorf("%d keys work after the deletion", len(live))
	}
	h.wantUnlisted()
}

// adminChange is a change of a user by an admin.
type adminChange struct {
	name     string
	apply    func(*holder, *dynamodb.Client) error
	sessions int // that are live afterwards
	want     func(credentials.Credential) bool
}

func adminChanges() []adminChange {
	update := func(edit func(*users.User)) func(*holder, *dynamodb.Client) error {
		return func(h *holder, client *dynamodb.Client) error {
			after := h.user
			edit(&after)
			after.UpdatedAt = leapDay()
			_, err := h.over(client).Update(h.t.Context(), h.user, after)
			return err
		}
	}
	return []adminChange{
		{
			"suspend", update(func(u *users.User) { u.Status = users.Suspended }), 0,
			func(c credentials.Credential) bool { return !c.Works(leapDay()) },
		},
		{
			"demote", update(func(u *users.User) { u.Role = principal.Viewer }), 1,
			func(c credentials.Credential) bool { return c.Owner.Role == principal.Viewer && c.Works(leapDay()) },
		},
		{
			"sign out", func(h *holder, client *dynamodb.Client) error {
				return h.over(client).End(h.t.Context(), h.user, users.EndSessions, leapDay())
			}, 0,
			func(c credentials.Credential) bool { return c.Kind != credentials.Session },
		},
		{
			"end all", func(h *holder, client *dynamodb.Client) error {
				return h.over(client).End(h.t.Context(), h.user, users.EndAll, leapDay())
			}, 0,
			func(credentials.Credential) bool { return false },
		},
		{
			"delete", func(h *holder, client *dynamodb.Client) error {
				return h.over(client).Delete(h.t.Context(), h.user, leapDay())
			}, 0,
			func(credentials.Credential) bool { return false },
		},
	}
}

// check tests the credentials after a change.
func (c adminChange) check(t *testing.T, h *holder) {
	t.Helper()
	sessions := 0
	for _, stored := range h.live() {
		if !c.want(stored) {
			t.Errorf("after the change: %+v", stored)
		}
		if stored.Kind == credentials.Session {
			sessions++
		}
	}
	if sessions != c.sessions {
		t.Errorf("%d sessions, want %d", sessions, c.sessions)
	}
}

// TestAdminWinsAgainstNewCredentials issues a key before each transaction of an admin's change. The change succeeds
// within a fixed number of calls, and reaches all keys.
//
//proves:docs/security.md
func TestAdminWinsAgainstNewCredentials(t *testing.T) {
	const mostCalls = 14
	for _, change := range adminChanges() {
		t.Run(change.name, func(t *testing.T) {
			h := newHolder(t)
			client, meter := awstest.Metered(h.flood(h.client))
			if err := change.apply(h, client); err != nil {
				t.Fatal(err)
			}
			if meter.Calls() > mostCalls {
				t.Errorf("%d calls, want at most %d", meter.Calls(), mostCalls)
			}
			change.check(t, h)
			if change.name == "delete" {
				h.wantUnlisted()
			}
			if left, err := h.store.Closings(t.Context(), leapDay().AddDate(0, 0, 1), 9); err != nil || len(left) != 0 {
				t.Errorf("%d closings are left, %v", len(left), err)
			}
		})
	}
}

// errInSweep means that the process was killed after the user had changed.
var errInSweep = errors.New("the schedule had to finish the closing")

// TestScheduleFinishesAClosing kills the process at each call of a change during a flood. If the user has changed, the
// schedule brings the credentials in line.
//
//proves:docs/security.md
func TestScheduleFinishesAClosing(t *testing.T) {
	for _, change := range adminChanges() {
		t.Run(change.name, func(t *testing.T) {
			awstest.CrashAtEachCall(true, func(crashing func(*dynamodb.Client) *dynamodb.Client) error {
				h := newHolder(t)
				changed := change.apply(h, crashing(h.flood(h.client)))
				later := func() time.Time { return leapDay().Add(time.Hour) }
				finished, err := users.NewCloser(h.store, later).FinishDue(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if finished > 0 || changed == nil {
					change.check(t, h)
				}
				if changed == nil && finished > 0 {
					return errInSweep
				}
				return changed
			})
		})
	}
}

// TestOldIssuersFail issues keys by a state of the user that a change has replaced.
func TestOldIssuersFail(t *testing.T) {
	for _, change := range adminChanges() {
		h := newHolder(t)
		if err := change.apply(h, h.client); err != nil {
			t.Fatal(err)
		}
		err := h.issue(h.user)
		mayIssue := change.name == "sign out" || change.name == "end all"
		if mayIssue != (err == nil) || err != nil && !errors.Is(err, versions.ErrStale) {
			t.Errorf("after %s, a key is issued with %v", change.name, err)
		}
	}
}

// TestRepeatedRequestFinishesAClosing kills the process after the user has changed and before the sweep. The repeated
// request sweeps.
//
//proves:docs/security.md
func TestRepeatedRequestFinishesAClosing(t *testing.T) {
	repeat := map[string]func(*holder) error{
		"suspend": func(h *holder) error { return h.store.FinishClosing(t.Context(), h.user.ID) },
		"delete": func(h *holder) error {
			if _, err := h.store.Deletion(t.Context(), h.user.ID, leapDay()); !errors.Is(err, users.ErrNotFound) {
				return err
			}
			return nil
		},
	}
	for _, change := range adminChanges() {
		if repeat[change.name] == nil {
			continue
		}
		h := newHolder(t)
		if err := change.apply(h, h.crashInSweep()); err != nil {
			t.Fatalf("%s: %v", change.name, err)
		}
		if len(h.live()) == 0 || change.name == "suspend" && !h.live()[0].Works(leapDay()) {
			t.Fatalf("%s: no credential works after the crash, so the test shows nothing", change.name)
		}
		if err := repeat[change.name](h); err != nil {
			t.Fatalf("%s: %v", change.name, err)
		}
		change.check(t, h)
	}
}

// TestOldClosingKeepsNewState leaves a suspension to the schedule, which runs after the user became active again. The
// keys work again, but the session from before the suspension does not.
func TestOldClosingKeepsNewState(t *testing.T) {
	h := newHolder(t)
	suspended := h.user
	suspended.Status, suspended.UpdatedAt = users.Suspended, leapDay()
	suspended, err := h.over(h.crashInSweep()).Update(t.Context(), h.user, suspended)
	if err != nil {
		t.Fatal(err)
	}
	active := suspended
	active.Status = users.Active
	if _, err := h.store.Update(t.Context(), suspended, active); err != nil {
		t.Fatal(err)
	}
	closer := users.NewCloser(h.store, func() time.Time { return leapDay().Add(time.Hour) })
	if finished, err := closer.FinishDue(t.Context()); err != nil || finished != 1 {
		t.Fatalf("%d closings were finished, %v", finished, err)
	}
	left := h.live()
	for _, c := range left {
		if c.Kind == credentials.Session || !c.Works(leapDay()) {
			t.Errorf("after the closing: %+v", c)
		}
	}
	if len(left) < 3 {
		t.Errorf("%d keys are left", len(left))
	}
}

// TestAnEndingSurvivesASignOut leaves the end of all credentials unfinished, and then signs the user out during a
// flood. The second closing replaces the first one and must do the work of both.
func TestAnEndingSurvivesASignOut(t *testing.T) {
	h := newHolder(t)
	if err := h.over(h.crashInSweep()).End(t.Context(), h.user, users.EndAll, leapDay()); err != nil {
		t.Fatal(err)
	}
	if len(h.live()) == 0 {
		t.Fatal("no credential works after the crash, so the test shows nothing")
	}
	if err := h.over(h.flood(h.client)).End(t.Context(), h.user, users.EndSessions, leapDay()); err != nil {
		t.Fatal(err)
	}
	if left := h.live(); len(left) != 0 {
		t.Errorf("%d credentials are left", len(left))
	}
	if err := h.issue(h.user); err != nil {
		t.Errorf("afterwards, a key is issued with %v", err)
	}
}

// TestAnOlderSweepLeavesTheTallyClosed runs the sweep of an older sign-out in the middle of the end of all credentials,
// and then issues a key.
func TestAnOlderSweepLeavesTheTallyClosed(t *testing.T) {
	h := newHolder(t)
	end := func(ending users.Ending) users.Closing {
		if err := h.over(h.crashInSweep()).End(t.Context(), h.user, ending, leapDay()); err != nil {
			t.Fatal(err)
		}
		due, err := h.store.Closings(t.Context(), leapDay().Add(time.Hour), 10)
		if err != nil || len(due) != 1 {
			t.Fatalf("%d closings, %v", len(due), err)
		}
		return due[0]
	}
	older, newer := end(users.EndSessions), end(users.EndAll)
	hasListed, hasRun := false, false
	client := awstest.Faulty(h.client, func(operation string, _ int) error {
		hasListed = hasListed || operation == "Query"
		if operation == "TransactWriteItems" && hasListed && !hasRun {
			hasRun = true
			if err := h.over(h.client).Sweep(t.Context(), older); err != nil {
				t.Error(err)
			}
			if err := h.issue(h.user); !versions.IsStale(err) {
				t.Errorf("during the end of all credentials, a key is issued with %v", err)
			}
		}
		return nil
	})
	if err := h.over(client).Sweep(t.Context(), newer); err != nil {
		t.Fatal(err)
	}
	if left := h.live(); len(left) != 0 || !hasRun {
		t.Errorf("%d credentials are left; the older sweep has run: %v", len(left), hasRun)
	}
}

// TestOldClosingLeavesANewerOne begins two closings of one user in the same millisecond. The end of the first one
// leaves the second one.
func TestOldClosingLeavesANewerOne(t *testing.T) {
	h := newHolder(t)
	closings := func() []users.Closing {
		due, err := h.store.Closings(t.Context(), leapDay().Add(time.Hour), 10)
		if err != nil {
			t.Fatal(err)
		}
		return due
	}
	var began []users.Closing
	for range 2 {
		if err := h.over(h.crashInSweep()).End(t.Context(), h.user, users.EndSessions, leapDay()); err != nil {
			t.Fatal(err)
		}
		began = append(began, closings()...)
	}
	for i, c := range began {
		if err := h.store.Sweep(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if left := len(closings()); left != 1-i {
			t.Errorf("%d closings are left after the end of number %d", left, i+1)
		}
	}
	if len(began) != 2 {
		t.Errorf("%d closings began", len(began))
	}
}
