package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/uuid"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentialrequests"
	"portside/shared/credentialrequests/credentialrequestsdynamo"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/mail/mailses"
	"portside/shared/notices/credentialnotices"
	"portside/shared/revocation"
	"portside/shared/revocation/revocationdynamo"
	"portside/shared/sessions"
	"portside/shared/sessions/sessionsdynamo"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

// fixture is the function with a real engine. The test controls the clock and the mail server.
type fixture struct {
	tb       testing.TB
	server   *sesServer
	people   *usersdynamo.Store
	inviter  *users.Inviter
	users    *users.Service
	keys     *users.Keys
	requests *credentialrequests.Service
	signIns  *sessions.Service
	notices  *credentialnotices.Service
	ending   *revocation.Service
	closer   *users.Closer
	client   *dynamodb.Client
	table    *credentialsdynamo.Table
	now      time.Time
}

func newFixture(tb testing.TB) *fixture {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	o := &fixture{tb: tb, server: startSESServer(tb), now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	now := func() time.Time { return o.now }
	table := credentialsdynamo.New(client, awstest.Table(tb, client, "CredentialsTable"), "")
	o.client, o.table = client, table
	store := usersdynamo.New(client, awstest.Table(tb, client, "UsersTable"), table,
		daycounts.In(awstest.Table(tb, client, "AnalyticsTable")))
	newID := func() string { return uuid.Must(uuid.NewV7()).String() }
	o.people = store
	o.inviter = users.NewInviter(store.Invitations, o.server.mailer(), now)
	o.closer = users.NewCloser(store, now)
	o.users = users.NewService(store, o.inviter, newID, now)
	o.keys = users.NewKeys(store, store.Keys, now)
	o.requests = credentialrequests.NewService(credentialrequests.Parts{
		Store: credentialrequestsdynamo.New(client, table, store.People), Credentials: table, People: store.People,
		Mailer: o.server.mailer(), NewID: newID, Now: now,
	})
	signIns := sessionsdynamo.New(client, table, store.People)
	o.signIns = sessions.NewService(sessions.Dependencies{
		Requests: signIns, Outbox: signIns, Sessions: signIns, Credentials: table, People: store.People, Mailer: o.server.mailer(), Now: now,
	})
	o.notices = credentialnotices.NewService(credentialnotices.Parts{
		Outbox: table.Notices, People: store.People, Mailer: o.server.mailer(), Now: now,
	})
	ending := revocationdynamo.New(client, table)
	o.ending = revocation.NewService(revocation.Parts{Store: ending, Jobs: ending, Now: now})
	return o
}

func (o *fixture) tasks() tasks {
	return tasks{
		invitations: o.inviter.SendDue, requests: o.requests.TakeDue, signIns: o.signIns.SendDue, notices: o.notices.SendDue,
		revocations: o.ending.FinishDue, closings: o.closer.FinishDue,
	}
}

// invite creates a user as a request would, and advances the clock until the function is responsible for the mail.
func (o *fixture) invite(email string) users.User {
	o.tb.Helper()
	created, err := o.users.Create(o.tb.Context(), users.CreateOptions{
		Caller: principal.Operator(), BaseURL: "https://portal.example.com",
	}, users.NewUser{Email: email, Name: "Ada", Role: principal.User, ActivationEmail: true})
	if err != nil {
		o.tb.Fatal(err)
	}
	o.now = o.now.Add(users.SendAfter + time.Second)
	return created.User
}

// run invokes the function as the schedule does.
func (o *fixture) run(ctx context.Context) error {
	o.tb.Helper()
	return handle(o.tasks())(ctx, json.RawMessage(`{}`))
}

func (o *fixture) mustRun() {
	o.tb.Helper()
	if err := o.run(o.tb.Context()); err != nil {
		o.tb.Fatal(err)
	}
}

func TestFailedInvitationIsSentAgainWithNewLink(t *testing.T) {
	o := newFixture(t)
	o.server.rejectMailTo("ada@example.com")
	o.invite("ada@example.com")
	old := o.server.rejectedLinks(t)
	o.server.rejectMailTo()

	o.mustRun()
	links := o.server.links(t)
	if len(links) != 1 || len(old) != 1 || links[0] == old[0] {
		t.Fatalf("sent %v after %v was rejected; want one new link", links, old)
	}
	if _, err := o.inviter.Activate(t.Context(), old[0]); err == nil {
		t.Error("the link of the failed mail still works")
	}
	activated, err := o.inviter.Activate(t.Context(), links[0])
	if err != nil || activated.User.Status != users.Active {
		t.Errorf("the new link: %v, %v", activated.User.Status, err)
	}
}

func TestMailsAreSentOnce(t *testing.T) {
	o := newFixture(t)
	o.invite("sent-at-once@example.com")
	o.server.rejectMailTo("late@example.com")
	o.invite("late@example.com")
	o.server.rejectMailTo()
	for range 3 {
		o.mustRun()
		o.now = o.now.Add(users.SendAfter + time.Second)
	}
	if got, want := o.server.recipients(),
		[]string{"sent-at-once@example.com", "late@example.com"}; !slices.Equal(got, want) {
		t.Errorf("mails went to %v, want %v", got, want)
	}
}

func TestMailOfRequestInProgressIsNotSent(t *testing.T) {
	o := newFixture(t)
	o.server.rejectMailTo("ada@example.com")
	o.invite("ada@example.com")
	o.server.rejectMailTo()
	o.now = o.now.Add(-2 * time.Second) // SendAfter is not reached
	o.mustRun()
	if got := o.server.recipients(); len(got) != 0 {
		t.Errorf("a mail went to %v while its request may still send it", got)
	}
}

func TestFailedMailFailsTheRunAndIsRetriedLater(t *testing.T) {
	o := newFixture(t)
	o.server.rejectMailTo("bad@example.com", "good@example.com")
	bad := o.invite("bad@example.com")
	o.invite("good@example.com")
	o.server.rejectMailTo("bad@example.com")

	err := o.run(t.Context())
	if err == nil || !strings.Contains(err.Error(), bad.ID) {
		t.Errorf("the run returned %v; want an error that names the user %s", err, bad.ID)
	}
	if got := o.server.recipients(); !slices.Equal(got, []string{"good@example.com"}) {
		t.Errorf("mails went to %v, want only good@example.com", got)
	}
	o.server.rejectMailTo()
	o.now = o.now.Add(2*users.SendAfter + time.Second)
	o.mustRun()
	if got := o.server.recipients(); !slices.Equal(got, []string{"good@example.com", "bad@example.com"}) {
		t.Errorf("after the mail server was repaired, mails went to %v", got)
	}
}

func TestDeletedUserGetsNoMail(t *testing.T) {
	o := newFixture(t)
	o.server.rejectMailTo("ada@example.com")
	user := o.invite("ada@example.com")
	o.server.rejectMailTo()
	if err := o.users.Delete(t.Context(), principal.Operator(), versions.Target{ID: user.ID}); err != nil {
		t.Fatal(err)
	}
	o.mustRun()
	if got := o.server.recipients(); len(got) != 0 {
		t.Errorf("mails went to %v, a deleted user", got)
	}
}

func TestRunSendsNothingNearItsDeadline(t *testing.T) {
	o := newFixture(t)
	o.server.rejectMailTo("ada@example.com")
	o.invite("ada@example.com")
	link := o.server.rejectedLinks(t)[0]
	o.server.rejectMailTo()

	if err := o.run(awstest.Hurried(t.Context(), 5*time.Second)); err != nil {
		t.Fatal(err)
	}
	if got := o.server.recipients(); len(got) != 0 {
		t.Errorf("mails went to %v near the deadline", got)
	}
	if _, err := o.inviter.Activate(t.Context(), link); err != nil {
		t.Errorf("the link was revoked although no new one was sent: %v", err)
	}
}

// user creates an active user and returns the principal of the user's API key.
func (o *fixture) user(email string, role principal.Role) principal.Principal {
	o.tb.Helper()
	ctx := o.tb.Context()
	created, err := o.users.Create(ctx, users.CreateOptions{Caller: principal.Operator()},
		users.NewUser{Email: email, Name: "Ada", Role: role})
	if err != nil {
		o.tb.Fatal(err)
	}
	key, err := o.keys.Create(ctx, principal.Operator(), created.User.ID, users.NewKey{Name: "test"})
	if err != nil {
		o.tb.Fatal(err)
	}
	return principal.Principal{UserID: created.User.ID, Role: role, CredentialID: key.Key.ID}
}

// TestErrorOfOneDomainDoesNotStopTheOther rejects an invitation permanently, and accepts the mail of a credential
// request.
func TestErrorOfOneDomainDoesNotStopTheOther(t *testing.T) {
	o := newFixture(t)
	o.user("root@example.com", principal.Admin)
	requester := o.user("grace@example.com", principal.User)
	o.server.rejectMailTo("ada@example.com", "root@example.com")
	invited := o.invite("ada@example.com")
	made, err := o.requests.Create(t.Context(), requester, "https://portal.example.com", credentialrequests.New{
		Level: credentialrequests.Full, Justification: "why not",
	})
	if err != nil {
		t.Fatal(err)
	}
	o.now = o.now.Add(time.Hour)
	err = o.run(t.Context())
	if err == nil || !strings.Contains(err.Error(), made.Request.ID) || !strings.Contains(err.Error(), invited.ID) {
		t.Errorf("the run returned %v; want an error that names the request and the user", err)
	}
	o.server.rejectMailTo("ada@example.com")
	o.now = o.now.Add(time.Hour)
	if err := o.run(t.Context()); err == nil {
		t.Error("no error although the invitation was rejected")
	}
	if got := o.server.recipients(); !slices.Equal(got, []string{"root@example.com"}) {
		t.Errorf("mails went to %v, want only root@example.com", got)
	}
}

func TestEvents(t *testing.T) {
	webtest.EachSampleEvent(t, "sendmail", func(t *testing.T, golden string, event []byte) {
		o := newFixture(t)
		o.server.rejectMailTo("ada@example.com")
		o.invite("ada@example.com")
		o.server.rejectMailTo()
		if err := handle(o.tasks())(t.Context(), event); err != nil {
			t.Error(err)
		}
		webtest.GoldenJSON(t, golden, o.server.envelopes(t))
	})
}

// sesServer implements SendEmail of SES on a loopback port.
type sesServer struct {
	server    *httptest.Server
	mu        sync.Mutex
	rejected  []string // addresses
	sent      []sentMail
	turnedOff []sentMail
}

type sentMail struct {
	FromEmailAddress string
	Destination      struct{ ToAddresses []string }
	Content          struct {
		Simple struct {
			Subject struct{ Data string }
			Body    struct{ Text struct{ Data string } }
		}
	}
}

func startSESServer(tb testing.TB) *sesServer {
	tb.Helper()
	p := &sesServer{}
	p.server = httptest.NewServer(p)
	tb.Cleanup(p.server.Close)
	return p
}

func (p *sesServer) mailer() *mailses.Mailer {
	return mailses.New(aws.Config{
		BaseEndpoint: aws.String(p.server.URL), Region: "us-east-1", RetryMaxAttempts: 1, HTTPClient: p.server.Client(),
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	}, "no-reply@example.com")
}

func (p *sesServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var l sentMail
	body, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(body, &l) != nil || r.URL.Path != "/v2/email/outbound-emails" {
		http.Error(w, "not a mail", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if slices.Contains(p.rejected, l.Destination.ToAddresses[0]) {
		p.turnedOff = append(p.turnedOff, l)
		w.Header().Set("X-Amzn-ErrorType", "MessageRejected")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"message":"Email address is not verified."}`)
		return
	}
	p.sent = append(p.sent, l)
	_, _ = io.WriteString(w, `{"MessageId":"0100018f-000000"}`)
}

// rejectMailTo replaces the list of rejected addresses.
func (p *sesServer) rejectMailTo(addresses ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rejected = addresses
}

func (p *sesServer) recipients() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, l := range p.sent {
		all = append(all, l.Destination.ToAddresses...)
	}
	return all
}

// envelopes returns the senders and recipients of all mails, as JSON. The texts are left out, because their links are
// random.
func (p *sesServer) envelopes(tb testing.TB) []byte {
	tb.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	type envelope struct{ From, To, Subject string }
	all := []envelope{}
	for _, l := range p.sent {
		to := strings.Join(l.Destination.ToAddresses, ", ")
		all = append(all, envelope{l.FromEmailAddress, to, l.Content.Simple.Subject.Data})
	}
	text, err := json.Marshal(all)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

func (p *sesServer) links(tb testing.TB) []string {
	tb.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	return linksIn(tb, p.sent)
}

func (p *sesServer) rejectedLinks(tb testing.TB) []string {
	tb.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	return linksIn(tb, p.turnedOff)
}

func linksIn(tb testing.TB, letters []sentMail) []string {
	tb.Helper()
	var all []string
	for _, l := range letters {
		_, rest, found := strings.Cut(l.Content.Simple.Body.Text.Data, "https://portal.example.com/portal/activate#")
		if !found {
			tb.Fatalf("no link in the mail %+v", l)
		}
		all = append(all, strings.Fields(rest)[0])
	}
	return all
}
