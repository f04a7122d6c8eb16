package main

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/transactions"
	"portside/shared/pulls"
	"portside/shared/users"
)

// pullFixture is a fixture with pulls of two users, made with three credentials.
type pullFixture struct {
	*fixture
	ada, grace                users.User
	adaKey, graceKey, manager string
}

func newPullFixture(tb testing.TB) *pullFixture {
	tb.Helper()
	a := &pullFixture{fixture: newFixture(tb)}
	a.ada, a.adaKey = a.user("ada@example.com", principal.User)
	a.grace, a.graceKey = a.user("grace@example.com", principal.Viewer)
	_, a.manager = a.user("manager@example.com", principal.Manager)
	at := a.now.Add(-time.Hour)
	a.record(
		a.image(at, "1.0", "adaAAAAAAAA1"), a.image(at.AddDate(0, 0, -40), "0.9", "adaAAAAAAAA1"),
		a.image(at.Add(2*time.Minute), "1.1", "graceAAAAAA1"),
		pulls.Pull{
			At: at.Add(time.Minute), Kind: pulls.Chart, Repository: "product", Reference: "1.0",
			CredentialID: "adaAAAAAAAA2", OwnerID: a.ada.ID,
		},
	)
	return a
}

func (a *pullFixture) image(at time.Time, tag, credential string) pulls.Pull {
	p := pulls.Pull{At: at, Kind: pulls.Image, Repository: "acme/api", Reference: tag, CredentialID: credential,
		OwnerID: a.ada.ID}
	if credential == "graceAAAAAA1" {
		p.OwnerID = a.grace.ID
	}
	return p
}

func (a *pullFixture) record(all ...pulls.Pull) {
	a.tb.Helper()
	if _, err := a.pulls.Record(a.tb.Context(), all); err != nil {
		a.tb.Fatal(err)
	}
}

const pullsPath = "/api/v1/pulls"

func TestListPullsReturnsAllFields(t *testing.T) {
	a := newPullFixture(t)
	p := pulls.Pull{
		At: a.now, Kind: pulls.Chart, Repository: "product", Reference: "2.0.0", Digest: "sha256:" + strings.Repeat("0a", 32),
		CredentialID: "adaAAAAAAAA1", OwnerID: a.ada.ID, Address: "203.0.113.9", Client: "Helm/3.18.4",
	}
	a.record(p)
	a.withKey(a.adaKey).Get(pullsPath+"?limit=1").WantStatus(http.StatusOK).WantValue("data", []any{map[string]any{
		"id": p.ID(), "type": "pull", "checks": nil, "kind": "chart", "repository": "product", "reference": "2.0.0", "digest": p.Digest, "tokenId": "adaAAAAAAAA1",
		"ownerId": a.ada.ID, "customerId": nil, "address": "203.0.113.9", "client": "Helm/3.18.4", "at": "2026-03-02T09:00:00Z",
		"tokenName": nil, "ownerEmail": "ada@example.com", "ownerName": "ada@example.com",
	}}).WantValue("pagination.limit", 1).WantValue("pagination.hasMore", true)
	a.withKey(a.adaKey).Get(pullsPath+"?from=2026-01-21&to=2026-01-21").WantStatus(http.StatusOK).
		WantValue("data.0.reference", "0.9").
		WantValue("data.0.digest", nil).WantValue("data.1", nil).
		WantValue("pagination", map[string]any{"limit": 20.0, "hasMore": false, "next": nil})
}

