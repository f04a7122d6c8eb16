package resources

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"portside/cmd/portside/cli/clitest"
)

const (
	entitlementID = "01939f6f-1d3c-7b4e-9a55-3d7c1f0e8b64"
	entitlement   = `{"id":"` + entitlementID + `","artifact":"chart","repository":"acme/*","versions":"^1.2.0","from":null,` +
		`"until":"2027-04-01T00:00:00Z","status":"active","createdAt":"2026-03-02T09:15:30Z","updatedAt":"2026-03-02T09:15:30Z"}`
	entitlementsPath = "/v1/customers/" + acmeID + "/entitlements"
)

// entitlementAnswers is a service whose customer acme has one entitlement.
func entitlementAnswers() map[string]http.HandlerFunc {
	answers, one := customerAnswers(), clitest.Answer(`{"data":`+entitlement+`}`)
	answers["GET "+entitlementsPath] = clitest.Answer(`{"data":[` + entitlement +
		`],"pagination":{"total":1,"limit":100,"offset":0,"hasMore":false}}`)
	answers["POST "+entitlementsPath] = one
	answers["GET "+entitlementsPath+"/"+entitlementID] = one
	answers["PUT "+entitlementsPath+"/"+entitlementID] = one
	answers["DELETE "+entitlementsPath+"/"+entitlementID] = clitest.Answer("")
	return answers
}

func TestEntitlementsAreListed(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, entitlementAnswers()).LoggedIn()
	got := c.Want("entitlements", "list", "--customer", "acme")
	for _, text := range []string{"STATUS", entitlementID + "  chart     acme/*      ^1.2.0    active"} {
		if !strings.Contains(got, text) {
			t.Errorf("%q is missing in\n%s", text, got)
		}
	}
	c.WantCalls("GET /v1/customers/search?limit=100&q=acme", "GET "+entitlementsPath+"?limit=100")
	clitest.WantText(t, c.Want("entitlements", "list", "--customer", acmeID, "--csv"),
		"id,artifact,repository,versions,status,from,until,createdAt,updatedAt\n"+
			entitlementID+",chart,acme/*,^1.2.0,active,,2027-04-01T00:00:00Z,2026-03-02T09:15:30Z,2026-03-02T09:15:30Z\n")
	c.WantUsageError("pass --customer", "entitlements", "list")
	c.WantError("no customer has the slug ac", "entitlements", "list", "--customer", "ac")
}

func TestEntitlementsAreChanged(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, entitlementAnswers()).LoggedIn()
	of := []string{"--customer", acmeID}
	run := func(args ...string) { c.Want(append(append([]string{"entitlements"}, args...), of...)...) }
	run("create", "--artifact", "chart", "--repository", "acme/*", "--versions", "^1.2.0", "--from", "2026-10-01",
		"--until", "2027-04-01T08:00:00+02:00")
	run("create", "--artifact", "image", "--repository", "*", "--from", "")
	run("update", entitlementID, "--versions", "*", "--from", "", "--until", "2027-04-01")
	run("update", entitlementID, "--artifact", "image", "--repository", "acme/api")
	c.WantUsageError("pass --yes", "entitlements", "delete", entitlementID, "--customer", acmeID)
	run("delete", entitlementID, "--yes")
	at := entitlementsPath + "/" + entitlementID
	c.WantCalls("POST "+entitlementsPath, "POST "+entitlementsPath, "PUT "+at, "PUT "+at, "GET "+at, "GET "+at, "DELETE "+at)
	want := []string{
		`{"artifact":"chart","from":"2026-10-01T00:00:00Z","repository":"acme/*","until":"2027-04-01T08:00:00+02:00","versions":"^1.2.0"}`,
		`{"artifact":"image","repository":"*"}`, `{"versions":"*","from":null,"until":"2027-04-01T00:00:00Z"}`,
		`{"artifact":"image","repository":"acme/api"}`, "", "", "",
	}
	if !slices.Equal(c.Bodies, want) {
		t.Errorf("sent\n%q\nwant\n%q", c.Bodies, want)
	}
}

func TestEntitlementFlagsAreChecked(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, entitlementAnswers()).LoggedIn()
	c.WantUsageError("pass --artifact and --repository", "entitlements", "create", "--customer", acmeID, "--artifact", "chart")
	c.WantUsageError("pass --customer", "entitlements", "create", "--artifact", "chart", "--repository", "*")
	c.WantUsageError("pass what to change", "entitlements", "update", entitlementID, "--customer", acmeID)
	c.WantUsageError("the ID of the entitlement is missing", "entitlements", "delete", "--customer", acmeID)
	for _, text := range []string{"tomorrow", "2026-10-01 08:00", "2026-02-30"} {
		c.WantUsageError("is neither a day such as", "entitlements", "update", entitlementID, "--customer", acmeID, "--until", text)
		c.WantUsageError("is neither a day such as", "entitlements", "create", "--artifact", "chart", "--repository", "*", "--from", text)
	}
	c.WantCalls()
}
