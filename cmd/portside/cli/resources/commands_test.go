package resources

import (
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"portside/cmd/portside/cli"
	"portside/cmd/portside/cli/clitest"
)

const adaWhole = `{"data":{"id":"` + adaID + `","email":"ada@example.com","name":"Ada","customerId":"` + acmeID + `",
"role":"admin","status":"active","department":"","metadata":{},"permissions":["users:read","users:write"],
"createdAt":"2026-03-02T09:15:30Z","updatedAt":"2026-03-02T09:15:30Z","lastLoginAt":null}}`

// userAnswers is a service with one user.
func userAnswers() map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"GET /v1/users": func(w http.ResponseWriter, r *http.Request) {
			if email := r.URL.Query().Get("email"); email != "" && email != "ada@example.com" {
				clitest.Answer(clitest.NoUsers)(w, r)
				return
			}
			clitest.Answer(`{"data":[`+clitest.Ada+`],"pagination":{"total":1,"limit":20,"offset":0,"hasMore":false}}`)(w, r)
		},
		"POST /v1/users":            clitest.Answer(adaWhole),
		"GET /v1/users/" + adaID:    clitest.Answer(adaWhole),
		"PUT /v1/users/" + adaID:    clitest.Answer(adaWhole),
		"DELETE /v1/users/" + adaID: clitest.Answer(""),
	}
}

func TestUsersAreFoundByAddress(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, userAnswers()).LoggedIn()
	got := c.Want("users", "get", "ada@example.com")
	for _, line := range []string{
		"EMAIL        ada@example.com\n", "CUSTOMER     " + acmeID + "\n",
		"PERMISSIONS  users:read users:write\n", "LAST LOGIN\n",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("%q is missing in\n%s", line, got)
		}
	}
	c.WantCalls("GET /v1/users?email=ada%40example.com", "GET /v1/users/"+adaID, "GET /v1/customers/"+acmeID) // which does not exist
	c.WantError("no user has the address bob@example.com", "users", "get", "bob@example.com")
	c.WantUsageError("the email address or the ID of the user is missing", "users", "get")
	c.WantUsageError(`unexpected argument "b"`, "users", "get", "a", "b")
	c.WantUsageError(`unknown command "gett"; did you mean get?`, "users", "gett")
}

func TestUsersAreChanged(t *testing.T) {
	t.Parallel()
	answers := userAnswers()
	answers["GET /v1/users/"+adaID+"/api-keys"] = clitest.Answer(`{"data":[]}`)
	c := newTestCLI(t, answers).LoggedIn()
	c.Want("users", "create", "ada@example.com", "--name", "Ada", "--role", "admin", "--no-mail", "--json")
	c.Want("users", "update", "ada@example.com", "--department", "", "--csv")
	c.Want("users", "suspend", adaID, "--yes", "--json")
	c.WantUsageError("pass what to change", "users", "update", adaID)
	c.WantUsageError("pass --yes", "users", "delete", adaID)
	c.Want("users", "delete", adaID, "--yes")
	c.WantCalls("POST /v1/users", "GET /v1/users?email=ada%40example.com", "PUT /v1/users/"+adaID, "PUT /v1/users/"+adaID,
		"GET /v1/users/"+adaID, "GET /v1/users/"+adaID+"/api-keys", "GET /v1/users/"+adaID, "DELETE /v1/users/"+adaID)
	want := []string{
		`{"email":"ada@example.com","name":"Ada","role":"admin","sendActivationEmail":false}`, "",
		`{"department":""}`, `{"status":"suspended"}`, "", "", "", "",
	}
	if !slices.Equal(c.Bodies, want) {
		t.Errorf("sent %q, want %q", c.Bodies, want)
	}
}

func TestOwnAccountIsNotChangedByMistake(t *testing.T) {
	t.Parallel()
	answers := userAnswers()
	answers["GET /v1/users/"+adaID+"/api-keys"] = clitest.Answer(`{"data":[{"id":"3vQB7B6MrGQZ"}]}`) // the key of the tests
	c := newTestCLI(t, answers).LoggedIn()
	c.WantUsageError("pass --yes", "users", "suspend", adaID)
	c.WantUsageError("pass --yes", "users", "update", adaID, "--role", "viewer")
	c.Want("users", "update", adaID, "--name", "Ada L.") // takes no right away
	c.Want("users", "update", adaID, "--role", "admin")  // the role is the same
	c.WantUsageError("pass --yes", "users", "delete", adaID)
	c.Want("users", "suspend", adaID, "--yes")

	answers["GET /v1/users/"+adaID+"/api-keys"] = clitest.Answer(`{"data":[{"id":"another"}]}`)
	newTestCLI(t, answers).LoggedIn().Want("users", "suspend", adaID)
	answers["GET /v1/users/"+adaID+"/api-keys"] = clitest.Problem(http.StatusForbidden, "FORBIDDEN", "Users list only their own keys.")
	newTestCLI(t, answers).LoggedIn().Want("users", "suspend", adaID)
}

