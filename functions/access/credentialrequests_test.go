package main

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/testkit/webtest"
	"portside/shared/users"
	"portside/shared/web/resource"
)

const (
	requestsPath    = "/api/v1/credential-requests"
	requestBodyJSON = `{"accessLevel":"full","justification":"Our staging cluster <b>pulls</b> images."}`
)

// requestFixture is a fixture with a requester and two approvers; root@example.com is a third one.
type requestFixture struct {
	*fixture
	ada              users.User
	requester        string // API keys
	approver, second string
}

func newRequestFixture(tb testing.TB) *requestFixture {
	tb.Helper()
	o := &requestFixture{fixture: newFixture(tb)}
	o.ada, o.requester = o.user("ada@example.com", principal.Viewer)
	_, o.approver = o.user("grace@example.com", principal.Admin)
	_, o.second = o.user("joan@example.com", principal.Admin)
	return o
}

// request creates a request of the requester and returns its path.
func (o *requestFixture) request() string {
	o.tb.Helper()
	return requestsPath + "/" + o.withKey(o.requester).Post(requestsPath, requestBodyJSON).WantStatus(http.StatusCreated).
		Text("data.id")
}

func (o *requestFixture) approve(at string) webtest.Response {
	o.tb.Helper()
	return o.withKey(o.approver).Do(http.MethodPost, at+"/approve", "")
}

func (o *requestFixture) collect(token string) webtest.Response {
	o.tb.Helper()
	return o.anonymous().Post(requestsPath+"/collect", `{"token":"`+token+`"}`)
}

// link returns the token from the link in the requester's newest message, or "" if it has no link.
func (o *requestFixture) link() string {
	messages := o.mailbox.to("ada@example.com")
	if len(messages) == 0 {
		return ""
	}
	_, rest, _ := strings.Cut(messages[len(messages)-1].Text, "https://portal.example.com/portal/collect#")
	token, _, _ := strings.Cut(rest, "\n")
	return token
}

// actions returns the actions in the history of a request.
func (o *requestFixture) actions(at string) []string {
	o.tb.Helper()
	events, _ := o.withKey(o.approver).Get(at).WantStatus(http.StatusOK).JSON("data.events").([]any)
	all := make([]string, len(events))
	for i, e := range events {
		all[i], _ = e.(map[string]any)["action"].(string)
	}
	return all
}

func TestRequestIsApprovedAndCollected(t *testing.T) {
	o := newRequestFixture(t)
	made := o.withKey(o.requester).Post(requestsPath, requestBodyJSON).WantStatus(http.StatusCreated).
		WantValue("data.status", "pending").WantValue("data.accessLevel", "full").WantValue("data.userId", o.ada.ID).
		WantValue("data.createdAt", "2026-03-02T09:00:00Z").WantValue("data.dueAt", "2026-03-03T09:00:00Z").
		WantValue("data.decidedBy", nil).WantValue("data.credentialId", nil).WantValue("data.events.0.action", "requested")
	at := requestsPath + "/" + made.Text("data.id")
	made.WantHeader("Location", at)
	for _, address := range []string{"root@example.com", "grace@example.com", "joan@example.com"} {
		messages := o.mailbox.to(address)
		if len(messages) != 1 || !strings.Contains(messages[0].HTML, "staging cluster &lt;b&gt;pulls") ||
			!strings.Contains(messages[0].Text, "3 March 2026, 09:00 UTC") {
			t.Errorf("messages to %s: %v", address, messages)
		}
	}

	o.advance(time.Hour)
	o.withKey(o.approver).Post(at+"/approve", `{"reason":" agreed "}`).WantStatus(http.StatusOK).
		WantValue("data.status", "approved").WantValue("data.reason", "agreed").
		WantValue("data.decidedAt", "2026-03-02T10:00:00Z")
	o.advance(time.Hour)
	collected := o.collect(o.link()).WantStatus(http.StatusOK).
		WantValue("data.scopes", []any{"read:docker-images", "read:helm-charts"}).
		WantValue("data.expiresAt", "2027-03-02T11:00:00Z")
	if username := collected.Text("data.username"); !strings.HasPrefix(username, "example-") || len(username) != 16 {
		t.Errorf("the user name is %q", username)
	}
	auth := credentials.NewAuthenticator(o.table.Requests, 100, o.clock)
	who, _, err := auth.AuthenticateBasic(t.Context(), collected.Text("data.username"), collected.Text("data.password"))
	if err != nil || who.UserID != o.ada.ID ||
		!slices.Equal(who.Scopes, []principal.Scope{"read:docker-images", "read:helm-charts"}) {
		t.Errorf("the password authenticates %+v, error %v", who, err)
	}
	if _, _, err := auth.AuthenticateBasic(t.Context(), "example", collected.Text("data.password")); err == nil {
		t.Error("the password works with another user name")
	}
	o.collect(o.link()).WantStatus(http.StatusUnauthorized) // the link works once

	o.withKey(o.requester).Get(at).WantStatus(http.StatusOK).WantValue("data.status", "collected").
		WantValue("data.events.2.actor", "system").
		WantValue("data.collectBy", "2026-03-09T10:00:00Z").WantValue("data.events.1.detail", "agreed")
	o.withKey(o.requester).Get("/api/v1/tokens").WantValue("data.0.kind", "password").
		WantValue("data.0.name", "full access").WantValue("data.1", nil)
	if got, want := o.actions(at), []string{"requested", "approved", "mailed", "collected"}; !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
}

