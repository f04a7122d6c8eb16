package resourcetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/fault"
	"portside/shared/core/idempotency"
	"portside/shared/core/versions"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/histories"
)

// testCrashes crashes each operation at each of its calls, before or after the call takes effect. The tables stay
// consistent.
func (f *fixture) testCrashes() {
	operations := map[string]func(context.Context, Store, Resource) error{
		"create": func(ctx context.Context, s Store, _ Resource) error {
			r := f.newResource(7)
			if f.NewState != "" {
				r.State = f.NewState
			}
			_, _, err := s.Create(ctx, r, key("caller", "key", "input"))
			return err
		},
		"change": func(ctx context.Context, s Store, r Resource) error {
			_, err := s.Update(ctx, r, f.changed(r, len(f.Labels)-2))
			return err
		},
		"delete": func(ctx context.Context, s Store, r Resource) error { return s.Delete(ctx, r, noon().AddDate(0, 0, 1)) },
	}
	for name, operation := range operations {
		for _, lost := range []bool{false, true} {
			awstest.CrashAtEachCall(lost, func(crashing func(*dynamodb.Client) *dynamodb.Client) error {
				f := f.open(f.t)
				f.create(8)
				victim := f.create(9)
				err := operation(f.t.Context(), f.Over(crashing(f.Client)), victim)
				if _, problems := f.problems(); len(problems) > 0 {
					f.t.Errorf("%s, response lost %v: %s", name, lost, strings.Join(problems, "\n"))
				}
				return err
			})
		}
	}
}

// testConflicts makes every third transaction conflict, as on AWS, while eight workers create, change and delete.
func (f *fixture) testConflicts() {
	const workers, each = 8, 8
	store := f.Over(awstest.WithConflicts(f.Client))
	var all sync.WaitGroup
	for worker := range workers {
		all.Go(func() {
			for i := range each {
				f.wantError("write under conflict", f.createAndChange(store, worker*each+i), nil)
			}
		})
	}
	all.Wait()
	f.wantCount(workers * each / 2)
}

// createAndChange creates and changes a resource. It deletes the resource if n is odd.
func (f *fixture) createAndChange(store Store, n int) error {
	ctx := f.t.Context()
	created, _, err := store.Create(ctx, f.newResource(n), nil)
	if err != nil {
		return err
	}
	after := f.changed(created, n)
	changed, err := store.Update(ctx, created, after)
	if err != nil || n%2 == 0 {
		return err
	}
	return store.Delete(ctx, changed, noon().Add(36*time.Hour))
}

// testRebuildDuringWrites damages the table, and rebuilds it again and again while workers create, change and delete
// resources.
func (f *fixture) testRebuildDuringWrites() {
	f.damageSome(f.populated(4))
	var workers sync.WaitGroup
	for n := range 3 {
		workers.Go(func() { f.work(n) })
	}
	done := make(chan struct{})
	go func() { workers.Wait(); close(done) }()
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		if repairs, err := f.Rebuild(f.t.Context(), nil); err != nil || len(repairs.Disputes) > 0 {
			f.t.Errorf("rebuild: %v; %+v", err, repairs)
		}
	}
	f.check()
}

// work changes resources at random.
func (f *fixture) work(worker int) {
	random := rand.New(rand.NewPCG(uint64(worker), 7))
	ctx, mine := f.t.Context(), []Resource(nil)
	for i := range 40 {
		n := 100*(1+worker) + i
		switch choice := random.IntN(4); {
		case len(mine) < 3 || choice == 0:
			if created, _, err := f.Create(ctx, f.newResource(n), nil); f.isDone(err) {
				mine = append(mine, created)
			}
		case choice == 1:
			at := random.IntN(len(mine))
			if f.isDone(f.Delete(ctx, mine[at], noon())) {
				mine = slices.Delete(mine, at, at+1)
			}
		default:
			at := random.IntN(len(mine))
			if changed, err := f.Update(ctx, mine[at], f.changed(mine[at], n)); f.isDone(err) {
				mine[at] = changed
			}
		}
	}
}

// isDone reports whether a write succeeded. The test fails with internal errors, except the one that a damaged list
// causes, which names the repair.
func (f *fixture) isDone(err error) bool {
	f.t.Helper()
	if err != nil && fault.KindOf(err) == fault.Internal && !strings.Contains(err.Error(), "rebuild-ranks") {
		f.t.Errorf("write during the rebuild: %v", err)
	}
	return err == nil
}

// request is one operation on the resources with one name. If resources have a unique value, at most one of them
// exists.
type request struct {
	what    string // create, read, update or delete
	name    string
	id      string // of the resource; for create, if it is created
	version int64  // of the resource that the client has read
	key     string // idempotency key of create; "" for none
}

