package usersdynamo_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"portside/shared/core/idempotency"
	"portside/shared/core/paging"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/testkit/pagetest"
	"portside/shared/users"
	"portside/testclient/scale"
)

// event is one entry of a simple log: on this day, a user changed from one state to another.
type event struct {
	day      string
	from, to users.User // zero for a user that does not exist
}

// countEvents computes the daily counters from a log.
func countEvents(log []event) dayCounts {
	counts := dayCounts{}
	for _, e := range log {
		for _, side := range []struct {
			user users.User
			by   int64
		}{{e.from, -1}, {e.to, 1}} {
			if side.user.ID != "" {
				counts.addAll(e.day, side.by, "users", "users:"+string(side.user.Status), "role:"+string(side.user.Role))
			}
		}
	}
	return counts
}

// model makes random changes to a store, with clocks that jump, and logs them.
type model struct {
	t       *testing.T
	fixture *fixture
	log     []event
	users   []users.User
	last    map[string]string // day of each user's latest change, by ID
	n       int
}

func (m *model) when(t *rapid.T) time.Time {
	return on(rapid.IntRange(1, 20).Draw(t, "day")).Add(time.Duration(rapid.IntRange(-12, 11).Draw(t, "hour")) * time.Hour)
}

// note adds an event to the log. If the clock is behind the user's previous change, the event counts on the day of that change.
func (m *model) note(at time.Time, from, to users.User) {
	id := from.ID + to.ID
	if from.ID != "" && to.ID != "" {
		if id = to.ID; from.Role == to.Role && from.Status == to.Status {
			return
		}
	}
	m.last[id] = max(m.last[id], at.Format(time.DateOnly))
	m.log = append(m.log, event{m.last[id], from, to})
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
	creation := users.Creation{User: m.newcomer(t)}
	if rapid.Bool().Draw(t, "once") {
		creation.Once = &idempotency.Key{Caller: "c", Text: creation.User.Email, Fingerprint: []byte("f")}
	}
	if rapid.Bool().Draw(t, "invited") {
		link := credentials.Mint(credentials.Link)
		creation.User.Status, creation.User.LinkID = users.Pending, link.ID()
		creation.Invitation = &users.Invitation{Link: credentials.Credential{
			ID: link.ID(), Kind: credentials.Link, Hash: link.Hash(), Owner: credentials.Owner{ID: creation.User.ID},
		}}
	}
	for range 1 + rapid.IntRange(0, 1).Draw(t, "again") {
		created, err := m.fixture.store.Create(m.t.Context(), creation)
		if err == nil && !created.Replayed {
			m.created(created.User)
		}
		m.tolerate(err, users.ErrEmailTaken, users.ErrTooManyUsers, idempotency.ErrExpired)
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
	outcomes, err := m.fixture.store.CreateAll(m.t.Context(), people)
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
		switch rapid.IntRange(0, 3).Draw(t, "what") {
		case 0:
			after.Name += "!"
		case 2:
			after.CustomerID = rapid.SampledFrom(customers).Draw(t, "customer")
		case 1:
			after.Role = rapid.SampledFrom(principal.Roles()).Draw(t, "role")
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
		updated, err := m.fixture.store.Activate(m.t.Context(), before, credentials.Credential{
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

// checkCustomers compares the number of users of each customer with the users.
func (m *model) checkCustomers() {
	m.t.Helper()
	for _, id := range customers[1:] {
		want := int64(0)
		for _, u := range m.users {
			if u.CustomerID == id {
				want++
			}
		}
		state, exists, err := m.fixture.table().Customer(m.t.Context(), id)
		if err != nil || !exists || state.Users != want || state.MaxUsers > 0 && want > state.MaxUsers {
			m.t.Errorf("customer %s has %+v (%v), want %d users", id, state, err, want)
		}
		page, err := m.fixture.store.List(m.t.Context(), users.Query{CustomerID: id, Limit: 1})
		if err != nil || page.Total != want {
			m.t.Errorf("the list of customer %s has %d users (%v), want %d", id, page.Total, err, want)
		}
	}
}

// filter draws the filters of a list.
func (m *model) filter(t *rapid.T) users.Query {
	return users.Query{
		CustomerID: rapid.SampledFrom(customers).Draw(t, "customer"),
		Role:       rapid.SampledFrom(append(principal.Roles(), "")).Draw(t, "role"),
		Status:     rapid.SampledFrom(append(users.Statuses(), "")).Draw(t, "status"),
	}
}

// matching returns the users that the filters should find, in the order of their creation.
func (m *model) matching(query users.Query) []string {
	var ids []string
	for _, u := range slices.SortedFunc(slices.Values(m.users), func(a, b users.User) int { return int(a.Number - b.Number) }) {
		if (query.CustomerID == "" || u.CustomerID == query.CustomerID) && (query.Role == "" || u.Role == query.Role) &&
			(query.Status == "" || u.Status == query.Status) {
			ids = append(ids, u.ID)
		}
	}
	return ids
}

// page reads a page. Its total must be the number of the users that match.
func (m *model) page(t *rapid.T, query users.Query) (ids []string, next paging.Position) {
	page, err := m.fixture.store.List(m.t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	if want := len(m.matching(query)); page.Total != int64(want) {
		t.Errorf("%+v: the total is %d, want %d", query, page.Total, want)
	}
	for _, u := range page.Users {
		ids = append(ids, u.ID)
	}
	return ids, page.Next
}

// checkPage compares a page with the users that a random filter should find.
func (m *model) checkPage(t *rapid.T) {
	query := m.filter(t)
	query.Limit, query.Offset = rapid.IntRange(1, 5).Draw(t, "limit"), rapid.Int64Range(0, 8).Draw(t, "offset")
	want := m.matching(query)
	got, next := m.page(t, query)
	total := len(want)
	want = want[min(int(query.Offset), total):min(int(query.Offset)+query.Limit, total)]
	if hasMore := int(query.Offset)+query.Limit < total; hasMore != (next != "") || !slices.Equal(got, want) {
		t.Errorf("%+v: users %v and then %q, want %v of %d", query, got, next, want, total)
	}
}

// TestCursorsSurviveChanges follows the cursors of the list of a random filter, while users are created, changed, moved and deleted.
func TestCursorsSurviveChanges(t *testing.T) {
	t.Parallel()
	rapid.Check(scale.ChecksOf(t, 30), func(r *rapid.T) {
		m := &model{t: t, fixture: newFixture(t), last: map[string]string{}}
		steps := []func(*rapid.T){m.create, m.importMany, m.change, m.activate, m.remove, m.remove, m.remove}
		query := m.filter(r)
		pagetest.Check(r, pagetest.List{
			Items:  func() []string { return m.matching(query) },
			Change: func(r *rapid.T) { steps[rapid.IntRange(0, len(steps)-1).Draw(r, "step")](r) },
			Page: func(limit int, cursor string) ([]string, string) {
				query.Limit, query.After = limit, paging.Position(cursor)
				ids, next := m.page(r, query)
				return ids, string(next)
			},
		})
	})
}

// TestDailyCountsMatchEventLog compares the counters with the log of all changes and with the users' histories.
func TestDailyCountsMatchEventLog(t *testing.T) {
	t.Parallel()
	rapid.Check(scale.ChecksOf(t, 30), func(r *rapid.T) {
		m := &model{t: t, fixture: newFixture(t), last: map[string]string{}}
		steps := []func(*rapid.T){m.create, m.importMany, m.change, m.change, m.activate, m.remove}
		for range rapid.IntRange(1, 16).Draw(r, "steps") {
			steps[rapid.IntRange(0, len(steps)-1).Draw(r, "step")](r)
			m.checkPage(r)
		}
		stored := storedCounts(t, m.fixture.client, m.fixture.analytics)
		if diff := cmp.Diff(countEvents(m.log), stored); diff != "" {
			r.Errorf("counters do not match the log (-log +counters):\n%s", diff)
		}
		if diff := cmp.Diff(historyCounts(t, m.fixture.store), stored); diff != "" {
			r.Errorf("counters do not match the histories (-histories +counters):\n%s", diff)
		}
		checkConsistency(t, m.fixture.client, m.fixture.users)
		m.checkCustomers()
	})
}
