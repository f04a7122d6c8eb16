package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/dynamo/customerstates"
)

// acme and bolt are customers.
const (
	acme = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e21"
	bolt = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e22"
)

func newFixtureWithCustomers(t *testing.T) *fixture {
	t.Helper()
	p := newFixture(t)
	p.customer(acme, customerstates.State{})
	p.customer(bolt, customerstates.State{})
	return p
}

// To a user of a customer, whatever the role, only the users of the same customer exist.
//
//proves:docs/security.md
func TestCustomersUsersSeeTheirCustomer(t *testing.T) {
	for _, role := range principal.Roles() {
		t.Run(string(role), func(t *testing.T) {
			p := newFixtureWithCustomers(t)
			_, key := p.userOf(acme, "a1@acme.example", role)
			own, _ := p.userOf(acme, "a2@acme.example", principal.Viewer)
			other, _ := p.userOf(bolt, "b1@bolt.example", principal.Viewer)
			member := p.withKey(key)

			member.Get("/v1/users").WantStatus(http.StatusOK).WantValue("pagination.total", 2.0).
				WantValue("data.0.email", "a1@acme.example").WantValue("data.1.email", "a2@acme.example").
				WantValue("data.1.customerId", acme)
			member.Get("/v1/users?role=viewer&offset=0").WantStatus(http.StatusOK).WantValue("data.0.customerId", acme)
			member.Get("/v1/users?status=active").WantStatus(http.StatusOK).WantValue("pagination.total", 2.0)
			member.Get("/v1/users?customerId="+bolt+"&status=active").WantStatus(http.StatusOK).
				WantValue("pagination.total", 0.0)
			member.Get("/v1/users?customerId="+bolt).WantStatus(http.StatusOK).WantValue("pagination.total", 0.0)
			member.Get("/v1/users?email=root@example.com").WantStatus(http.StatusOK).WantValue("pagination.total", 0.0)
			member.Get("/v1/users?ids="+own.ID+","+other.ID+","+p.admin.ID).WantStatus(http.StatusOK).
				WantValue("pagination.total", 1.0)
			member.Get("/v1/users/search?q=a").WantStatus(http.StatusOK).WantValue("data.1.email", "a2@acme.example").
				WantValue("data.2", nil)
			member.Get("/v1/users/search?q=b1").WantStatus(http.StatusOK).WantValue("data", []any{})
			member.Get("/v1/users/search?q=b1&customerId="+bolt).WantStatus(http.StatusOK).WantValue("data", []any{})
			member.Get("/v1/users/"+own.ID).WantStatus(http.StatusOK).WantValue("data.customerId", acme)
			for _, hidden := range []string{other.ID, p.admin.ID} {
				member.Get("/v1/users/"+hidden).WantStatus(http.StatusNotFound).WantValue("detail", "The user does not exist.")
			}
		})
	}
}

// The vendor's staff sees everybody, and can ask for the users of one customer.
func TestStaffSeesAllCustomers(t *testing.T) {
	p := newFixtureWithCustomers(t)
	for i := range 3 {
		p.userOf(acme, fmt.Sprintf("a%d@acme.example", i), principal.Viewer)
		p.userOf(bolt, fmt.Sprintf("b%d@bolt.example", i), principal.User)
	}
	root := p.asAdmin()
	root.Get("/v1/users").WantStatus(http.StatusOK).WantValue("pagination.total", 7.0).WantValue("data.0.customerId", nil)
	root.Get("/v1/users?customerId="+acme).WantStatus(http.StatusOK).WantValue("pagination.total", 3.0)
	root.Get("/v1/users?limit=1&offset=2&customerId="+bolt).WantStatus(http.StatusOK).
		WantValue("data.0.email", "b2@bolt.example").
		WantValue("pagination", map[string]any{"total": 3.0, "limit": 1.0, "offset": 2.0, "hasMore": false, "next": nil})
	root.Get("/v1/users?role=user&customerId="+acme).WantStatus(http.StatusOK).WantValue("pagination.total", 0.0)
	root.Get("/v1/users/search?q=a&customerId="+bolt).WantStatus(http.StatusOK).WantValue("data", []any{})
	root.Get("/v1/users/search?q=b1&customerId="+bolt).WantStatus(http.StatusOK).
		WantValue("data.0.email", "b1@bolt.example")
}