func TestProjectsAndTokensOfCustomers(t *testing.T) {
	t.Parallel()
	answers := customerAnswers()
	project := `{"id":"p1","name":"Engine","customerId":"` + acmeID + `","status":"active","ownerId":"` + adaID + `"}`
	answers["GET /v1/projects"] = clitest.Answer(`{"data":[` + project + `],"pagination":{"total":1,"limit":100,"offset":0,"hasMore":false}}`)
	answers["GET /v1/projects/search"] = clitest.Answer(`{"data":[],"pagination":{"limit":100,"hasMore":false,"next":null}}`)
	answers["POST /v1/projects"] = clitest.Answer(`{"data":` + project + `}`)
	answers["GET /api/v1/tokens"] = clitest.Answer(`{"data":[{"id":"3vQB7B6MrGQZ"}],"pagination":{"limit":100,"hasMore":false,"next":null}}`)
	c := newTestCLI(t, answers).LoggedIn()
	if got := c.Want("projects", "list", "--customer", "acme", "--status", "active"); !strings.Contains(got, "Engine  acme ") {
		t.Errorf("the list is %s", got)
	}
	c.Want("projects", "find", "eng", "--customer", acmeID)
	c.Want("projects", "create", "Engine", "--customer", "acme", "--json")
	c.Want("tokens", "list", "--customer", "acme")
	c.WantUsageError("exclude each other", "tokens", "list", "--customer", "acme", "--user", adaID)
	const search = "GET /v1/customers/search?limit=100&q=acme"
	c.WantCalls(search, "GET /v1/projects?customerId="+acmeID+"&limit=100&status=active", "GET /v1/customers/"+acmeID,
		"GET /v1/projects/search?customerId="+acmeID+"&limit=100&q=eng", search, "POST /v1/projects",
		search, "GET /api/v1/tokens?customerId="+acmeID+"&limit=100")
}

func TestUsersOfCustomers(t *testing.T) {
	t.Parallel()
	answers := customerAnswers()
	maps.Copy(answers, userAnswers())
	answers["GET /v1/users/search"] = clitest.Answer(`{"data":[` + clitest.Ada + `],"pagination":{"limit":100,"hasMore":false,"next":null}}`)
	answers["GET /v1/users/"+adaID+"/api-keys"] = clitest.Answer(`{"data":[{"id":"3vQB7B6MrGQZ"}]}`) // the key of the tests
	c := newTestCLI(t, answers).LoggedIn()
	c.Want("users", "list", "--customer", "acme", "--role", "admin", "--status", "active")
	c.Want("users", "find", "ada", "--customer", acmeID)
	c.Want("users", "create", "ada@example.com", "--name", "Ada", "--customer", "acme", "--json")
	const search = "GET /v1/customers/search?limit=100&q=acme"
	c.WantCalls(search, "GET /v1/users?customerId="+acmeID+"&limit=100&role=admin&status=active",
		"GET /v1/users/search?customerId="+acmeID+"&limit=100&q=ada", search, "POST /v1/users")
	c.Bodies = nil
	c.Want("users", "update", adaID, "--customer", "acme") // Ada belongs to acme already
	c.WantUsageError("pass --yes", "users", "update", adaID, "--customer", "")
	c.Want("users", "update", adaID, "--customer", "", "--name", "Ada L.", "--yes")
	c.WantUsageError("pass --yes", "users", "update", adaID, "--customer", "acme-2")
	c.Want("users", "update", adaID, "--customer", "acme-2", "--yes")
	want := []string{`{"customerId":"` + acmeID + `"}`, `{"name":"Ada L.","customerId":null}`, `{"customerId":"2"}`}
	if got := slices.DeleteFunc(c.Bodies, func(body string) bool { return body == "" }); !slices.Equal(got, want) {
		t.Errorf("sent %q, want %q", got, want)
	}
	c.Calls = nil
	for _, arguments := range [][]string{{"list"}, {"find", "a"}, {"create", "a@b.c", "--name", "A"}, {"update", adaID}} {
		c.WantError("no customer has the slug ac", append([]string{"users"}, append(arguments, "--customer", "ac")...)...)
	}
	c.WantCalls(slices.Repeat([]string{"GET /v1/customers/search?limit=100&q=ac"}, 4)...)
}

