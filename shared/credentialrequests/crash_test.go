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

// fill issues one-day tokens to Ada until she has, with her key, as many credentials as the limit allows.
func (o *office) fill() {
	o.tb.Helper()
	store := tokensdynamo.New(o.client, o.credentials)
	for range credentials.MaxLive - 1 {
		secret := credentials.Mint(credentials.AccessToken)
		err := store.Issue(o.tb.Context(), credentials.Credential{
			ID: secret.ID(), Kind: credentials.AccessToken, Hash: secret.Hash(), Owner: credentials.Owner{ID: o.ada.UserID, Active: true},
			CreatedAt: o.now, ExpiresAt: o.now.Add(24 * time.Hour),
		}, o.ada.CredentialID)
		if err != nil {
			o.tb.Fatal(err)
		}
	}
}

var errCut = errors.New("cut")

// cut returns a client whose nth call fails: either the process dies there, or only the response of
// that call is lost.
//
// It does not combine both faults. If the process dies after the confirmation is stored, the
// requester never gets the password, and the service cannot detect it.
func cut(client *dynamodb.Client, nth int, lost bool) (faulty *dynamodb.Client, calls *int) {
	calls = new(int)
	return awstest.Faulty(client, func(string, int) error {
		*calls++
		switch {
		case lost && *calls == nth:
			return awstest.Lost(errCut)
		case !lost && *calls >= nth:
			return errCut
		default:
			return nil
		}
	}), calls
}