// A manager of a customer administers only its users.
//
//proves:docs/security.md
func TestManagersOfCustomersAdministerTheirUsers(t *testing.T) {
	p := newFixtureWithCustomers(t)
	_, key := p.userOf(acme, "boss@acme.example", principal.Manager)
	other, _ := p.userOf(bolt, "b1@bolt.example", principal.Viewer)
	boss := p.withKey(key)

	created := boss.Post("/v1/users",
		`{"email":"new@acme.example","name":"New","role":"user","sendActivationEmail":false}`).
		WantStatus(http.StatusCreated).WantValue("data.customerId", acme)
	at := "/v1/users/" + created.Text("data.id")
	boss.Post("/v1/users", fmt.Sprintf(`{"email":"x@acme.example","name":"X","role":"user","customerId":%q}`, bolt)).
		WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/customerId")
	boss.Post("/v1/users", `{"email":"x@acme.example","name":"X","role":"admin"}`).WantStatus(http.StatusForbidden)
	boss.Put(at, `{"name":"Newer"}`).WantStatus(http.StatusOK).WantValue("data.name", "Newer")
	for _, moved := range []string{`"` + bolt + `"`, "null"} {
		boss.Put(at, `{"customerId":`+moved+`}`).WantStatus(http.StatusBadRequest).
			WantValue("errors.0.pointer", "/customerId")
	}
	for _, hidden := range []string{"/v1/users/" + other.ID, "/v1/users/" + p.admin.ID} {
		boss.Put(hidden, `{"name":"Mine"}`).WantStatus(http.StatusNotFound)
		boss.With("If-Match", `"99"`).Put(hidden, `{"name":"Mine"}`).WantStatus(http.StatusNotFound)
		boss.Delete(hidden + "/sessions").WantStatus(http.StatusNotFound)
		boss.Delete(hidden + "/credentials").WantStatus(http.StatusNotFound)
		boss.Get(hidden+"/invitation").WantStatus(http.StatusNotFound).WantValue("detail", "The user does not exist.")
		boss.Post(hidden+"/invitation", "").WantStatus(http.StatusNotFound).WantValue("detail", "The user does not exist.")
	}
}

// An admin of a customer manages the keys of the customer's users, and has no part in the rule that one admin must
// remain.
//
//proves:docs/security.md
func TestAdminsOfCustomers(t *testing.T) {
	p := newFixtureWithCustomers(t)
	chief, key := p.userOf(acme, "chief@acme.example", principal.Admin)
	own, _ := p.userOf(acme, "a2@acme.example", principal.Viewer)
	other, _ := p.userOf(bolt, "b1@bolt.example", principal.Viewer)
	theirs := p.asAdmin().Post("/v1/users/"+other.ID+"/api-keys", `{"name":"k"}`).WantStatus(http.StatusCreated).
		Text("data.id")
	admin := p.withKey(key)

	made := admin.Post("/v1/users/"+own.ID+"/api-keys", `{"name":"k"}`).WantStatus(http.StatusCreated).Text("data.id")
	admin.Get("/v1/users/" + own.ID + "/api-keys/" + made).WantStatus(http.StatusOK)
	admin.Delete("/v1/users/" + own.ID + "/api-keys/" + made).WantStatus(http.StatusNoContent)
	keys := "/v1/users/" + other.ID + "/api-keys"
	admin.Get(keys).WantStatus(http.StatusNotFound)
	admin.Post(keys, `{"name":"k"}`).WantStatus(http.StatusNotFound)
	admin.Get(keys + "/" + theirs).WantStatus(http.StatusNotFound)
	admin.Delete(keys + "/" + theirs).WantStatus(http.StatusNotFound)
	admin.Delete(keys + "/" + theirs + "?made=true").WantStatus(http.StatusNotFound)
	admin.Delete("/v1/users/" + other.ID).WantStatus(http.StatusNotFound)

	p.asAdmin().Put("/v1/users/"+p.admin.ID, `{"role":"viewer"}`).WantStatus(http.StatusConflict).
		WantValue("code", "LAST_ADMIN")
	p.asAdmin().Put("/v1/users/"+p.admin.ID, fmt.Sprintf(`{"customerId":%q}`, acme)).WantStatus(http.StatusConflict).
		WantValue("code", "LAST_ADMIN")
	admin.Delete("/v1/users/" + chief.ID).WantStatus(http.StatusNoContent)
}

