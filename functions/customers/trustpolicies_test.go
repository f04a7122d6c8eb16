package main

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"portside/shared/core/principal"
	"portside/shared/testkit/apitest"
	"portside/shared/testkit/fieldstest"
	"portside/shared/testkit/webtest"
	"portside/shared/trust"
	"portside/testclient/workloadtest"
)

const builds = `{"name":" Builds ","issuer":"https://token.actions.githubusercontent.com","audience":"https://portside.example.com",` +
	`"conditions":[{"claim":"sub","value":"repo:acme/app:ref:refs/heads/*"}],"scopes":["read:helm-charts"]}`

// trusting creates a customer and returns the path of its trust policies.
func (o *fixture) trusting(slug string) string {
	o.tb.Helper()
	return o.create(`{"name":"Acme","slug":"`+slug+`"}`) + "/trust-policies"
}

// trust creates a trust policy and returns its path.
func (o *fixture) trust(list string) string {
	o.tb.Helper()
	return list + "/" + o.asAdmin().Post(list, builds).WantStatus(http.StatusCreated).Text("data.id")
}

func TestTrustPolicyIsCreatedUpdatedAndDeleted(t *testing.T) {
	o := newFixture(t)
	root, list := o.asAdmin(), o.trusting("acme")
	root.Get(list).WantStatus(http.StatusOK).WantValue("data", []any{}).WantValue("pagination.total", 0)
	created := root.With("Idempotency-Key", "key-1").Post(list, builds).WantStatus(http.StatusCreated).
		WantHeader("ETag", `"1"`).
		WantValue("data.name", "Builds").WantValue("data.maxMinutes", 15).WantValue("data.jwks", "").
		WantValue("data.conditions.0.claim", "sub").WantValue("data.createdAt", "2026-03-02T09:00:00Z")
	at := list + "/" + created.Text("data.id")
	created.WantHeader("Location", at)
	root.With("Idempotency-Key", "key-1").Post(list, builds).WantStatus(http.StatusCreated).
		WantHeader("Idempotency-Replayed", "true").
		WantValue("data", created.JSON("data"))
	root.With("Idempotency-Key", "key-1").Post(list, `{"name":"x"}`).WantStatus(http.StatusBadRequest)
	o.clock.Advance(time.Hour)
	root.Put(at, `{"name":"Deployments"}`).WantStatus(http.StatusOK).WantHeader("ETag", `"2"`).
		WantValue("data.name", "Deployments").
		WantValue("data.updatedAt", "2026-03-02T10:00:00Z")
	root.With("If-Match", `"1"`).Put(at, `{"name":"x"}`).WantStatus(http.StatusPreconditionFailed)
	root.With("If-Match", `"1"`).Delete(at).WantStatus(http.StatusPreconditionFailed)
	root.Get(list).WantValue("pagination.total", 1).WantValue("data.0.name", "Deployments")
	root.Delete(at).WantStatus(http.StatusNoContent)
	root.Delete(at).WantStatus(http.StatusNotFound)
	root.Get(at).WantStatus(http.StatusNotFound)
	root.Put(at, `{}`).WantStatus(http.StatusNotFound)
}

//proves:docs/security.md
func TestWhoMayUseTrustPolicies(t *testing.T) {
	o := newFixture(t)
	list, other := o.trusting("acme"), o.trusting("other")
	id := list[len(path)+1 : len(path)+37]
	at := o.trust(list)
	for _, role := range principal.Roles() {
		status := http.StatusForbidden
		if role.Permits(principal.CustomersWrite) {
			status = http.StatusCreated
		}
		staff := o.withKey(o.user(string(role)+"@example.com", role))
		staff.Post(list, builds).WantStatus(status)
		staff.Get(at).WantStatus(http.StatusOK)
		person := o.withKey(o.userOf(id, string(role)+"@acme.example", role))
		person.Get(list).WantStatus(http.StatusOK)
		person.Get(at).WantStatus(http.StatusOK)
		person.Get(other).WantStatus(http.StatusNotFound)
		person.Post(list, builds).WantStatus(http.StatusForbidden)
		person.Put(at, `{}`).WantStatus(http.StatusForbidden)
		person.Delete(at).WantStatus(http.StatusForbidden)
	}
	o.anonymous().Get(list).WantStatus(http.StatusUnauthorized)
}

func TestTooManyTrustPolicies(t *testing.T) {
	o := newFixture(t)
	root, list := o.asAdmin(), o.trusting("acme")
	for range trust.Max {
		root.Post(list, builds).WantStatus(http.StatusCreated)
	}
	root.Post(list, builds).WantStatus(http.StatusConflict).WantValue("code", "TOO_MANY_TRUST_POLICIES").
		WantHeader("X-Should-Retry", "false")
	root.Get(list+"?limit=20&offset=40").WantStatus(http.StatusOK).WantValue("pagination.total", trust.Max).
		WantValue("data.10", nil)
	customer := list[:len(path)+37]
	root.Delete(customer).WantStatus(http.StatusNoContent)
	root.Get(list).WantStatus(http.StatusNotFound)
	root.Post(list, builds).WantStatus(http.StatusNotFound)
}

