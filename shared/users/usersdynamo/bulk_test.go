package usersdynamo_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"portside/shared/core/principal"
	"portside/shared/dynamo/items"
	"portside/shared/testkit/awstest"
	"portside/shared/users"
)

// newcomers returns n creations with alternating roles, whose addresses begin with the prefix.
func newcomers(prefix string, n int) []users.Creation {
	all := make([]users.Creation, n)
	for i := range all {
		all[i].User = person(fmt.Sprintf("%s%d", prefix, i), principal.Roles()[i%4])
	}
	return all
}

func tally(outcomes []error) (added, taken, other int) {
	for _, err := range outcomes {
		switch {
		case err == nil:
			added++
		case errors.Is(err, users.ErrEmailTaken):
			taken++
		default:
			other++
		}
	}
	return added, taken, other
}

func checkTally(t *testing.T, outcomes []error, wantAdded, wantTaken int) {
	t.Helper()
	if added, taken, other := tally(outcomes); added != wantAdded || taken != wantTaken || other != 0 {
		t.Errorf("%d added, %d taken, %d other; want %d, %d, 0", added, taken, other, wantAdded, wantTaken)
	}
}

// errInterrupted is the error of injected faults.
var errInterrupted = errors.New("interrupted")

func TestCreateAll(t *testing.T) {
	t.Parallel()
	w := newPopulatedStore(t)
	people := newcomers("many", 250)
	people[7].User.Email, people[8].User.Email = "person1@example.com", "person2@example.com"
	people[9].User.Status = users.Pending
	people[9].Invitation = &users.Invitation{BaseURL: "https://portal.example.com"}
	outcomes, err := w.Bulk.CreateAll(t.Context(), people)
	if err != nil {
		t.Fatal(err)
	}
	checkTally(t, outcomes, 248, 2)
	for _, i := range []int{7, 8} {
		if !errors.Is(outcomes[i], users.ErrEmailTaken) {
			t.Errorf("outcome %d is %v, want %v", i, outcomes[i], users.ErrEmailTaken)
		}
	}
	if n := w.check(t); n != 9+248 {
		t.Errorf("%d users, want %d", n, 9+248)
	}
	unsent, err := w.Invitations.Unsent(t.Context(), leapDay().Add(time.Hour), 10)
	if err != nil || len(unsent) != 1 || unsent[0].User.ID != people[9].User.ID || unsent[0].BaseURL != "https://portal.example.com" {
		t.Errorf("unsent invitations: %+v, %v", unsent, err)
	}
	again, err := w.Bulk.CreateAll(t.Context(), newcomers("many", 250))
	if err != nil {
		t.Fatal(err)
	}
	checkTally(t, again, 2, 248)
	w.check(t)
}

func TestCreateAllKeepsTheOrderOfTheRows(t *testing.T) {
	t.Parallel()
	w := newPopulatedStore(t)
	people := newcomers("row", 60)
	if _, err := w.Bulk.CreateAll(t.Context(), people); err != nil {
		t.Fatal(err)
	}
	page, err := w.List(t.Context(), users.Query{Limit: 100, Offset: 9})
	if err != nil {
		t.Fatal(err)
	}
	for i, u := range page.Users {
		if u.ID != people[i].User.ID {
			t.Fatalf("user %d is %s, want %s", i, u.Name, people[i].User.Name)
		}
	}
}

// TestCreateAllRaces lets several imports and single creations compete for the same addresses.
func TestCreateAllRaces(t *testing.T) {
	t.Parallel()
	const rivals, people = 4, 30
	w := newPopulatedStore(t)
	outcomes := make([][]error, rivals)
	var all sync.WaitGroup
	for r := range rivals {
		all.Go(func() {
			var err error
			if outcomes[r], err = w.Bulk.CreateAll(t.Context(), newcomers("rival", people)); err != nil {
				t.Error(err)
			}
		})
	}
	single := 0
	all.Go(func() {
		for i := range people {
			_, err := w.Create(t.Context(), users.Creation{User: person(fmt.Sprintf("rival%d", people-1-i), "user")})
			if err == nil {
				single++
			} else if !errors.Is(err, users.ErrEmailTaken) {
				t.Error(err)
			}
		}
	})
	all.Wait()
	total := single
	for _, o := range outcomes {
		added, _, other := tally(o)
		total += added
		if other > 0 {
			t.Errorf("%d unexpected outcomes of an import", other)
		}
	}
	if total != people {
		t.Errorf("%d users added, want %d", total, people)
	}
	if n := w.check(t); n != 9+people {
		t.Errorf("%d users, want %d", n, 9+people)
	}
}

// TestCreateAllInterrupted stops an import at its nth call, for every n, before or after the call takes effect, and
// runs the import again.
func TestCreateAllInterrupted(t *testing.T) {
	t.Parallel()
	for stop, finished := 1, false; !finished; stop++ {
		for _, fault := range []error{errInterrupted, awstest.Lost(errInterrupted)} {
			w := newPopulatedStore(t)
			people := newcomers("again", 16)
			people[3].User.Email = "person1@example.com"
			calls := 0
			faulty := awstest.Faulty(w.client, func(string, int) error {
				if calls++; calls == stop {
					return fault
				}
				return nil
			})
			outcomes, err := w.over(faulty).Bulk.CreateAll(t.Context(), people)
			if finished = err == nil; !finished && !errors.Is(err, errInterrupted) {
				t.Fatal(err)
			}
			decided, _, _ := tally(outcomes)
			if n := w.check(t); n < 9+decided {
				t.Errorf("stopped at call %d: %d users, but %d were reported as added", stop, n-9, decided)
			}
			for i := range people {
				people[i].User.ID = uuid.Must(uuid.NewV7()).String()
			}
			if _, err := w.Bulk.CreateAll(t.Context(), people); err != nil {
				t.Fatal(err)
			}
			if n := w.check(t); n != 9+15 {
				t.Errorf("stopped at call %d and run again: %d users, want %d", stop, n, 9+15)
			}
		}
	}
}

func TestByEmail(t *testing.T) {
	t.Parallel()
	w := newPopulatedStore(t)
	if u, err := w.ByEmail(t.Context(), "person4@example.com"); err != nil || u.ID != w.people[4].ID ||
		u.Number != w.people[4].Number {
		t.Errorf("by email: %+v, %v", u, err)
	}
	if _, err := w.ByEmail(t.Context(), "nobody@example.com"); !errors.Is(err, users.ErrNotFound) {
		t.Errorf("by unknown email: %v, want %v", err, users.ErrNotFound)
	}
	w.remove(t, items.Key("user#"+w.people[4].ID, "user"))
	if _, err := w.ByEmail(t.Context(), "person4@example.com"); err == nil || errors.Is(err, users.ErrNotFound) {
		t.Errorf("a marker without its user: %v, want an error that names the rebuild", err)
	}
	if n, err := w.ActiveAdmins(t.Context()); err != nil || n != 3 {
		t.Errorf("active admins: %d, %v; want 3", n, err)
	}
}
