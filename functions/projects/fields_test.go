package main

import (
	"encoding/json"
	"maps"
	"net/http"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/projects"
	"portside/shared/testkit/fieldstest"
)

func TestResponseHasEachField(t *testing.T) {
	project := fieldstest.Filled[projects.Project](t)
	fieldstest.WantCarried(t, project, encodeProject(project), "Number", "Version", "History")
}

func TestRequestsHaveEachField(t *testing.T) {
	var create createProjectInput
	fieldstest.Fill(t, &create.Body)
	fieldstest.WantFilled(t, "createProjectInput.project", create.project())
	var update updateProjectInput
	fieldstest.Fill(t, &update.Body)
	fieldstest.WantFilled(t, "updateProjectInput.change", update.change(true))
}

func TestEachFieldIsStoredAtCreation(t *testing.T) {
	o := newFixture(t)
	root := o.asAdmin()
	body := fieldstest.Examples(t, createProjectInput{}.Body, people(o, map[string]any{"status": "on_hold"}))
	created := root.Post("/v1/projects", asJSON(t, body)).WantStatus(http.StatusCreated)
	stored := root.Get("/v1/projects/" + created.Text("data.id")).WantStatus(http.StatusOK)
	for name, value := range body {
		stored.WantValue("data."+name, value)
	}
	listed := root.Get("/v1/projects").WantStatus(http.StatusOK)
	for name, value := range listed.JSON("data.0").(map[string]any) {
		stored.WantValue("data."+name, value)
	}
}

// A comparison or a write that forgets a field answers 200 and changes nothing.
func TestEachFieldChangesAlone(t *testing.T) {
	o := newFixture(t)
	root := o.asAdmin()
	for name, value := range fieldstest.Examples(t, updateProjectInput{}.Body, people(o, map[string]any{})) {
		t.Run(name, func(t *testing.T) {
			at := "/v1/projects/" + root.Post("/v1/projects", `{"name":"Loom"}`).WantStatus(http.StatusCreated).Text("data.id")
			root.Put(at, asJSON(t, map[string]any{name: value})).WantStatus(http.StatusOK).WantValue("data."+name, value)
			root.Get(at).WantStatus(http.StatusOK).WantValue("data."+name, value).WantHeader("ETag", `"2"`)
		})
	}
}

// In a POST, null is the same as no field. A required field cannot be null.
func TestNullIsNoFieldInPost(t *testing.T) {
	o := newFixture(t)
	root := o.asAdmin()
	body := fieldstest.Examples(t, createProjectInput{}.Body, people(o, map[string]any{"status": "on_hold"}))
	for name := range body {
		sent := maps.Clone(body)
		sent[name] = nil
		if name == "name" {
			root.Post("/v1/projects", asJSON(t, sent)).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/name")
			continue
		}
		root.Post("/v1/projects", asJSON(t, sent)).WantStatus(http.StatusCreated)
	}
}

// In a PUT or PATCH, null removes a value that a project can be without.
func TestNullRemovesValue(t *testing.T) {
	o := newFixture(t)
	root := o.asAdmin()
	examples := fieldstest.Examples(t, updateProjectInput{}.Body, people(o, map[string]any{}))
	at := "/v1/projects/" + root.Post("/v1/projects", `{"name":"Loom"}`).WantStatus(http.StatusCreated).Text("data.id")
	empty := map[string]any{
		"description": "", "customerId": nil, "members": []any{}, "settings": map[string]any{}, "metadata": map[string]any{},
	}
	for _, method := range []string{http.MethodPut, http.MethodPatch} {
		for name, value := range examples {
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
func TestReadProjectCanBeSentBack(t *testing.T) {
	root := newFixture(t).asAdmin()
	at := "/v1/projects/" + root.Post("/v1/projects", `{"name":"Loom"}`).WantStatus(http.StatusCreated).Text("data.id")
	project := root.Get(at).WantStatus(http.StatusOK).JSON("data").(map[string]any)
	for _, method := range []string{http.MethodPut, http.MethodPatch} {
		root.Do(method, at, asJSON(t, project)).WantStatus(http.StatusOK).WantHeader("ETag", `"1"`)
		for name := range project {
			changed := maps.Clone(project)
			changed[name] = 5
			root.Do(method, at, asJSON(t, changed)).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/"+name)
		}
	}
}

// people adds values for the fields that name users, who must exist.
func people(o *fixture, values map[string]any) map[string]any {
	o.tb.Helper()
	ada, _ := o.user("ada@example.com", principal.User)
	values["ownerId"] = ada.ID
	values["customerId"] = o.customer("01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e21")
	values["members"] = []any{map[string]any{"userId": ada.ID, "role": "editor"}}
	return values
}

func asJSON(t *testing.T, body map[string]any) string {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