// answer is the result of a request.
type answer struct {
	what    string // done, taken, replayed, gone or stale
	id      string
	version int64
}

// namesakes are the existing resources with one name.
type namesakes struct {
	versions map[string]int64  // by ID
	byKey    map[string]string // the ID that each idempotency key has created
}

// sequential returns the model of a service that does one operation at a time.
func (s *Subject) sequential() histories.Model[namesakes, request, answer] {
	return histories.Model[namesakes, request, answer]{
		Part: func(r request) string { return r.name },
		Step: func(n namesakes, r request, a answer) (namesakes, bool) {
			version, exists := n.versions[r.id]
			switch {
			case r.what == "create":
				return s.stepCreate(n, r, a)
			case r.what == "read":
				return n, exists && a == answer{"done", r.id, version} || !exists && a.what == "gone"
			case !exists || version != r.version:
				return n, a.what == "stale"
			}
			n.versions = maps.Clone(n.versions)
			if r.what == "delete" {
				delete(n.versions, r.id)
				return n, a.what == "done"
			}
			n.versions[r.id]++
			return n, a == answer{"done", r.id, version + 1}
		},
	}
}

// stepCreate is the step of a creation.
func (s *Subject) stepCreate(n namesakes, r request, a answer) (namesakes, bool) {
	if first := n.byKey[r.key]; first != "" {
		return n, a == answer{"replayed", first, 1}
	}
	if len(s.Uniques) > 0 && len(n.versions) > 0 {
		return n, a.what == "taken"
	}
	after := namesakes{map[string]int64{r.id: 1}, map[string]string{}}
	maps.Copy(after.versions, n.versions)
	maps.Copy(after.byKey, n.byKey)
	if r.key != "" {
		after.byKey[r.key] = r.id
	}
	return after, a == answer{"done", r.id, 1}
}

// knownResources are the resources that any client has created or changed.
type knownResources struct {
	mu  sync.Mutex
	all []Resource
}

func (k *knownResources) add(r Resource) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.all = append(k.all, r)
}

// recent returns one of the latest four, or false if there are none.
func (k *knownResources) recent(random *rand.Rand) (r Resource, found bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.all) == 0 {
		return Resource{}, false
	}
	return k.all[len(k.all)-1-random.IntN(min(4, len(k.all)))], true
}

// testOrder lets clients create, read, change and delete the resources of two names at the same time, also with
// idempotency keys. Some order of the operations must explain all answers.
func (f *fixture) testOrder() {
	const rounds, clients, steps = 2, 4, 12
	for seed := range uint64(rounds) {
		f, known := f.open(f.t), &knownResources{}
		var history histories.History[request, answer]
		histories.Run(clients, steps, seed, func(client int, random *rand.Rand) {
			r, isKnown := known.recent(random)
			in := request{what: []string{"read", "update", "delete"}[random.IntN(3)]}
			if !isKnown || random.IntN(3) == 0 {
				r, in.what = f.newResource(random.IntN(2)), "create"
				if random.IntN(2) == 0 {
					in.key = fmt.Sprint(r.title(), random.IntN(2))
				}
			}
			in.name, in.id, in.version = r.title(), r.ID, r.Version
			history.Do(client, in, func() answer { return f.do(in, r, known) })
		})
		histories.Check(f.t, f.sequential(), &history)
		f.check()
	}
}

// do sends a request to the store.
func (f *fixture) do(in request, r Resource, known *knownResources) answer {
	ctx, after, replayed, err := f.t.Context(), r, false, error(nil)
	switch in.what {
	case "create":
		var once *idempotency.Key
		if in.key != "" {
			once = key("caller", in.key, r.title())
		}
		after, replayed, err = f.Create(ctx, r, once)
	case "read":
		after, err = f.Get(ctx, r.ID)
	case "update":
		after.Label, after.UpdatedAt = f.label(-1-int(r.Version%2)), noon().Add(time.Duration(r.Version)*time.Hour)
		after, err = f.Update(ctx, r, after)
	default:
		err = f.Delete(ctx, r, noon())
	}
	switch {
	case errors.Is(err, versions.ErrStale):
		return answer{what: "stale"}
	case errors.Is(err, f.NotFound):
		return answer{what: "gone"}
	case slices.ContainsFunc(f.Uniques, func(u Unique) bool { return errors.Is(err, u.Taken) }):
		return answer{what: "taken"}
	case err != nil:
		f.t.Errorf("%s: %v (%v)", in.what, err, fault.KindOf(err))
	case replayed:
		return answer{"replayed", after.ID, after.Version}
	case in.what == "create" || in.what == "update":
		known.add(after)
	}
	return answer{"done", after.ID, after.Version}
}
