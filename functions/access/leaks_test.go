package main

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/credentialrequests"
	"portside/shared/credentials"
	"portside/shared/dynamo/transactions"
	"portside/shared/revocation"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
	"portside/shared/users"
)

// report reports a leaked secret, like functions/anonymous.
func (d *fixture) report(secret string) {
	d.tb.Helper()
	if err := d.leaks().Report(d.tb.Context(),
		revocation.Report{Text: secret, BaseURL: "https://portal.example.com"}); err != nil {
		d.tb.Error(err)
	}
}

func (d *fixture) makeToken(with string) string {
	d.tb.Helper()
	client := d.withKey(with)
	if strings.HasPrefix(with, string(credentials.AccessToken)) {
		client = d.withToken(with)
	}
	return client.Post("/api/v1/tokens", `{"name":"t","scopes":["read:helm-charts"]}`).WantStatus(http.StatusCreated).
		Text("data.token")
}

// works reports whether a secret is accepted.
func (d *fixture) works(secret string) bool {
	d.tb.Helper()
	auth := credentials.NewAuthenticator(d.table.Requests, 0, d.clock)
	parsed, err := credentials.Parse(secret)
	if err != nil {
		d.tb.Fatal(err)
	}
	_, _, err = auth.Authenticate(d.tb.Context(), secret, parsed.Kind())
	return err == nil
}

// product is what a thief creates with a leaked key, and what others have that must stay.
type product struct {
	leaked        string
	made, remains map[string]string
}

// theft lets a thief create keys and tokens with a leaked key in several steps and for several users.
func theft(d *fixture) product {
	a, b, c := d.admin("a@example.com"), d.admin("b@example.com"), d.admin("c@example.com")
	leaked := d.makeKey(a.key, a.id)
	own, forB := d.makeKey(leaked, a.id), d.makeKey(leaked, b.id)
	byB := d.makeKey(forB, b.id)
	forC := d.makeKey(byB, c.id)
	back := d.makeKey(forC, a.id)
	token := d.makeToken(forC)
	return product{
		leaked: leaked,
		made: map[string]string{
			"a key of the same user": own, "a key of another user": forB, "a key that this key made": byB,
			"a key of a third user":        forC,
			"a key back to the first user": back, "a token": token, "a renewed token": d.makeToken(d.makeToken(token)),
			"a token of the leaked key": d.makeToken(leaked),
		},
		remains: map[string]string{
			"the key that made the leaked one": a.key, "another key of the user": d.makeKey(a.key, a.id),
			"a token of it":         d.makeToken(a.key),
			"a key of another user": b.key, "a token of another user": d.makeToken(c.key),
		},
	}
}

func (p product) check(d *fixture) {
	d.tb.Helper()
	if d.works(p.leaked) {
		d.tb.Error("the leaked key works")
	}
	for name, secret := range p.made {
		if d.works(secret) {
			d.tb.Errorf("%s works, which was made with the leaked key", name)
		}
	}
	for name, secret := range p.remains {
		if !d.works(secret) {
			d.tb.Errorf("%s does not work, which was not made with the leaked key", name)
		}
	}
}

//proves:docs/security.md
func TestReportEndsEverythingThatTheLeakedKeyMade(t *testing.T) {
	d := newFixture(t)
	stolen := theft(d)
	d.report(stolen.leaked)
	stolen.check(d)
	d.wantNoJobs()
	token, err := credentials.Parse(stolen.made["a token of the leaked key"])
	if err != nil {
		t.Fatal(err)
	}
	d.withKey(stolen.remains["another key of the user"]).Get("/api/v1/tokens/"+token.ID()).WantStatus(http.StatusOK).
		WantValue("data.status", "revoked").
		WantValue("data.reason", "created with "+stolen.leaked[4:16]+", which was reported as leaked")
}

func (d *fixture) wantNoJobs() {
	d.tb.Helper()
	if finished, err := d.leaksOn(d.client, 365*24*time.Hour).FinishDue(d.tb.Context()); finished != 0 || err != nil {
		d.tb.Errorf("%d unfinished revocations, %v", finished, err)
	}
}