func TestDenyRequest(t *testing.T) {
	o := newRequestFixture(t)
	at := o.request()
	o.withKey(o.approver).Post(at+"/deny", `{"reason":"not <this> year"}`).WantStatus(http.StatusOK).
		WantValue("data.status", "denied")
	messages := o.mailbox.to("ada@example.com")
	if len(messages) != 1 || !strings.Contains(messages[0].HTML, "not &lt;this&gt; year") ||
		strings.Contains(messages[0].Text, "psl_") {
		t.Errorf("messages %v", messages)
	}
	if got, want := o.actions(at), []string{"requested", "denied", "mailed"}; !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
	o.approve(at).WantStatus(http.StatusConflict).WantHeader("X-Should-Retry", "false")
	o.withKey(o.approver).Post(at+"/deny", `{}`).WantStatus(http.StatusConflict)
}

//proves:docs/security.md
func TestRequestPermissions(t *testing.T) {
	o := newRequestFixture(t)
	at := o.request()
	_, other := o.user("other@example.com", principal.Manager)
	o.withKey(other).Get(at).WantStatus(http.StatusNotFound)
	o.withKey(other).Get(requestsPath).WantStatus(http.StatusOK).WantValue("data", []any{})
	for _, key := range []string{o.requester, other} {
		o.withKey(key).Post(at+"/approve", `{}`).WantStatus(http.StatusForbidden)
		o.withKey(key).Post(at+"/deny", `{}`).WantStatus(http.StatusForbidden)
	}
	own := requestsPath + "/" + o.withKey(o.approver).Post(requestsPath, requestBodyJSON).WantStatus(http.StatusCreated).
		Text("data.id")
	o.withKey(o.approver).Post(own+"/approve", `{}`).WantStatus(http.StatusForbidden).WantValue("code", "FORBIDDEN")
	o.withKey(o.approver).Post(own+"/deny", `{}`).WantStatus(http.StatusForbidden)
	if messages := o.mailbox.to("grace@example.com"); len(messages) != 1 {
		t.Errorf("the approver got %d messages, want only the one about the other request", len(messages))
	}
	o.withKey(o.second).Post(own+"/approve", `{}`).WantStatus(http.StatusOK)
	o.anonymous().Post(requestsPath, requestBodyJSON).WantStatus(http.StatusUnauthorized)
	_, manager := o.user("manager@example.com", principal.Manager)
	token := o.withKey(manager).Post("/api/v1/tokens", all).Text("data.token")
	o.withToken(token).Post(requestsPath, requestBodyJSON).WantStatus(http.StatusUnauthorized) // tokens cannot request passwords
	o.withKey(o.approver).Post(requestsPath+"/"+resource.NewID()+"/approve", `{}`).WantStatus(http.StatusNotFound)
	o.withKey(o.approver).Post(requestsPath+"/x/approve", `{}`).WantStatus(http.StatusBadRequest)
	o.withKey(o.approver).Get(requestsPath + "/" + resource.NewID()).WantStatus(http.StatusNotFound)
}

