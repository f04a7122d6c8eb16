package main

import (
	"fmt"
	"net/http"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/projects"
	"portside/shared/testkit/apitest"
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

func TestFields(t *testing.T) { apitest.TestFields(t, openResource) }

func TestRequests(t *testing.T) { apitest.TestRequests(t, openResource) }

//proves:docs/security.md
func TestPatches(t *testing.T) { apitest.TestPatches(t, openResource) }

func TestConcurrentRequests(t *testing.T) { apitest.Concurrently(t, openResource) }

func openResource(tb testing.TB) apitest.Resource {
	tb.Helper()
	o := newFixture(tb)
	ada, _ := o.user("ada@example.com", principal.User)
	_, manager := o.user("manager@example.com", principal.Manager)
	return apitest.Resource{
		Client: o.asAdmin(), Other: o.withKey(manager), Clock: o.clock, Path: path,
		Minimal: func(n int) map[string]any { return map[string]any{"name": fmt.Sprint("Loom ", n)} },
		Create:  createProjectInput{}.Body, Update: updateProjectInput{}.Body,
		Values: map[string]any{
			"status": "on_hold", "ownerId": ada.ID, "customerId": o.customer("01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e21"),
			"members": []any{map[string]any{"userId": ada.ID, "role": "editor"}},
		},
		Text: "name", Object: "settings", Required: []string{"name"},
		Changes: []string{http.MethodPut, http.MethodPatch},
		Empty: map[string]any{
			"description": "", "customerId": nil, "members": []any{}, "settings": map[string]any{}, "metadata": map[string]any{},
		},
	}
}