// The suspension of a customer takes effect with the next request.
//
//proves:docs/security.md
func TestSuspendedCustomer(t *testing.T) {
	p := newFixtureWithCustomers(t)
	_, key := p.userOf(acme, "a1@acme.example", principal.Viewer)
	member := p.withKey(key)
	member.Get("/v1/users").WantStatus(http.StatusOK).WantValue("pagination.total", 1.0)
	p.write(p.keys.Customers.Set(acme, customerstates.State{Suspended: true}))
	member.Get("/v1/users").WantStatus(http.StatusUnauthorized)
	p.withKey(key).Get("/v1/users").WantStatus(http.StatusUnauthorized) // a process that has not seen the key
	p.write(p.keys.Customers.Set(acme, customerstates.State{}))
	member.Get("/v1/users").WantStatus(http.StatusOK)
}

// An activation link does not work while the customer is suspended, and works again afterward.
//
//proves:docs/security.md
func TestActivationInSuspendedCustomer(t *testing.T) {
	p := newFixtureWithCustomers(t)
	p.asAdmin().Post("/v1/users",
		fmt.Sprintf(`{"email":"a1@acme.example","name":"A","role":"user","customerId":%q}`, acme)).
		WantStatus(http.StatusCreated)
	body := fmt.Sprintf(`{"token":%q}`, p.post.lastToken(t))
	p.write(p.keys.Customers.Set(acme, customerstates.State{Suspended: true}))
	p.anonymous().Post("/v1/users/activate", body).WantStatus(http.StatusUnauthorized)
	p.write(p.keys.Customers.Set(acme, customerstates.State{}))
	p.anonymous().Post("/v1/users/activate", body).WantStatus(http.StatusOK)
}

// A move ends all credentials, which people of the old customer may have, except the activation link of a pending user.
//
//proves:docs/security.md
func TestMovedUser(t *testing.T) {
	p := newFixtureWithCustomers(t)
	root := p.asAdmin()
	user, key := p.userOf(acme, "a1@acme.example", principal.Admin)
	_, chief := p.userOf(acme, "chief@acme.example", principal.Admin)
	_, next := p.userOf(bolt, "chief@bolt.example", principal.Admin)
	at := "/v1/users/" + user.ID
	made := p.withKey(chief).Post(at+"/api-keys", `{"name":"from acme"}`).WantStatus(http.StatusCreated)
	move := func(to string) {
		t.Helper()
		root.Put(at, `{"customerId":`+to+`}`).WantStatus(http.StatusOK)
	}
	move(`"` + bolt + `"`)
	for _, ended := range []string{key, made.Text("data.key")} {
		p.withKey(ended).Get("/v1/users").WantStatus(http.StatusUnauthorized)
	}
	for _, caller := range []string{chief, next} { // the key belonged to the one customer, and the user belongs to the other
		p.withKey(caller).Delete(at + "/api-keys/" + made.Text("data.id") + "?made=true").WantStatus(http.StatusNotFound)
	}
	root.Get("/v1/users?customerId="+acme).WantStatus(http.StatusOK).WantValue("pagination.total", 1.0)
	fresh := root.Post(at+"/api-keys", `{"name":"new"}`).WantStatus(http.StatusCreated).Text("data.key")
	p.withKey(fresh).Get("/v1/users").WantStatus(http.StatusOK).WantValue("pagination.total", 2.0)
	move("null")
	p.withKey(fresh).Get("/v1/users").WantStatus(http.StatusUnauthorized)

	pending := root.Post("/v1/users",
		fmt.Sprintf(`{"email":"a2@acme.example","name":"A","role":"user","customerId":%q}`, acme)).
		WantStatus(http.StatusCreated).Text("data.id")
	root.Put("/v1/users/"+pending, fmt.Sprintf(`{"customerId":%q}`, bolt)).WantStatus(http.StatusOK)
	activated := p.anonymous().Post("/v1/users/activate", fmt.Sprintf(`{"token":%q}`, p.post.lastToken(t))).
		WantStatus(http.StatusOK)
	p.withKey(activated.Text("data.apiKey")).Get("/v1/users").WantStatus(http.StatusOK).
		WantValue("data.0.email", "chief@bolt.example")
}

