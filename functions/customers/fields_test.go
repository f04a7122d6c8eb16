package main

import (
	"fmt"
	"net/http"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/customers"
	"portside/shared/testkit/apitest"
	"portside/shared/testkit/fieldstest"
)

func TestResponseHasEachField(t *testing.T) {
	customer := fieldstest.Filled[customers.Customer](t)
	customer.Contacts = []customers.Contact{}
	encoded := encodeCustomer(customer)
	fieldstest.WantCarried(t, customer, encoded, "MaxUsers", "MaxRequests", "Number", "Version")
	limits := encoded.Limits
	if valueOf(limits.Users) != customer.MaxUsers || valueOf(limits.RequestsPerMinute) != customer.MaxRequests {
		t.Errorf("the limits are %+v, want %d users and %d requests", limits, customer.MaxUsers, customer.MaxRequests)
	}
	contact := fieldstest.Filled[customers.Contact](t)
	fieldstest.WantCarried(t, contact, Contact(contact))
	fieldstest.WantCarried(t, contact, ContactInput(contact))
}

func TestRequestsHaveEachField(t *testing.T) {
	var create createCustomerInput
	fieldstest.Fill(t, &create.Body)
	fieldstest.WantFilled(t, "createCustomerInput.customer", create.customer())
	var update updateCustomerInput
	fieldstest.Fill(t, &update.Body)
	fieldstest.WantFilled(t, "updateCustomerInput.change", update.change(true))
}

func TestFields(t *testing.T) { apitest.TestFields(t, openResource) }

func TestRequests(t *testing.T) { apitest.TestRequests(t, openResource) }

//proves:docs/security.md
func TestPatches(t *testing.T) { apitest.TestPatches(t, openResource) }

func TestConcurrentRequests(t *testing.T) { apitest.Concurrently(t, openResource) }

func openResource(tb testing.TB) apitest.Resource {
	tb.Helper()
	o := newFixture(tb)
	return apitest.Resource{
		Client: o.asAdmin(), Other: o.withKey(o.user("manager@example.com", principal.Manager)), Clock: o.clock, Path: path,
		Minimal: func(n int) map[string]any {
			return map[string]any{"name": "Acme", "slug": fmt.Sprint("acme-", n), "externalId": fmt.Sprint("A-", n)}
		},
		Create: createCustomerInput{}.Body, Update: updateCustomerInput{}.Body,
		Values: map[string]any{
			"status":   "suspended",
			"contacts": []any{map[string]any{"name": "Ada", "email": "ada@example.com", "role": "billing"}},
			"limits":   map[string]any{"users": 50.0, "requestsPerMinute": 600.0},
		},
		Text: "name", Object: "metadata", Required: []string{"name", "slug"},
		Changes: []string{http.MethodPut, http.MethodPatch},
		Empty:   map[string]any{"externalId": "", "contacts": []any{}, "metadata": map[string]any{}},
	}
}
