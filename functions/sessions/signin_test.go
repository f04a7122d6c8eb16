package main

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/testkit"
	"portside/shared/testkit/webtest"
	"portside/shared/users"
	"portside/shared/web"
)

//proves:docs/security.md
func TestSignInByLink(t *testing.T) {
	f := newFixture(t)
	b := f.browser()
	b.client().Get("/v1/sign-in/methods").WantStatus(http.StatusOK).WantValue("data.link", true).
		WantValue("data.openId", nil)
	b.ask(" Ada@Example.com ").WantStatus(http.StatusAccepted).WantValue("data.expiresAt", "2026-03-02T09:10:00Z")
	letter := f.post.letters[0]
	if letter.To != "ada@example.com" || !strings.Contains(letter.Text, "until 09:10 UTC") {
		t.Errorf("unexpected message to %s:\n%s", letter.To, letter.Text)
	}
	token, _ := f.post.last(t)
	f.clock.Advance(9 * time.Minute)
	b.useLink(token).WantStatus(http.StatusCreated).WantValue("data.device", "Firefox on Windows").
		WantValue("data.user.email", "ada@example.com").WantValue("data.user.permissions.0", "analytics:read").
		WantValue("data.recentUntil", "2026-03-02T09:24:00Z").WantValue("data.expiresAt", "2026-04-01T09:09:00Z")
	b.client().Get("/v1/sessions/current").WantStatus(http.StatusOK).WantValue("data.user.id", f.ada.ID)
	b.useLink(token).WantStatus(http.StatusUnauthorized)

	stored, err := f.people.Get(t.Context(), f.ada.ID)
	if err != nil || !stored.LastLoginAt.Equal(f.clock.Now()) || stored.Version != f.ada.Version {
		t.Errorf("the user is %+v, %v", stored, err)
	}
}

