package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/testkit/apitest"
	"portside/shared/testkit/fieldstest"
	"portside/shared/users"
)

func TestResponseHasEachField(t *testing.T) {
	user := fieldstest.Filled[users.User](t)
	fieldstest.WantCarried(t, user, encodeUser(user), "Number", "Version", "LinkID", "History")
}

func TestRequestsHaveEachField(t *testing.T) {
	var create createUserInput
	fieldstest.Fill(t, &create.Body)
	fieldstest.WantFilled(t, "createUserInput.user", create.user())
	var update updateUserInput
	fieldstest.Fill(t, &update.Body)
	fieldstest.WantFilled(t, "updateUserInput.change", update.change(true))
}

// A time in another form is the same time.
func TestSameTimeCanBeSentBack(t *testing.T) {
	root := newFixture(t).asAdmin()
	created := root.Post("/v1/users", `{"email":"ada@example.com","name":"Ada","role":"user","sendActivationEmail":false}`).
		WantStatus(http.StatusCreated)
	sameTime := strings.Replace(created.Text("data.createdAt"), "Z", ".000+00:00", 1)
	root.Put(created.Header.Get("Location"), fmt.Sprintf(`{"createdAt":%q}`, sameTime)).WantStatus(http.StatusOK)
}

func TestPendingUserStaysPending(t *testing.T) {
	root := newFixture(t).asAdmin()
	at := "/v1/users/" + root.Post("/v1/users", `{"email":"ada@example.com","name":"Ada","role":"user"}`).
		WantStatus(http.StatusCreated).Text("data.id")
	user := root.Get(at).WantValue("data.status", "pending").JSON("data").(map[string]any)
	user["name"] = "Ada King"
	sent, err := json.Marshal(user)
	if err != nil {
		t.Fatal(err)
	}
	root.Put(at, string(sent)).WantStatus(http.StatusOK).WantValue("data.status", "pending").
		WantValue("data.name", "Ada King")
	root.Put(at, `{"status":"active"}`).WantStatus(http.StatusOK)
	root.Put(at, `{"status":"pending"}`).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/status")
}

func TestFields(t *testing.T) { apitest.TestFields(t, openResource) }

func TestRequests(t *testing.T) { apitest.TestRequests(t, openResource) }

//proves:docs/security.md
func TestPatches(t *testing.T) { apitest.TestPatches(t, openResource) }

func TestConcurrentRequests(t *testing.T) { apitest.Concurrently(t, openResource) }

func openResource(tb testing.TB) apitest.Resource {
	tb.Helper()
	p := newFixture(tb)
	_, manager := p.user("manager@example.com", principal.Manager)
	return apitest.Resource{
		Client: p.asAdmin(), Other: p.withKey(manager), Clock: p.clock, Path: "/v1/users",
		Minimal: func(n int) map[string]any {
			email := fmt.Sprintf("grace%d@example.com", n)
			return map[string]any{"email": email, "name": "Grace", "role": "viewer", "sendActivationEmail": false}
		},
		Create: createUserInput{}.Body, Update: updateUserInput{}.Body, Values: map[string]any{"sendActivationEmail": nil},
		Text: "name", Object: "metadata", Required: []string{"email", "name", "role"},
		Changes: []string{http.MethodPut, http.MethodPatch},
		Empty:   map[string]any{"customerId": nil, "department": "", "metadata": map[string]any{}},
	}
}
