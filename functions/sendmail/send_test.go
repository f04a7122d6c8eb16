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
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/google/uuid"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentialrequests"
	"portside/shared/credentialrequests/credentialrequestsdynamo"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/mail/mailses"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

// office is the function on a real engine, with the clock and the post office in the test's hands.
type office struct {
	tb       testing.TB
	post     *postOffice
	inviter  *users.Inviter
	users    *users.Service
	keys     *users.Keys
	requests *credentialrequests.Service
	now      time.Time
}

func newOffice(tb testing.TB) *office {
	tb.Helper()
	client := awstest.DynamoDB(tb)
	o := &office{tb: tb, post: openPostOffice(tb), now: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
	now := func() time.Time { return o.now }
	name := awstest.Table(tb, client, "CredentialsTable")
	table := credentialsdynamo.New(client, name)
	store := usersdynamo.New(client, awstest.Table(tb, client, "UsersTable"), table, daycounts.In(awstest.Table(tb, client, "AnalyticsTable")))
	newID := func() string { return uuid.Must(uuid.NewV7()).String() }
	o.inviter = users.NewInviter(store, o.post.mailer(), now)
	o.users = users.NewService(store, o.inviter, newID, now)
	o.keys = users.NewKeys(store, store, now)
	o.requests = credentialrequests.NewService(credentialrequests.Parts{
		Store: credentialrequestsdynamo.New(client, name, store), Credentials: table, People: store, Mailer: o.post.mailer(), NewID: newID, Now: now,
	})
	return o
}

// invite creates a user as a request would, and lets enough time pass for the function to look after the mail.
func (o *office) invite(email string) users.User {
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

// run starts the function as the schedule does.
func (o *office) run(ctx context.Context) error {
	o.tb.Helper()
	return sendDue(o.inviter, o.requests)(ctx, json.RawMessage(`{}`))
}

func (o *office) mustRun() {
	o.tb.Helper()
	if err := o.run(o.tb.Context()); err != nil {
		o.tb.Fatal(err)
	}
}

func TestMailThatFailedIsSentByTheNextRunWithANewLink(t *testing.T) {
	o := newOffice(t)
	o.post.refuse("ada@example.com")
	o.invite("ada@example.com")
	old := o.post.refusedLinks(t)
	o.post.refuse()

	o.mustRun()
	links := o.post.links(t)
	if len(links) != 1 || len(old) != 1 || links[0] == old[0] {
		t.Fatalf("sent %v after %v was refused; want one new link", links, old)
	}
	if _, err := o.inviter.Activate(t.Context(), old[0]); err == nil {
		t.Error("the link of the mail that failed still works")
	}
	activated, err := o.inviter.Activate(t.Context(), links[0])
	if err != nil || activated.User.Status != users.Active {
		t.Errorf("the new link: %v, %v", activated.User.Status, err)
	}
}

func TestNothingIsSentTwice(t *testing.T) {
	o := newOffice(t)
	o.invite("sent-at-once@example.com")
	o.post.refuse("late@example.com")
	o.invite("late@example.com")
	o.post.refuse()
	for range 3 {
		o.mustRun()
		o.now = o.now.Add(users.SendAfter + time.Second)
	}
	if got, want := o.post.recipients(), []string{"sent-at-once@example.com", "late@example.com"}; !slices.Equal(got, want) {
		t.Errorf("mails went to %v, want %v", got, want)
	}
}

func TestRequestInProgressIsLeftAlone(t *testing.T) {
	o := newOffice(t)
	o.post.refuse("ada@example.com")
	o.invite("ada@example.com")
	o.post.refuse()
	o.now = o.now.Add(-2 * time.Second) // SendAfter is not over
	o.mustRun()
	if got := o.post.recipients(); len(got) != 0 {
		t.Errorf("a mail went to %v while its request may still be sending it", got)
	}
}

func TestMailThatFailsAgainFailsTheRunAndWaits(t *testing.T) {
	o := newOffice(t)
	o.post.refuse("bad@example.com", "good@example.com")
	bad := o.invite("bad@example.com")
	o.invite("good@example.com")
	o.post.refuse("bad@example.com")

	err := o.run(t.Context())
	if err == nil || !strings.Contains(err.Error(), bad.ID) {
		t.Errorf("the run returned %v; want an error that names the user %s", err, bad.ID)
	}
	if got := o.post.recipients(); !slices.Equal(got, []string{"good@example.com"}) {
		t.Errorf("mails went to %v, want good@example.com alone", got)
	}
	o.post.refuse()
	o.now = o.now.Add(2*users.SendAfter + time.Second)
	o.mustRun()
	if got := o.post.recipients(); !slices.Equal(got, []string{"good@example.com", "bad@example.com"}) {
		t.Errorf("after the failure was mended, mails went to %v", got)
	}
}

func TestDeletedUserGetsNoMail(t *testing.T) {
	o := newOffice(t)
	o.post.refuse("ada@example.com")
	user := o.invite("ada@example.com")
	o.post.refuse()
	if err := o.users.Delete(t.Context(), principal.Operator(), versions.Target{ID: user.ID}); err != nil {
		t.Fatal(err)
	}
	o.mustRun()
	if got := o.post.recipients(); len(got) != 0 {
		t.Errorf("mails went to %v, whose user is deleted", got)
	}
}

func TestRunThatIsAboutToBeCutOffStartsNothing(t *testing.T) {
	o := newOffice(t)
	o.post.refuse("ada@example.com")
	o.invite("ada@example.com")
	link := o.post.refusedLinks(t)[0]
	o.post.refuse()

	almostOver, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := o.run(almostOver); err != nil {
		t.Fatal(err)
	}
	if got := o.post.recipients(); len(got) != 0 {
		t.Errorf("mails went to %v just before the deadline", got)
	}
	if _, err := o.inviter.Activate(t.Context(), link); err != nil {
		t.Errorf("the link was ended although no other was sent: %v", err)
	}
}

// person adds an active user, and returns the principal of a key of theirs.
func (o *office) person(email string, role principal.Role) principal.Principal {
	o.tb.Helper()
	ctx := o.tb.Context()
	created, err := o.users.Create(ctx, users.CreateOptions{Caller: principal.Operator()}, users.NewUser{Email: email, Name: "Ada", Role: role})
	if err != nil {
		o.tb.Fatal(err)
	}
	key, err := o.keys.Create(ctx, principal.Operator(), created.User.ID, users.NewKey{Name: "test"})
	if err != nil {
		o.tb.Fatal(err)
	}
	return principal.Principal{UserID: created.User.ID, Role: role, CredentialID: key.Key.ID}
}

// TestOneDomainDoesNotStopTheOther refuses an invitation for good, and lets a request's mail through at last.
func TestOneDomainDoesNotStopTheOther(t *testing.T) {
	o := newOffice(t)
	o.person("root@example.com", principal.Admin)
	requester := o.person("grace@example.com", principal.User)
	o.post.refuse("ada@example.com", "root@example.com")
	invited := o.invite("ada@example.com")
	made, err := o.requests.Create(t.Context(), requester, "https://portal.example.com", credentialrequests.New{
		Level: credentialrequests.Full, Justification: "why not",
	})
	if err != nil {
		t.Fatal(err)
	}
	o.now = o.now.Add(time.Hour)
	err = o.run(t.Context())
	if err == nil || !strings.Contains(err.Error(), made.ID) || !strings.Contains(err.Error(), invited.ID) {
		t.Errorf("the run returned %v; want an error that names the request and the user", err)
	}
	o.post.refuse("ada@example.com")
	o.now = o.now.Add(time.Hour)
	if err := o.run(t.Context()); err == nil {
		t.Error("no error although the invitation was refused")
	}
	if got := o.post.recipients(); !slices.Equal(got, []string{"root@example.com"}) {
		t.Errorf("mails went to %v, want root@example.com alone", got)
	}
}

func TestEvents(t *testing.T) {
	webtest.Samples(t, "sendmail", func(t *testing.T, golden string, event []byte) {
		o := newOffice(t)
		o.post.refuse("ada@example.com")
		o.invite("ada@example.com")
		o.post.refuse()
		if err := sendDue(o.inviter, o.requests)(t.Context(), event); err != nil {
			t.Error(err)
		}
		webtest.GoldenJSON(t, golden, o.post.envelopes(t))
	})
}

// postOffice answers SendEmail as SES does, on a loopback port.
type postOffice struct {
	server    *httptest.Server
	mu        sync.Mutex
	refused   []string // addresses
	sent      []letter
	turnedOff []letter
}

type letter struct {
	FromEmailAddress string
	Destination      struct{ ToAddresses []string }
	Content          struct {
		Simple struct {
			Subject struct{ Data string }
			Body    struct{ Text struct{ Data string } }
		}
	}
}

func openPostOffice(tb testing.TB) *postOffice {
	tb.Helper()
	p := &postOffice{}
	p.server = httptest.NewServer(p)
	tb.Cleanup(p.server.Close)
	return p
}

func (p *postOffice) mailer() *mailses.Mailer {
	return mailses.New(sesv2.New(sesv2.Options{
		BaseEndpoint: aws.String(p.server.URL), Region: "us-east-1", RetryMaxAttempts: 1,
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", ""),
	}), "no-reply@example.com")
}

func (p *postOffice) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var l letter
	body, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(body, &l) != nil || r.URL.Path != "/v2/email/outbound-emails" {
		http.Error(w, "not a mail", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if slices.Contains(p.refused, l.Destination.ToAddresses[0]) {
		p.turnedOff = append(p.turnedOff, l)
		w.Header().Set("X-Amzn-ErrorType", "MessageRejected")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"message":"Email address is not verified."}`)
		return
	}
	p.sent = append(p.sent, l)
	_, _ = io.WriteString(w, `{"MessageId":"0100018f-000000"}`)
}

// refuse replaces the list of addresses that get nothing.
func (p *postOffice) refuse(addresses ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused = addresses
}

func (p *postOffice) recipients() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, l := range p.sent {
		all = append(all, l.Destination.ToAddresses...)
	}
	return all
}

// envelopes shows from whom and to whom mails went, as JSON. Their texts hold links, which are new each time.
func (p *postOffice) envelopes(tb testing.TB) []byte {
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

func (p *postOffice) links(tb testing.TB) []string {
	tb.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	return linksIn(tb, p.sent)
}

func (p *postOffice) refusedLinks(tb testing.TB) []string {
	tb.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	return linksIn(tb, p.turnedOff)
}

func linksIn(tb testing.TB, letters []letter) []string {
	tb.Helper()
	var all []string
	for _, l := range letters {
		_, rest, found := strings.Cut(l.Content.Simple.Body.Text.Data, "https://portal.example.com/portal/activate#")
		if !found {
			tb.Fatalf("no link in the letter %+v", l)
		}
		all = append(all, strings.Fields(rest)[0])
	}
	return all
}
