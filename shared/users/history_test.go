package users_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/mail"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/histories"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

// operation is an operation on an invited user.
type operation struct {
	what   string // activate, rename, delete or use
	number int    // of the user
}

// invited is the state of an invited user. The zero value is a pending user.
type invited struct{ active, deleted bool }

// invitationModel is a service that does one operation at a time. It answers whether the operation succeeded.
func invitationModel() histories.Model[invited, operation, bool] {
	return histories.Model[invited, operation, bool]{
		Part: func(o operation) string { return fmt.Sprint("user ", o.number) },
		Step: func(s invited, o operation, done bool) (invited, bool) {
			switch o.what {
			case "activate":
				works := !s.active && !s.deleted
				s.active = s.active || works
				return s, done == works
			case "use":
				return s, done == (s.active && !s.deleted)
			}
			exists := !s.deleted
			s.deleted = s.deleted || o.what == "delete"
			return s, done == exists
		},
	}
}

// invitation is what the clients know about an invited user.
type invitation struct {
	userID, link string
	key          credentials.Secret // from the activation
}

type invitationClients struct {
	t       *testing.T
	users   *users.Service
	inviter *users.Inviter
	auth    *credentials.Authenticator

	mu      sync.Mutex
	invited []invitation
}

// keptMail keeps the newest message.
type keptMail struct{ text string }

// Send implements users.Mailer.
func (k *keptMail) Send(_ context.Context, m mail.Message) error {
	k.text = m.Text
	return nil
}

func newInvitationClients(t *testing.T, count int) *invitationClients {
	t.Helper()
	now := func() time.Time { return time.Date(2028, 2, 29, 12, 0, 0, 0, time.UTC) }
	client := awstest.DynamoDB(t)
	table := credentialsdynamo.New(client, awstest.Table(t, client, "CredentialsTable"), awstest.Table(t, client, "RequestCountsTable"))
	people := usersdynamo.New(client, awstest.Table(t, client, "UsersTable"), table,
		daycounts.In(awstest.Table(t, client, "AnalyticsTable")))
	people.SweepTime = time.Hour // the test does not run the schedule
	post := &keptMail{}
	inviter := users.NewInviter(people.Invitations, post, now)
	c := &invitationClients{
		t: t, inviter: inviter, auth: credentials.NewAuthenticator(table.Requests, 0, now),
		users: users.NewService(people, inviter, func() string { return uuid.Must(uuid.NewV7()).String() }, now),
	}
	for i := range count {
		email := fmt.Sprintf("u%d@example.com", i)
		created, err := c.users.Create(t.Context(),
			users.CreateOptions{Caller: principal.Operator(), BaseURL: "https://portal.example.com"},
			users.NewUser{Email: email, Name: email, Role: principal.Viewer, ActivationEmail: true})
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(post.text, "/portal/activate#")
		c.invited = append(c.invited, invitation{userID: created.User.ID, link: strings.Fields(rest)[0]})
	}
	return c
}

func (c *invitationClients) step(client int, random *rand.Rand, history *histories.History[operation, bool]) {
	choices := []string{"activate", "activate", "activate", "rename", "rename", "delete", "use", "use"}
	in := operation{what: choices[random.IntN(len(choices))], number: random.IntN(len(c.invited))}
	c.mu.Lock()
	known := c.invited[in.number]
	c.mu.Unlock()
	if in.what == "use" && known.key.ID() == "" {
		in.what = "activate"
	}
	history.Do(client, in, func() bool { return c.do(in, known) })
}

func (c *invitationClients) do(in operation, known invitation) bool {
	var err error
	ctx, target := c.t.Context(), versions.Target{ID: known.userID}
	switch in.what {
	case "activate":
		var activated users.Activated
		if activated, err = c.inviter.Activate(ctx, known.link); err == nil {
			c.mu.Lock()
			c.invited[in.number].key = activated.Key
			c.mu.Unlock()
		}
	case "rename":
		name := uuid.NewString()
		_, err = c.users.Update(ctx, principal.Operator(), target, users.Change{Name: &name})
	case "delete":
		err = c.users.Delete(ctx, principal.Operator(), target)
	default:
		_, _, err = c.auth.Authenticate(ctx, known.key.Reveal(), credentials.APIKey)
	}
	switch {
	case err == nil:
		return true
	case errors.Is(err, users.ErrLink), errors.Is(err, users.ErrNotFound), errors.Is(err, credentials.ErrUnauthorized):
		return false
	}
	c.t.Errorf("%s: %v", in.what, err)
	return false
}

// TestConcurrentOperationsHaveAnOrder lets clients activate, change and delete a few invited users and use their first
// keys, at the same time. Some order of the operations must explain all answers: a link activates once, and the key of
// a deleted user does not work.
//
//proves:docs/security.md
func TestConcurrentOperationsHaveAnOrder(t *testing.T) {
	t.Parallel()
	const rounds, clients, steps, count = 4, 8, 8, 6
	for seed := range uint64(rounds) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			var history histories.History[operation, bool]
			c := newInvitationClients(t, count)
			histories.Run(clients, steps, seed, func(client int, random *rand.Rand) { c.step(client, random, &history) })
			histories.Check(t, invitationModel(), &history)
		})
	}
}

// TestModelRefutesBrokenStores has answers of stores that lose or repeat writes.
func TestModelRefutesBrokenStores(t *testing.T) {
	t.Parallel()
	type step = histories.Step[operation, bool]
	did := func(what string, done bool) step { return histories.Did(operation{what: what}, done) }
	for name, steps := range map[string][]step{
		"a link works twice":            {did("activate", true), did("activate", true)},
		"a link of a deleted user":      {did("delete", true), did("activate", true)},
		"a lost key":                    {did("activate", true), did("use", false)},
		"the key of a deleted user":     {did("activate", true), did("delete", true), did("use", true)},
		"a deletion that is lost":       {did("delete", true), did("rename", true)},
		"a right link that is refused":  {did("rename", true), did("activate", false)},
		"a pending user has no key yet": {did("use", true)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			histories.Refutes(t, invitationModel(), histories.Sequence(steps...))
		})
	}
	right := histories.Sequence(did("activate", true), did("rename", true), did("use", true), did("delete", true))
	histories.Check(t, invitationModel(), right)
}
