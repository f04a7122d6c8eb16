package credentialrequests_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/principal"
	"portside/shared/credentialrequests"
	"portside/shared/credentials"
	"portside/shared/testkit/awstest"
	"portside/shared/tokens/tokensdynamo"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

// fill issues one-day tokens to Ada until she has the maximum number of credentials.
func (o *fixture) fill() {
	o.tb.Helper()
	store := tokensdynamo.New(o.client, o.credentials)
	for range credentials.MaxLive - 1 {
		secret := credentials.Mint(credentials.AccessToken)
		err := store.Issue(o.tb.Context(), credentials.Credential{
			ID: secret.ID(), Kind: credentials.AccessToken, Hash: secret.Hash(), Owner: credentials.Owner{ID: o.ada.UserID, Active: true},
			CreatedAt: o.now, ExpiresAt: o.now.Add(24 * time.Hour),
		}, o.ada.Credential())
		if err != nil {
			o.tb.Fatal(err)
		}
	}
}

var errInjected = errors.New("injected")

// failing returns a client whose nth call fails. Either all later calls fail too, like after a crash, or only the
// response of the nth call is lost.
//
// It does not combine a lost response with a crash. In the confirmation, which is the last write
// before the response, that is the same as a crash while the response is sent, which no write can
// detect.
func failing(client *dynamodb.Client, nth int, lost bool) (faulty *dynamodb.Client, calls *int) {
	calls = new(int)
	return awstest.Faulty(client, func(string, int) error {
		*calls++
		switch {
		case lost && *calls == nth:
			return awstest.Lost(errInjected)
		case !lost && *calls >= nth:
			return errInjected
		default:
			return nil
		}
	}), calls
}