func TestAnotherCustomerEndsTheCredentials(t *testing.T) {
	t.Parallel()
	answers := customerAnswers()
	maps.Copy(answers, userAnswers())
	answers["GET /v1/users/"+adaID+"/api-keys"] = clitest.Answer(`{"data":[{"id":"another"}]}`)
	c := newTestCLI(t, answers).LoggedIn()
	c.WantUsageError("pass --yes", "users", "update", adaID, "--customer", "acme-2")
	const ended = "Ended all credentials of ada@example.com (Ada), because the customer is another one.\n"
	for customer, want := range map[string]string{"acme-2": ended, "": ended, "acme": "", strings.ToUpper(acmeID): ""} {
		_, stderr, err := c.Run("users", "update", adaID, "--customer", customer, "--yes")
		if err != nil || stderr != want {
			t.Errorf("%q: %v, %q", customer, err, stderr)
		}
	}
}

func TestErrorsNameFlags(t *testing.T) {
	t.Parallel()
	answers := userAnswers()
	answers["GET /api/v1/pulls"] = func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"code":"VALIDATION_ERROR","errors":[
{"pointer":"query/from","detail":"must be a day; in a query, write + as %2B"}]}`)
	}
	answers["POST /v1/users"] = func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"code":"VALIDATION_ERROR","errors":[{"pointer":"/email","detail":"must be an address."}]}`)
	}
	answers["GET /v1/users"] = func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }
	c := newTestCLI(t, answers).LoggedIn()
	c.WantError("the service refuses these values; --from: must be a day", "pulls", "list", "--from", "x")
	c.WantError("the service refuses these values; --month: must be a day", "pulls", "list", "--month", "2027-01")
	c.WantError("the service refuses these values; email: must be an address", "users", "create", "x", "--name", "X")
	if _, _, err := c.Run("users", "create", "x", "--name", "X"); !cli.IsRefusedInput(err) {
		t.Errorf("%v must count as invalid usage", err)
	}
	for _, body := range []string{"{}", "null", `{"data":null}`} {
		answers["GET /v1/projects"], answers["GET /v1/users/"+adaID] = clitest.Answer(body), clitest.Answer(body)
		answers["GET /v1/users"] = clitest.Answer(body)
		other := newTestCLI(t, answers).LoggedIn()
		other.WantError("the answer does not come from Portside", "users", "get", "ada@example.com")
		other.WantError("the answer does not come from Portside", "projects", "list")
		other.WantError("the answer does not come from Portside", "users", "get", adaID)
	}
	c.WantError("the answer does not come from Portside: check the address", "users", "list")
	c.WantUsageError(`"nobody" is neither an email address nor an ID`, "users", "get", "nobody")
	c.WantError("must be a whole number of at least 1", "users", "list", "--limit", "0")
	c.WantError("must be a whole number of at least 1", "users", "list", "--limit", "x")
}

func TestUsersAndProjectsAreFound(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, map[string]http.HandlerFunc{
		"GET /v1/users/search":    clitest.Answer(`{"data":[` + clitest.Ada + `],"pagination":{"limit":100,"hasMore":false,"next":null}}`),
		"GET /v1/projects/search": clitest.Answer(`{"data":[{"id":"7","name":"Engine"}],"pagination":{"limit":100,"hasMore":false,"next":null}}`),
	}).LoggedIn()
	if got := c.Want("users", "find", "ada b", "--csv"); !strings.Contains(got, adaID+",ada@example.com") {
		t.Error(got)
	}
	if got := c.Want("projects", "find", "eng"); !strings.Contains(got, "Engine") {
		t.Error(got)
	}
	c.WantCalls("GET /v1/users/search?limit=100&q=ada+b", "GET /v1/projects/search?limit=100&q=eng")
	c.WantUsageError("the text is missing", "users", "find")
}

