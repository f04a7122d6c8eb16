package usersdynamo_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/testkit/resourcetest"
	"portside/shared/users"
	"portside/testclient/scale"
)

// model makes random changes to a store, with clocks that jump, and counts them.
type model struct {
	t       *testing.T
	fixture *fixture
	days    resourcetest.DayCounts
	users   []users.User
	last    map[string]string // day of each user's latest change, by ID
	n       int
}

func (m *model) when(t *rapid.T) time.Time {
	return on(rapid.IntRange(1, 20).Draw(t, "day")).Add(time.Duration(rapid.IntRange(-12, 11).Draw(t, "hour")) * time.Hour)
}

// note counts a change; the zero user stands for none. If the clock is behind the user's previous change, it counts on
// the day of that change.
func (m *model) note(at time.Time, from, to users.User) {
	id := from.ID + to.ID
	if from.ID != "" && to.ID != "" {
		if id = to.ID; from.Role == to.Role && from.Status == to.Status {
			return
		}
	}
	m.last[id] = max(m.last[id], at.Format(time.DateOnly))
	for by, user := range map[int64]users.User{-1: from, 1: to} {
		if user.ID != "" {
			m.days.Add(m.last[id], by, "users", "users:"+string(user.Status), "role:"+string(user.Role))
		}
	}
}

// newcomer returns a user with a new address or, in one of ten cases, with an address that is taken.
func (m *model) newcomer(t *rapid.T) users.User {
	m.n++
	user := newUser(fmt.Sprintf("u%d@example.com", m.n), rapid.SampledFrom(principal.Roles()).Draw(t, "role"))
	if len(m.users) > 0 && rapid.IntRange(0, 9).Draw(t, "taken") == 0 {
		user.Email = m.users[0].Email
	}
	user.CreatedAt = m.when(t)
	user.CustomerID = rapid.SampledFrom(customers).Draw(t, "customer")
	return user
}

func (m *model) created(u users.User) {
	m.note(u.CreatedAt, users.User{}, u)
	m.users = append(m.users, u)
}

func (m *model) create(t *rapid.T) {
	user := m.newcomer(t)
	user.Status = rapid.SampledFrom([]users.Status{users.Active, users.Pending}).Draw(t, "status")
	created, err := m.fixture.store.Create(m.t.Context(), invited(user, nil))
	if m.tolerate(err, users.ErrEmailTaken, users.ErrTooManyUsers); err == nil {
		m.created(created.User)
	}
}

func (m *model) importMany(t *rapid.T) {
	people := make([]users.Creation, rapid.SampledFrom([]int{1, 2, 3, 20}).Draw(t, "people"))
	for i := range people {
		people[i].User = m.newcomer(t)
		if i > 0 && len(m.users) > 0 && people[i].User.Email == m.users[0].Email { // an Importer rejects the second row itself
			people[i].User.Email = fmt.Sprintf("u%d@example.com", m.n)
		}
		if rapid.Bool().Draw(t, "invited") {
			people[i].User.Status, people[i].Invitation = users.Pending, &users.Invitation{}
		}
	}
	outcomes, err := m.fixture.store.Bulk.CreateAll(m.t.Context(), people)
	m.tolerate(err)
	for i, err := range outcomes {
		if m.tolerate(err, users.ErrEmailTaken, users.ErrTooManyUsers); err == nil {
			m.created(m.fixture.get(m.t, people[i].User))
		}
	}
}

func (m *model) change(t *rapid.T) {
	m.some(t, func(i int) {
		before, after := m.users[i], m.users[i]
		after.UpdatedAt = m.when(t)
		switch rapid.IntRange(0, 2).Draw(t, "what") {
		case 0:
			after.CustomerID = rapid.SampledFrom(customers).Draw(t, "customer")
		default:
			after.Role = rapid.SampledFrom(principal.Roles()).Draw(t, "role")
			after.Status = rapid.SampledFrom([]users.Status{users.Active, users.Inactive, users.Suspended}).Draw(t, "status")
		}
		updated, err := m.fixture.store.Update(m.t.Context(), before, after)
		if m.tolerate(err, users.ErrLastAdmin, users.ErrTooManyUsers); err == nil {
			m.note(after.UpdatedAt, before, updated)
			m.users[i] = updated
		}
	})
}

func (m *model) activate(t *rapid.T) {
	m.some(t, func(i int) {
		before, at := m.users[i], m.when(t)
		if before.Status != users.Pending || before.LinkID == "" {
			return
		}
		secret := credentials.Mint(credentials.APIKey)
		updated, err := m.fixture.store.Invitations.Activate(m.t.Context(), before, credentials.Credential{
			ID: secret.ID(), Kind: credentials.APIKey, Hash: secret.Hash(), Owner: credentials.Owner{ID: before.ID}, CreatedAt: at,
		}, at)
		m.tolerate(err)
		m.note(at, before, updated)
		m.users[i] = updated
	})
}

func (m *model) remove(t *rapid.T) {
	m.some(t, func(i int) {
		at := m.when(t)
		err := m.fixture.store.Delete(m.t.Context(), m.users[i], at)
		if m.tolerate(err, users.ErrLastAdmin); err == nil {
			m.note(at, m.users[i], users.User{})
			m.users = append(m.users[:i], m.users[i+1:]...)
		}
	})
}

// some calls do with the index of a random user, if there are any users.
func (m *model) some(t *rapid.T, do func(i int)) {
	if len(m.users) > 0 {
		do(rapid.IntRange(0, len(m.users)-1).Draw(t, "user"))
	}
}

func (m *model) tolerate(err error, refusals ...error) {
	m.t.Helper()
	for _, refusal := range refusals {
		if errors.Is(err, refusal) {
			return
		}
	}
	if err != nil {
		m.t.Fatal(err)
	}
}

// TestDailyCountsMatchChanges compares the day counters with all changes, including imports and activations, which the
// contract does not have.
func TestDailyCountsMatchChanges(t *testing.T) {
	t.Parallel()
	rapid.Check(scale.ChecksOf(t, 15), func(r *rapid.T) {
		m := &model{t: t, fixture: newFixture(t), days: resourcetest.DayCounts{}, last: map[string]string{}}
		steps := []func(*rapid.T){m.create, m.importMany, m.change, m.change, m.activate, m.remove}
		for range rapid.IntRange(1, 12).Draw(r, "steps") {
			steps[rapid.IntRange(0, len(steps)-1).Draw(r, "step")](r)
		}
		stored := m.fixture.storedDays(t)
		if diff := cmp.Diff(m.days, stored); diff != "" {
			r.Errorf("counters do not match the changes (-changes +counters):\n%s", diff)
		}
		m.fixture.check(t)
	})
}