func TestTrustPolicyResponseHasEachField(t *testing.T) {
	var p trust.Policy
	fieldstest.Fill(t, &p)
	encoded := encodeTrustPolicy(p)
	fieldstest.WantCarried(t, p, encoded, "CustomerID", "Conditions", "Version")
	fieldstest.WantFilled(t, "encodeTrustPolicy", encoded)
}

// A response has value or values. A request may send a single value in either field.
func TestConditionsHaveOneOrSeveralValues(t *testing.T) {
	o := newFixture(t)
	root, list := o.asAdmin(), o.trusting("acme")
	send := func(condition string) webtest.Response {
		return root.Post(list, strings.Replace(builds, `"conditions":[`, `"conditions":[`+condition+`,`, 1))
	}
	send(`{"claim":"ref","values":["refs/heads/main"]}`).WantStatus(http.StatusCreated).
		WantValue("data.conditions.0", map[string]any{"claim": "ref", "value": "refs/heads/main"})
	send(`{"claim":"ref","value":"","values":["a","b"]}`).WantStatus(http.StatusCreated).
		WantValue("data.conditions.0", map[string]any{"claim": "ref", "values": []any{"a", "b"}})
	for condition, pointer := range map[string]string{
		`{"claim":"ref","value":"a","values":["b"]}`: "/conditions/0/values", `{"claim":"ref","values":[]}`: "/conditions/0/values",
		`{"claim":"ref"}`: "/conditions/0/value", `{"claim":"ref","values":["a",""]}`: "/conditions/0/values/1",
		`{"claim":"ref","value":["a"]}`: "/conditions/0/value",
	} {
		response := send(condition).WantStatus(http.StatusBadRequest)
		if got := response.Text("errors.0.pointer"); got != pointer {
			t.Errorf("%s: %s, want %s", condition, got, pointer)
		}
	}
}

func TestPolicyThatTrustsEverybodyIsRefused(t *testing.T) {
	o := newFixture(t)
	root, list := o.asAdmin(), o.trusting("acme")
	at := o.trust(list)
	anybody := `[{"claim":"sub","value":"repo:*/*:ref:refs/heads/main"},{"claim":"repository_id","values":["74","*4"]}]`
	for _, response := range []webtest.Response{
		root.Post(list, strings.Replace(builds, `[{"claim":"sub","value":"repo:acme/app:ref:refs/heads/*"}]`, anybody, 1)),
		root.Put(at, `{"conditions":`+anybody+`}`),
	} {
		response.WantStatus(http.StatusBadRequest).WantValue("code", "VALIDATION_ERROR").
			WantValue("errors.0.pointer", "/conditions").
			WantValue("errors.1", nil)
		const advice = "GitHub signs for everybody: add a condition on one of repository_owner_id"
		if detail := response.Text("errors.0.detail"); !strings.Contains(detail, advice) {
			t.Error(detail)
		}
	}
}

func TestTrustPolicyRequestsHaveEachField(t *testing.T) {
	var create createTrustPolicyInput
	fieldstest.Fill(t, &create.Body)
	fieldstest.WantFilled(t, "createTrustPolicyInput.policy", create.policy())
	var update updateTrustPolicyInput
	fieldstest.Fill(t, &update.Body)
	fieldstest.WantFilled(t, "updateTrustPolicyInput.change", update.change())
}

// examples stand for those that the tags cannot have: of a list of objects, and of a text that is JSON.
var examples = map[string]any{
	"conditions": []any{
		map[string]any{"claim": "repository_id", "value": "74"},
		map[string]any{"claim": "ref", "values": []any{"refs/heads/main", "refs/tags/v*"}},
	},
	"jwks": workloadtest.KeySet(workloadtest.NewKey("1", "EdDSA")),
}

func TestTrustPolicyFields(t *testing.T) {
	apitest.TestFields(t, func(tb testing.TB) apitest.Resource {
		o := newFixture(tb)
		return apitest.Resource{
			Client: o.asAdmin(), Path: o.trusting("acme"),
			Minimal: func(n int) map[string]any {
				return map[string]any{
					"name": fmt.Sprint("Builds ", n), "issuer": "https://token.actions.githubusercontent.com",
					"audience": "https://portside.example.com", "scopes": []any{"read:helm-charts"},
					"conditions": []any{map[string]any{"claim": "sub", "value": "repo:acme/app:ref:refs/heads/*"}},
				}
			},
			Create: createTrustPolicyInput{}.Body, Update: updateTrustPolicyInput{}.Body, Values: examples,
			Text: "name", Required: []string{"name", "issuer", "audience", "conditions", "scopes"}, Changes: []string{http.MethodPut},
		}
	})
}
