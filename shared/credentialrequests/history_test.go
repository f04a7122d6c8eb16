package credentialrequests_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"portside/shared/core/principal"
	"portside/shared/credentialrequests"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/mail"
	"portside/shared/testkit/histories"
)

// operation is an operation on the requests of one user.
type operation struct {
	what string // ask, approve, deny or collect
	id   string // of the request
	key  string // idempotency key of ask; "" for none
}

// reply is what the service says.
type reply struct {
	what string // done, replayed, full or refused
	id   string // of the request that was made, now or by the first one with the key
}

// requestStates has the status of each request, and the request that each idempotency key has made.
type requestStates struct {
	status [maxAsked]credentialrequests.Status
	ids    [maxAsked]string
	keys   [maxAsked]string
	n      int
}

// maxAsked bounds the requests of a history.
const maxAsked = 40

// requestModel is a service that does one operation on requests at a time.
func requestModel() histories.Model[requestStates, operation, reply] {
	return histories.Model[requestStates, operation, reply]{
		Part: func(operation) string { return "the requests" },
		Step: func(s requestStates, o operation, r reply) (requestStates, bool) {
			if o.what == "ask" {
				return s.ask(o, r)
			}
			for i := range s.n {
				if s.ids[i] == o.id {
					return s.move(i, o, r)
				}
			}
			return s, r.what == "refused"
		},
	}
}

func (s requestStates) ask(o operation, r reply) (requestStates, bool) {
	pending := 0
	for i := range s.n {
		if o.key != "" && s.keys[i] == o.key {
			return s, r == reply{"replayed", s.ids[i]}
		}
		if s.status[i] == credentialrequests.Pending {
			pending++
		}
	}
	if pending == credentialrequests.MaxOpen {
		return s, r.what == "full"
	}
	s.status[s.n], s.ids[s.n], s.keys[s.n] = credentialrequests.Pending, r.id, o.key
	s.n++
	return s, r.what == "done"
}

func (s requestStates) move(i int, o operation, r reply) (requestStates, bool) {
	from, to := credentialrequests.Pending, credentialrequests.Approved
	switch o.what {
	case "deny":
		to = credentialrequests.Denied
	case "collect":
		from, to = credentialrequests.Approved, credentialrequests.Collected
	}
	if s.status[i] != from {
		return s, r.what == "refused"
	}
	s.status[i] = to
	return s, r.what == "done"
}

// linkMailer keeps the newest link of each request. A link in a mail does not name its request, but the link's record
// does.
type linkMailer struct {
	mu    sync.Mutex
	find  func(id string) (request string)
	links map[string]string
}

// Send implements credentialrequests.Mailer.
func (m *linkMailer) Send(_ context.Context, message mail.Message) error {
	for word := range strings.FieldsSeq(message.Text) {
		_, text, _ := strings.Cut(word, "#")
		if secret, err := credentials.Parse(text); err == nil {
			request := m.find(secret.ID())
			m.mu.Lock()
			m.links[request] = text
			m.mu.Unlock()
		}
	}
	return nil
}

// requestClient does random operations. All clients know all requests and links.
type requestClient struct {
	*fixture

	t    *testing.T
	mail *linkMailer
	keys []string

	mu    sync.Mutex
	known []string
}

func newRequestClient(t *testing.T) *requestClient {
	t.Helper()
	o := newFixture(t)
	table := credentialsdynamo.New(o.client, o.table, o.counts)
	mailer := &linkMailer{links: map[string]string{}, find: func(id string) string {
		link, err := table.Get(t.Context(), id)
		if err != nil {
			t.Error(err)
		}
		return link.Name
	}}
	o.service.Mailer = mailer
	return &requestClient{fixture: o, t: t, mail: mailer, keys: []string{uuid.NewString(), uuid.NewString()}}
}

