package tokensdynamo_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/histories"
	"portside/shared/tokens"
	"portside/shared/tokens/tokensdynamo"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

// request is an operation on the tokens of one user.
type request struct {
	what string // create, renew, revoke or authenticate
	id   string // of the token to revoke, authenticate or renew
	key  string // idempotency key of create; "" for none
}

// answer is what the service says.
type answer struct {
	what string // done, replayed, revoked or refused
	id   string // of the token that was created, now or by the first request with the key
}

// tokenSet says which tokens work, and which token each idempotency key has created.
type tokenSet struct {
	works map[string]bool
	byKey map[string]string
}

// tokenModel is a service that does one operation on tokens at a time.
func tokenModel() histories.Model[tokenSet, request, answer] {
	return histories.Model[tokenSet, request, answer]{
		Part: func(request) string { return "the tokens" },
		Step: func(s tokenSet, r request, a answer) (tokenSet, bool) {
			switch {
			case r.what == "create" && s.byKey[r.key] != "":
				first := s.byKey[r.key]
				if s.works[first] {
					return s, a == answer{"replayed", first}
				}
				return s, a == answer{what: "revoked"}
			case r.what == "renew" && a.what == "full": // of any line; functions/access tests when a line is full
				return s, true
			case r.what == "create", r.what == "renew" && s.works[r.id]:
				return s.with(a.id, r.key), a.what == "done"
			case r.what == "revoke": // also of a token that is revoked already
				return s.without(r.id), a.what == "done"
			case r.what == "authenticate" && s.works[r.id]:
				return s, a.what == "done"
			}
			return s, a.what == "refused"
		},
	}
}

func (s tokenSet) with(id, key string) tokenSet {
	after := tokenSet{works: map[string]bool{id: true}, byKey: map[string]string{}}
	maps.Copy(after.works, s.works)
	maps.Copy(after.byKey, s.byKey)
	if key != "" {
		after.byKey[key] = id
	}
	return after
}

func (s tokenSet) without(id string) tokenSet {
	after := s.with(id, "")
	delete(after.works, id)
	return after
}

// tokenClient does random operations. All clients know all tokens that were ever created.
type tokenClient struct {
	t       *testing.T
	service *tokens.Service
	auth    *credentials.Authenticator
	caller  principal.Principal // with an API key
	keys    []string            // idempotency keys

	mu    sync.Mutex
	known []tokens.Issued
}

func newTokenClient(t *testing.T) *tokenClient {
	t.Helper()
	now := func() time.Time { return time.Date(2028, 2, 29, 12, 0, 0, 0, time.UTC) }
	client := awstest.DynamoDB(t)
	table := credentialsdynamo.New(client, awstest.Table(t, client, "CredentialsTable"), awstest.Table(t, client, "RequestCountsTable"))
	people := usersdynamo.New(client, awstest.Table(t, client, "UsersTable"), table,
		daycounts.In(awstest.Table(t, client, "AnalyticsTable")))
	newID := func() string { return uuid.Must(uuid.NewV7()).String() }
	created, err := users.NewService(people, nil, newID, now).
		Create(t.Context(), users.CreateOptions{Caller: principal.Operator()},
			users.NewUser{Email: "ada@example.com", Name: "Ada", Role: principal.Admin})
	if err != nil {
		t.Fatal(err)
	}
	key, err := users.NewKeys(people, people.Keys, now).Create(t.Context(), principal.Operator(), created.User.ID, users.NewKey{Name: "test"})
	if err != nil {
		t.Fatal(err)
	}
	return &tokenClient{
		t: t, service: tokens.NewService(tokensdynamo.New(client, table), people.People, tokens.MaxDays, now),
		auth:   credentials.NewAuthenticator(table.Requests, 0, now),
		caller: principal.Principal{UserID: created.User.ID, Role: principal.Admin, CredentialID: key.Key.ID},
		keys:   []string{uuid.NewString(), uuid.NewString()},
	}
}

// some returns one of the latest tokens, or false.
func (c *tokenClient) some(random *rand.Rand) (tokens.Issued, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	latest := c.known[max(0, len(c.known)-5):]
	if len(latest) == 0 {
		return tokens.Issued{}, false
	}
	return latest[random.IntN(len(latest))], true
}

