package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"portside/shared/customers"
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

func TestEachFieldIsStoredAtCreation(t *testing.T) {
	root := newFixture(t).asAdmin()
	body := fieldstest.Examples(t, createCustomerInput{}.Body, values(map[string]any{"status": "suspended"}))
	created := root.Post(path, asJSON(t, body)).WantStatus(http.StatusCreated)
	stored := root.Get(path + "/" + created.Text("data.id")).WantStatus(http.StatusOK)
	for name, value := range body {
		stored.WantValue("data."+name, value)
	}
	listed := root.Get(path).WantStatus(http.StatusOK)
	for name, value := range listed.JSON("data.0").(map[string]any) {
		stored.WantValue("data."+name, value)
	}
}

// A comparison or a write that forgets a field answers 200 and changes nothing.
func TestEachFieldChangesAlone(t *testing.T) {
	o := newFixture(t)
	root := o.asAdmin()
	for name, value := range fieldstest.Examples(t, updateCustomerInput{}.Body, values(map[string]any{})) {
		t.Run(name, func(t *testing.T) {
			at := o.create(fmt.Sprintf(`{"name":"Acme","slug":%q}`, "for-"+strings.ToLower(name)))
			root.Put(at, asJSON(t, map[string]any{name: value})).WantStatus(http.StatusOK).WantValue("data."+name, value)
			root.Get(at).WantStatus(http.StatusOK).WantValue("data."+name, value).WantHeader("ETag", `"2"`)
		})
	}
}

// In a POST, null is the same as no field. A required field cannot be null.
func TestNullIsNoFieldInPost(t *testing.T) {
	root := newFixture(t).asAdmin()
	body := fieldstest.Examples(t, createCustomerInput{}.Body, values(map[string]any{"status": "suspended"}))
	for name := range body {
		sent := maps.Clone(body)
		sent["slug"], sent["externalId"] = "for-"+strings.ToLower(name), "for "+name
		sent[name] = nil
		if name == "name" || name == "slug" {
			root.Post(path, asJSON(t, sent)).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/"+name)
			continue
		}
		root.Post(path, asJSON(t, sent)).WantStatus(http.StatusCreated)
	}
	root.Post(path, `{"name":"A","slug":"a","limits":{"users":null,"requestsPerMinute":null}}`).
		WantStatus(http.StatusCreated).
		WantValue("data.limits.users", nil).WantValue("data.limits.requestsPerMinute", nil)
}

// In a PUT or PATCH, null removes a value that a customer can be without.
func TestNullRemovesValue(t *testing.T) {
	o := newFixture(t)
	root := o.asAdmin()
	examples := fieldstest.Examples(t, updateCustomerInput{}.Body, values(map[string]any{}))
	at := o.create(`{"name":"Acme","slug":"acme"}`)
	empty := map[string]any{
		"externalId": "", "contacts": []any{}, "metadata": map[string]any{},
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
func TestReadCustomerCanBeSentBack(t *testing.T) {
	o := newFixture(t)
	root, at := o.asAdmin(), o.create(acme)
	customer := root.Get(at).WantStatus(http.StatusOK).JSON("data").(map[string]any)
	for _, method := range []string{http.MethodPut, http.MethodPatch} {
		customer["metadata"] = map[string]any{} // the test cannot keep all digits of a number
		root.Do(method, at, asJSON(t, customer)).WantStatus(http.StatusOK)
		for name := range customer {
			changed := maps.Clone(customer)
			changed[name] = -5
			root.Do(method, at, asJSON(t, changed)).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/"+name)
		}
	}
}

// values adds values for the fields without an example.
func values(more map[string]any) map[string]any {
	more["contacts"] = []any{map[string]any{"name": "Ada", "email": "ada@example.com", "role": "billing"}}
	more["limits"] = map[string]any{"users": 50.0, "requestsPerMinute": 600.0}
	return more
}

func asJSON(t *testing.T, body map[string]any) string {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