// TestListPullsListsChecksApart records checks of one tag in two hours, and of another user.
func TestListPullsListsChecksApart(t *testing.T) {
	a := newPullFixture(t)
	check := func(before time.Duration, credential string) pulls.Pull {
		p := a.image(a.now.Add(-before), "1.0", credential)
		p.IsCheck, p.Client, p.Address = true, "Renovate/42", "203.0.113.9"
		return p
	}
	hour := check(time.Hour, "adaAAAAAAAA1")
	a.record(hour, check(59*time.Minute, "adaAAAAAAAA1"), check(58*time.Minute, "adaAAAAAAAA1"), check(0, "adaAAAAAAAA1"),
		check(0, "graceAAAAAA1"))
	a.withKey(a.adaKey).Get(pullsPath+"?type=check&to=2026-03-02T09:00:00Z").WantStatus(http.StatusOK).
		WantValue("data", []any{map[string]any{
			"id": hour.ID(), "type": "check", "checks": 3.0, "kind": "image", "repository": "acme/api", "reference": "1.0",
			"digest":  nil,
			"tokenId": "adaAAAAAAAA1", "ownerId": a.ada.ID, "customerId": nil, "address": "203.0.113.9", "client": "Renovate/42",
			"at": "2026-03-02T08:00:00Z", "tokenName": nil, "ownerEmail": "ada@example.com", "ownerName": "ada@example.com",
		}})
	for _, c := range []struct {
		key, query string
		want       int
	}{
		{a.adaKey, "?type=check", 2},
		{a.graceKey, "?type=check", 1},
		{a.manager, "?type=check", 3},
		{a.manager, "?type=check&kind=chart", 0},
		{a.manager, "?type=check&repository=acme/api", 3},
		{a.manager, "?type=check&repository=acme/web", 0},
		{a.manager, "?type=check&token=graceAAAAAA1", 1},
		{a.manager, "?type=check&userId=" + a.ada.ID, 2},
		{a.manager, "?type=pull", 3},
		{a.manager, "", 3},
		{a.manager, "?token=graceAAAAAA1", 1},
	} {
		t.Run(c.query, func(t *testing.T) {
			if n := len(a.withKey(c.key).For(t).Get(pullsPath + c.query).WantStatus(http.StatusOK).List("data")); n != c.want {
				t.Errorf("%s lists %d, want %d", c.query, n, c.want)
			}
		})
	}
	first := a.withKey(a.manager).Get(pullsPath + "?type=check&limit=1").WantStatus(http.StatusOK)
	cursor := "&limit=1&cursor=" + first.Text("pagination.next")
	a.withKey(a.manager).Get(pullsPath+"?type=check"+cursor).WantStatus(http.StatusOK).WantValue("data.0.checks", 1)
	a.withKey(a.manager).Get(pullsPath + "?type=pull" + cursor).WantStatus(http.StatusBadRequest)
}

// TestListPullsNamesTokensAndPeople deletes the owner of one token.
func TestListPullsNamesTokensAndPeople(t *testing.T) {
	a := newPullFixture(t)
	made := a.withKey(a.manager).Post("/api/v1/tokens", `{"name":"pipeline","scopes":["read:helm-charts"]}`).
		WantStatus(http.StatusCreated)
	a.record(a.image(a.now, "2.0", made.Text("data.id")))
	if err := a.users.Delete(t.Context(), principal.Operator(), versions.Target{ID: a.grace.ID}); err != nil {
		t.Fatal(err)
	}
	named := a.withKey(a.manager).Get(pullsPath).WantStatus(http.StatusOK)
	named.WantValue("data.0.tokenName", "pipeline").WantValue("data.0.ownerEmail", "ada@example.com")
	named.WantValue("data.1.reference", "1.1").WantValue("data.1.tokenName", nil).WantValue("data.1.ownerEmail", nil)
}

func TestListPullsFiltersByCallerAndQuery(t *testing.T) {
	a := newPullFixture(t)
	for _, c := range []struct{ key, query, references string }{
		{a.adaKey, "", "1.0 1.0"},
		{a.graceKey, "", "1.1"},
		{a.manager, "", "1.1 1.0 1.0"},
		{a.adaKey, "?token=adaAAAAAAAA1", "1.0"},
		{a.adaKey, "?token=graceAAAAAA1", ""},
		{a.manager, "?token=graceAAAAAA1", "1.1"},
		{a.manager, "?token=nobodyAAAAAA", ""},
		{a.adaKey, "?repository=acme/api", "1.0"},
		{a.manager, "?repository=acme/api", "1.1 1.0"},
		{a.manager, "?repository=acme%2Fapi&kind=chart", ""},
		{a.manager, "?kind=chart", "1.0"},
		{a.adaKey, "?token=adaAAAAAAAA1&repository=acme/api&kind=image&from=2026-01-01", "1.0 0.9"},
		{a.manager, "?from=2025-12-01", "1.1 1.0 1.0 0.9"},
		{a.manager, "?from=2026-01-01&to=2026-02-28", "0.9"},
		{a.manager, "?to=2026-02-28", ""},
		{a.manager, "?from=2026-03-02T08:01:00Z", "1.1 1.0"},
		{a.manager, "?from=2026-03-02T08:01:00.0001Z", "1.1"},
		{a.manager, "?to=2026-03-02T08:02:00Z", "1.0 1.0"},
		{a.manager, "?to=2026-03-02T08:02:00.000000001Z", "1.1 1.0 1.0"},
		{a.manager, "?from=2026-03-02T09:01:00%2B01:00&to=2026-03-02T09:02:00%2B01:00", "1.0"},
	} {
		t.Run(c.query+" "+c.references, func(t *testing.T) {
			response := a.withKey(c.key).For(t).Get(pullsPath+c.query).WantStatus(http.StatusOK).WantValue("pagination.next", nil)
			found, _ := response.JSON("data").([]any)
			references := make([]string, len(found))
			for i, p := range found {
				references[i], _ = p.(map[string]any)["reference"].(string)
			}
			if got := strings.Join(references, " "); got != c.references {
				t.Errorf("found %q, want %q", got, c.references)
			}
		})
	}
	for query, count := range map[string]int{"?userId=" + a.ada.ID: 2, "?userId=" + a.ada.ID + "&kind=image": 1,
		"?userId=" + a.grace.ID: 1} {
		if n := len(a.withKey(a.manager).Get(pullsPath + query).WantStatus(http.StatusOK).List("data")); n != count {
			t.Errorf("%s: %d pulls, want %d", query, n, count)
		}
	}
	a.withKey(a.graceKey).Get(pullsPath+"?userId="+a.ada.ID).WantStatus(http.StatusOK).WantValue("data", []any{})
	a.withKey(a.graceKey).Get(pullsPath+"?userId="+a.grace.ID).WantStatus(http.StatusOK).
		WantValue("data.0.reference", "1.1")
	a.anonymous().Get(pullsPath).WantStatus(http.StatusUnauthorized)
	token := a.withKey(a.manager).Post("/api/v1/tokens", images).WantStatus(http.StatusCreated).Text("data.token")
	a.withToken(token).Get(pullsPath).WantStatus(http.StatusUnauthorized)
}