func (c *tokenClient) step(client int, random *rand.Rand, history *histories.History[request, answer]) {
	known, ok := c.some(random)
	choice := random.IntN(10)
	if !ok || choice < 3 {
		in := request{what: "create"}
		if random.IntN(3) > 0 {
			in.key = c.keys[random.IntN(len(c.keys))]
		}
		history.Do(client, in, func() answer { return c.create(c.caller, in.key) })
		return
	}
	in := request{what: []string{"renew", "renew", "revoke", "revoke", "revoke", "authenticate", "authenticate"}[choice-3],
		id: known.Token.ID}
	history.Do(client, in, func() answer { return c.use(in, known) })
}

func (c *tokenClient) create(caller principal.Principal, key string) answer {
	made, err := c.service.Create(c.t.Context(), caller, tokens.NewToken{
		Name: "build", Scopes: []principal.Scope{"read:helm-charts"}, Days: 30, IdempotencyKey: key,
	})
	switch {
	case errors.Is(err, idempotency.ErrRevoked):
		return answer{what: "revoked"}
	case errors.Is(err, tokens.ErrCaller):
		return answer{what: "refused"}
	case errors.Is(err, tokens.ErrLineFull), errors.Is(err, tokens.ErrLineQuota):
		return answer{what: "full"}
	case err != nil:
		c.t.Errorf("create: %v", err)
		return answer{}
	case made.Replayed:
		return answer{"replayed", made.Token.ID}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known = append(c.known, made)
	return answer{"done", made.Token.ID}
}

func (c *tokenClient) use(in request, known tokens.Issued) answer {
	var err error
	switch in.what {
	case "renew":
		by := principal.Principal{
			UserID: c.caller.UserID, Scopes: []principal.Scope{"read:helm-charts"}, CredentialID: known.Token.ID,
			Makers: known.Token.Makers,
			Token: principal.Token{
				CreatedAt: known.Token.CreatedAt, ExpiresAt: known.Token.ExpiresAt,
				Line: known.Token.Line, LineEndsAt: known.Token.LineEndsAt,
			},
		}
		return c.create(by, "")
	case "revoke":
		err = c.service.Revoke(c.t.Context(), c.caller, tokens.Target{ID: known.Token.ID})
	default:
		_, _, err = c.auth.Authenticate(c.t.Context(), known.Secret.Reveal(), credentials.AccessToken)
	}
	switch {
	case errors.Is(err, tokens.ErrNotFound), errors.Is(err, credentials.ErrUnauthorized):
		return answer{what: "refused"}
	case err != nil:
		c.t.Errorf("%s: %v", in.what, err)
		return answer{}
	}
	return answer{what: "done"}
}

// TestConcurrentOperationsHaveAnOrder lets clients create, renew, revoke and use the tokens of one user at the same
// time, also with idempotency keys. Some order of the operations must explain all answers.
//
//proves:docs/security.md
func TestConcurrentOperationsHaveAnOrder(t *testing.T) {
	t.Parallel()
	const rounds, clients, steps = 4, 8, 8
	for seed := range uint64(rounds) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			var history histories.History[request, answer]
			c := newTokenClient(t)
			histories.Run(clients, steps, seed, func(client int, random *rand.Rand) { c.step(client, random, &history) })
			histories.Check(t, tokenModel(), &history)
		})
	}
}

// TestModelRefutesBrokenStores has answers of stores that lose or repeat writes.
func TestModelRefutesBrokenStores(t *testing.T) {
	t.Parallel()
	type step = histories.Step[request, answer]
	did := histories.Did[request, answer]
	done, refused := answer{what: "done"}, answer{what: "refused"}
	create := did(request{what: "create"}, answer{"done", "a"})
	revoke := did(request{what: "revoke", id: "a"}, done)
	again := request{what: "create", key: "k"}
	once := did(again, answer{"done", "a"})
	for name, steps := range map[string][]step{
		"a lost token":                {create, did(request{what: "authenticate", id: "a"}, refused)},
		"a revoked token works":       {create, revoke, did(request{what: "authenticate", id: "a"}, done)},
		"a revoked token is renewed":  {create, revoke, did(request{what: "renew", id: "a"}, answer{"done", "b"})},
		"a refused revocation":        {create, did(request{what: "revoke", id: "a"}, refused)},
		"two effects of one key":      {once, did(again, answer{"done", "b"})},
		"the token of another key":    {once, did(again, answer{"replayed", "b"})},
		"a revoked token is replayed": {once, revoke, did(again, answer{"replayed", "a"})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			histories.Refutes(t, tokenModel(), histories.Sequence(steps...))
		})
	}
	histories.Check(t, tokenModel(), histories.Sequence(once, did(again, answer{"replayed", "a"}), revoke))
}
