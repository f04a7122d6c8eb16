package sessions_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/mail"
	"portside/shared/sessions"
	"portside/shared/sessions/sessionsdynamo"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/histories"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

// operation is an operation on a sign-in mail and the session that it begins.
type operation struct {
	what string // link, code, guess, use or end
	mail int    // number of the mail; each has one session at most
}

// signInState is the state of one mail and its session.
type signInState struct {
	tries   int
	used    bool
	session bool // works
}

// signInModel is a service that does one operation at a time. It answers whether the operation succeeded.
func signInModel() histories.Model[signInState, operation, bool] {
	return histories.Model[signInState, operation, bool]{
		Part: func(o operation) string { return fmt.Sprint("mail ", o.mail) },
		Step: func(s signInState, o operation, done bool) (signInState, bool) {
			if o.what == "use" || o.what == "end" {
				was := s.session
				s.session = was && o.what == "use"
				return s, done == was
			}
			isOpen := !s.used && s.tries < sessions.MaxTries
			if o.what != "link" && isOpen {
				s.tries++
			}
			if !isOpen || o.what == "guess" {
				return s, !done
			}
			s.used, s.session = true, true
			return s, done
		},
	}
}

// proof is what a mail and its browser have, and the session that began with them.
type proof struct {
	browser, link, code string
	session             credentials.Secret
}

// signInClients share a few mails. Each mail is for another user, because a user can sign in only a few times in a
// while.
type signInClients struct {
	t       *testing.T
	service *sessions.Service
	auth    *credentials.Authenticator
	users   []string // addresses

	mu     sync.Mutex
	proofs []proof
}

var codePattern = regexp.MustCompile(`\b\d{10}\b`)

// keptMail keeps the newest message.
type keptMail struct{ text string }

// Send implements sessions.Mailer.
func (k *keptMail) Send(_ context.Context, m mail.Message) error {
	k.text = m.Text
	return nil
}

func newSignInClients(t *testing.T, mails int) *signInClients {
	t.Helper()
	now := func() time.Time { return time.Date(2028, 2, 29, 12, 0, 0, 0, time.UTC) }
	client := awstest.DynamoDB(t)
	table := credentialsdynamo.New(client, awstest.Table(t, client, "CredentialsTable"), awstest.Table(t, client, "RequestCountsTable"))
	people := usersdynamo.New(client, awstest.Table(t, client, "UsersTable"), table, daycounts.In(awstest.Table(t, client, "AnalyticsTable")))
	store, post := sessionsdynamo.New(client, table, people.People), &keptMail{}
	c := &signInClients{t: t, auth: credentials.NewAuthenticator(table.Requests, 0, now), service: sessions.NewService(sessions.Dependencies{
		Requests: store, Outbox: store, Sessions: store, Credentials: table, People: people.People, Mailer: post, Now: now,
	})}
	newUsers := users.NewService(people, nil, func() string { return uuid.Must(uuid.NewV7()).String() }, now)
	for i := range mails {
		email := fmt.Sprintf("u%d@example.com", i)
		_, err := newUsers.Create(t.Context(), users.CreateOptions{Caller: principal.Operator()},
			users.NewUser{Email: email, Name: email, Role: principal.Viewer})
		if err != nil {
			t.Fatal(err)
		}
		asked := sessions.MailRequest{Email: email, BaseURL: "https://portal.example.com", Network: "n"}
		requested, err := c.service.RequestMail(t.Context(), asked)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(post.text, sessions.LinkPath)
		c.users = append(c.users, email)
		c.proofs = append(c.proofs, proof{
			browser: requested.Browser.Reveal(), link: strings.Fields(rest)[0], code: codePattern.FindString(post.text),
		})
	}
	return c
}

func (c *signInClients) proof(number int) proof {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.proofs[number]
}

func (c *signInClients) step(client int, random *rand.Rand, history *histories.History[operation, bool]) {
	in := operation{mail: random.IntN(len(c.proofs)), what: []string{"link", "code", "guess", "guess"}[random.IntN(4)]}
	known := c.proof(in.mail)
	if known.session.ID() != "" && random.IntN(3) > 0 {
		in.what = []string{"use", "use", "end"}[random.IntN(3)]
	}
	history.Do(client, in, func() bool { return c.do(in, known) })
}

func (c *signInClients) do(in operation, known proof) bool {
	var signedIn sessions.SignedIn
	var err error
	visit, ctx := sessions.Visit{Browser: known.browser}, c.t.Context()
	switch in.what {
	case "link":
		signedIn, err = c.service.SignInByLink(ctx, known.link, visit)
	case "code":
		signedIn, err = c.service.SignInByCode(ctx, c.users[in.mail], known.code, visit)
	case "guess":
		_, err = c.service.SignInByCode(ctx, c.users[in.mail], "guess", visit)
	case "use":
		_, _, err = c.auth.Authenticate(ctx, known.session.Reveal(), credentials.Session)
	default:
		var caller principal.Principal
		if caller, _, err = c.auth.Authenticate(ctx, known.session.Reveal(), credentials.Session); err == nil {
			err = c.service.End(ctx, caller, known.session.ID())
		}
	}
	if signedIn.Secret.ID() != "" {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.proofs[in.mail].session = signedIn.Secret
	}
	switch {
	case err == nil:
		return true
	case errors.Is(err, sessions.ErrSignIn), errors.Is(err, sessions.ErrNotFound), errors.Is(err, credentials.ErrUnauthorized):
		return false
	}
	c.t.Errorf("%s: %v", in.what, err)
	return false
}

// TestConcurrentOperationsHaveAnOrder lets clients use the links and codes of a few mails, guess codes, and use and end
// the sessions, at the same time. Some order of the operations must explain all answers: a mail signs in once, and
// after five codes no more.
//
//proves:docs/security.md
func TestConcurrentOperationsHaveAnOrder(t *testing.T) {
	t.Parallel()
	const rounds, clients, steps, mails = 4, 8, 12, 8
	for seed := range uint64(rounds) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			var history histories.History[operation, bool]
			c := newSignInClients(t, mails)
			histories.Run(clients, steps, seed, func(client int, random *rand.Rand) { c.step(client, random, &history) })
			histories.Check(t, signInModel(), &history)
		})
	}
}

// TestModelRefutesBrokenStores has answers of stores that lose or repeat writes.
func TestModelRefutesBrokenStores(t *testing.T) {
	t.Parallel()
	type step = histories.Step[operation, bool]
	did := func(what string, done bool) step { return histories.Did(operation{what: what}, done) }
	guess := did("guess", false)
	for name, steps := range map[string][]step{
		"a link works twice":        {did("link", true), did("link", true)},
		"a link and its code":       {did("link", true), did("code", true)},
		"a code after five tries":   {guess, guess, guess, guess, guess, did("code", true)},
		"a link after five tries":   {guess, guess, guess, guess, guess, did("link", true)},
		"a lost session":            {did("code", true), did("use", false)},
		"an ended session works":    {did("code", true), did("end", true), did("use", true)},
		"a session without sign-in": {did("use", true)},
		"a right code is refused":   {guess, did("code", false)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			histories.Refutes(t, signInModel(), histories.Sequence(steps...))
		})
	}
	histories.Check(t, signInModel(),
		histories.Sequence(guess, did("link", true), did("use", true), did("end", true), did("use", false)))
}