// TestSignInsAreLogged signs in in every way, and fails to.
func TestSignInsAreLogged(t *testing.T) {
	f := newFixture(t)
	b, a := f.registered()
	logs := testkit.CaptureLogs(t)
	b.ask("ada@example.com")
	token, _ := f.post.last(t)
	b.useLink(token).WantStatus(http.StatusCreated)
	b.ask("ada@example.com")
	_, code := f.post.last(t)
	b.useCode("ada@example.com", code).WantStatus(http.StatusCreated)
	b.usePasskey(a).WantStatus(http.StatusCreated)
	operators, _, err := f.service().OperatorLink(t.Context(), "ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	f.browser().useLink(operators.Reveal()).WantStatus(http.StatusCreated)
	provider := f.connect()
	b.comeBack(provider.SignIn(b.startOpenID("/portal/"))).WantStatus(http.StatusSeeOther)
	for _, proof := range []string{"link", "code", "passkey", "operator-link", "openid"} {
		record := regexp.MustCompile(`"signed in","user":"` + f.ada.ID + `","session":"\w{12}","proof":"` + proof + `"`)
		if !record.Match(logs.Bytes()) {
			t.Errorf("the sign-in by %s is not in the log", proof)
		}
	}
	b.useLink(token).WantStatus(http.StatusUnauthorized)
	if failure := `"route":"POST /v1/sessions","status":401`; !strings.Contains(logs.String(), failure) {
		t.Error("the failed sign-in is not in the log")
	}
	for _, secret := range []string{token, code, operators.Reveal(), b.cookies[web.SessionCookie]} {
		if strings.Contains(logs.String(), secret) {
			t.Errorf("the log has a secret: %s", secret)
		}
	}
}

// A person who signs in again and again must not make the changes of an admin fail, and a change must not undo the time
// of a sign-in that the admin has not seen.
func TestSignInDoesNotDisturbChanges(t *testing.T) {
	f := newFixture(t)
	f.signedIn()
	name := "Ada King"
	target := versions.Target{ID: f.ada.ID, IfMatch: func(version int64) bool { return version == f.ada.Version }}
	changed, err := f.users().Update(t.Context(), principal.Operator(), target, users.Change{Name: &name})
	if err != nil || !changed.LastLoginAt.Equal(f.clock.Now()) {
		t.Errorf("the user is %+v, %v", changed, err)
	}
}

//proves:docs/security.md
func TestSignInByCode(t *testing.T) {
	f := newFixture(t)
	b := f.browser()
	b.ask("ada@example.com").WantStatus(http.StatusAccepted)
	token, code := f.post.last(t)
	if text := strings.Join(strings.Fields(f.post.letters[0].Text), " "); !strings.Contains(text,
		"Do not share the code with anyone.") {
		t.Errorf("the mail does not warn of people who ask for the code: %s", text)
	}
	b.useCode("root@example.com", code).WantStatus(http.StatusUnauthorized)
	b.useCode("ADA@example.com", code[:4]+" "+code[4:]).WantStatus(http.StatusCreated)
	b.client().Get("/v1/sessions/current").WantStatus(http.StatusOK)
	b.useCode("ada@example.com", code).WantStatus(http.StatusUnauthorized)
	b.useLink(token).WantStatus(http.StatusUnauthorized)
}

//proves:docs/security.md
func TestFiveWrongCodesEndTheLink(t *testing.T) {
	f := newFixture(t)
	b := f.browser()
	b.ask("ada@example.com")
	token, code := f.post.last(t)
	wrong := otherThan(code)
	for range 4 {
		b.useCode("ada@example.com", wrong).WantStatus(http.StatusUnauthorized)
	}
	b.useCode("ada@example.com", wrong).WantStatus(http.StatusUnauthorized)
	b.useCode("ada@example.com", code).WantStatus(http.StatusUnauthorized)
	b.useLink(token).WantStatus(http.StatusUnauthorized)

	b.ask("ada@example.com")
	_, code = f.post.last(t)
	for range 4 {
		b.useCode("ada@example.com", "x").WantStatus(http.StatusUnauthorized)
	}
	b.useCode("ada@example.com", code).WantStatus(http.StatusCreated) // the fifth try
}

//proves:docs/security.md
func TestLinksWorkOnlyInTheBrowserThatAsked(t *testing.T) {
	f := newFixture(t)
	b, other := f.browser(), f.browser()
	b.ask("ada@example.com")
	token, code := f.post.last(t)
	other.useLink(token).WantStatus(http.StatusUnauthorized)
	other.useCode("ada@example.com", code).WantStatus(http.StatusUnauthorized)
	other.ask("ada@example.com") // it has its own request now, which does not count for the other mail
	other.useLink(token).WantStatus(http.StatusUnauthorized)
	other.useCode("ada@example.com", code).WantStatus(http.StatusUnauthorized)
	other.cookies[browserCookie] = forgedWithID(t, b.cookies[browserCookie])
	for range 6 { // tries of a browser that only knows the id do not count
		other.useCode("ada@example.com", code).WantStatus(http.StatusUnauthorized)
	}
	b.useLink(token).WantStatus(http.StatusCreated)
}

// forgedWithID returns a well-formed browser secret with the public id of another one.
func forgedWithID(tb testing.TB, text string) string {
	tb.Helper()
	for range 100 {
		forged := credentials.Mint(credentials.Browser)
		if forged.ID() != strings.Split(text, "_")[1] {
			return strings.Replace(forged.Reveal(), forged.ID(), strings.Split(text, "_")[1], 1) // the checksum is wrong now, too
		}
	}
	tb.Fatal("no other id")
	return ""
}

func TestNewMailReplacesTheOlderOne(t *testing.T) {
	f := newFixture(t)
	b := f.browser()
	b.ask("ada@example.com")
	older, _ := f.post.last(t)
	b.ask("ada@example.com")
	newer, _ := f.post.last(t)
	b.useLink(older).WantStatus(http.StatusUnauthorized)
	b.useLink(newer).WantStatus(http.StatusCreated)
}

//proves:docs/security.md
func TestUnusableLinks(t *testing.T) {
	f := newFixture(t)
	active := users.Active
	for name, before := range map[string]func(){
		"expired":   func() { f.clock.Advance(10 * time.Minute) },
		"suspended": func() { suspended := users.Suspended; f.change(f.ada.ID, users.Change{Status: &suspended}) },
	} {
		t.Run(name, func(t *testing.T) {
			f.user(name+"@example.com", principal.Admin) // another admin, so that Ada can be suspended
			b := f.browser()
			b.ask("ada@example.com").WantStatus(http.StatusAccepted)
			token, code := f.post.last(t)
			before()
			b.useLink(token).WantStatus(http.StatusUnauthorized)
			b.useCode("ada@example.com", code).WantStatus(http.StatusUnauthorized)
			f.change(f.ada.ID, users.Change{Status: &active})
			f.clock.Advance(time.Hour)
		})
	}
	b := f.browser()
	for _, token := range []string{"x", f.key, credentials.Mint(credentials.Link).Reveal(), strings.Repeat("t", 5000)} {
		b.useLink(token).WantStatus(http.StatusUnauthorized).WantValue("code", "UNAUTHORIZED")
	}
	for _, body := range []string{
		`{}`, `{"token":"x","code":"1"}`, `{"email":"a@example.com"}`, `{"code":"1"}`, `{"token":""}`, `{"x":1}`, `[]`,
	} {
		b.client().Post("/v1/sessions", body).WantStatus(http.StatusBadRequest)
	}
}

// TestAnswersDoNotRevealUsers compares the responses for a user with those for other addresses.
//
//proves:docs/security.md
func TestAnswersDoNotRevealUsers(t *testing.T) {
	f := newFixture(t)
	inactive, _ := f.user("inactive@example.com", principal.User)
	status := users.Inactive
	f.change(inactive.ID, users.Change{Status: &status})
	_, err := f.users().Create(t.Context(),
		users.CreateOptions{Caller: principal.Operator(), BaseURL: "https://portal.example.com"},
		users.NewUser{Email: "pending@example.com", Name: "P", Role: principal.User, ActivationEmail: true})
	if err != nil {
		t.Fatal(err)
	}
	mails := len(f.post.letters)
	known := f.browser().ask("ada@example.com")
	for _, email := range []string{"stranger@example.com", "inactive@example.com", "pending@example.com"} {
		b := f.browser()
		for range 5 {
			answer := b.ask(email).WantStatus(http.StatusAccepted)
			if answer.Text("data.expiresAt") != known.Text("data.expiresAt") || len(answer.Header) != len(known.Header) {
				t.Errorf("%s: %v, want as for a user: %v", email, answer.Header, known.Header)
			}
		}
		b.ask(email).WantStatus(http.StatusTooManyRequests).WantHeader("Retry-After", "3600")
		for range 6 {
			b.useCode(email, "0000000000").WantStatus(http.StatusUnauthorized)
		}
	}
	if n := len(f.post.letters); n != mails+1 {
		t.Errorf("%d mails, want 1", n-mails)
	}
}

//proves:docs/security.md
func TestAddressGetsFiveMailsPerHour(t *testing.T) {
	f := newFixture(t)
	statuses := webtest.Concurrently(8, func(int) int { return f.browser().ask("ada@example.com").Status })
	if statuses[http.StatusAccepted] != 5 || statuses[http.StatusTooManyRequests] != 3 || len(f.post.letters) != 5 {
		t.Errorf("statuses %v and %d mails, want 5 accepted", statuses, len(f.post.letters))
	}
	f.clock.Advance(time.Hour)
	f.browser().ask("ada@example.com").WantStatus(http.StatusAccepted)
}

// A stranger who asks for mails to the address of an admin must not keep the admin from signing in.
//
//proves:docs/security.md
func TestOtherNetworksDoNotUseUpTheMailsOfAnAddress(t *testing.T) {
	f := newFixture(t)
	for range 6 {
		f.browser().from("203.0.113.9:1").ask("ada@example.com")
	}
	f.browser().from("203.0.113.9:1").ask("ada@example.com").WantStatus(http.StatusTooManyRequests)
	f.browser().ask("ada@example.com").WantStatus(http.StatusAccepted)
}

//proves:docs/security.md
func TestSourceIsThrottled(t *testing.T) {
	f := newFixture(t)
	for i := range 30 {
		f.browser().ask(fmt.Sprintf("a%d@example.com", i)).WantStatus(http.StatusAccepted)
	}
	f.browser().ask("ada@example.com").WantStatus(http.StatusTooManyRequests)
	f.clock.Advance(10 * time.Minute)
	f.browser().ask("ada@example.com").WantStatus(http.StatusAccepted)
}

// TestOneLinkGivesOneSession uses one link from ten clients at once.
func TestOneLinkGivesOneSession(t *testing.T) {
	f := newFixture(t)
	b := f.browser()
	b.ask("ada@example.com")
	token, code := f.post.last(t)
	client := b.client()
	statuses := webtest.Concurrently(10, func(i int) int {
		if i%2 == 0 {
			return client.Post("/v1/sessions", `{"email":"ada@example.com","code":"`+code+`"}`).Status
		}
		return client.Post("/v1/sessions", `{"token":"`+token+`"}`).Status
	})
	if statuses[http.StatusCreated] != 1 || statuses[http.StatusUnauthorized] != 9 {
		t.Errorf("statuses %v, want one 201 and nine 401", statuses)
	}
	webtest.New(t, f.handler()).With("X-API-Key", f.key).Get("/v1/sessions").WantValue("data.0.isCurrent", false).WantValue("data.1", nil)
}

//proves:docs/security.md
func TestFailedMailIsSentLater(t *testing.T) {
	f := newFixture(t)
	f.post.closed = true
	b := f.browser()
	b.ask("ada@example.com").WantStatus(http.StatusAccepted)
	f.post.closed = false
	if sent, err := f.service().SendDue(t.Context()); sent != 0 || err != nil {
		t.Errorf("sent %d, error %v; want none while the request may still send it", sent, err)
	}
	f.clock.Advance(3 * time.Minute)
	for _, want := range []int{1, 0} {
		if sent, err := f.service().SendDue(t.Context()); sent != want || err != nil {
			t.Fatalf("sent %d, error %v; want %d", sent, err, want)
		}
	}
	_, code := f.post.last(t)
	b.useCode("ada@example.com", code).WantStatus(http.StatusCreated)
}

func TestExpiredMailIsNotSent(t *testing.T) {
	f := newFixture(t)
	f.post.closed = true
	f.browser().ask("ada@example.com")
	f.post.closed = false
	f.clock.Advance(time.Hour)
	for range 2 {
		if _, err := f.service().SendDue(t.Context()); err != nil || len(f.post.letters) != 0 {
			t.Errorf("%d mails, %v", len(f.post.letters), err)
		}
	}
}

// TestOperatorLinkWorksOnce uses the links of portside sign-in-link in browsers that have not asked for them.
//
//proves:docs/security.md
func TestOperatorLinkWorksOnce(t *testing.T) {
	f := newFixture(t)
	link := func() string {
		made, _, err := f.service().OperatorLink(t.Context(), "ada@example.com")
		if err != nil {
			t.Fatal(err)
		}
		return made.Reveal()
	}
	used, late := link(), link()
	f.clock.Advance(time.Hour - time.Second)
	f.browser().useLink(used).WantStatus(http.StatusCreated)
	f.browser().useLink(used).WantStatus(http.StatusUnauthorized)
	f.clock.Advance(time.Second)
	f.browser().useLink(late).WantStatus(http.StatusUnauthorized)
}
