package main

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/principal"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/transactions"
	"portside/shared/testkit"
	"portside/shared/testkit/awstest"
	"portside/shared/users"
)

// TestSuspensionEndsSessionsAndPasskeysForGood has a thief who knows a session and has registered a passkey. Neither
// may work again after an administrator has talked to the user and made the user active.
//
//proves:docs/security.md
func TestSuspensionEndsSessionsAndPasskeysForGood(t *testing.T) {
	f := newFixture(t)
	f.user("root@example.com", principal.Admin)
	for _, status := range []users.Status{users.Suspended, users.Inactive} {
		b, a := f.registered()
		f.change(f.ada.ID, users.Change{Status: &status})
		b.client().Get("/v1/sessions/current").WantStatus(http.StatusUnauthorized)
		f.browser().usePasskey(a).WantStatus(http.StatusUnauthorized)

		active := users.Active
		f.change(f.ada.ID, users.Change{Status: &active})
		b.client().Get("/v1/sessions/current").WantStatus(http.StatusUnauthorized)
		f.browser().usePasskey(a).WantStatus(http.StatusUnauthorized)
	}
	b, a := f.registered() // the user can register a passkey again
	b.client().Get("/v1/passkeys").WantValue("data.0.name", "Work laptop").WantValue("data.1", nil)
	f.browser().usePasskey(a).WantStatus(http.StatusCreated)
}

// TestUsersLearnOfNewPasskeys registers passkeys, also while no mail can be sent.
//
//proves:docs/security.md
func TestUsersLearnOfNewPasskeys(t *testing.T) {
	f := newFixture(t)
	f.registered()
	if len(f.post.letters) != 1 {
		t.Fatalf("%d mails, want 1", len(f.post.letters))
	}
	letter := f.post.letters[0]
	if letter.To != "ada@example.com" || !strings.Contains(letter.Text, "2 March 2026, 09:00 UTC") ||
		strings.Contains(letter.Text, "laptop") {
		t.Errorf("unexpected message to %s:\n%s", letter.To, letter.Text)
	}
	f.post.closed = true
	logs := testkit.CaptureLogs(t)
	f.registered()
	if !strings.Contains(logs.String(), `"level":"WARN"`) {
		t.Errorf("the log has no warning about the mail that was not sent: %s", logs)
	}
}

//proves:docs/security.md
func TestAdministratorSignsAUserOut(t *testing.T) {
	f := newFixture(t)
	b, a := f.registered()
	if err := f.users().End(t.Context(), principal.Operator(), f.ada.ID, users.EndSessions); err != nil {
		t.Fatal(err)
	}
	b.client().Get("/v1/sessions/current").WantStatus(http.StatusUnauthorized)
	f.browser().usePasskey(a).WantStatus(http.StatusUnauthorized)
	f.signedIn().client().Get("/v1/passkeys").WantStatus(http.StatusOK).WantValue("data.0", nil)
}

// TestUsersOfASuspendedCustomerDoNotSignIn suspends the customer between the mail and the use of its link. Afterward,
// the user gets no mail.
//
//proves:docs/security.md
func TestUsersOfASuspendedCustomerDoNotSignIn(t *testing.T) {
	const acme = "0199cccc-0000-7000-8000-00000000000a"
	client := awstest.DynamoDB(t)
	f := newFixtureOn(t, client, awstest.Table(t, client, "CredentialsTable"))
	write := func(item types.TransactWriteItem) {
		t.Helper()
		if err := transactions.Write(t.Context(), client, []types.TransactWriteItem{item}); err != nil {
			t.Fatal(err)
		}
	}
	write(f.keys.Customers.Add(acme, customerstates.State{}))
	_, err := f.users().Create(t.Context(), users.CreateOptions{Caller: principal.Operator()},
		users.NewUser{Email: "eve@acme.example", Name: "Eve", Role: principal.User, CustomerID: acme})
	if err != nil {
		t.Fatal(err)
	}
	b := f.browser()
	b.ask("eve@acme.example").WantStatus(http.StatusAccepted)
	token, code := f.post.last(t)
	mails := len(f.post.letters)
	write(f.keys.Customers.Set(acme, customerstates.State{Suspended: true}))
	b.useLink(token).WantStatus(http.StatusUnauthorized)
	b.useCode("eve@acme.example", code).WantStatus(http.StatusUnauthorized)
	f.browser().ask("eve@acme.example").WantStatus(http.StatusAccepted)
	if n := len(f.post.letters); n != mails {
		t.Errorf("%d mails while the customer is suspended", n-mails)
	}
	write(f.keys.Customers.Set(acme, customerstates.State{}))
	b.useLink(token).WantStatus(http.StatusCreated)
}
