package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"portside/local/apifuzz"
	"portside/local/e2e/e2etest"
)

// company is a customer, or the vendor itself, with one resource of each kind.
type company struct {
	name    string
	ids     map[string]string // of the resources, by the parameter of a path
	markers []string          // texts that only responses about this company contain
}

// isolation sends requests of the users of a customer.
type isolation struct {
	*e2etest.Stack

	t *testing.T
}

// TestCustomersAreIsolated sends every operation of openapi.yaml as a user of a customer with every role, with the
// resources of the own customer, of another customer and of the vendor. Responses about resources of others are the
// same as those about resources that do not exist, and no response contains a text of another company.
//
//proves:docs/security.md
func TestCustomersAreIsolated(t *testing.T) {
	document, err := apifuzz.ReadDocument(filepath.Join(e2etest.Repository, "openapi.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	p := e2etest.Shared(t)
	s := &isolation{p, t}
	others := []company{s.company("bolt"), s.company("")}
	outcomes := map[string]int{}
	for role := range permissions {
		own := s.company("acme-" + role) // a new one, because some operations end credentials
		caller := s.member(own, role)
		for _, o := range document.Operations {
			if o.IsPublic || !slices.Contains(o.Schemes, "apiKey") {
				continue
			}
			outcomes[s.checkOwn(caller, o, own, role)]++
			for _, other := range others {
				outcomes[s.checkOther(caller, o, other)]++
				s.checkMarkers(s.send(caller, o, own.ids), other)
			}
		}
		for _, other := range others {
			s.checkWrites(caller, other)
			s.checkParts(caller, own, other)
			s.checkUnchanged(other)
		}
		s.checkAuditLog(caller, role)
	}
	t.Logf("%v", outcomes)
	for _, outcome := range []string{"staff only", "forbidden", "own", "hidden"} {
		if outcomes[outcome] == 0 {
			t.Errorf("no request had the outcome %q", outcome)
		}
	}
}

// company creates a customer with a manager, who creates one resource of each kind. Without a name, it is the vendor.
func (s *isolation) company(name string) company {
	root, c := s.Admin(s.t), company{name: name, ids: map[string]string{}}
	host, customer := s.Name("vendor")+".example", ""
	if name != "" {
		host = s.Name(name) + ".example"
		c.ids["customerId"] = s.CreateCustomer(s.t, "Company "+name, name)
		customer = fmt.Sprintf(`,"customerId":%q`, c.ids["customerId"])
		c.ids["entitlementId"] = root.Post("/v1/customers/"+c.ids["customerId"]+"/entitlements",
			fmt.Sprintf(`{"artifact":"chart","repository":"%s/*"}`, host)).WantStatus(http.StatusCreated).Text("data.id")
		c.ids["policyId"] = root.Post("/v1/customers/"+c.ids["customerId"]+"/trust-policies", fmt.Sprintf(`{"name":"policy of %s",`+
			`"issuer":"https://gitlab.com","audience":"a","conditions":[{"claim":"project_id","value":"20"}],"scopes":["read:helm-charts"]}`, host)).
			WantStatus(http.StatusCreated).Text("data.id")
	}
	email := "resident@" + host
	body := fmt.Sprintf(`{"email":%q,"name":"Resident of %s","role":"manager"%s}`, email, host, customer)
	c.ids["userId"] = root.Post("/v1/users", body).WantStatus(http.StatusCreated).Text("data.id")
	_, link := s.Mail.Link(s.t, email)
	resident := s.As(s.t, s.Anonymous(s.t).Post("/v1/users/activate", `{"token":"`+link+`"}`).WantStatus(http.StatusOK).
		Text("data.apiKey"))
	c.ids["keyId"] = resident.Get("/v1/users/" + c.ids["userId"] + "/api-keys").Text("data.0.id")
	c.ids["tokenId"] = resident.Post("/api/v1/tokens", `{"name":"token of `+host+`","scopes":["read:helm-charts"]}`).
		WantStatus(http.StatusCreated).Text("data.id")
	c.ids["requestId"] = resident.Post("/api/v1/credential-requests",
		`{"accessLevel":"charts","justification":"we need it at `+host+`"}`).
		WantStatus(http.StatusCreated).Text("data.id")
	c.ids["uploadId"] = resident.Post("/v1/uploads", "").WantStatus(http.StatusCreated).Text("uploadId")
	c.ids["projectId"] = root.Post("/v1/projects", fmt.Sprintf(`{"name":"project of %s"%s}`, host, customer)).
		WantStatus(http.StatusCreated).Text("data.id")
	for _, id := range c.ids {
		c.markers = append(c.markers, id)
	}
	c.markers = append(c.markers, host)
	return c
}

// member returns a new user of the customer, with an API key.
func (s *isolation) member(c company, role string) e2etest.Client {
	_, key := s.Users.CreateOf(s.t, c.ids["customerId"], role+"-of-"+c.name, role)
	return s.As(s.t, key)
}

// send sends the operation for the resources with the IDs, and for a version that does not exist, so that almost
// nothing changes.
func (s *isolation) send(c e2etest.Client, o *apifuzz.Operation, ids map[string]string) e2etest.Response {
	s.t.Helper()
	target := o.Path
	for _, name := range []string{
		"userId", "customerId", "entitlementId", "policyId", "keyId", "tokenId", "requestId", "uploadId", "projectId", "jobId", "sessionId", "passkeyId",
	} {
		id := ids[name]
		if id == "" {
			id = nobody
		}
		target = strings.ReplaceAll(target, "{"+name+"}", id)
	}
	target = strings.NewReplacer("{", "", "}", "").Replace(target)
	if strings.HasSuffix(o.Path, "/search") {
		target += "?q=r"
	}
	body := ""
	if o.HasBody {
		body = "{}"
	}
	if strings.HasSuffix(o.Path, "/api-keys") {
		body = `{"name":"isolation"}`
	}
	return s.sendBody(c.With("If-Match", `"999"`), o.Method, target, body)
}

func (s *isolation) sendBody(c e2etest.Client, method, target, body string) e2etest.Response {
	s.t.Helper()
	a, err := c.Send(method, target, body)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

// checkWrites sends complete requests that would change the other company, without a version, and lists that name it.
// Nothing of the company may change or appear.
func (s *isolation) checkWrites(c e2etest.Client, other company) {
	s.t.Helper()
	user, unknown := "/v1/users/"+other.ids["userId"], "/v1/users/"+nobody
	for _, r := range []struct{ method, after, body string }{
		{http.MethodPut, "", `{"name":"Mine"}`}, {http.MethodPatch, "", `{"status":"suspended"}`}, {http.MethodDelete, "", ""},
		{http.MethodDelete, "/sessions", ""}, {http.MethodDelete, "/credentials", ""}, {http.MethodPost, "/invitation", ""},
		{http.MethodPost, "/api-keys", `{"name":"mine"}`}, {http.MethodDelete, "/api-keys/" + other.ids["keyId"], ""},
		{http.MethodDelete, "/api-keys/" + other.ids["keyId"] + "?made=true", ""},
	} {
		got, want := s.sendBody(c, r.method, user+r.after, r.body), s.sendBody(c, r.method, unknown+r.after, r.body)
		if got.Status != want.Status || withoutID(s.t, got) != withoutID(s.t, want) || got.Status < http.StatusBadRequest {
			s.t.Errorf("%s %s of %q: %d %s, but of nobody: %d", r.method, r.after, other.name, got.Status, got.Body, want.Status)
		}
	}
	for _, target := range []string{
		"/api/v1/tokens/" + other.ids["tokenId"], "/api/v1/tokens/" + other.ids["tokenId"] + "?line=true",
	} {
		if a := s.sendBody(c, http.MethodDelete, target, ""); a.Status != http.StatusNotFound {
			s.t.Errorf("%s: %d %s, want 404", a.Request(), a.Status, a.Body)
		}
	}
	host := other.markers[len(other.markers)-1]
	for _, target := range []string{
		"/v1/customers/" + other.ids["customerId"] + "/entitlements",
		"/v1/customers/" + other.ids["customerId"] + "/trust-policies",
		"/v1/users?email=resident@" + host, "/v1/users?ids=" + other.ids["userId"], "/v1/users/search?q=resident",
		"/api/v1/tokens?userId=" + other.ids["userId"], "/api/v1/pulls?userId=" + other.ids["userId"],
		"/v1/users?customerId=" + other.ids["customerId"], "/v1/users/search?q=r&customerId=" + other.ids["customerId"],
		"/v1/audit?customerId=" + other.ids["customerId"], "/v1/audit?target=user:" + other.ids["userId"],
		"/v1/audit?target=credential:" + other.ids["tokenId"], "/v1/audit?actorId=" + other.ids["userId"],
		"/v1/customers/search?q=" + other.name, "/v1/projects/" + other.ids["projectId"], "/v1/projects", "/v1/projects/search?q=project",
		"/v1/projects?customerId=" + other.ids["customerId"],
		"/v1/projects/search?q=project&customerId=" + other.ids["customerId"],
		"/v1/users?status=active&customerId=" + other.ids["customerId"],
	} {
		a := s.sendBody(c, http.MethodGet, target, "")
		if strings.Contains(string(a.Body), host) || strings.Contains(string(a.Body), "Company "+other.name) &&
			other.name != "" {
			s.t.Errorf("%s: %s", a.Request(), a.Body)
		}
	}
}

// checkParts checks that the caller reads the own entitlements and trust policies, but none of another company below
// the own customer.
func (s *isolation) checkParts(c e2etest.Client, own, other company) {
	s.t.Helper()
	c.Get("/v1/projects").WantStatus(http.StatusOK).WantValue("pagination.total", 1).
		WantValue("data.0.id", own.ids["projectId"])
	for part, id := range map[string]string{"/entitlements": "entitlementId", "/trust-policies": "policyId"} {
		list := "/v1/customers/" + own.ids["customerId"] + part
		c.Get(list).WantStatus(http.StatusOK).WantValue("pagination.total", 1).WantValue("data.0.id", own.ids[id])
		c.Get(list+"/"+own.ids[id]).WantStatus(http.StatusOK).WantValue("data.id", own.ids[id])
		foreign := other.ids[id]
		if foreign == "" { // the vendor has none
			continue
		}
		got, want := s.sendBody(c, http.MethodGet, list+"/"+foreign, ""), s.sendBody(c, http.MethodGet, list+"/"+nobody, "")
		if got.Status != http.StatusNotFound || withoutID(s.t, got) != withoutID(s.t, want) {
			s.t.Errorf("%s of %q: %d %s, but of nobody: %d %s", got.Request(), other.name, got.Status, got.Body, want.Status,
				want.Body)
		}
	}
}

// checkAuditLog checks that the audit log does not show the first admin, who created the company, to its users.
func (s *isolation) checkAuditLog(c e2etest.Client, role string) {
	s.t.Helper()
	a := s.sendBody(c, http.MethodGet, "/v1/audit?limit=100", "")
	if isPermitted := slices.Contains(strings.Fields(permissions[role]),
		"audit:read"); (a.Status == http.StatusOK) != isPermitted {
		s.t.Errorf("%s as %s: %d %s", a.Request(), role, a.Status, a.Body)
	}
	admin := s.Admin(s.t).Get("/v1/users?role=admin&limit=1").Text("data.0.id")
	if strings.Contains(string(a.Body), admin) {
		s.t.Errorf("%s as %s shows the vendor's admin: %s", a.Request(), role, a.Body)
	}
}

// checkUnchanged checks that the company's credential and token still work, and that the user was not renamed.
func (s *isolation) checkUnchanged(c company) {
	s.t.Helper()
	root := s.Admin(s.t)
	root.Get("/v1/users/"+c.ids["userId"]).WantStatus(http.StatusOK).WantValue("data.status", "active")
	root.Get("/v1/users/" + c.ids["userId"] + "/api-keys/" + c.ids["keyId"]).WantStatus(http.StatusOK)
	root.Get("/v1/projects/"+c.ids["projectId"]).WantStatus(http.StatusOK).WantHeader("ETag", `"1"`)
	root.Get("/api/v1/tokens/"+c.ids["tokenId"]).WantStatus(http.StatusOK).WantValue("data.status", "active")
	if id := c.ids["entitlementId"]; id != "" {
		root.Get("/v1/customers/"+c.ids["customerId"]+"/entitlements/"+id).WantStatus(http.StatusOK).WantHeader("ETag", `"1"`)
		root.Get("/v1/customers/"+c.ids["customerId"]+"/trust-policies/"+c.ids["policyId"]).WantStatus(http.StatusOK).
			WantHeader("ETag", `"1"`)
	}
}

// An ID that no resource has.
const nobody = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e99"

// checkOwn checks the access to the resources of the own company. It returns the outcome.
func (s *isolation) checkOwn(c e2etest.Client, o *apifuzz.Operation, own company, role string) string {
	s.t.Helper()
	a := s.send(c, o, own.ids)
	isForbidden := a.Status == http.StatusForbidden
	switch {
	case o.IsOnlyStaff:
		if !isForbidden || !strings.Contains(string(a.Body), "only for the vendor's staff") {
			s.t.Errorf("%s %s as %s: %d %s, want a 403 for users of customers", o.Method, o.Path, role, a.Status, a.Body)
		}
		return "staff only"
	case o.Permission != "":
		isPermitted := slices.Contains(strings.Fields(permissions[role]), o.Permission)
		if isForbidden == isPermitted && !roleIsTooLow(a) || a.Status == http.StatusUnauthorized {
			s.t.Errorf("%s %s as %s: %d %s", o.Method, o.Path, role, a.Status, a.Body)
		}
	}
	switch {
	case isForbidden:
		return "forbidden"
	case slices.ContainsFunc([]string{"{userId}", "{customerId}", "{projectId}"}, func(p string) bool { return strings.Contains(o.Path, p) }):
		if a.Status == http.StatusNotFound && !strings.HasSuffix(o.Path, "/invitation") {
			s.t.Errorf("%s %s as %s: %d %s, want the own company's", o.Method, o.Path, role, a.Status, a.Body)
		}
		return "own"
	}
	return "other"
}

// roleIsTooLow reports whether a caller was refused because a user has a higher role.
func roleIsTooLow(a e2etest.Response) bool {
	return strings.Contains(string(a.Body), "Your role permits less than that role")
}

// checkOther checks that the resources of another company do not exist for the caller. It returns the outcome.
func (s *isolation) checkOther(c e2etest.Client, o *apifuzz.Operation, other company) string {
	s.t.Helper()
	if !strings.Contains(o.Path, "Id}") {
		return "no resource"
	}
	got, want := s.send(c, o, other.ids), s.send(c, o, nil)
	if got.Status != want.Status || withoutID(s.t, got) != withoutID(s.t, want) {
		s.t.Errorf("%s %s of %q: %d %s, but of nobody: %d %s", o.Method, o.Path, other.name, got.Status, got.Body,
			want.Status, want.Body)
	}
	s.checkMarkers(got, company{name: other.name, markers: []string{other.markers[len(other.markers)-1]}})
	return "hidden"
}

// withoutID returns the body of a problem without the ID of the request and the IDs in its path.
func withoutID(t *testing.T, a e2etest.Response) string {
	t.Helper()
	var problem struct{ Code, Detail string }
	if len(a.Body) > 0 && json.Unmarshal(a.Body, &problem) != nil {
		t.Errorf("%s: the body is not JSON: %s", a.Request(), a.Body)
	}
	return problem.Code + " " + problem.Detail
}

// checkMarkers checks that a response says nothing about another company.
func (s *isolation) checkMarkers(a e2etest.Response, other company) {
	s.t.Helper()
	for _, marker := range other.markers {
		if strings.Contains(string(a.Body), marker) {
			s.t.Errorf("%s: the response contains %q of %q", a.Request(), path.Base(marker), other.name)
		}
	}
}