// TestCrashAtAnyCall runs a request on a client that fails at each of its calls in turn. Then the
// schedule runs on another client until no step is due.
//
//proves:docs/security.md
func TestCrashAtAnyCall(t *testing.T) {
	for _, lost := range []bool{false, true} {
		for nth, whole := 1, false; !whole; nth++ {
			t.Run(fmt.Sprintf("lost %v, call %d", lost, nth), func(t *testing.T) {
				o := newFixture(t)
				client, calls := failing(o.client, nth, lost)
				known := o.runRequest(o.on(client))
				whole = *calls < nth
				o.now = o.now.Add(time.Hour)
				for range 3 {
					if _, err := o.service.TakeDue(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				o.check(known)
			})
		}
	}
}

// runRequest creates, approves and collects a request until a step fails. It returns the passwords that were shown.
func (o *fixture) runRequest(service *credentialrequests.Service) map[string]credentialrequests.Password {
	ctx := o.tb.Context()
	known := map[string]credentialrequests.Password{}
	created, err := service.Create(ctx, o.ada, base,
		credentialrequests.New{Level: credentialrequests.Full, Justification: "why not"})
	if err != nil {
		return known
	}
	if _, err = service.Decide(ctx, o.grace,
		credentialrequests.Decision{ID: created.Request.ID, Approve: true, BaseURL: base}); err != nil {
		return known
	}
	if password, err := service.Collect(ctx, newestLink(o.mailer.sent)); err == nil {
		known[password.Secret.ID()] = password
	}
	return known
}

// check compares the stored requests and credentials with the passwords that were shown.
func (o *fixture) check(known map[string]credentialrequests.Password) {
	o.tb.Helper()
	page, err := o.service.List(o.tb.Context(), o.grace, credentialrequests.Query{Limit: 100})
	if err != nil || len(page.Requests) > 1 {
		o.tb.Fatalf("%d requests, %v", len(page.Requests), err)
	}
	passwords := o.list(credentials.Password)
	for _, c := range passwords {
		if _, isKnown := known[c.ID]; c.Live(o.now) && !isKnown {
			o.tb.Errorf("password %s works, but was never shown", c.ID)
		}
	}
	for _, c := range o.list(credentials.Link) {
		if c.Reason == "used" && len(passwords) == 0 {
			o.tb.Errorf("link %s is used, but there is no password", c.ID)
		}
	}
	for _, p := range known {
		if !o.works(p) {
			o.tb.Errorf("password %s was shown, but does not work", p.Secret.ID())
		}
	}
	if len(page.Requests) == 1 {
		o.checkRequest(page.Requests[0], known)
	}
}

// checkRequest completes the request, whatever its state.
func (o *fixture) checkRequest(r credentialrequests.Request, known map[string]credentialrequests.Password) {
	o.tb.Helper()
	if r.Status == credentialrequests.Pending {
		if got := o.mailer.recipients(); len(got) < 2 {
			o.tb.Errorf("mails went to %v; an approver got none", got)
		}
		o.decide(r.ID, true)
		r = o.get(r.ID)
	}
	if r.Status == credentialrequests.Approved {
		password, err := o.service.Collect(o.tb.Context(), newestLink(o.mailer.sent))
		if err != nil || !o.works(password) {
			o.tb.Errorf("collect with the newest link: %v", err)
		}
		return
	}
	if _, isKnown := known[r.CredentialID]; r.Status != credentialrequests.Collected || !isKnown || len(known) != 1 {
		o.tb.Errorf("the request is %s, and %d passwords were shown", r.Status, len(known))
	}
}

func (o *fixture) list(kind credentials.Kind) []credentials.Credential {
	o.tb.Helper()
	all, err := o.credentials.List(o.tb.Context(), o.ada.UserID, kind)
	if err != nil {
		o.tb.Fatal(err)
	}
	return all
}

// TestRequesterIsSuspendedDuringCollection suspends the requester just before the transaction that
// creates the password.
func TestRequesterIsSuspendedDuringCollection(t *testing.T) {
	o := newFixture(t)
	r := o.request()
	o.decide(r.ID, true)
	suspended, done := users.Suspended, false
	client := awstest.Faulty(o.client, func(operation string, _ int) error {
		if operation == "TransactWriteItems" && !done {
			done = true
			o.change(users.Change{Status: &suspended})
		}
		return nil
	})
	if _, err := o.on(client).Collect(t.Context(), newestLink(o.mailer.sent)); !errors.Is(err,
		credentialrequests.ErrLink) {
		t.Errorf("collect as a suspended user = %v, want %v", err, credentialrequests.ErrLink)
	}
	if made := o.list(credentials.Password); len(made) != 0 {
		t.Errorf("%d passwords were created", len(made))
	}
}

// TestApproverIsRevokedBeforeDecision revokes the approver's key just before the decision is written.
func TestApproverIsRevokedBeforeDecision(t *testing.T) {
	o := newFixture(t)
	r := o.request()
	people := usersdynamo.New(o.client, o.usersTable, o.credentials, o.days)
	keys := users.NewKeys(people, people.Keys, o.clock)
	if err := keys.Revoke(t.Context(), principal.Operator(), o.grace.UserID, o.grace.CredentialID); err != nil {
		t.Fatal(err)
	}
	_, err := o.service.Decide(t.Context(), o.grace, credentialrequests.Decision{ID: r.ID, Approve: true})
	if !errors.Is(err, credentialrequests.ErrCaller) || o.get(r.ID).Status != credentialrequests.Pending {
		t.Errorf("decide with a revoked key: %v", err)
	}
}

// TestCrashOfScheduleAtAnyCall crashes a run that has to mail a link again, and one that has to
// withdraw a lost collection.
func TestCrashOfScheduleAtAnyCall(t *testing.T) {
	for name, prepare := range map[string]func(o *fixture){
		"unsent link": func(o *fixture) {
			o.mailer.rejectedAddresses = []string{"ada@example.com"}
			o.decide(o.request().ID, true)
			o.mailer.rejectedAddresses = nil
		},
		"lost collection": func(o *fixture) {
			o.decide(o.request().ID, true)
			if _, err := o.on(o.unconfirmed()).Collect(t.Context(), newestLink(o.mailer.sent)); !errors.Is(err,
				credentialrequests.ErrUnconfirmed) {
				t.Fatalf("collect without a confirmation: %v", err)
			}
		},
	} {
		for nth, whole := 1, false; !whole; nth++ {
			t.Run(fmt.Sprintf("%s, call %d", name, nth), func(t *testing.T) {
				o := newFixture(t)
				prepare(o)
				o.now = o.now.Add(time.Hour)
				client, calls := failing(o.client, nth, false)
				_, _ = o.on(client).TakeDue(t.Context()) // the error is the injected one
				whole = *calls < nth
				o.now = o.now.Add(time.Hour)
				if _, err := o.service.TakeDue(t.Context()); err != nil {
					t.Fatal(err)
				}
				o.check(nil)
				if got := len(o.list(credentials.Password)); name == "unsent link" && got != 1 {
					t.Errorf("%d passwords, want 1", got)
				}
			})
		}
	}
}

// unconfirmed returns a client that fails after the transaction that creates the password.
func (o *fixture) unconfirmed() *dynamodb.Client {
	crashed := false
	return awstest.Faulty(o.client, func(operation string, n int) error {
		crashed = crashed || operation == "TransactWriteItems" && n > 1
		if crashed {
			return errInjected
		}
		return nil
	})
}

// TestCrashOfADigestAtAnyCall crashes a run that announces two requests together. In the end, each approver was mailed
// about both.
func TestCrashOfADigestAtAnyCall(t *testing.T) {
	for _, lost := range []bool{false, true} {
		for nth, whole := 1, false; !whole; nth++ {
			t.Run(fmt.Sprintf("lost %v, call %d", lost, nth), func(t *testing.T) {
				o := newFixture(t)
				o.request()
				collected := []credentialrequests.Request{o.request(), o.request()}
				o.now = o.now.Add(credentialrequests.DigestInterval)
				client, calls := failing(o.client, nth, lost)
				_, _ = o.on(client).TakeDue(t.Context()) // the error is the injected one
				whole = *calls < nth
				o.now = o.now.Add(time.Hour)
				if _, err := o.service.TakeDue(t.Context()); err != nil {
					t.Fatal(err)
				}
				for _, r := range collected {
					if r = o.get(r.ID); len(r.Next.Notified) != 2 || !r.Next.Due.IsZero() {
						t.Errorf("%d approvers were mailed about a request, whose next step is due at %v", len(r.Next.Notified),
							r.Next.Due)
					}
				}
			})
		}
	}
}