// TestReportOfAKeyThatWasDeletedEndsWhatItMade deletes the key only, as its owner may do before they know of the leak.
//
//proves:docs/security.md
func TestReportOfAKeyThatWasDeletedEndsWhatItMade(t *testing.T) {
	d := newFixture(t)
	stolen := theft(d)
	at := d.caller(stolen.leaked)
	if err := d.keys.Revoke(t.Context(), principal.Operator(), at.UserID, at.CredentialID); err != nil {
		t.Fatal(err)
	}
	d.report(stolen.leaked)
	stolen.check(d)
}

// TestReportEndsManyKeys checks more credentials than one transaction can end, for two owners.
//
//proves:docs/security.md
func TestReportEndsManyKeys(t *testing.T) {
	d := newFixture(t)
	a, b := d.admin("a@example.com"), d.admin("b@example.com")
	leaked := d.makeKey(a.key, a.id)
	var made []string
	for range credentials.MaxLive - 5 {
		made = append(made, d.makeKey(leaked, a.id), d.makeKey(leaked, b.id))
	}
	d.report(leaked)
	for i, secret := range made {
		if d.works(secret) {
			t.Fatalf("key %d works", i)
		}
	}
	d.wantNoJobs()
	d.makeKey(b.key, b.id) // there is room again
}

//proves:docs/security.md
func TestOwnersGetMailsAboutALeak(t *testing.T) {
	d := newFixture(t)
	stolen := theft(d)
	for range 3 {
		d.report(stolen.leaked)
	}
	d.advance(time.Hour)
	if _, err := d.notices().SendDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	for address, subject := range map[string]string{
		"a@example.com": "A credential of yours was reported as leaked", "b@example.com": "A credential of yours has ended",
		"c@example.com": "A credential of yours has ended",
	} {
		if got := d.subjects(address); len(got) != 1 || got[0] != subject {
			t.Errorf("mails to %s: %v, want one %q", address, got, subject)
		}
	}
	for _, m := range d.mailbox.to("a@example.com") {
		if m.Subject == madeSubject {
			continue
		}
		if !strings.Contains(m.Text, stolen.leaked[4:16]) || strings.Contains(m.Text, stolen.leaked[17:]) {
			t.Errorf("the mail must have the public id and not the secret:\n%s", m.Text)
		}
	}
}

const madeSubject = "Another user created an API key for you"

// subjects returns the subjects of the mails to an address, except those about new keys.
func (d *fixture) subjects(address string) (subjects []string) {
	for _, m := range d.mailbox.to(address) {
		if m.Subject != madeSubject {
			subjects = append(subjects, m.Subject)
		}
	}
	return subjects
}

// TestStrangersCannotStopReports reports many unknown secrets and one ended credential before a report of a working
// key. Each report costs one read, and the report of the key works.
//
//proves:docs/security.md
func TestStrangersCannotStopReports(t *testing.T) {
	d := newFixture(t)
	a := d.admin("a@example.com")
	ended := d.makeKey(a.key, a.id)
	d.report(ended)
	client, meter := awstest.Metered(d.client)
	leaks := d.leaksOn(client, 0)
	report := func(secret string) (calls int, reads, writes float64) {
		meter.Reset()
		if err := leaks.Report(t.Context(), revocation.Report{Text: secret}); err != nil {
			t.Fatal(err)
		}
		return meter.Calls(), meter.ReadUnits(), meter.WriteUnits()
	}
	for range 1000 {
		if calls, reads, writes := report(credentials.Mint(credentials.APIKey).Reveal()); calls != 1 || reads != 1 || writes != 0 {
			t.Fatalf("an unknown secret cost %d calls, %v reads and %v writes", calls, reads, writes)
		}
	}
	for i := range 30 {
		calls, reads, writes := report(ended)
		if isCheap := calls == 1 && reads == 1 && writes == 0; isCheap != (i >= 10) {
			t.Fatalf("repetition %d cost %d calls, %v reads and %v writes", i+1, calls, reads, writes)
		}
	}
	d.wantNoJobs()
	d.report(a.key)
	if d.works(a.key) {
		t.Error("a report of a key that works did not end it")
	}
}

var errCrash = errors.New("the process has crashed")

