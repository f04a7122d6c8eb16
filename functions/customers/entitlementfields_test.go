package main

import (
	"maps"
	"net/http"
	"testing"
	"time"

	"portside/shared/core/entitlement"
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

func TestEachFieldOfEntitlementIsStoredAtCreation(t *testing.T) {
	o := newFixture(t)
	root, list := o.asAdmin(), o.entitled("acme")
	body := fieldstest.Examples(t, createEntitlementInput{}.Body, nil)
	created := root.Post(list, asJSON(t, body)).WantStatus(http.StatusCreated)
	stored := root.Get(list + "/" + created.Text("data.id")).WantStatus(http.StatusOK)
	for name, value := range body {
		stored.WantValue("data."+name, value)
	}
	root.Get(list).WantStatus(http.StatusOK).WantValue("data.0", stored.JSON("data"))
}

// A comparison or a write that forgets a field answers 200 and changes nothing.
func TestEachFieldOfEntitlementChangesAlone(t *testing.T) {
	o := newFixture(t)
	root, list := o.asAdmin(), o.entitled("acme")
	for name, value := range fieldstest.Examples(t, updateEntitlementInput{}.Body, nil) {
		at := o.entitle(list, `{"artifact":"chart","repository":"*"}`)
		root.Put(at, asJSON(t, map[string]any{name: value})).WantStatus(http.StatusOK).WantValue("data."+name, value)
		root.Get(at).WantStatus(http.StatusOK).WantValue("data."+name, value).WantHeader("ETag", `"2"`)
	}
}

// In a PUT, null removes an end of the period.
func TestNullRemovesPeriod(t *testing.T) {
	o := newFixture(t)
	root, list := o.asAdmin(), o.entitled("acme")
	at := o.entitle(list, `{"artifact":"chart","repository":"*"}`)
	for name, value := range fieldstest.Examples(t, updateEntitlementInput{}.Body, nil) {
		root.Put(at, asJSON(t, map[string]any{name: value})).WantStatus(http.StatusOK)
		response := root.Put(at, asJSON(t, map[string]any{name: nil}))
		if name == "from" || name == "until" {
			response.WantStatus(http.StatusOK).WantValue("data."+name, nil)
			continue
		}
		response.WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/"+name)
		root.Get(at).WantValue("data."+name, value)
	}
}

// A client may send everything back that it has read.
func TestReadEntitlementCanBeSentBack(t *testing.T) {
	o := newFixture(t)
	root, list := o.asAdmin(), o.entitled("acme")
	for _, body := range []string{charts, `{"artifact":"image","repository":"*"}`} {
		at := o.entitle(list, body)
		read := root.Get(at).WantStatus(http.StatusOK).JSON("data").(map[string]any)
		root.Put(at, asJSON(t, read)).WantStatus(http.StatusOK).WantHeader("ETag", `"1"`)
		for name := range read {
			changed := maps.Clone(read)
			changed[name] = -5
			root.Put(at, asJSON(t, changed)).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "/"+name)
		}
	}
}
