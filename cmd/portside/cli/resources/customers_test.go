package resources

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"portside/cmd/portside/cli/clitest"
)

const acmeID = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"

const acmeWhole = `{"data":{"id":"` + acmeID + `","name":"Acme Shipping","slug":"acme","status":"active","externalId":"C-1815",
"contacts":[{"name":"Ada","email":"ada@example.com","role":""},{"name":"","email":"bob@example.com","role":""}],
"limits":{"users":50,"requestsPerMinute":6000},"users":2,"metadata":{},"createdAt":"2026-03-02T09:15:30Z","updatedAt":"2026-03-02T09:15:30Z"}}`

// customerAnswers is a service with the customers acme and acme-2.
func customerAnswers() map[string]http.HandlerFunc {
	const listed = `{"id":"2","slug":"acme-2","name":"Acme 2"},{"id":"` + acmeID + `","slug":"acme","name":"Acme Shipping"}`
	return map[string]http.HandlerFunc{
		"GET /v1/customers": clitest.Answer(`{"data":[` + listed +
			`],"pagination":{"total":2,"limit":100,"offset":0,"hasMore":false}}`),
		"GET /v1/customers/search": clitest.Answer(`{"data":[` + listed +
			`],"pagination":{"limit":100,"hasMore":false,"next":null}}`),
		"POST /v1/customers":             clitest.Answer(acmeWhole),
		"GET /v1/customers/" + acmeID:    clitest.Answer(acmeWhole),
		"PUT /v1/customers/" + acmeID:    clitest.Answer(acmeWhole),
		"DELETE /v1/customers/" + acmeID: clitest.Answer(""),

		"DELETE /v1/customers/" + acmeID + "/credentials": clitest.Answer(""),
	}
}

func TestCustomersAreFoundBySlug(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, customerAnswers()).LoggedIn()
	got := c.Want("customers", "get", "acme")
	for _, line := range []string{"SLUG            acme\n", "USERS           2\n", "USERS LIMIT     50\n", "REQUESTS LIMIT  6000\n",
		"Ada <ada@example.com> bob@example.com\n"} {
		if !strings.Contains(got, line) {
			t.Errorf("%q is missing in\n%s", line, got)
		}
	}
	c.WantCalls("GET /v1/customers/search?limit=100&q=acme", "GET /v1/customers/"+acmeID)
	if got := c.Want("customers", "list", "--status", "active", "--csv"); !strings.Contains(got, acmeID+",acme,Acme Shipping,") {
		t.Errorf("the list is %s", got)
	}
	c.Want("customers", "find", "ship")
	c.WantCalls("GET /v1/customers?limit=100&status=active", "GET /v1/customers/search?limit=100&q=ship")
	c.WantError("no customer has the slug ac", "customers", "get", "ac")
	c.WantUsageError("the slug or the ID of the customer is missing", "customers", "get")
}

func TestCustomersAreChanged(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, customerAnswers()).LoggedIn()
	c.Want("customers", "create", "Acme Shipping", "--slug", "acme", "--external-id", "C-1815", "--users-limit", "50",
		"--requests-limit", "6000", "--status", "active",
		"--contact", "Ada <ada@example.com>", "--contact", "bob@example.com", "--metadata", `{"n":12345678901234567890}`)
	c.Want("customers", "update", acmeID, "--status", "suspended")
	c.Want("customers", "update", acmeID, "--contact", "", "--users-limit", "0", "--external-id", "")
	c.Want("customers", "update", acmeID, "--requests-limit", "0")
	c.WantUsageError("pass what to change", "customers", "update", acmeID)
	c.WantUsageError("pass --yes", "customers", "delete", acmeID)
	c.Want("customers", "delete", acmeID, "--yes")
	c.WantUsageError("pass --yes", "customers", "revoke-credentials", acmeID)
	c.Want("customers", "revoke-credentials", acmeID, "--yes")
	c.WantCalls("POST /v1/customers", "PUT /v1/customers/"+acmeID, "PUT /v1/customers/"+acmeID, "PUT /v1/customers/"+acmeID,
		"GET /v1/customers/"+acmeID, "GET /v1/customers/"+acmeID, "DELETE /v1/customers/"+acmeID, "GET /v1/customers/"+acmeID,
		"GET /v1/customers/"+acmeID, "DELETE /v1/customers/"+acmeID+"/credentials")
	want := []string{
		`{"contacts":[{"email":"ada@example.com","name":"Ada"},{"email":"bob@example.com"}],"externalId":"C-1815",` +
			`"limits":{"requestsPerMinute":6000,"users":50},` +
			`"metadata":{"n":12345678901234567890},"name":"Acme Shipping","slug":"acme","status":"active"}`,
		`{"status":"suspended"}`, `{"contacts":[],"externalId":"","limits":{"users":null}}`, `{"limits":{"requestsPerMinute":null}}`,
		"", "", "", "", "", "",
	}
	if !slices.Equal(c.Bodies, want) {
		t.Errorf("sent\n%q\nwant\n%q", c.Bodies, want)
	}
}

func TestCustomersAreSuspendedAndActivated(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, customerAnswers()).LoggedIn()
	c.Want("customers", "suspend", "acme")
	c.Want("customers", "activate", acmeID)
	c.WantUsageError("the slug or the ID of the customer is missing", "customers", "suspend")
	c.WantCalls("GET /v1/customers/search?limit=100&q=acme", "PUT /v1/customers/"+acmeID, "PUT /v1/customers/"+acmeID)
	if want := []string{"", `{"status":"suspended"}`, `{"status":"active"}`}; !slices.Equal(c.Bodies, want) {
		t.Errorf("sent %q, want %q", c.Bodies, want)
	}
}

func TestCustomerFlagsAreChecked(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, customerAnswers()).LoggedIn()
	c.WantUsageError("pass --slug", "customers", "create", "Acme")
	c.WantUsageError(`"Ada" is not of the form`, "customers", "create", "Acme", "--slug", "acme", "--contact", "Ada")
	for _, text := range []string{"[]", "null", "{} {}", "x"} {
		c.WantUsageError("--metadata must be a JSON object", "customers", "update", acmeID, "--metadata", text)
	}
	c.WantCalls()
}