func (c *requestClient) step(client int, random *rand.Rand, history *histories.History[operation, reply]) {
	c.mu.Lock()
	latest := c.known[max(0, len(c.known)-4):]
	choice := random.IntN(9)
	if len(latest) == 0 || choice < 2 {
		c.mu.Unlock()
		in := operation{what: "ask"}
		if random.IntN(2) > 0 {
			in.key = c.keys[random.IntN(len(c.keys))]
		}
		history.Do(client, in, func() reply { return c.ask(in.key) })
		return
	}
	in := operation{what: []string{"approve", "approve", "deny", "collect", "collect", "collect", "collect"}[choice-2]}
	in.id = latest[random.IntN(len(latest))]
	c.mu.Unlock()
	c.mail.mu.Lock()
	link, mailed := c.mail.links[in.id]
	c.mail.mu.Unlock()
	if in.what == "collect" && !mailed {
		in.what = "approve"
	}
	history.Do(client, in, func() reply { return c.use(in, link, []principal.Principal{c.grace, c.joan}[client%2]) })
}

func (c *requestClient) ask(key string) reply {
	input := credentialrequests.New{Level: credentialrequests.Charts, Justification: "why not", IdempotencyKey: key}
	made, err := c.service.Create(c.t.Context(), c.ada, base, input)
	switch {
	case errors.Is(err, credentialrequests.ErrOpen):
		return reply{what: "full"}
	case err != nil:
		c.t.Errorf("ask: %v", err)
		return reply{}
	case made.Replayed:
		return reply{"replayed", made.Request.ID}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = append(c.known, made.Request.ID)
	return reply{"done", made.Request.ID}
}

func (c *requestClient) use(in operation, link string, by principal.Principal) reply {
	var err error
	if in.what == "collect" {
		_, err = c.service.Collect(c.t.Context(), link)
	} else {
		decision := credentialrequests.Decision{ID: in.id, Approve: in.what == "approve", BaseURL: base}
		_, err = c.service.Decide(c.t.Context(), by, decision)
	}
	switch {
	case errors.Is(err, credentialrequests.ErrDecided), errors.Is(err, credentialrequests.ErrLink):
		return reply{what: "refused"}
	case err != nil:
		c.t.Errorf("%s: %v", in.what, err)
		return reply{}
	}
	return reply{what: "done"}
}

// TestConcurrentOperationsHaveAnOrder lets clients ask, approve, deny and collect at the same time, also with
// idempotency keys. Some order of the operations must explain all answers: each request is decided once, and each link
// works once.
//
//proves:docs/security.md
func TestConcurrentOperationsHaveAnOrder(t *testing.T) {
	t.Parallel()
	const rounds, clients, steps = 4, 8, 5 // maxAsked
	for seed := range uint64(rounds) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			var history histories.History[operation, reply]
			c := newRequestClient(t)
			histories.Run(clients, steps, seed, func(client int, random *rand.Rand) { c.step(client, random, &history) })
			histories.Check(t, requestModel(), &history)
		})
	}
}

// TestModelRefutesBrokenStores has answers of stores that lose or repeat writes.
func TestModelRefutesBrokenStores(t *testing.T) {
	t.Parallel()
	type step = histories.Step[operation, reply]
	did := histories.Did[operation, reply]
	done, again := reply{what: "done"}, operation{what: "ask", key: "k"}
	ask := did(again, reply{"done", "a"})
	approve, deny := did(operation{what: "approve", id: "a"}, done), did(operation{what: "deny", id: "a"}, done)
	collect := did(operation{what: "collect", id: "a"}, done)
	var six []step
	for i := range credentialrequests.MaxOpen + 1 {
		six = append(six, did(operation{what: "ask"}, reply{"done", fmt.Sprint(i)}))
	}
	for name, steps := range map[string][]step{
		"two decisions":          {ask, approve, deny},
		"a link works twice":     {ask, approve, collect, collect},
		"a denied request":       {ask, deny, collect},
		"two effects of one key": {ask, did(again, reply{"done", "b"})},
		"a lost decision":        {ask, approve, did(operation{what: "collect", id: "a"}, reply{what: "refused"})},
		"too many requests":      six,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			histories.Refutes(t, requestModel(), histories.Sequence(steps...))
		})
	}
	histories.Check(t, requestModel(), histories.Sequence(ask, did(again, reply{"replayed", "a"}), approve, collect))
}