// TestCrashOfAReportAtAnyCall crashes a report at each of its calls in turn. Unless the credential itself was not
// ended, the schedule does the rest.
//
//proves:docs/security.md
func TestCrashOfAReportAtAnyCall(t *testing.T) {
	for nth, whole := 1, false; !whole; nth++ {
		t.Run(fmt.Sprint("call ", nth), func(t *testing.T) {
			d := newFixture(t)
			stolen := theft(d)
			calls := 0
			faulty := awstest.Faulty(d.client, func(string, int) error {
				if calls++; calls >= nth {
					return errCrash
				}
				return nil
			})
			err := d.leaksOn(faulty, 0).Report(t.Context(), revocation.Report{Text: stolen.leaked})
			if whole = calls < nth; err != nil {
				d.report(stolen.leaked) // the client's retry
			}
			if _, err := d.leaksOn(d.client, time.Hour).FinishDue(t.Context()); err != nil {
				t.Fatal(err)
			}
			stolen.check(d)
			d.wantNoJobs()
		})
	}
}

// TestThiefWhoKeepsMakingKeysIsStopped lets a thief create keys with all keys that they have, while the leaked one is
// reported.
func TestThiefWhoKeepsMakingKeysIsStopped(t *testing.T) {
	d := newFixture(t)
	a, b := d.admin("a@example.com"), d.admin("b@example.com")
	leaked := d.makeKey(a.key, a.id)
	thieves := []principal.Principal{d.caller(leaked), d.caller(d.makeKey(leaked, b.id))}
	var made []string
	busy := awstest.Faulty(d.client, func(operation string, _ int) error {
		if operation != "TransactWriteItems" {
			return nil
		}
		for i, thief := range thieves {
			if key, err := d.keys.Create(t.Context(), thief, []string{a.id, b.id}[i], users.NewKey{Name: "stolen"}); err == nil {
				made = append(made, key.Secret.Reveal())
				thieves[i] = d.caller(key.Secret.Reveal())
			}
		}
		return nil
	})
	if err := d.leaksOn(busy, 0).Report(t.Context(), revocation.Report{Text: leaked}); err != nil {
		t.Fatal(err)
	}
	if len(made) < 2 {
		t.Fatalf("the thief made %d keys, so the test shows nothing", len(made))
	}
	for i, secret := range made {
		if d.works(secret) {
			t.Errorf("stolen key %d works", i)
		}
	}
}

// TestLineOfRenewalsEnds ends a line by a token in its middle: its ancestors, its successors and those of its siblings.
//
//proves:docs/security.md
func TestLineOfRenewalsEnds(t *testing.T) {
	d := newFixture(t)
	a, other := d.admin("a@example.com"), d.admin("b@example.com")
	first := d.makeToken(a.key)
	middle := d.makeToken(first)
	line := []string{first, middle, d.makeToken(first), d.makeToken(d.makeToken(middle))}
	separate := d.makeToken(a.key)
	at := "/api/v1/tokens/" + middle[4:16] + "?line=true"
	d.withToken(d.makeToken(separate)).Delete(at).WantStatus(http.StatusForbidden)
	d.withToken(d.makeToken(other.key)).Delete(at).WantStatus(http.StatusNotFound)
	for range 2 { // the request can be repeated
		d.withKey(a.key).Delete(at).WantStatus(http.StatusNoContent)
	}
	for i, token := range line {
		if d.works(token) {
			t.Errorf("token %d of the line works", i)
		}
	}
	if !d.works(separate) {
		t.Error("a token of another line does not work")
	}
	d.withKey(a.key).Get("/api/v1/tokens/"+first[4:16]).WantValue("data.reason", "revoked with its line")
}

// TestLineEndsItself lets the newest token of a line end it, as a pipeline does that finds its token in a log.
//
//proves:docs/security.md
func TestLineEndsItself(t *testing.T) {
	d := newFixture(t)
	first := d.makeToken(d.admin("a@example.com").key)
	second, sibling := d.makeToken(first), d.makeToken(first)
	d.withToken(second).Delete("/api/v1/tokens/" + second[4:16] + "?line=true").WantStatus(http.StatusNoContent)
	for i, token := range []string{first, second, sibling} {
		if d.works(token) {
			t.Errorf("token %d of the line works", i)
		}
	}
}

