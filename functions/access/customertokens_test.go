package main

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/daycounts"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/webtest"
	"portside/shared/tokens"
	"portside/shared/tokens/tokensdynamo"
	"portside/shared/users"
	"portside/shared/users/usersdynamo"
)

// withCustomers adds acme with 23 managers, every third without a token, and bolt with one. It returns the ids of
// acme's tokens in the order of the list, and the key of the first manager.
func withCustomers(t *testing.T) (d *fixture, wanted []string, key string) {
	t.Helper()
	d = newFixture(t)
	d.customer(acme)
	d.customer(bolt)
	for n := range 23 {
		_, own := d.member(fmt.Sprintf("u%d@acme.example", n), acme, principal.Manager)
		if n == 0 {
			key = own
		}
		var ids []string
		for range n % 3 * 2 {
			d.advance(time.Second)
			ids = append(ids, d.withKey(own).Post("/api/v1/tokens", images).WantStatus(http.StatusCreated).Text("data.id"))
		}
		slices.Reverse(ids) // newest first
		wanted = append(wanted, ids...)
	}
	_, other := d.member("chief@bolt.example", bolt, principal.Manager)
	d.withKey(other).Post("/api/v1/tokens", images).WantStatus(http.StatusCreated)
	return d, wanted, key
}

// walk returns the ids on all pages.
func walk(c webtest.Client, query string) []string {
	var ids []string
	for cursor, pages := "", 0; pages < 100; pages++ {
		page := c.Get("/api/v1/tokens?" + query + cursor).WantStatus(http.StatusOK)
		for _, token := range page.JSON("data").([]any) {
			ids = append(ids, token.(map[string]any)["id"].(string))
		}
		if page.JSON("pagination.next") == nil {
			page.WantValue("pagination.hasMore", false)
			break
		}
		page.WantValue("pagination.hasMore", true)
		cursor = "&cursor=" + page.Text("pagination.next")
	}
	return ids
}

// Pages of any size have every token of the customer once, in the same order, for the staff and for the customer.
func TestTokensOfACustomer(t *testing.T) {
	d, wanted, key := withCustomers(t)
	_, root := d.user("second@example.com", principal.Admin)
	for _, c := range []webtest.Client{d.withKey(root), d.withKey(key)} {
		for _, limit := range []int{1, 3, 20, 100} {
			if got := walk(c, fmt.Sprintf("customerId=%s&limit=%d", acme, limit)); !slices.Equal(got, wanted) {
				t.Errorf("pages of %d have %d tokens, want %d: %v, want %v", limit, len(got), len(wanted), got, wanted)
			}
		}
	}
	if got := walk(d.withKey(root), "customerId="+bolt); len(got) != 1 {
		t.Errorf("bolt has the tokens %v, want one", got)
	}
}

// A user of a customer sees only the own customer, and only with tokens:read. A user who has left takes no tokens
// along.
//
//proves:docs/security.md
func TestTokensOfOtherCustomersDoNotExist(t *testing.T) {
	d, wanted, key := withCustomers(t)
	d.withKey(key).Get("/api/v1/tokens?customerId="+bolt).WantStatus(http.StatusOK).WantValue("data", []any{}).
		WantValue("pagination.hasMore", false)
	_, viewer := d.member("viewer@acme.example", acme, principal.Viewer)
	d.withKey(viewer).Get("/api/v1/tokens?customerId=" + acme).WantStatus(http.StatusForbidden)
	token := d.withKey(key).Post("/api/v1/tokens", images).WantStatus(http.StatusCreated).Text("data.token")
	d.withToken(token).Get("/api/v1/tokens?customerId=" + acme).WantStatus(http.StatusForbidden)

	moved, err := d.people.ByEmail(t.Context(), "u1@acme.example")
	if err != nil {
		t.Fatal(err)
	}
	to := bolt
	d.change(moved.ID, users.Change{CustomerID: &to})
	_, root := d.user("second@example.com", principal.Admin)
	if got := walk(d.withKey(root), "customerId="+bolt); len(got) != 1 {
		t.Errorf("bolt has the tokens %v, want one", got)
	}
	_, neighbor := d.member("manager@bolt.example", bolt, principal.Manager)
	d.withKey(neighbor).Get("/api/v1/tokens?userId="+moved.ID).WantStatus(http.StatusOK).WantValue("data", []any{})
	if ended := d.withKey(root).Get("/api/v1/tokens?userId=" + moved.ID).WantStatus(http.StatusOK).List("data"); len(ended) == 0 {
		t.Error("the staff do not see the tokens from before the move")
	}
	if got := walk(d.withKey(root), "customerId="+acme); len(got) != len(wanted)+1-2 {
		t.Errorf("acme has %d tokens, want %d", len(got), len(wanted)-1)
	}
}

func TestTokensOfACustomerRejectInvalidQueries(t *testing.T) {
	d, _, key := withCustomers(t)
	c := d.withKey(key)
	cursor := c.Get("/api/v1/tokens?limit=1&customerId=" + acme).Text("pagination.next")
	me := "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"
	for query, pointer := range map[string]string{
		"customerId=acme": "query/customerId", "customerId=" + acme + "&userId=" + me: "query/customerId", "cursor=" + cursor: "query/cursor",
		"customerId=" + acme + "&limit=0": "query/limit", "customerId=" + acme + "&cursor=x": "query/cursor",
		"customerId=" + bolt + "&cursor=" + cursor: "query/cursor",
	} {
		c.Get("/api/v1/tokens?"+query).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", pointer)
	}
}

// TestCallsOfAPage asserts that a page makes a bounded number of calls, which hardly wait for each other.
func TestCallsOfAPage(t *testing.T) {
	d, _, _ := withCustomers(t)
	client, meter := awstest.Metered(d.client)
	keys := credentialsdynamo.New(client, d.name, d.countsTable)
	people := usersdynamo.New(client, d.usersTable, keys, daycounts.In(""))
	service := tokens.NewService(tokensdynamo.New(client, keys), people.People, tokens.MaxDays, d.clock)
	page, err := service.ListOfCustomer(t.Context(), principal.Operator(), tokens.CustomerQuery{CustomerID: acme, Limit: 100})
	if err != nil || len(page.Tokens) == 0 || page.Next == "" || meter.Calls() > 31 {
		t.Errorf("%d tokens in %d calls, %v, want at most 31 calls", len(page.Tokens), meter.Calls(), err)
	}
}
