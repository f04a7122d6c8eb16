package main

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"portside/shared/core/entitlement"
	"portside/shared/testkit/apitest"
	"portside/shared/testkit/fieldstest"
)

const begin, end = "2026-04-01T00:00:00Z", "2027-04-01T00:00:00Z"

func TestEntitlementResponseHasEachField(t *testing.T) {
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	e := entitlement.Entitlement{
		ID: "an ID", Artifact: entitlement.Image, Repository: "acme", Versions: entitlement.AllVersions(), From: now,
		Until:     now.Add(1),
		CreatedAt: now.Add(2), UpdatedAt: now.Add(3), Version: 4,
	}
	fieldstest.WantFilled(t, "the test", e)
	encoded := encodeEntitlement(e, now)
	fieldstest.WantCarried(t, e, encoded, "Versions", "Version")
	fieldstest.WantFilled(t, "encodeEntitlement", encoded)
}

func TestEntitlementRequestsHaveEachField(t *testing.T) {
	var create createEntitlementInput
	fieldstest.Fill(t, &create.Body)
	create.Body.From, create.Body.Until = begin, end
	fieldstest.WantFilled(t, "createEntitlementInput.entitlement", create.entitlement())
	var update updateEntitlementInput
	fieldstest.Fill(t, &update.Body)
	fieldstest.WantFilled(t, "updateEntitlementInput.change", update.change())
}

func TestEntitlementFields(t *testing.T) {
	apitest.TestFields(t, func(tb testing.TB) apitest.Resource {
		o := newFixture(tb)
		return apitest.Resource{
			Client: o.asAdmin(), Path: o.entitled("acme"),
			Minimal: func(n int) map[string]any {
				return map[string]any{"artifact": "chart", "repository": fmt.Sprint("acme", n)}
			},
			Create: createEntitlementInput{}.Body, Update: updateEntitlementInput{}.Body,
			Text: "repository", Required: []string{"artifact", "repository"},
			Empty: map[string]any{"from": nil, "until": nil}, Changes: []string{http.MethodPut},
		}
	})
}