// A user with as many credentials as possible and a long name can be moved, suspended and renamed at once, and deleted.
func TestMoveAndDeletionOfUserWithAllCredentials(t *testing.T) {
	p := newFixtureWithCustomers(t)
	user, _ := p.userOf(acme, "a1@acme.example", principal.Admin)
	at := "/v1/users/" + user.ID
	fill := func() {
		for range 38 {
			p.asAdmin().Post(at+"/api-keys", `{"name":"k"}`).WantStatus(http.StatusCreated)
		}
	}
	fill()
	p.asAdmin().Put(at, fmt.Sprintf(`{"customerId":%q,"name":"Hotel India Juliet Kilo","role":"viewer","status":"suspended"}`, bolt)).
		WantStatus(http.StatusOK)
	p.asAdmin().Put(at, `{"status":"active"}`).WantStatus(http.StatusOK)
	fill()
	p.asAdmin().Delete(at).WantStatus(http.StatusNoContent)
	p.asAdmin().Get(at).WantStatus(http.StatusNotFound)
}

// The number of users of a customer can be limited.
func TestCustomersHaveLimitedUsers(t *testing.T) {
	p := newFixture(t)
	p.customer(acme, customerstates.State{MaxUsers: 2})
	root := p.asAdmin()
	create := func(email string) string {
		return fmt.Sprintf(`{"email":%q,"name":"N","role":"viewer","customerId":%q,"sendActivationEmail":false}`, email, acme)
	}
	first := root.Post("/v1/users", create("1@acme.example")).WantStatus(http.StatusCreated).Text("data.id")
	root.Post("/v1/users", create("2@acme.example")).WantStatus(http.StatusCreated)
	root.Post("/v1/users", create("3@acme.example")).WantStatus(http.StatusConflict).WantValue("code", "TOO_MANY_USERS")
	outsider := root.Post("/v1/users", `{"email":"4@example.com","name":"N","role":"viewer","sendActivationEmail":false}`).
		WantStatus(http.StatusCreated).Text("data.id")
	root.Put("/v1/users/"+outsider, fmt.Sprintf(`{"customerId":%q}`, acme)).WantStatus(http.StatusConflict).
		WantValue("code", "TOO_MANY_USERS")
	root.Put("/v1/users/"+outsider, fmt.Sprintf(`{"customerId":%q}`, bolt)).WantStatus(http.StatusBadRequest).
		WantValue("errors.0.pointer", "/customerId")
	root.Delete("/v1/users/" + first).WantStatus(http.StatusNoContent)
	root.Put("/v1/users/"+outsider, fmt.Sprintf(`{"customerId":%q}`, acme)).WantStatus(http.StatusOK)

	state, exists, err := p.keys.Customers.Get(t.Context(), acme)
	if err != nil || !exists || state.Users != 2 {
		t.Errorf("the customer has the state %+v, exists %v, %v; want 2 users", state, exists, err)
	}
}

// An import says for each row whether the customer takes the user.
func TestImportOfCustomersUsers(t *testing.T) {
	p := newFixture(t)
	p.customer(acme, customerstates.State{MaxUsers: 2})
	file := "email,name,role,customerId\n1@acme.example,One,viewer," + acme + "\n2@x.example,Two,viewer,\n3@x.example,Three,viewer," + bolt +
		"\n4@acme.example,Four,user," + acme + "\n5@acme.example,Five,user," + acme + "\n6@x.example,Six,user,me\n"
	p.asAdmin().Post("/v1/users/imports", importBody("csv", file, dryRun)).WantStatus(http.StatusOK).
		WantValue("data.ready", 3.0).WantValue("data.failed", 3.0)
	imported := p.asAdmin().Post("/v1/users/imports", importBody("csv", file)).WantStatus(http.StatusOK).
		WantValue("data.created", 3.0).WantValue("data.failed", 3.0)
	for row, reason := range map[int]string{
		2: "customerId must be the ID of a customer who exists",
		4: "The customer already has as many users as its limit allows.",
		5: "customerId must be the ID of a customer who exists",
	} {
		if got := imported.Text(fmt.Sprintf("data.rows.%d.reasons.0", row)); !strings.HasPrefix(got, reason) {
			t.Errorf("row %d: %s, want %s", row, got, reason)
		}
	}
	_, key := p.userOf(exampleCustomer, "boss@example.com", principal.Manager)
	p.withKey(key).Post("/v1/users/imports", importBody("csv", "email,name,role\n7@x.example,Seven,user\n")).
		WantStatus(http.StatusOK)
	p.asAdmin().Get("/v1/users?email=7@x.example").WantValue("data.0.customerId", exampleCustomer)
}
