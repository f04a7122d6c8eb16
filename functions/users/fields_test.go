package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
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
	fieldstest.WantFilled(t, "updateUserInput.change", update.change())
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

// In a POST or PUT, null is the same as no field. A required field cannot be null.
func TestNullIsNoField(t *testing.T) {
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
	at := "/v1/users/" + root.Post("/v1/users", asJSON(t, body)).WantStatus(http.StatusCreated).Text("data.id")
	for name := range fieldstest.Examples(t, updateUserInput{}.Body, nil) {
		root.Put(at, asJSON(t, map[string]any{name: nil})).WantStatus(http.StatusOK).WantHeader("ETag", `"1"`)
	}
}

func asJSON(t *testing.T, body map[string]any) string {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
