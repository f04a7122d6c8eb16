package usersdynamo_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"portside/shared/core/fault"
	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/testkit/histories"
	"portside/shared/users"
)

// request and answer are one operation on the users of an email address, of which at most one exists at a time.
type request struct {
	what    string // create, read, update or delete
	email   string
	id      string // of the user; for create, if the service adds it
	version int64  // of the user that the client has read
	key     string // idempotency key of create; "" for none
}

type answer struct {
	what    string // done, taken, replayed, gone or stale
	id      string
	version int64
}

// ownership says which user has an address, and which users the idempotency keys have created.
type ownership struct {
	id      string // "" for no user
	version int64
	byKey   [2]string // by the last digit of the key
}

func keyNumber(key string) int { return int(key[len(key)-1] - '0') }

// oneOwner is a service that has at most one user for each address.
func oneOwner() histories.Model[ownership, request, answer] {
	return histories.Model[ownership, request, answer]{
		Part: func(r request) string { return r.email },
		Step: func(o ownership, r request, a answer) (ownership, bool) {
			exists := o.id != "" && o.id == r.id
			switch r.what {
			case "create":
				return created(o, r, a)
			case "read":
				if !exists {
					return o, a.what == "gone"
				}
				return o, a == answer{"done", o.id, o.version}
			case "update":
				if !exists || o.version != r.version {
					return o, a.what == "stale"
				}
				o.version++
				return o, a == answer{"done", o.id, o.version}
			}
			if !exists || o.version != r.version {
				return o, a.what == "stale"
			}
			o.id, o.version = "", 0
			return o, a.what == "done"
		},
	}
}

func created(o ownership, r request, a answer) (ownership, bool) {
	if r.key != "" {
		if first := o.byKey[keyNumber(r.key)]; first != "" {
			return o, a.what == "replayed" && a.id == first || a.what == "gone" && o.id != first
		}
	}
	if o.id != "" {
		return o, a.what == "taken"
	}
	o.id, o.version = r.id, 1
	if r.key != "" {
		o.byKey[keyNumber(r.key)] = r.id
	}
	return o, a == answer{"done", r.id, 1}
}

// historyClient does random operations on two addresses. All clients know all users that were ever created.
type historyClient struct {
	t       *testing.T
	fixture *fixture
	random  *rand.Rand
	known   *knownUsers
}

type knownUsers struct {
	mu    sync.Mutex
	users []users.User
}

func (k *knownUsers) add(u users.User) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.users = append(k.users, u)
}

// some returns one of the latest users, or false.
func (k *knownUsers) some(random *rand.Rand) (users.User, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	latest := k.users[max(0, len(k.users)-4):]
	if len(latest) == 0 {
		return users.User{}, false
	}
	return latest[random.IntN(len(latest))], true
}

func (c *historyClient) step(client int, history *histories.History[request, answer]) {
	known, ok := c.known.some(c.random)
	if !ok || c.random.IntN(3) == 0 {
		user := newUser(fmt.Sprintf("e%d@example.com", c.random.IntN(2)), principal.User)
		in := request{what: "create", email: user.Email, id: user.ID}
		if c.random.IntN(2) == 0 {
			in.key = fmt.Sprintf("%s-%d", user.Email, c.random.IntN(2))
		}
		history.Do(client, in, func() answer { return c.create(user, in.key) })
		return
	}
	in := request{what: []string{"read", "update", "delete"}[c.random.IntN(3)], email: known.Email, id: known.ID, version: known.Version}
	history.Do(client, in, func() answer { return c.change(in.what, known) })
}

func (c *historyClient) create(user users.User, key string) answer {
	creation := users.Creation{User: user}
	if key != "" {
		creation.Once = &idempotency.Key{Caller: "c", Text: key, Fingerprint: []byte(user.Email)}
	}
	made, err := c.fixture.store.Create(c.t.Context(), creation)
	switch {
	case errors.Is(err, users.ErrEmailTaken):
		return answer{what: "taken"}
	case errors.Is(err, idempotency.ErrExpired):
		return answer{what: "gone"}
	case err != nil:
		c.t.Errorf("create: %v", err)
		return answer{}
	case made.Replayed:
		return answer{what: "replayed", id: made.User.ID}
	}
	c.known.add(made.User)
	return answer{"done", made.User.ID, made.User.Version}
}

func (c *historyClient) change(what string, known users.User) answer {
	var err error
	after := known
	switch what {
	case "read":
		after, err = c.fixture.store.Get(c.t.Context(), known.ID)
	case "update":
		after.Name += "!"
		after, err = c.fixture.store.Update(c.t.Context(), known, after)
	default:
		err = c.fixture.store.Delete(c.t.Context(), known, leapDay())
	}
	switch {
	case errors.Is(err, users.ErrNotFound) && what == "read":
		return answer{what: "gone"}
	case errors.Is(err, versions.ErrStale), errors.Is(err, users.ErrNotFound):
		return answer{what: "stale"}
	case err != nil:
		c.t.Errorf("%s: %v (%v)", what, err, fault.KindOf(err))
		return answer{}
	}
	if what == "update" {
		c.known.add(after)
	}
	return answer{"done", after.ID, after.Version}
}

// TestConcurrentOperationsHaveAnOrder lets clients create, read, change and delete the users of two addresses at the same time, also with
// idempotency keys. Some order of the operations must explain all answers.
//
//proves:docs/security.md
func TestConcurrentOperationsHaveAnOrder(t *testing.T) {
	t.Parallel()
	const rounds, clients, steps = 4, 4, 12
	for seed := range uint64(rounds) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			var history histories.History[request, answer]
			f, known := newFixture(t), &knownUsers{}
			f.create(t, "root@example.com", principal.Admin)
			var running sync.WaitGroup
			for client := range clients {
				c := &historyClient{t, f, rand.New(rand.NewPCG(seed, uint64(client))), known}
				running.Go(func() {
					for range steps {
						c.step(client, &history)
					}
				})
			}
			running.Wait()
			histories.Check(t, oneOwner(), &history)
		})
	}
}
