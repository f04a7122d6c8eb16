package story

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"portside/shared/testkit/awstest"
	"portside/testclient/workloadtest"
)

// person is a user with an API key.
type person struct {
	client

	id, customer string // customer is empty for the vendor's staff
	credential   string // public ID of the key
}

// by returns who the events name as the actor of the person.
func (p person) by() string { return "user " + p.id + " of " + p.customer + " with " + p.credential }

// linked returns who the events name for a person who follows a mailed link.
func (p person) linked() string { return "user " + p.id + " of " + p.customer + " with " }

// story is what people and pipelines do, and the changes that the audit log must have.
type story struct {
	*service

	root    person
	changes []change
}

// change is an event as the story expects it.
type change struct {
	request  string // empty for changes outside of a request
	actor    string
	customer string // the target's customer
	what     string // action and target
}

// changed adds the changes that a request made, each an action and a target.
func (s *story) changed(r response, actor, customer string, what ...string) {
	for _, one := range what {
		s.changes = append(s.changes, change{r.Header.Get("X-Request-Id"), actor, customer, one})
	}
}

// begin returns a story with the first admin, created by the operator's command.
func begin(s *service) *story {
	key := s.adminKey()
	root := person{client: s.visitor().With("X-API-Key", key), credential: publicID(key)}
	root.id = root.Get("/v1/users?role=admin").WantStatus(http.StatusOK).Text("data.0.id")
	const operator = "operator"
	return &story{service: s, root: root, changes: []change{
		{"", operator, "", "user.create user " + root.id}, {"", operator, "", "credential.create credential " + root.credential},
		{"", operator, "", "user.sign_in_link user " + root.id},
	}}
}

// publicID returns the public part of a credential.
func publicID(secret string) string { return strings.Split(secret, "_")[1] }

// buyer is a customer with a manager, an entitlement for charts and one for images.
type buyer struct {
	person // the manager

	at     string // path of the customer
	email  string // of the manager
	images string // path of the entitlement for images
}

// addBuyer creates a customer. Its manager follows the mailed link.
func (s *story) addBuyer(name string) buyer {
	made := s.root.Post("/v1/customers", fmt.Sprintf(`{"name":"Company %s","slug":%q}`, name, name)).
		WantStatus(http.StatusCreated)
	b := buyer{person: person{customer: made.Text("data.id")}, email: "manager@" + name + ".example"}
	b.at = "/v1/customers/" + b.customer
	s.changed(made, s.root.by(), b.customer, "customer.create customer "+b.customer)
	for _, fields := range []string{`"artifact":"chart","repository":"anchor"`,
		`"artifact":"image","repository":"%s/*","versions":"^1.0.0"`} {
		made = s.root.Post(b.at+"/entitlements", "{"+strings.ReplaceAll(fields, "%s", name)+"}").
			WantStatus(http.StatusCreated)
		s.changed(made, s.root.by(), b.customer, "entitlement.create entitlement "+made.Text("data.id"))
		b.images = b.at + "/entitlements/" + made.Text("data.id")
	}
	made = s.root.Post("/v1/users",
		fmt.Sprintf(`{"email":%q,"name":"M","role":"manager","customerId":%q}`, b.email, b.customer)).
		WantStatus(http.StatusCreated)
	b.id = made.Text("data.id")
	s.changed(made, s.root.by(), b.customer, "user.create user "+b.id)
	activated := s.visitor().Post("/v1/users/activate", `{"token":"`+s.mailedToken(b.email, "activate")+`"}`).
		WantStatus(http.StatusOK)
	key := activated.Text("data.apiKey")
	b.client, b.credential = s.visitor().With("X-API-Key", key), publicID(key)
	s.changed(activated, b.linked(), b.customer, "user.activate user "+b.id, "credential.create credential "+b.credential)
	return b
}

// hireUser lets the manager create a user, who gets a key from the vendor, and a token, which the manager deletes.
func (s *story) hireUser(b buyer) {
	made := b.Post("/v1/users", `{"email":"new-`+b.email+`","name":"U","role":"user","sendActivationEmail":false}`).
		WantStatus(http.StatusCreated)
	at := "/v1/users/" + made.Text("data.id")
	s.changed(made, b.by(), b.customer, "user.create user "+made.Text("data.id"))
	b.Post(at+"/api-keys", `{"name":"first"}`).WantStatus(http.StatusForbidden)
	made = s.root.Post(at+"/api-keys", `{"name":"first"}`).WantStatus(http.StatusCreated)
	s.changed(made, s.root.by(), b.customer, "credential.create credential "+made.Text("data.id"))

	token := b.Post("/api/v1/tokens", `{"name":"machine","scopes":["read:helm-charts"]}`).WantStatus(http.StatusCreated)
	s.changed(token, b.by(), b.customer, "credential.create credential "+token.Text("data.id"))
	s.visitor().With("Authorization", "Bearer "+token.Text("data.token")).Get("/charts/index.yaml").
		WantStatus(http.StatusOK)
	ended := b.Delete("/api/v1/tokens/" + token.Text("data.id")).WantStatus(http.StatusNoContent)
	s.changed(ended, b.by(), b.customer, "credential.revoke credential "+token.Text("data.id"))
}