func TestRequestsAreDecided(t *testing.T) {
	t.Parallel()
	request := `{"id":"7","status":"approved","accessLevel":"charts","requester":{"email":"ada@example.com","name":"Ada"},
"userId":"` + adaID + `",
"createdAt":"2026-03-02T09:15:30Z","dueAt":"2026-03-03T09:15:30Z","justification":"staging"}`
	c := newTestCLI(t, map[string]http.HandlerFunc{
		"GET /api/v1/credential-requests":            clitest.Answer(`{"data":[` + request + `],"pagination":{"next":null}}`),
		"POST /api/v1/credential-requests":           clitest.Answer(`{"data":` + request + `}`),
		"POST /api/v1/credential-requests/7/approve": clitest.Answer(`{"data":` + request + `}`),
		"POST /api/v1/credential-requests/7/deny":    clitest.Answer(`{"data":` + request + `}`),
	}).LoggedIn()
	if got := c.Want("requests", "list", "--status", "pending"); !strings.Contains(got, "7   approved  charts  ada@example.com") {
		t.Error(got)
	}
	c.Want("requests", "create", "--access", "charts", "--justification", "staging")
	c.Want("requests", "approve", "7", "--reason", "agreed")
	c.Want("requests", "deny", "7")
	c.WantUsageError("the ID of the request is missing", "requests", "approve")
	c.WantUsageError("pass --access and --justification", "requests", "create")
	want := []string{"", `{"accessLevel":"charts","justification":"staging"}`, `{"reason":"agreed"}`, `{}`}
	if !slices.Equal(c.Bodies, want) {
		t.Errorf("sent %q, want %q", c.Bodies, want)
	}
}

func TestPullsOfAMonth(t *testing.T) {
	t.Parallel()
	pull := `{"id":"5f","at":"2028-02-29T23:59:59Z","kind":"chart","repository":"acme","reference":"1.2.0","ownerId":"1","ownerEmail":null,
"ownerName":null,"tokenId":"3v","tokenName":"build","address":"203.0.113.9","client":"@SUM(A1)","digest":null,"type":"pull","checks":null}`
	page := clitest.Answer(`{"data":[` + pull + `],"pagination":{"next":null}}`)
	c := newTestCLI(t, map[string]http.HandlerFunc{"GET /api/v1/pulls": page}).LoggedIn()
	clitest.WantText(t, c.Want("pulls", "list", "--last-month", "--csv"),
		"at,kind,repository,reference,ownerEmail,tokenName,address,client,ownerName,ownerId,tokenId,digest,id,customerId,type,checks\n"+
			"2028-02-29T23:59:59Z,chart,acme,1.2.0,,build,203.0.113.9,'@SUM(A1),,1,3v,,5f,,pull,\n")
	c.Want("pulls", "list", "--from", "2028-02-01", "--to", "2028-02-02")
	c.WantCalls("GET /api/v1/pulls?from=2028-02-01&limit=100&to=2028-02-29", "GET /api/v1/pulls?from=2028-02-01&limit=100&to=2028-02-02")
	c.WantUsageError("give a month, or --from and --to", "pulls", "list", "--last-month", "--from", "2028-01-01")
}

func TestChecksAreListedApart(t *testing.T) {
	t.Parallel()
	check := `{"id":"5f","at":"2028-02-29T23:00:00Z","kind":"image","repository":"acme/api","reference":"1.2","ownerId":"1","ownerEmail":null,
"ownerName":null,"tokenId":"3v","tokenName":"build","address":"203.0.113.9","client":"Renovate","digest":null,"type":"check","checks":59}`
	page := clitest.Answer(`{"data":[` + check + `],"pagination":{"next":null}}`)
	c := newTestCLI(t, map[string]http.HandlerFunc{"GET /api/v1/pulls": page}).LoggedIn()
	for _, part := range []string{"CHECKS", "59"} {
		if table := c.Want("pulls", "list", "--type", "check"); !strings.Contains(table, part) {
			t.Errorf("the table lacks %s:\n%s", part, table)
		}
	}
	if table := c.Want("pulls", "list"); strings.Contains(table, "CHECKS") {
		t.Errorf("the table of pulls has a column for checks:\n%s", table)
	}
	c.WantCalls("GET /api/v1/pulls?limit=100&type=check", "GET /api/v1/pulls?limit=100&type=check", "GET /api/v1/pulls?limit=100")
}

func TestPullsOfAUser(t *testing.T) {
	t.Parallel()
	answers := userAnswers()
	answers["GET /api/v1/pulls"] = clitest.Answer(`{"data":[],"pagination":{"next":null}}`)
	c := newTestCLI(t, answers).LoggedIn()
	c.Want("pulls", "list", "--user", "ada@example.com")
	c.Want("pulls", "list", "--user", adaID, "--kind", "chart")
	c.WantCalls("GET /v1/users?email=ada%40example.com", "GET /api/v1/pulls?limit=100&userId="+adaID,
		"GET /api/v1/pulls?kind=chart&limit=100&userId="+adaID)
	c.WantError("no user has the address bob@example.com", "pulls", "list", "--user", "bob@example.com")
	c.WantCalls("GET /v1/users?email=bob%40example.com") // and no pulls, which would be those of everybody
}

