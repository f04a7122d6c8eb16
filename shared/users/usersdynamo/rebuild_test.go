package usersdynamo_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/lists"
	"portside/shared/testkit/awstest"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
	"portside/testclient/scale"
)

func TestRebuildRepairsEveryKindOfDamage(t *testing.T) {
	t.Parallel()
	for _, c := range damages() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newPopulatedStore(t)
			c.do(t, w)
			var last lists.Progress
			repairs, err := w.Rebuild(t.Context(), func(p lists.Progress) { last = p })
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(repairs) != fmt.Sprint(c.want) || fmt.Sprint(last.Repairs) != fmt.Sprint(repairs.Repairs) {
				t.Errorf("repairs = %+v, last progress = %+v; want %+v", repairs, last.Repairs, c.want)
			}
			if n := checkConsistency(t, w.client, w.table); n != 9 {
				t.Errorf("%d users, want 9", n)
			}
			w.checkPages(t)
			w.checkLastAdmin(t)
			if again, err := w.Rebuild(t.Context(), nil); err != nil || fmt.Sprint(again) != fmt.Sprint(usersdynamo.Repairs{}) {
				t.Errorf("second rebuild = %+v, %v; want no repairs", again, err)
			}
		})
	}
}

func TestRebuildReportsDisputes(t *testing.T) {
	t.Parallel()
	w := newPopulatedStore(t)
	w.set(t, at("user#"+w.people[1].ID, "user"), "email", str("person2@example.com"))
	w.set(t, at("user#"+w.people[3].ID, "user"), "number", num(w.people[2].Number))
	w.set(t, at("user#"+w.people[7].ID, "user"), "role", str("nonsense"))
	repairs, err := w.Rebuild(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	disputed := map[string]bool{}
	for _, d := range repairs.Disputes {
		disputed[d.ID] = true
	}
	for _, i := range []int{1, 3, 7} {
		if !disputed[w.people[i].ID] {
			t.Errorf("user %d is not in dispute: %+v", i, repairs.Disputes)
		}
	}
	if len(disputed) != 3 {
		t.Errorf("%d users in dispute, want 3", len(disputed))
	}
}

// errInterrupted is the error of injected faults.
var errInterrupted = errors.New("interrupted")

// TestRebuildResumesAfterInterruption interrupts a rebuild at its nth write, for every n, and rebuilds again.
func TestRebuildResumesAfterInterruption(t *testing.T) {
	t.Parallel()
	for stop, finished := 1, false; !finished; stop++ {
		w := newPopulatedStore(t)
		w.drop(t, at("email#person1@example.com", "email"))
		w.put(t, at("email#ghost@example.com", "email"), item{"user": str("ghost")})
		w.drop(t, place("all", w.people[3].Number))
		w.drop(t, at("rank#users#1#0", "root"))
		w.drop(t, at("admins", "admins"))
		writes := 0
		faulty := awstest.Faulty(w.client, func(operation string, _ int) error {
			if operation != "UpdateItem" && operation != "TransactWriteItems" {
				return nil
			}
			if writes++; writes == stop {
				return awstest.Lost(errInterrupted)
			}
			return nil
		})
		_, err := usersdynamo.New(faulty, w.table, nil, daycounts.In(w.analytics)).Rebuild(t.Context(), nil)
		if finished = err == nil; !finished && !errors.Is(err, errInterrupted) {
			t.Fatal(err)
		}
		if _, err := w.Rebuild(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		checkConsistency(t, w.client, w.table)
	}
}

// TestRebuildDuringSingleChanges changes users just before the nth call of a rebuild, and changes one of them back before the next
// call, for each n of scale.Every. So it covers changes between any two steps.
func TestRebuildDuringSingleChanges(t *testing.T) {
	t.Parallel()
	first, step := scale.Every(5)
	for at, finished := first, false; !finished; at += step {
		w := newPopulatedStore(t)
		w.drop(t, marker("person1"))
		w.set(t, place("viewer", w.people[3].Number), "name", str("Old Name"))
		w.put(t, place("user", w.people[3].Number), listForm(w.people[3], "user"))
		w.put(t, marker("person10"), item{"user": str(w.people[2].ID)})
		w.set(t, admins(), "n", num(17))
		calls := 0
		racing := awstest.Faulty(w.client, func(string, int) error {
			switch calls++; calls {
			case at:
				w.interfere(t)
			case at + 1:
				w.change(t, 3, func(u *users.User) { u.Role = principal.Viewer })
			}
			return nil
		})
		if _, err := usersdynamo.New(racing, w.table, nil, daycounts.In(w.analytics)).Rebuild(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		checkConsistency(t, w.client, w.table)
		finished = calls < at
	}
}

// interfere changes the users whose items TestRebuildDuringSingleChanges damaged, as far as the damage permits.
func (w *populatedStore) interfere(t *testing.T) {
	t.Helper()
	w.change(t, 3, func(u *users.User) { u.Role, u.Name = principal.Manager, "New Name" })
	w.change(t, 0, func(u *users.User) { u.Status = users.Inactive })
	if err := w.Delete(t.Context(), w.people[2], leapDay()); err != nil {
		t.Errorf("delete user 2: %v", err)
	}
	// The address is taken as long as its stray marker exists.
	_, err := w.Create(t.Context(), users.Creation{User: person("person10", principal.User)})
	if err != nil && !errors.Is(err, users.ErrEmailTaken) {
		t.Errorf("create: %v", err)
	}
}

func (w *populatedStore) change(t *testing.T, i int, edit func(*users.User)) {
	t.Helper()
	after := w.people[i]
	edit(&after)
	var err error
	if w.people[i], err = w.Update(t.Context(), w.people[i], after); err != nil {
		t.Errorf("change user %d: %v", i, err)
	}
}

func marker(name string) item { return at("email#"+name+"@example.com", "email") }
func admins() item            { return at("admins", "admins") }

// TestRebuildDuringConcurrentWrites damages the table and rebuilds it repeatedly while workers create, change and delete users.
func TestRebuildDuringConcurrentWrites(t *testing.T) {
	t.Parallel()
	w := newPopulatedStore(t)
	w.drop(t, at("rank#users#1#0", "root"))
	w.drop(t, at("admins", "admins"))
	w.put(t, at("email#ghost@example.com", "email"), item{"user": str("ghost")})
	w.put(t, place("all", 30), listForm(person("ghost", "user"), "user"))
	w.set(t, place("viewer", w.people[3].Number), "name", str("Old Name"))
	var workers sync.WaitGroup
	for n := range 4 {
		workers.Go(func() { w.work(t, n) })
	}
	done := make(chan struct{})
	go func() { workers.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		if repairs, err := w.Rebuild(t.Context(), nil); err != nil || len(repairs.Disputes) > 0 {
			t.Errorf("rebuild: %v; %+v", err, repairs)
		}
	}
	checkConsistency(t, w.client, w.table)
	w.checkDays(t)
}

// work changes users at random. It accepts errors from the rules and from the damage, and reports internal
// errors.
func (w *populatedStore) work(t *testing.T, worker int) {
	random := rand.New(rand.NewPCG(uint64(worker), 7))
	var mine []users.User
	for i := range 40 {
		role := principal.Roles()[random.IntN(4)]
		switch choice := random.IntN(4); {
		case len(mine) < 3 || choice == 0:
			created, err := w.Create(t.Context(), users.Creation{User: person(fmt.Sprintf("worker%d-%d", worker, i), role)})
			if w.succeeded(t, err) {
				mine = append(mine, created.User)
			}
		case choice == 1:
			at := random.IntN(len(mine))
			if w.succeeded(t, w.Delete(t.Context(), mine[at], leapDay())) {
				mine = append(mine[:at], mine[at+1:]...)
			}
		default:
			at := random.IntN(len(mine))
			after := mine[at]
			after.Role, after.Name = role, fmt.Sprintf("name %d", i)
			if choice == 2 {
				after.Status = []users.Status{users.Active, users.Inactive}[random.IntN(2)]
			}
			if updated, err := w.Update(context.WithoutCancel(t.Context()), mine[at], after); w.succeeded(t, err) {
				mine[at] = updated
			}
		}
	}
}

// succeeded reports whether err is nil. It fails the test on an internal error.
func (w *populatedStore) succeeded(t *testing.T, err error) bool {
	t.Helper()
	if err != nil && fault.KindOf(err) == fault.Internal {
		t.Errorf("write during the rebuild: %v", err)
	}
	return err == nil
}