func TestCreateRequestRejectsInvalidInput(t *testing.T) {
	o := newRequestFixture(t)
	for body, pointers := range map[string][]string{
		`{}`: {"/accessLevel", "/justification"},
		`{"accessLevel":"all","justification":""}`:                                       {"/accessLevel", "/justification"},
		`{"accessLevel":"full","justification":"   "}`:                                   {"/justification"},
		`{"accessLevel":"full","justification":"` + strings.Repeat("ä", 2001) + `"}`:     {"/justification"},
		`{"accessLevel":"full","justification":"a\u0000b"}`:                              {"/justification"},
		`{"accessLevel":"full","justification":"\u202etxt"}`:                             {"/justification"},
		`{"accessLevel":"full","justification":"\u3164"}`:                                {"/justification"},
		`{"accessLevel":["full"],"justification":"x"}`:                                   {"/accessLevel"},
		`{"accessLevel":"full","justification":"x","userId":"` + resource.NewID() + `"}`: {"/userId"},
		`{"accessLevel":"full","justification":"x","status":"approved"}`:                 {"/status"},
	} {
		response := o.withKey(o.requester).Post(requestsPath, body).WantStatus(http.StatusBadRequest)
		if got := slices.Sorted(slices.Values(response.Pointers())); !slices.Equal(got, pointers) {
			t.Errorf("%s: pointers %q, want %q", body, got, pointers)
		}
	}
	o.withKey(o.requester).Get(requestsPath).WantValue("data", []any{}) // no request was created
	at := o.request()
	o.withKey(o.approver).Post(at+"/deny", `{"reason":"`+strings.Repeat("r", 1001)+`"}`).WantStatus(http.StatusBadRequest).
		WantValue("errors.0.pointer", "/reason")
	o.withKey(o.approver).Post(at+"/deny", `{"why":"x"}`).WantStatus(http.StatusBadRequest)
	for _, query := range []string{"?limit=0", "?limit=101", "?status=open", "?before=x", "?offset=1", "?status=",
		"?userId=x", "?order=due", "?after=" + o.ada.ID, "?order=oldest&before=" + o.ada.ID} {
		o.withKey(o.approver).Get(requestsPath + query).WantStatus(http.StatusBadRequest)
	}
	longest := strings.Repeat("ä", 1998) + `\n!`
	o.withKey(o.requester).Post(requestsPath, `{"accessLevel":"charts","justification":"`+longest+`"}`).
		WantStatus(http.StatusCreated)
}

func TestPendingRequestLimit(t *testing.T) {
	o := newRequestFixture(t)
	first := o.request()
	for range 4 {
		o.request()
	}
	o.withKey(o.requester).Post(requestsPath, requestBodyJSON).WantStatus(http.StatusConflict).
		WantHeader("X-Should-Retry", "false")
	o.withKey(o.approver).Post(first+"/deny", `{}`).WantStatus(http.StatusOK)
	o.request()
	o.withKey(o.requester).Post(requestsPath, requestBodyJSON).WantStatus(http.StatusConflict)
}

