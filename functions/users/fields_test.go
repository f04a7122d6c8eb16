package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

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

func TestEachFieldIsStoredAtCreation(t *testing.T) {
	root := newFixture(t).asAdmin()
	body := fieldstest.Examples(t, createUserInput{}.Body, map[string]any{"sendActivationEmail": nil})
	created := root.Post("/v1/users", asJSON(t, body)).WantStatus(http.StatusCreated)
	stored := root.Get("/v1/users/" + created.Text("data.id")).WantStatus(http.StatusOK)
	for name, value := range body {
		stored.WantValue("data."+name, value)
	}
	listed := root.Get("/v1/users?email=" + created.Text("data.email")).WantStatus(http.StatusOK)
	for name, value := range listed.JSON("data.0").(map[string]any) {
		stored.WantValue("data."+name, value)
	}
}

// A comparison or a write that forgets a field answers 200 and changes nothing.
func TestEachFieldChangesAlone(t *testing.T) {
	root := newFixture(t).asAdmin()
	for name, value := range fieldstest.Examples(t, updateUserInput{}.Body, nil) {
		t.Run(name, func(t *testing.T) {
			minimal := fmt.Sprintf(`{"email":"%s@example.com","name":"Grace","role":"viewer","sendActivationEmail":false}`, name)
			at := "/v1/users/" + root.Post("/v1/users", minimal).WantStatus(http.StatusCreated).Text("data.id")
			root.Put(at, asJSON(t, map[string]any{name: value})).WantStatus(http.StatusOK).WantValue("data."+name, value)
			root.Get(at).WantStatus(http.StatusOK).WantValue("data."+name, value).WantHeader("ETag", `"2"`)
		})
	}
}

// In a POST, null is the same as no field. A required field cannot be null.
func TestNullIsNoFieldInPost(t *testing.T) {
	root := newFixture(t).asAdmin()
	body := fieldstest.Examples(t, createUserInput{}.Body, map[string]any{"sendActivationEmail": false})
	required := map[string]bool{"email": true, "name": true, "role": true}
	for name := range body {
		sent := maps.Clone(body)
		sent["email"], sent[name] = name+"@example.com", nil
		if required[name] {
			root.Post("/v1/users", asJSON(t, sent)).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/"+name)
			continue
		}
		root.Post("/v1/users", asJSON(t, sent)).WantStatus(http.StatusCreated)
	}
}

// In a PUT or PATCH, null removes a value that a user can be without.
func TestNullRemovesValue(t *testing.T) {
	root := newFixture(t).asAdmin()
	body := fieldstest.Examples(t, createUserInput{}.Body, map[string]any{"sendActivationEmail": nil})
	at := "/v1/users/" + root.Post("/v1/users", asJSON(t, body)).WantStatus(http.StatusCreated).Text("data.id")
	empty := map[string]any{"customerId": nil, "department": "", "metadata": map[string]any{}}
	for _, method := range []string{http.MethodPut, http.MethodPatch} {
		for name, value := range fieldstest.Examples(t, updateUserInput{}.Body, map[string]any{"status": "active"}) {
			root.Do(method, at, asJSON(t, map[string]any{name: value})).WantStatus(http.StatusOK)
			response := root.Do(method, at, asJSON(t, map[string]any{name: nil}))
			if removed, canBeRemoved := empty[name]; canBeRemoved {
				response.WantStatus(http.StatusOK).WantValue("data."+name, removed)
				continue
			}
			response.WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/"+name)
			root.Get(at).WantValue("data."+name, value)
		}
	}
}

// A client may send everything back that it has read.
func TestReadUserCanBeSentBack(t *testing.T) {
	root := newFixture(t).asAdmin()
	at := "/v1/users/" + root.Post("/v1/users",
		`{"email":"ada@example.com","name":"Ada","role":"user","sendActivationEmail":false}`).
		WantStatus(http.StatusCreated).Text("data.id")
	user := root.Get(at).WantStatus(http.StatusOK).JSON("data").(map[string]any)
	for _, method := range []string{http.MethodPut, http.MethodPatch} {
		root.Do(method, at, asJSON(t, user)).WantStatus(http.StatusOK).WantHeader("ETag", `"1"`)
		for name := range user {
			changed := maps.Clone(user)
			changed[name] = []any{"other"}
			root.Do(method, at, asJSON(t, changed)).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/"+name)
		}
	}
	sameTime := maps.Clone(user)
	sameTime["createdAt"] = strings.Replace(user["createdAt"].(string), "Z", ".000+00:00", 1)
	root.Put(at, asJSON(t, sameTime)).WantStatus(http.StatusOK)
	root.Put("/v1/users/01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11", asJSON(t, user)).WantStatus(http.StatusNotFound)
	root.Put(at, `{"name":"Grace"}`).WantStatus(http.StatusOK)
	root.With("If-Match", `"1"`).Put(at, asJSON(t, user)).WantStatus(http.StatusPreconditionFailed)
}

func TestPendingUserStaysPending(t *testing.T) {
	root := newFixture(t).asAdmin()
	at := "/v1/users/" + root.Post("/v1/users", `{"email":"ada@example.com","name":"Ada","role":"user"}`).
		WantStatus(http.StatusCreated).Text("data.id")
	user := root.Get(at).WantValue("data.status", "pending").JSON("data").(map[string]any)
	user["name"] = "Ada King"
	root.Put(at, asJSON(t, user)).WantStatus(http.StatusOK).WantValue("data.status", "pending").
		WantValue("data.name", "Ada King")
	root.Put(at, `{"status":"active"}`).WantStatus(http.StatusOK)
	root.Put(at, `{"status":"pending"}`).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/status")
}

func asJSON(t *testing.T, body map[string]any) string {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