// The customers of the tests.
const acme, bolt = "0199cccc-0000-7000-8000-00000000000a", "0199cccc-0000-7000-8000-00000000000b"

// customer adds a customer.
func (d *fixture) customer(id string) {
	d.tb.Helper()
	writes := []types.TransactWriteItem{d.table.Customers.Add(id, customerstates.State{})}
	if err := transactions.Write(d.tb.Context(), d.client, writes); err != nil {
		d.tb.Fatal(err)
	}
}

// member creates a user of a customer with an API key.
func (d *fixture) member(email, customer string, role principal.Role) (id, key string) {
	d.tb.Helper()
	input := users.NewUser{Email: email, Name: email, Role: role, CustomerID: customer}
	created, err := d.users.Create(d.tb.Context(), users.CreateOptions{Caller: principal.Operator()}, input)
	if err != nil {
		d.tb.Fatal(err)
	}
	issued, err := d.keys.Create(d.tb.Context(), principal.Operator(), created.User.ID, users.NewKey{Name: "test"})
	if err != nil {
		d.tb.Fatal(err)
	}
	return created.User.ID, issued.Secret.Reveal()
}

// TestListPullsOfCustomers has pulls of two customers and of the staff, one of them by a user who moved from one
// customer to the other.
//
//proves:docs/security.md
func TestListPullsOfCustomers(t *testing.T) {
	a := newPullFixture(t)
	a.customer(acme)
	a.customer(bolt)
	boss, bossKey := a.member("boss@acme.example", acme, principal.Manager)
	worker, workerKey := a.member("worker@acme.example", acme, principal.User)
	moved, movedKey := a.member("moved@bolt.example", bolt, principal.Manager)
	of := func(owner, customer, tag, token string) pulls.Pull {
		return pulls.Pull{
			At: a.now.Add(-time.Minute), Kind: pulls.Image, Repository: "acme/app", Reference: tag, CredentialID: token,
			OwnerID:    owner,
			CustomerID: customer,
		}
	}
	a.record(of(boss, acme, "boss", "bossAAAAAAA1"), of(worker, acme, "worker", "workerAAAAA1"),
		of(moved, acme, "before", "movedAAAAAA1"),
		of(moved, bolt, "after", "movedAAAAAA2"))
	for _, c := range []struct{ key, query, references string }{
		{bossKey, "", "before boss worker"},
		{bossKey, "?customerId=" + acme, "before boss worker"},
		{bossKey, "?customerId=" + bolt, ""},
		{bossKey, "?userId=" + worker, "worker"},
		{bossKey, "?userId=" + moved, "before"},
		{bossKey, "?userId=" + a.ada.ID, ""},
		{bossKey, "?repository=acme/app", "before boss worker"},
		{bossKey, "?repository=acme/api", ""},
		{bossKey, "?token=workerAAAAA1", "worker"},
		{bossKey, "?token=movedAAAAAA1", "before"},
		{bossKey, "?token=movedAAAAAA2", ""},
		{bossKey, "?token=adaAAAAAAAA1", ""},
		{workerKey, "", "worker"},
		{workerKey, "?userId=" + boss, ""},
		{movedKey, "", "after"},
		{movedKey, "?userId=" + moved, "after"},
		{a.manager, "?customerId=" + acme, "before boss worker"},
		{a.manager, "?customerId=" + bolt + "&userId=" + moved, "after"},
		{a.manager, "?customerId=" + acme + "&repository=acme/app&kind=image", "before boss worker"},
		{a.manager, "?repository=acme/app", "after before boss worker"},
		{a.manager, "?userId=" + moved, "after before"},
		{a.adaKey, "?customerId=" + acme, ""},
	} {
		t.Run(c.query+" "+c.references, func(t *testing.T) {
			page := a.withKey(c.key).For(t).Get(pullsPath + c.query).WantStatus(http.StatusOK)
			var references []string
			for i := range page.List("data") {
				references = append(references, page.Text(fmt.Sprintf("data.%d.reference", i)))
			}
			slices.Sort(references)
			if got := strings.Join(references, " "); got != c.references {
				t.Errorf("%s finds %q, want %q", c.query, got, c.references)
			}
		})
	}
	own := a.withKey(bossKey).Get(pullsPath+"?userId="+moved).WantValue("data.0.customerId", acme)
	own.WantValue("data.0.ownerEmail", nil) // the user has left the customer
	a.withKey(a.manager).Get(pullsPath+"?token=movedAAAAAA1").WantValue("data.0.ownerEmail", "moved@bolt.example")
}