func TestListRequestsFiltersAndPages(t *testing.T) {
	o := newRequestFixture(t)
	_, other := o.user("other@example.com", principal.User)
	var made []string
	for i := range 7 {
		key := []string{o.requester, other}[i%2]
		made = append(made, o.withKey(key).Post(requestsPath, requestBodyJSON).WantStatus(http.StatusCreated).Text("data.id"))
	}
	slices.Reverse(made)
	o.withKey(o.approver).Post(requestsPath+"/"+made[2]+"/deny", `{}`).WantStatus(http.StatusOK)

	walk := func(key, query string) (ids []string) {
		target := requestsPath + "?limit=2" + query
		for {
			page := o.withKey(key).Get(target).WantStatus(http.StatusOK)
			data, _ := page.JSON("data").([]any)
			for i := range data {
				ids = append(ids, page.Text("data."+string(rune('0'+i))+".id"))
			}
			if page.JSON("pagination.hasMore") == false {
				page.WantValue("pagination.next", nil)
				return ids
			}
			next := page.Text("pagination.next")
			target = requestsPath + "?limit=2" + query + "&cursor=" + next
			byID := o.withKey(key).Get(requestsPath + "?limit=2" + query + "&" + bound(query) + "=" + next).
				WantStatus(http.StatusOK)
			if following := o.withKey(key).Get(target); !bytes.Equal(byID.Body, following.Body) {
				t.Errorf("the page by cursor is %s, by ID %s", following.Body, byID.Body)
			}
		}
	}
	reversed := slices.Clone(made)
	slices.Reverse(reversed)
	own := []string{made[0], made[2], made[4], made[6]}
	for _, c := range []struct {
		key, query string
		want       []string
	}{
		{o.approver, "", made},
		{o.approver, "&status=denied", made[2:3]},
		{o.approver, "&status=pending", slices.Delete(slices.Clone(made), 2, 3)},
		{o.approver, "&status=expired", nil},
		{o.approver, "&order=oldest", reversed},
		{o.approver, "&order=oldest&status=pending", slices.Delete(slices.Clone(reversed), 4, 5)},
		{o.approver, "&userId=" + o.ada.ID, own},
		{o.requester, "", own},
		{o.requester, "&userId=" + o.ada.ID, own},
		{o.requester, "&status=pending", slices.Delete(slices.Clone(own), 1, 2)},
	} {
		t.Run(c.query, func(t *testing.T) {
			if got := walk(c.key, c.query); !slices.Equal(got, c.want) {
				t.Errorf("list %q: %v, want %v", c.query, got, c.want)
			}
		})
	}
}

// bound returns the parameter that selects what follows a request.
func bound(query string) string {
	if strings.Contains(query, "order=oldest") {
		return "after"
	}
	return "before"
}

// TestRequestsNamePeopleToApprovers checks that only approvers learn who decided, and that deleted users have no name.
//
//proves:docs/security.md
func TestRequestsNamePeopleToApprovers(t *testing.T) {
	o := newRequestFixture(t)
	at := o.request()
	o.withKey(o.approver).Get(at).WantValue("data.requester.email", "ada@example.com").WantValue("data.decider", nil)
	o.approve(at).WantStatus(http.StatusOK)
	o.withKey(o.second).Get(requestsPath).WantValue("data.0.requester.name", "ada@example.com").
		WantValue("data.0.decider.email", "grace@example.com")
	for _, path := range []string{at, requestsPath + "?userId=" + o.ada.ID} {
		if body := o.withKey(o.requester).Get(path).WantStatus(http.StatusOK).Body; strings.Contains(string(body), "grace@") {
			t.Errorf("the requester learns who decided: %s", body)
		}
	}
	_, other := o.user("other@example.com", principal.Manager)
	o.withKey(other).Get(requestsPath + "?userId=" + o.ada.ID).WantStatus(http.StatusForbidden)
	if err := o.users.Delete(t.Context(), principal.Operator(), versions.Target{ID: o.ada.ID}); err != nil {
		t.Fatal(err)
	}
	o.withKey(o.second).Get(requestsPath).WantStatus(http.StatusOK).WantValue("data.0.requester", nil).
		WantValue("data.0.decider.email", "grace@example.com")
}

