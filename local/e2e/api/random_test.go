package api

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"portside/local/apifuzz"
	"portside/local/e2e/e2etest"
	"portside/testclient/scale"
)

// TestRandomRequests compares the answers to random requests with openapi.yaml.
//
//proves:docs/security.md
func TestRandomRequests(t *testing.T) {
	document, err := apifuzz.ReadDocument(filepath.Join(e2etest.Repository, "openapi.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	p := e2etest.Start(t) // random requests change and delete whatever they meet
	p.Operator.Demo(t)
	address := strings.Replace(p.Info.API, "127.0.0.1", "localhost", 1) // passkeys need a host name
	requests := scale.Of(2_500)
	fuzzer := apifuzz.New(document, address, p.Conns, scale.Seed())
	fuzzer.Keep(p.Admin(t).Get("/v1/users").Text("data.0.id")) // the first admin makes the callers
	callers := &fuzzCallers{stack: p, token: p.Operator.DemoLogin(t).Password}
	const maxFindings, refresh = 10, 100
	findings := 0
	for i := range requests {
		if i%refresh == 0 {
			fuzzer.SetCallers(callers.refreshed(t)...)
			callers.renewCustomer(t, fuzzer)
		}
		if err := fuzzer.Step(t.Context()); err != nil {
			t.Errorf("request %d of seed %d: %v", i, scale.Seed(), err)
			if findings++; findings == maxFindings {
				break
			}
		}
	}
	reportCoverage(t, document, fuzzer.Answered, requests)
}

// reportCoverage logs how many answers each kind of status has, and fails for an operation that never succeeded in a
// long run.
func reportCoverage(t *testing.T, document *apifuzz.Document, answered map[string]int, requests int) {
	t.Helper()
	kinds := map[string]int{}
	for key, count := range answered {
		kinds[key[strings.LastIndex(key, " ")+1:]] += count
	}
	t.Logf("%d operations; answers by status: %v", len(document.Operations), kinds)
	const perOperation = 300
	for _, o := range document.Operations {
		name := o.Method + " " + o.Path
		succeeded := false
		for status := http.StatusOK; status < http.StatusBadRequest; status++ {
			succeeded = succeeded || answered[fmt.Sprintf("%s %d", name, status)] > 0
		}
		if !succeeded && !needsCeremony[name] && requests > perOperation*len(document.Operations) {
			t.Errorf("%s never succeeded, so the test does not see its answers; it had %v", name, statusesOf(answered, name))
		}
	}
}

func statusesOf(answered map[string]int, operation string) map[string]int {
	statuses := map[string]int{}
	for key, count := range answered {
		if status, ok := strings.CutPrefix(key, operation+" "); ok {
			statuses[status] = count
		}
	}
	return statuses
}

// needsCeremony are the operations that succeed only with a secret from a mail, a passkey or an identity provider, with
// a link that is older than a minute, with a token that an issuer has signed, or with a combination of fields that
// random requests do not meet.
var needsCeremony = map[string]bool{
	"DELETE /v1/passkeys/{passkeyId}": true, "DELETE /v1/sessions/{sessionId}": true, "GET /charts/{file}": true,
	"GET /v1/capabilities/jobs/{jobId}": true, "GET /v1/images/manifests": true, "GET /v1/sign-in/openid": true,
	"POST /api/v1/credential-requests/collect": true, "POST /api/v1/token-exchange": true,
	"POST /v1/ai/compare/media": true, "POST /v1/capabilities/compare/media": true,
	"POST /v1/customers/{customerId}/trust-policies": true,
	"POST /v1/capabilities/extract/media":            true, "POST /v1/passkeys": true, "POST /v1/sessions": true,
	"POST /v1/users/activate":            true,
	"POST /v1/users/{userId}/invitation": true, "PUT /v1/customers/{customerId}/trust-policies/{policyId}": true,
}

// fuzzCallers are people of all roles. Random requests can suspend or delete them, or end their credentials.
type fuzzCallers struct {
	stack   *e2etest.Stack
	token   string // an access token
	members []*fuzzMember
	created int

	customer string // path of a customer
}

type fuzzMember struct {
	role    string
	session bool
	client  e2etest.Client
	header  http.Header
}

// refreshed returns the callers, after it has replaced those whose credential does not work any more.
func (c *fuzzCallers) refreshed(t *testing.T) []apifuzz.Caller {
	t.Helper()
	if c.members == nil {
		for _, role := range []string{"admin", "admin", "manager", "user", "viewer"} {
			c.members = append(c.members, &fuzzMember{role: role})
		}
		c.members = append(c.members, &fuzzMember{role: "admin", session: true}, &fuzzMember{role: "user", session: true})
	}
	c.renewToken(t)
	callers := []apifuzz.Caller{
		{Name: "nobody", Header: http.Header{}, HasNoAccount: true},
		{Name: "a wrong key", Header: http.Header{"X-Api-Key": {"psk_wrong"}}, HasNoAccount: true},
		{Name: "a machine with an access token", Header: http.Header{"Authorization": {"Bearer " + c.token}}},
		{Name: "a client of charts", Header: http.Header{"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte("token:"+c.token))}}},
	}
	for _, m := range c.members {
		if m.header == nil || m.client.Get("/v1/users?limit=1").Status != http.StatusOK {
			c.renew(t, m)
		}
		callers = append(callers, apifuzz.Caller{Name: fmt.Sprintf("%s (session: %v)", m.role, m.session), Header: m.header})
	}
	return callers
}

// renewToken creates another access token if the last one does not work any more.
func (c *fuzzCallers) renewToken(t *testing.T) {
	t.Helper()
	if c.stack.WithToken(t, c.token).Get("/api/v1/tokens").Status != http.StatusOK {
		made := c.stack.Admin(t).Post("/api/v1/tokens", `{"name":"fuzz","scopes":["read:helm-charts","read:docker-images"],"expiration_days":1}`)
		c.token = made.WantStatus(http.StatusCreated).Text("data.token")
	}
}

// renewCustomer makes sure that a customer has an entitlement and a trust policy. Random requests seldom create one,
// because they must first meet a customer who still exists.
func (c *fuzzCallers) renewCustomer(t *testing.T, fuzzer *apifuzz.Fuzzer) {
	t.Helper()
	root := c.stack.Admin(t)
	if c.customer == "" || root.Get(c.customer).Status != http.StatusOK {
		c.created++
		c.customer = "/v1/customers/" + c.stack.CreateCustomer(t, "Fuzz", fmt.Sprintf("fuzz-%d", c.created))
	}
	for part, body := range map[string]string{
		"/entitlements": `{"artifact":"chart","repository":"*"}`,
		"/trust-policies": `{"name":"Fuzz","issuer":"https://issuer.example.com","audience":"fuzz","scopes":["read:helm-charts"],` +
			`"conditions":[{"claim":"sub","value":"fuzz"}]}`,
	} {
		if root.Get(c.customer+part).JSON("pagination.total") == 0.0 {
			made := root.Post(c.customer+part, body).WantStatus(http.StatusCreated)
			fuzzer.Know(c.customer+part, made.Text("data.id"))
		}
	}
}

func (c *fuzzCallers) renew(t *testing.T, m *fuzzMember) {
	t.Helper()
	c.created++
	person := fmt.Sprintf("fuzz%d", c.created)
	_, key := c.stack.Users.Create(t, person, m.role)
	m.client, m.header = c.stack.As(t, key), http.Header{"X-Api-Key": {key}}
	if m.session {
		cookie := c.stack.Users.SignIn(t, person)
		m.header = http.Header{"Cookie": {cookie}, "Sec-Fetch-Site": {"same-origin"}}
		m.client = c.stack.Anonymous(t).With("Cookie", cookie)
	}
}