// TestReportEndsThePasswordOfARequest reports the key with which a password was requested.
func TestReportEndsThePasswordOfARequest(t *testing.T) {
	d := newFixture(t)
	a, b := d.admin("a@example.com"), d.admin("b@example.com")
	leaked := d.makeKey(a.key, a.id)
	at := d.requestWith(leaked)
	d.decide(b.key, at, "/approve").WantStatus(http.StatusOK)
	letters := d.mailbox.to("a@example.com")
	_, link, _ := strings.Cut(letters[len(letters)-1].Text, "/portal/collect#")
	password := d.anonymous().Post("/api/v1/credential-requests/collect", `{"token":"`+strings.Fields(link)[0]+`"}`).
		WantStatus(http.StatusOK).Text("data.password")
	if d.report(leaked); d.works(password) {
		t.Error("the password works")
	}
}

// TestWrongCollectionLinksAreLimited guesses links to collect a password.
//
//proves:docs/security.md
func TestWrongCollectionLinksAreLimited(t *testing.T) {
	d := newFixture(t)
	for i := range credentials.MaxUnknown + 1 {
		want := http.StatusUnauthorized
		if i == credentials.MaxUnknown {
			want = http.StatusTooManyRequests
		}
		d.anonymous().Post("/api/v1/credential-requests/collect", `{"token":"`+credentials.Mint(credentials.Link).Reveal()+`"}`).WantStatus(want)
	}
}

// TestReportEndsALink reports a link before and after its use. A used link does not end the password that it has
// delivered.
//
//proves:docs/security.md
func TestReportEndsALink(t *testing.T) {
	d := newFixture(t)
	a, b := d.admin("a@example.com"), d.admin("b@example.com")
	link := func() string {
		d.decide(b.key, d.requestWith(a.key), "/approve").WantStatus(http.StatusOK)
		letters := d.mailbox.to("a@example.com")
		_, rest, _ := strings.Cut(letters[len(letters)-1].Text, "/portal/collect#")
		return strings.Fields(rest)[0]
	}
	collect := func(link string) webtest.Response {
		return d.anonymous().Post("/api/v1/credential-requests/collect", `{"token":"`+link+`"}`)
	}
	leaked, used := link(), link()
	password := collect(used).WantStatus(http.StatusOK).Text("data.password")
	for _, reported := range []string{leaked, used} {
		d.report(reported)
	}
	collect(leaked).WantStatus(http.StatusUnauthorized)
	if !d.works(password) || !d.works(a.key) {
		t.Error("the password that a used link delivered, or the key with which it was requested, does not work")
	}
	if _, err := d.notices().SendDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := d.subjects("a@example.com"); !slices.Contains(got, "A credential of yours was reported as leaked") {
		t.Errorf("mails %v, want one about the leaked link", got)
	}
	d.advance(8 * 24 * time.Hour)
	if _, err := d.requestsService().TakeDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.withKey(a.key).Get("/api/v1/credential-requests?status=expired").WantValue("data.1", nil).
		WantValue("data.0.status", "expired")
	d.wantNoJobs()
}

// session begins a session of a person.
func (d *fixture) session(of person) (credentials.Secret, credentials.Credential) {
	d.tb.Helper()
	secret, session := credentials.NewSession(credentials.Owner{ID: of.id, Role: principal.Admin, Active: true}, "browser", d.now)
	user, err := d.people.Get(d.tb.Context(), of.id)
	if err != nil {
		d.tb.Fatal(err)
	}
	if err := d.people.Keys.Issue(d.tb.Context(), user, users.Issued{Key: session}); err != nil {
		d.tb.Fatal(err)
	}
	return secret, session
}

// TestReportOfASessionThatHasEndedStopsItsRequests requests passwords in a session and signs out, as a thief may do,
// before the session is reported.
//
//proves:docs/security.md
func TestReportOfASessionThatHasEndedStopsItsRequests(t *testing.T) {
	d := newFixture(t)
	a, b := d.admin("a@example.com"), d.admin("b@example.com")
	secret, session := d.session(a)
	request := func() string {
		made, err := d.requestsService().Create(t.Context(), d.caller(secret.Reveal()), "https://portal.example.com",
			credentialrequests.New{Level: credentialrequests.Full, Justification: "for me"})
		if err != nil {
			t.Fatal(err)
		}
		return "/api/v1/credential-requests/" + made.Request.ID
	}
	pending, approved := request(), request()
	d.decide(b.key, approved, "/approve").WantStatus(http.StatusOK)
	letters := d.mailbox.to("a@example.com")
	_, link, _ := strings.Cut(letters[len(letters)-1].Text, "/portal/collect#")
	session.RevokedAt, session.Reason = d.now, "signed out"
	if err := transactions.Write(t.Context(), d.client, d.table.Writes.Revoke(session)); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the report can be repeated
		d.advance(time.Minute)
		d.report(secret.Reveal())
	}
	d.decide(b.key, pending, "/approve").WantStatus(http.StatusConflict).
		WantValue("detail", credentialrequests.ErrMaker.Error())
	d.anonymous().Post("/api/v1/credential-requests/collect", `{"token":"`+strings.Fields(link)[0]+`"}`).
		WantStatus(http.StatusUnauthorized)
	stored, err := d.table.Get(t.Context(), session.ID)
	if err != nil || !stored.RevokedAt.Equal(session.RevokedAt) || stored.Reason != credentials.ReasonLeaked {
		t.Errorf("the session has ended at %v because it was %q, %v; want the time of the sign-out", stored.RevokedAt,
			stored.Reason, err)
	}
	if got := d.subjects("a@example.com"); slices.Contains(got, "A credential of yours was reported as leaked") {
		t.Errorf("mails %v, want none about a session that had ended", got)
	}
}

