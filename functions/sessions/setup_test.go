package main

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/uuid"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/mail"
	"portside/shared/sessions"
	"portside/shared/sessions/openid/openiddynamo"
	"portside/shared/sessions/passkeys/passkeysdynamo"
	"portside/shared/sessions/sessionsdynamo"
	"portside/shared/testkit/audittest"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

const firefox = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0"

// fixture is the function with a real engine and a clock and mailbox that the test controls.
type fixture struct {
	tb       testing.TB
	clock    *webtest.Clock
	post     *mailbox
	keys     *credentialsdynamo.Table
	people   *usersdynamo.Store
	sessions sessions.Dependencies
	store    *passkeysdynamo.Store
	states   *openiddynamo.Store
	openID   *openIDProvider // nil unless a test connects one
	base     string          // BASE_URL
	ada      users.User
	key      string // API key of Ada, who is an admin
}

func newFixture(tb testing.TB) *fixture {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	return newFixtureOn(tb, client, awstest.Table(tb, client, "CredentialsTable"))
}

func newFixtureOn(tb testing.TB, client *dynamodb.Client, table string) *fixture {
	tb.Helper()
	f := &fixture{
		tb: tb, post: &mailbox{}, base: "https://portal.example.com",
		keys:  credentialsdynamo.New(client, table, awstest.Table(tb, client, "RequestCountsTable")).Audited(audittest.Log(tb, client)),
		clock: webtest.NewClock(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)),
	}
	days := daycounts.In(awstest.Table(tb, client, "AnalyticsTable"))
	f.people = usersdynamo.New(client, awstest.Table(tb, client, "UsersTable"), f.keys, days)
	f.people.SweepTime = time.Hour // the tests do not run the schedule
	f.store, f.states = passkeysdynamo.New(client, f.keys), openiddynamo.New(client, table)
	store := sessionsdynamo.New(client, f.keys, f.people.People)
	f.sessions = sessions.Dependencies{
		Requests: store, Failures: f.keys.Requests, Outbox: store, Sessions: store, Credentials: f.keys, People: f.people.People, Mailer: f.post,
		Now: f.clock.Now,
	}
	f.ada, f.key = f.user("ada@example.com", principal.Admin)
	return f
}

func (f *fixture) service() *sessions.Service { return sessions.NewService(f.sessions) }

func (f *fixture) handler() http.Handler {
	auth := credentials.NewAuthenticator(f.keys.Requests, 100, f.clock.Now)
	return routes(&handlers{
		sessions: f.service(), passkeys: newPasskeys(f.store, f.people.People, f.post, f.clock.Now), openID: f.openID, baseURL: f.base,
	}, auth).Handler()
}

// users returns the service of users, without permission checks for principal.Operator.
func (f *fixture) users() *users.Service {
	inviter := users.NewInviter(f.people.Invitations, f.post, f.clock.Now)
	return users.NewService(f.people, inviter, func() string { return uuid.Must(uuid.NewV7()).String() }, f.clock.Now)
}

// user creates an active user with an API key.
func (f *fixture) user(email string, role principal.Role) (users.User, string) {
	f.tb.Helper()
	ctx := f.tb.Context()
	operator := principal.Operator()
	created, err := f.users().Create(ctx, users.CreateOptions{Caller: operator},
		users.NewUser{Email: email, Name: "Ada", Role: role})
	if err != nil {
		f.tb.Fatal(err)
	}
	issued, err := users.NewKeys(f.people, f.people.Keys, f.clock.Now).Create(ctx, operator, created.User.ID, users.NewKey{Name: "test"})
	if err != nil {
		f.tb.Fatal(err)
	}
	return created.User, issued.Secret.Reveal()
}

// change changes a user without permission checks.
func (f *fixture) change(id string, change users.Change) {
	f.tb.Helper()
	if _, err := f.users().Update(f.tb.Context(), principal.Operator(), versions.Target{ID: id}, change); err != nil {
		f.tb.Fatal(err)
	}
}