func TestCollectRejectsInvalidLinks(t *testing.T) {
	const text = "detail"
	o := newRequestFixture(t)
	want := o.collect(credentials.Mint(credentials.Link).Reveal()).WantStatus(http.StatusUnauthorized).Text(text)
	suspended, inactive := users.Suspended, users.Inactive
	for name, before := range map[string]func(){
		"expired":   func() { o.advance(7 * 24 * time.Hour) },
		"suspended": func() { o.change(o.ada.ID, users.Change{Status: &suspended}) },
		"inactive":  func() { o.change(o.ada.ID, users.Change{Status: &inactive}) },
		"deleted": func() {
			if err := o.users.Delete(t.Context(), principal.Operator(), versions.Target{ID: o.ada.ID}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		o = newRequestFixture(t)
		o.approve(o.request()).WantStatus(http.StatusOK)
		before()
		if got := o.collect(o.link()).WantStatus(http.StatusUnauthorized).Text(text); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	o = newRequestFixture(t)
	for _, token := range []string{"", "x", o.requester, strings.Repeat("t", 5000)} {
		if got := o.collect(token).WantStatus(http.StatusUnauthorized).Text(text); got != want {
			t.Errorf("%q: %q, want %q", token, got, want)
		}
	}
	o.anonymous().Post(requestsPath+"/collect", `{}`).WantStatus(http.StatusBadRequest).
		WantValue("errors.0.pointer", "/token")
}

// TestLinkStaysValidWhenTheUserChanges changes the requester while the link is valid. The link stops working only while
// the requester is not active.
func TestLinkStaysValidWhenTheUserChanges(t *testing.T) {
	o := newRequestFixture(t)
	o.approve(o.request()).WantStatus(http.StatusOK)
	manager, suspended, active := principal.Manager, users.Suspended, users.Active
	o.change(o.ada.ID, users.Change{Role: &manager})
	o.change(o.ada.ID, users.Change{Status: &suspended})
	link := o.link()
	o.collect(link).WantStatus(http.StatusUnauthorized)
	o.change(o.ada.ID, users.Change{Status: &active})
	collected := o.collect(link).WantStatus(http.StatusOK)
	o.change(o.ada.ID, users.Change{Status: &suspended})
	auth := credentials.NewAuthenticator(o.table.Requests, 100, o.clock)
	if _, _, err := auth.AuthenticateBasic(t.Context(), collected.Text("data.username"), collected.Text("data.password")); err == nil {
		t.Error("the password of a suspended user works")
	}
}

func TestApproveRejectsInactiveRequester(t *testing.T) {
	o := newRequestFixture(t)
	at := o.request()
	suspended := users.Suspended
	o.change(o.ada.ID, users.Change{Status: &suspended})
	o.approve(at).WantStatus(http.StatusConflict)
	if err := o.users.Delete(t.Context(), principal.Operator(), versions.Target{ID: o.ada.ID}); err != nil {
		t.Fatal(err)
	}
	o.approve(at).WantStatus(http.StatusConflict)
	o.withKey(o.approver).Post(at+"/deny", `{}`).WantStatus(http.StatusOK)
	if messages := o.mailbox.to("ada@example.com"); len(messages) != 0 {
		t.Errorf("%d messages to a deleted user", len(messages))
	}
}

//proves:docs/security.md
func TestConcurrentCollectsCreateOnePassword(t *testing.T) {
	o := newRequestFixture(t)
	o.approve(o.request()).WantStatus(http.StatusOK)
	link := o.link()
	responses := concurrently(6, func(int) webtest.Response { return o.collect(link) })
	statuses, refusals := map[int]int{}, map[string]bool{}
	for _, a := range responses {
		if statuses[a.Status]++; a.Status != http.StatusOK {
			refusals[a.Text("detail")] = true
		}
	}
	if statuses[http.StatusOK] != 1 || statuses[http.StatusUnauthorized] != 5 || len(refusals) != 1 {
		t.Errorf("statuses %v with texts %v, want one 200 and five 401 with one text", statuses, refusals)
	}
	o.withKey(o.requester).Get("/api/v1/tokens").WantValue("data.0.status", "active").WantValue("data.1", nil)
}

func TestConcurrentDecisionsDecideOnce(t *testing.T) {
	o := newRequestFixture(t)
	at := o.request()
	responses := concurrently(6, func(i int) webtest.Response {
		key, decision := []string{o.approver, o.second}[i%2], []string{"/approve", "/deny"}[i/3]
		return o.withKey(key).Post(at+decision, `{}`)
	})
	statuses := map[int]int{}
	for _, a := range responses {
		statuses[a.Status]++
	}
	if statuses[http.StatusOK] != 1 || statuses[http.StatusConflict] != 5 {
		t.Errorf("statuses %v, want one 200 and five 409", statuses)
	}
	if got := o.actions(at); len(got) != 3 {
		t.Errorf("events %v, want request, decision and mail", got)
	}
	for range 4 { // the decided request no longer counts
		o.request()
	}
	o.request()
	o.withKey(o.requester).Post(requestsPath, requestBodyJSON).WantStatus(http.StatusConflict)
}

// concurrently calls f n times concurrently and returns the results.
func concurrently[T any](n int, f func(i int) T) []T {
	results := make([]T, n)
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() { results[i] = f(i) })
	}
	wait.Wait()
	return results
}