// TestReportEndsWhatASessionMade reports the cookie of a session.
//
//proves:docs/security.md
func TestReportEndsWhatASessionMade(t *testing.T) {
	d := newFixture(t)
	a := d.admin("a@example.com")
	secret, _ := d.session(a)
	made := d.makeKey(secret.Reveal(), a.id)
	d.report(secret.Reveal())
	if d.works(secret.Reveal()) || d.works(made) {
		t.Error("the session or the key that was created in it works")
	}
	if !d.works(a.key) {
		t.Error("another key does not work")
	}
}

// TestReportWinsAgainstAFlood reports a key with which a thief creates keys for two users over eight
// connections.
//
//proves:docs/security.md
func TestReportWinsAgainstAFlood(t *testing.T) {
	d := newFixture(t)
	a, b := d.admin("a@example.com"), d.admin("b@example.com")
	leaked := d.makeKey(a.key, a.id)
	var stopped atomic.Bool
	var thieves, started sync.WaitGroup
	var mu sync.Mutex
	var stolen []string
	started.Add(8)
	for i := range 8 {
		thieves.Go(func() {
			once := sync.OnceFunc(started.Done)
			defer once()
			caller, owner := d.caller(leaked), []string{a.id, b.id}[i%2]
			for !stopped.Load() {
				made, err := d.keys.Create(t.Context(), caller, owner, users.NewKey{Name: "stolen"})
				if once(); err == nil {
					mu.Lock()
					stolen = append(stolen, made.Secret.Reveal())
					mu.Unlock()
				}
			}
		})
	}
	started.Wait()
	d.report(leaked)
	stopped.Store(true)
	thieves.Wait()
	if _, err := d.leaksOn(d.client, time.Hour).FinishDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, secret := range append(stolen, leaked) {
		if d.works(secret) {
			t.Errorf("stolen key %d of %d works", i, len(stolen))
		}
	}
	if len(stolen) == 0 {
		t.Error("the thief created no key, so the test shows nothing")
	}
	d.wantNoJobs()
}

// TestReportEndsInvitations reports a key with which a thief has invited a user.
//
//proves:docs/security.md
func TestReportEndsInvitations(t *testing.T) {
	d := newFixture(t)
	a := d.admin("a@example.com")
	leaked := d.makeKey(a.key, a.id)
	works := map[string]bool{"leaked@example.com": false, "other@example.com": true}
	for email, key := range map[string]string{"leaked@example.com": leaked, "other@example.com": a.key} {
		_, err := d.users.Create(t.Context(),
			users.CreateOptions{Caller: d.caller(key), BaseURL: "https://portal.example.com"},
			users.NewUser{Email: email, Name: "X", Role: principal.Admin, ActivationEmail: true})
		if err != nil {
			t.Fatal(err)
		}
	}
	d.report(leaked)
	for email, want := range works {
		letters := d.mailbox.to(email)
		_, link, found := strings.Cut(letters[len(letters)-1].Text, "/portal/activate#")
		if !found {
			t.Fatalf("no invitation of %s: %v", email, letters)
		}
		stored, err := d.table.Get(t.Context(), link[4:16])
		if err != nil || stored.RevokedAt.IsZero() != want {
			t.Errorf("the invitation of %s has ended at %v, %v", email, stored.RevokedAt, err)
		}
	}
}