// browser is a client that keeps cookies, like a browser.
type browser struct {
	f          *fixture
	cookies    map[string]string
	remoteAddr string // empty: that of httptest
}

func (f *fixture) browser() *browser { return &browser{f: f, cookies: map[string]string{}} }

// from makes the browser use another network address.
func (b *browser) from(remoteAddr string) *browser {
	b.remoteAddr = remoteAddr
	return b
}

// ServeHTTP sends a request of the browser to the function.
func (b *browser) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if b.remoteAddr != "" {
		r.RemoteAddr = b.remoteAddr
	}
	b.f.handler().ServeHTTP(w, r)
}

// client returns a client that sends the cookies.
func (b *browser) client() webtest.Client {
	var all []string
	for name, value := range b.cookies {
		all = append(all, name+"="+value)
	}
	return webtest.New(b.f.tb, b).With("Cookie", strings.Join(all, "; ")).With("User-Agent", firefox).
		With("Sec-Fetch-Site", "same-origin")
}

// keep keeps the cookies of a response.
func (b *browser) keep(r webtest.Response) webtest.Response {
	b.f.tb.Helper()
	response := http.Response{Header: r.Header}
	for _, c := range response.Cookies() {
		sameSite := http.SameSiteStrictMode
		if c.Name == openIDCookie {
			sameSite = http.SameSiteLaxMode
		}
		if !c.Secure || !c.HttpOnly || c.SameSite != sameSite || c.Path != "/" || c.Domain != "" ||
			!strings.HasPrefix(c.Name, "__Host-") {
			b.f.tb.Errorf("unsafe cookie %s", c.Raw)
		}
		if b.cookies[c.Name] = c.Value; c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		}
	}
	return r
}

func (b *browser) ask(email string) webtest.Response {
	b.f.tb.Helper()
	return b.keep(b.client().Post("/v1/sign-in/links", `{"email":"`+email+`"}`))
}

func (b *browser) useLink(token string) webtest.Response {
	b.f.tb.Helper()
	return b.keep(b.client().Post("/v1/sessions", `{"token":"`+token+`"}`))
}

func (b *browser) useCode(email, code string) webtest.Response {
	b.f.tb.Helper()
	return b.keep(b.client().Post("/v1/sessions", `{"email":"`+email+`","code":"`+code+`"}`))
}

// signedIn returns a browser in which Ada has just signed in, with a link that the operator made.
func (f *fixture) signedIn() *browser {
	f.tb.Helper()
	b := f.browser()
	link, _, err := f.service().OperatorLink(f.tb.Context(), f.ada.Email)
	if err != nil {
		f.tb.Fatal(err)
	}
	b.useLink(link.Reveal()).WantStatus(http.StatusCreated)
	return b
}

// mailbox is a mailer that keeps all messages. It returns an error while it is closed.
type mailbox struct {
	mu      sync.Mutex
	letters []mail.Message
	closed  bool
}

func (m *mailbox) Send(_ context.Context, message mail.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return errors.New("the post office is closed")
	}
	m.letters = append(m.letters, message)
	return nil
}

var (
	linkInMail = regexp.MustCompile(`https://portal\.example\.com/portal/sign-in#(psl_\w+)`)
	codeInMail = regexp.MustCompile(`there: (\d{10})\n`)
)

// last returns the link and the code of the newest message.
func (m *mailbox) last(tb testing.TB) (token, code string) {
	tb.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.letters) == 0 {
		tb.Fatal("no message was sent")
	}
	text := m.letters[len(m.letters)-1].Text
	link, digits := linkInMail.FindStringSubmatch(text), codeInMail.FindStringSubmatch(text)
	if link == nil || digits == nil {
		tb.Fatalf("no link or code in the message:\n%s", text)
	}
	return link[1], digits[1]
}