// signIn lets the manager sign in by a mailed link, and sign out.
func (s *story) signIn(b buyer) {
	browser := s.visitor().With("Sec-Fetch-Site", "same-origin")
	asked := browser.Post("/v1/sign-in/links", `{"email":"`+b.email+`"}`).WantStatus(http.StatusAccepted)
	link := s.mailedToken(b.email, "sign-in")
	signedIn := browser.With("Cookie", s.cookie(asked)).Post("/v1/sessions", `{"token":"`+link+`"}`).
		WantStatus(http.StatusCreated)
	cookie := s.cookie(signedIn)
	_, session, _ := strings.Cut(cookie, "=")
	id := publicID(session)
	b.credential = id
	s.changed(signedIn, b.by(), b.customer, "session.create session "+id)
	ended := browser.With("Cookie", cookie).Delete("/v1/sessions/current").WantStatus(http.StatusNoContent)
	s.changed(ended, b.by(), b.customer, "session.end session "+id)
}

// cookie returns the first cookie that a response sets, and keeps its value as a secret.
func (s *story) cookie(r response) string {
	cookie, _, _ := strings.Cut(r.Header.Get("Set-Cookie"), ";")
	_, value, _ := strings.Cut(cookie, "=")
	s.keep(value[strings.LastIndex(value, "_")+1:])
	return cookie
}

// requestPassword lets the manager request a password, which the vendor approves, and collect it by the mailed link.
func (s *story) requestPassword(b buyer) {
	const requests = "/api/v1/credential-requests"
	asked := b.Post(requests, `{"accessLevel":"charts","justification":"for the ship"}`).WantStatus(http.StatusCreated)
	target := "credential_request " + asked.Text("data.id")
	s.changed(asked, b.by(), b.customer, "credential_request.create "+target)
	approved := s.root.Post(requests+"/"+asked.Text("data.id")+"/approve", `{}`).WantStatus(http.StatusOK)
	s.changed(approved, s.root.by(), b.customer, "credential_request.approve "+target)
	link := s.mailedToken(b.email, "collect")
	collected := s.visitor().Post(requests+"/collect", `{"token":"`+link+`"}`).WantStatus(http.StatusOK)
	password := collected.Text("data.password")
	s.keep(password)
	s.changed(collected, b.linked(), b.customer,
		"credential_request.collect "+target, "credential.create credential "+publicID(password))
}

// exchangeToken lets a pod of the customer exchange a token of its platform.
func (s *story) exchangeToken(b buyer) {
	const issuer, audience = "https://kubernetes.acme.example", "https://portside.example.com"
	key := workloadtest.NewKey("1", "RS256")
	body := fmt.Sprintf(`{"name":"Pods","issuer":%q,"audience":%q,"jwks":%q,"maxMinutes":10,"scopes":["read:helm-charts"],`+
		`"conditions":[{"claim":"/kubernetes.io/namespace","value":"acme"}]}`, issuer, audience, workloadtest.KeySet(key))
	made := s.root.Post(b.at+"/trust-policies", body).WantStatus(http.StatusCreated)
	policy := made.Text("data.id")
	s.changed(made, s.root.by(), b.customer, "trust_policy.create trust_policy "+policy)
	identity := key.Sign(workloadtest.Kubernetes(issuer, audience, awstest.RealTime()))
	s.keep(identity[strings.LastIndex(identity, ".")+1:])
	form := url.Values{
		"grant_type": {"urn:ietf:params:oauth:grant-type:token-exchange"}, "subject_token": {identity},
		"trust_policy_id":    {policy},
		"subject_token_type": {"urn:ietf:params:oauth:token-type:id_token"},
	}
	pod := s.visitor().With("Content-Type", "application/x-www-form-urlencoded")
	pod.Post("/api/v1/token-exchange", strings.Replace(form.Encode(), policy, b.id, 1)).WantStatus(http.StatusBadRequest)
	got := pod.Post("/api/v1/token-exchange", form.Encode()).WantStatus(http.StatusOK)
	id := publicID(got.Text("access_token"))
	s.changed(got, "workload "+policy+" of "+b.customer+" with ", b.customer, "credential.exchange credential "+id)
}

// changeEntitlement changes the entitlement for images. A refused change has no event.
func (s *story) changeEntitlement(b buyer) {
	_, id, _ := strings.Cut(b.images, "/entitlements/")
	b.Put(b.images, `{"versions":"*"}`).WantStatus(http.StatusForbidden)
	s.root.Put(b.images, `{"versions":"newest"}`).WantStatus(http.StatusBadRequest)
	s.changed(s.root.Put(b.images, `{"versions":"^2.0.0"}`).WantStatus(http.StatusOK), s.root.by(), b.customer,
		"entitlement.update entitlement "+id)
}

// suspend suspends a customer.
func (s *story) suspend(b buyer) {
	s.changed(s.root.Put(b.at, `{"status":"suspended"}`).WantStatus(http.StatusOK), s.root.by(), b.customer,
		"customer.update customer "+b.customer)
	b.Get("/v1/audit").WantStatus(http.StatusUnauthorized)
}