func TestListPullsPages(t *testing.T) {
	a := newPullFixture(t)
	query, seen := pullsPath+"?from=2026-01-01&limit=1", []string(nil)
	next := ""
	for range 4 {
		response := a.withKey(a.manager).Get(query + next).WantStatus(http.StatusOK)
		seen = append(seen, response.Text("data.0.reference"))
		if response.JSON("pagination.hasMore") == false {
			break
		}
		next = "&cursor=" + response.Text("pagination.next")
	}
	if want := []string{"1.1", "1.0", "1.0", "0.9"}; !slices.Equal(seen, want) {
		t.Errorf("pages %v, want %v", seen, want)
	}
	for name, target := range map[string]string{
		"another caller": query + next,
		"another list":   pullsPath + "?from=2026-01-02&limit=1" + next,
		"truncated":      query + next[:len(next)-4],
		"forged":         query + "&cursor=" + base64.RawURLEncoding.EncodeToString([]byte("0123456789")),
		"not base64":     query + "&cursor=%C3%A9",
		"too long":       query + "&cursor=" + strings.Repeat("a", 201),
	} {
		key := a.manager
		if name == "another caller" {
			key = a.adaKey
		}
		pointers := a.withKey(key).Get(target).WantStatus(http.StatusBadRequest).Pointers()
		if !slices.Equal(pointers, []string{"query/cursor"}) {
			t.Errorf("%s: pointers %v", name, pointers)
		}
	}
}

func TestListPullsRejectsInvalidQueries(t *testing.T) {
	a := newPullFixture(t)
	for query, pointers := range map[string][]string{
		"token=x": {"query/token"},
		"token=" + url.QueryEscape("adaAAAAAAAA'"): {"query/token"},
		"token=":                                 {"query/token"},
		"repository=a%20b":                       {"query/repository"},
		"repository=a%00":                        {"query/repository"},
		"repository=" + strings.Repeat("a", 256): {"query/repository"},
		"kind=layer":                             {"query/kind"},
		"type=head":                              {"query/type"},
		"limit=0":                                {"query/limit"},
		"limit=101":                              {"query/limit"},
		"limit=ten":                              {"query/limit"},
		"from=yesterday":                         {"query/from"},
		"from=2026-02-30":                        {"query/from"},
		"from=1999-12-31":                        {"query/from"},
		"to=9999-01-01":                          {"query/to"},
		"to=0000-01-01T00:00:00%2B01:00":         {"query/to"},
		"to=2026-03-02T09:00:00":                 {"query/to"},
		"to=2026-03-02T09:00:00+01:00":           {"query/to"}, // + is decoded to a space
		"from=2026-03-03":                        {"query/from"},
		"from=2026-03-02T08:00:00Z&to=2026-03-02T08:00:00Z": {"query/from"},
		"from=2026-03-02&to=2026-03-01":                     {"query/from"},
		"from=2025-01-26&to=2026-03-02":                     {"query/from"}, // 401 days, including the last one
		"since=2026-03-01":                                  {"query/since"},
		"from=2026-03-01&from=2026-03-01":                   {"query/from"},
		"from=x&to=y&token=z":                               {"query/from", "query/to", "query/token"},
	} {
		got := a.withKey(a.adaKey).Get(pullsPath + "?" + query).WantStatus(http.StatusBadRequest).Pointers()
		slices.Sort(got)
		if !slices.Equal(got, pointers) {
			t.Errorf("%s: pointers %v, want %v", query, got, pointers)
		}
	}
	a.withKey(a.adaKey).Get(pullsPath + "?from=2025-01-27&to=2026-03-02").WantStatus(http.StatusOK)
	a.withKey(a.adaKey).Get(pullsPath + "?from=2000-01-01&to=2000-01-01").WantStatus(http.StatusOK)
	a.withKey(a.adaKey).Get(pullsPath + "?from=9998-12-31&to=9998-12-31").WantStatus(http.StatusOK)
	a.withKey(a.adaKey).Do(http.MethodPost, pullsPath, "").WantStatus(http.StatusMethodNotAllowed)
}
