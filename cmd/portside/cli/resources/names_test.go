package resources

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"portside/cmd/portside/cli/clitest"
)

// boltID is the ID of a customer that the caller cannot read.
const boltID = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e22"

// usersOf answers with a user of each customer.
func usersOf(customerIDs ...string) http.HandlerFunc {
	listed := make([]string, len(customerIDs))
	for i, id := range customerIDs {
		listed[i] = fmt.Sprintf(`{"id":"%d","email":"%d@example.com","name":"A","customerId":%q,"role":"user","status":"active"}`, i, i, id)
	}
	return clitest.Answer(`{"data":[` + strings.Join(listed, ",") + `],"pagination":{"total":9,"limit":100,"offset":0,"hasMore":false}}`)
}

func TestTablesShowTheSlugsOfCustomers(t *testing.T) {
	t.Parallel()
	answers := customerAnswers()
	maps.Copy(answers, userAnswers())
	answers["GET /v1/users"] = usersOf(acmeID, boltID, acmeID)
	c := newTestCLI(t, answers).LoggedIn()
	got := c.Want("users", "list")
	for _, part := range []string{"0@example.com  A     acme ", "1@example.com  A     " + boltID, "2@example.com  A     acme "} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is missing in\n%s", part, got)
		}
	}
	c.WantCalls("GET /v1/users?limit=100", "GET /v1/customers/"+acmeID, "GET /v1/customers/"+boltID)
	if got := c.Want("users", "get", adaID); !strings.Contains(got, "CUSTOMER     acme\n") {
		t.Error(got)
	}
	c.Calls = nil
	if got := c.Want("users", "list", "--csv"); !strings.Contains(got, ","+acmeID+",") {
		t.Error(got)
	}
	c.Want("users", "get", adaID, "--json")
	c.WantCalls("GET /v1/users?limit=100", "GET /v1/users/"+adaID)
}

func TestLookupsOfCustomersAreFew(t *testing.T) {
	t.Parallel()
	ids := make([]string, 150)
	for i := range ids {
		ids[i] = fmt.Sprintf("01939f6e-8a8e-7d5c-a3c1-%012d", i)
	}
	answers := map[string]http.HandlerFunc{"GET /v1/users": usersOf(ids...), "GET /v1/customers/{id}": clitest.Answer(acmeWhole)}
	c := newTestCLI(t, answers).LoggedIn()
	c.Want("users", "list")
	if lookups := len(c.Calls) - 1; lookups != maxLookups {
		t.Errorf("%d lookups", lookups)
	}
	answers["GET /v1/customers/{id}"] = clitest.Problem(http.StatusForbidden, "FORBIDDEN", "You may not read customers.")
	c = newTestCLI(t, answers).LoggedIn()
	c.Want("users", "list")
	if !slices.Equal(c.Calls, []string{"GET /v1/users?limit=100", "GET /v1/customers/" + ids[0]}) {
		t.Errorf("the calls are %q", c.Calls)
	}
}