func TestMonths(t *testing.T) {
	now := time.Date(2028, 3, 1, 1, 0, 0, 0, time.FixedZone("", 2*60*60)) // still 29 February in UTC
	cases := map[string]struct {
		flags monthFlags
		want  days
	}{
		"last month": {monthFlags{last: true}, days{"2028-01-01", "2028-01-31"}},
		"this month": {monthFlags{month: "2028-02"}, days{"2028-02-01", "2028-02-29"}},
		"a month":    {monthFlags{month: "2027-02"}, days{"2027-02-01", "2027-02-28"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got, isSet, err := c.flags.days(now); err != nil || !isSet || got != c.want {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
	for _, flags := range []monthFlags{{month: "2028-03"}, {month: "March"}, {month: "2028-02", last: true}} {
		t.Run(flags.month, func(t *testing.T) {
			if _, _, err := flags.days(now); err == nil {
				t.Errorf("%v has no error", flags)
			}
		})
	}
}

func TestDashboardListsEachMetric(t *testing.T) {
	t.Parallel()
	metrics := `{"users":{"total":127,"active":119,"growth":4.1,"byRole":{"admin":3}}}`
	c := newTestCLI(t, map[string]http.HandlerFunc{"GET /v1/analytics/dashboard": clitest.Answer(`{"data":{
"period":{"type":"custom","startDate":"2028-02-01","endDate":"2028-02-29"},"metrics":` + metrics + `,
"previous":{"period":{"type":"custom","startDate":"2028-01-03","endDate":"2028-01-31"},"metrics":{"users":{"total":90}}}}}`)}).LoggedIn()
	got := c.Want("dashboard", "--last-month", "--compare", "--csv")
	lines := []string{"metric,value,unit,previous\n", "users.total,127,,90\n", "users.growth,4.1,%,0\n", "users.byRole.admin,3,,\n"}
	for _, line := range lines {
		if !strings.Contains(got, line) {
			t.Errorf("%q is missing in\n%s", line, got)
		}
	}
	if table := c.Want("dashboard"); !strings.HasPrefix(table, "2028-02-01 to 2028-02-29, compared with 2028-01-03 to 2028-01-31\n\nMETRIC") {
		t.Error(table)
	}
	c.WantCalls("GET /v1/analytics/dashboard?compare=previous&endDate=2028-02-29&period=custom&startDate=2028-02-01",
		"GET /v1/analytics/dashboard?period=this_month")
}

func TestDashboardNamesTheComparedDays(t *testing.T) {
	t.Parallel()
	c := newTestCLI(t, map[string]http.HandlerFunc{"GET /v1/analytics/dashboard": func(w http.ResponseWriter, r *http.Request) {
		before := `{"startDate":"2028-01-01","endDate":"2028-01-31","days":31}`
		if r.FormValue("compare") == "previous" {
			before = `{"startDate":"2028-01-03","endDate":"2028-01-31","days":29}`
		}
		clitest.Answer(`{"data":{"period":{"startDate":"2028-02-01","endDate":"2028-02-29","days":29},"metrics":{},
"previous":{"period":`+before+`,"metrics":{}}}}`)(w, r)
	}}).LoggedIn()
	for flag, want := range map[string]string{
		"--compare":          "2028-02-01 to 2028-02-29, compared with 2028-01-03 to 2028-01-31\n",
		"--compare=previous": "2028-02-01 to 2028-02-29, compared with 2028-01-03 to 2028-01-31\n",
		"--compare=calendar": "2028-02-01 to 2028-02-29 (days: 29), compared with 2028-01-01 to 2028-01-31 (days: 31)\n",
	} {
		if got := c.Want("dashboard", "--last-month", flag); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", flag, got)
		}
	}
}

// TestDashboardOfAMonthThatIsNotOver asks for the named period, because dates of its first days can also begin a week.
func TestDashboardOfAMonthThatIsNotOver(t *testing.T) {
	t.Parallel()
	for now, want := range map[string]string{
		"2026-05-31": "custom", "2026-06-01": "this_month", "2026-06-05": "this_month", "2026-06-30": "this_month", "2026-07-01": "custom",
	} {
		at, err := time.Parse(time.DateOnly, now)
		if err != nil {
			t.Fatal(err)
		}
		month := "2026-06"
		if now < "2026-06" {
			month = "2026-04"
		}
		params, err := dashboardPeriod(monthFlags{month: month}, at.Add(23*time.Hour))
		if err != nil || string(*params.Period) != want {
			t.Errorf("%s on %s: %+v, %v; want %s", month, now, params, err, want)
		}
	}
}