// TestCrashAtAnyCall runs a credential request with a client that fails at each of its calls in turn.
// Then the schedule runs with an intact client until no step is due.
func TestCrashAtAnyCall(t *testing.T) {
	for _, lost := range []bool{false, true} {
		for nth, whole := 1, false; !whole; nth++ {
			t.Run(fmt.Sprintf("lost %v, call %d", lost, nth), func(t *testing.T) {
				o := newOffice(t)
				client, calls := cut(o.client, nth, lost)
				known := o.play(o.on(client))
				whole = *calls < nth
				o.now = o.now.Add(time.Hour)
				for range 3 {
					if _, err := o.service.SendDue(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				o.check(known)
			})
		}
	}
}

// play takes a request as far as possible, and returns the passwords that the requester received.
func (o *office) play(service *credentialrequests.Service) map[string]credentialrequests.Password {
	ctx := o.tb.Context()
	known := map[string]credentialrequests.Password{}
	r, err := service.Create(ctx, o.ada, base, credentialrequests.New{Level: credentialrequests.Full, Justification: "why not"})
	if err != nil {
		return known
	}
	if _, err = service.Decide(ctx, o.grace, credentialrequests.Decision{ID: r.ID, Approve: true, BaseURL: base}); err != nil {
		return known
	}
	if password, err := service.Collect(ctx, newestLink(o.post.letters)); err == nil {
		known[password.Secret.ID()] = password
	}
	return known
}

// check compares the stored credentials and requests with the passwords that the requester received.
func (o *office) check(known map[string]credentialrequests.Password) {
	o.tb.Helper()
	page, err := o.service.List(o.tb.Context(), o.grace, credentialrequests.Query{Limit: 100})
	if err != nil || len(page.Requests) > 1 {
		o.tb.Fatalf("%d requests, %v", len(page.Requests), err)
	}
	passwords := o.list(credentials.Password)
	for _, c := range passwords {
		if _, isKnown := known[c.ID]; c.Live(o.now) && !isKnown {
			o.tb.Errorf("password %s works and nobody knows it", c.ID)
		}
	}
	for _, c := range o.list(credentials.Link) {
		if c.Reason == "used" && len(passwords) == 0 {
			o.tb.Errorf("link %s was used, and no password exists", c.ID)
		}
	}
	for _, p := range known {
		if !o.works(p) {
			o.tb.Errorf("the requester received password %s, which does not work", p.Secret.ID())
		}
	}
	if len(page.Requests) == 1 {
		o.checkRequest(page.Requests[0], known)
	}
}

// checkRequest completes the request, whatever its state.
func (o *office) checkRequest(r credentialrequests.Request, known map[string]credentialrequests.Password) {
	o.tb.Helper()
	if r.Status == credentialrequests.Pending {
		if got := o.post.recipients(); len(got) < 2 {
			o.tb.Errorf("mails went to %v; an approver got none", got)
		}
		o.decide(r.ID, true)
		r = o.get(r.ID)
	}
	if r.Status == credentialrequests.Approved {
		password, err := o.service.Collect(o.tb.Context(), newestLink(o.post.letters))
		if err != nil || !o.works(password) {
			o.tb.Errorf("the newest link: %v", err)
		}
		return
	}
	if _, isKnown := known[r.CredentialID]; r.Status != credentialrequests.Collected || !isKnown || len(known) != 1 {
		o.tb.Errorf("the request is %s, and %d passwords are known", r.Status, len(known))
	}
}

func (o *office) list(kind credentials.Kind) []credentials.Credential {
	o.tb.Helper()
	all, err := o.credentials.List(o.tb.Context(), o.ada.UserID, kind)
	if err != nil {
		o.tb.Fatal(err)
	}
	return all
}

// TestCollectFailsIfRequesterIsSuspendedMeanwhile suspends the requester just before the transaction
// that creates the password.
func TestCollectFailsIfRequesterIsSuspendedMeanwhile(t *testing.T) {
	o := newOffice(t)
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
	if _, err := o.on(client).Collect(t.Context(), newestLink(o.post.letters)); !errors.Is(err, credentialrequests.ErrLink) {
		t.Errorf("collected by a suspended user: %v", err)
	}
	if made := o.list(credentials.Password); len(made) != 0 {
		t.Errorf("%d passwords were made", len(made))
	}
}

// TestDecideFailsIfCallerIsRevokedMeanwhile revokes the approver's key after the approver was
// authenticated and before the decision is written.
func TestDecideFailsIfCallerIsRevokedMeanwhile(t *testing.T) {
	o := newOffice(t)
	r := o.request()
	people := usersdynamo.New(o.client, o.usersTable, o.credentials, o.days)
	keys := users.NewKeys(people, people, o.clock)
	if err := keys.Revoke(t.Context(), principal.Operator(), o.grace.UserID, o.grace.CredentialID); err != nil {
		t.Fatal(err)
	}
	_, err := o.service.Decide(t.Context(), o.grace, credentialrequests.Decision{ID: r.ID, Approve: true})
	if !errors.Is(err, credentialrequests.ErrCaller) || o.get(r.ID).Status != credentialrequests.Pending {
		t.Errorf("decided with a revoked key: %v", err)
	}
}

// TestScheduleRecoversFromCrashAtAnyCall crashes a run that mails a link again, and a run that
// withdraws a lost collection.
func TestScheduleRecoversFromCrashAtAnyCall(t *testing.T) {
	for name, prepare := range map[string]func(o *office){
		"unsent link": func(o *office) {
			o.post.refused = []string{"ada@example.com"}
			o.decide(o.request().ID, true)
			o.post.refused = nil
		},
		"lost collection": func(o *office) {
			o.decide(o.request().ID, true)
			if _, err := o.on(o.unconfirmed()).Collect(t.Context(), newestLink(o.post.letters)); !errors.Is(err, credentialrequests.ErrUnconfirmed) {
				t.Fatalf("collected without a confirmation: %v", err)
			}
		},
	} {
		for nth, whole := 1, false; !whole; nth++ {
			t.Run(fmt.Sprintf("%s, call %d", name, nth), func(t *testing.T) {
				o := newOffice(t)
				prepare(o)
				o.now = o.now.Add(time.Hour)
				client, calls := cut(o.client, nth, false)
				_, _ = o.on(client).SendDue(t.Context()) // the error is the cut
				whole = *calls < nth
				o.now = o.now.Add(time.Hour)
				if _, err := o.service.SendDue(t.Context()); err != nil {
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

// unconfirmed returns a client that dies after the transaction that creates the password.
func (o *office) unconfirmed() *dynamodb.Client {
	dead := false
	return awstest.Faulty(o.client, func(operation string, n int) error {
		dead = dead || operation == "TransactWriteItems" && n > 1
		if dead {
			return errCut
		}
		return nil
	})
}
