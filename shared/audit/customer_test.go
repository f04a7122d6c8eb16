package audit_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"portside/shared/audit"
	coreaudit "portside/shared/core/audit"
	"portside/shared/core/principal"
)

const acme = "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e21"

// stored is a Store with all its events in one stretch.
type stored []coreaudit.Event

func (s stored) Page(context.Context, audit.Range) (audit.Stretch, error) {
	return audit.Stretch{Events: s, Queries: 1}, nil
}

// list returns what a caller sees of events.
func list(t *testing.T, caller principal.Principal, all ...coreaudit.Event) []coreaudit.Event {
	t.Helper()
	page, err := audit.NewService(stored(all)).List(t.Context(), caller, audit.Query{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	return page.Events
}

func staff(role principal.Role) principal.Principal {
	return principal.Principal{UserID: "root", Role: role}
}

func ofAcme(role principal.Role) principal.Principal {
	return principal.Principal{UserID: "ada", Role: role, CustomerID: acme}
}

func raw(text string) json.RawMessage { return json.RawMessage(text) }

// TestVendorsPeopleAreUnknownToCustomers shows an event of each kind of actor to a user of a customer.
//
//proves:docs/security.md
func TestVendorsPeopleAreUnknownToCustomers(t *testing.T) {
	target := coreaudit.Target{Kind: coreaudit.User, ID: "u", Name: "u@acme.example"}
	for _, kind := range []coreaudit.ActorKind{
		coreaudit.Person, coreaudit.Workload, coreaudit.Schedule, coreaudit.Operator, coreaudit.Anonymous,
	} {
		actor := coreaudit.Actor{Kind: kind, ID: "secretid", CredentialID: "secretkey", Name: "secretname",
			Address: "192.0.2.77"}
		for customer, isKnown := range map[string]bool{"": false, "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e22": false, acme: true} {
			actor.CustomerID = customer
			event := coreaudit.Event{ID: "1", Action: coreaudit.UserUpdated, Actor: actor, Target: target, CustomerID: acme}
			for _, role := range []principal.Role{principal.Admin, principal.Manager} {
				text, err := json.Marshal(list(t, ofAcme(role), event))
				if err != nil {
					t.Fatal(err)
				}
				hasActor := strings.Contains(string(text), "secret") || strings.Contains(string(text), "192.0.2.77")
				if hasActor != isKnown || !strings.Contains(string(text), `"kind":"`+string(kind)+`"`) {
					t.Errorf("%s of %q: %s", kind, customer, text)
				}
			}
			if diff := cmp.Diff([]coreaudit.Event{event}, list(t, staff(principal.Manager), event)); diff != "" {
				t.Errorf("the staff (-stored +listed): %s", diff)
			}
		}
	}
}

//proves:docs/security.md
func TestEventsOfOthersDoNotExistForCustomers(t *testing.T) {
	var all []coreaudit.Event
	for _, customer := range []string{acme, "", "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e22"} {
		all = append(all, coreaudit.Event{ID: customer, Action: coreaudit.UserCreated, CustomerID: customer})
	}
	for _, role := range principal.Roles() {
		isPermitted := role == principal.Admin || role == principal.Manager
		if got := len(list(t, staff(role), all...)); got == len(all) != isPermitted {
			t.Errorf("the staff as %s sees %d events", role, got)
		}
		got := list(t, ofAcme(role), all...)
		if len(got) == 1 != isPermitted || isPermitted && got[0].ID != acme {
			t.Errorf("a customer's %s sees %v", role, got)
		}
	}
	other := audit.Query{CustomerID: "01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e22", Limit: 10}
	page, err := audit.NewService(stored(all)).List(t.Context(), ofAcme(principal.Admin), other)
	if err != nil || len(page.Events) > 0 || page.Next != "" {
		t.Errorf("with another customer's ID: %v, %v", page, err)
	}
}

// TestCustomersDoNotSeeFieldsOfTheVendor lists the fields of each kind of target that are left out.
func TestCustomersDoNotSeeFieldsOfTheVendor(t *testing.T) {
	for _, test := range []struct {
		kind        coreaudit.Kind
		before, own coreaudit.Fields
	}{
		{
			coreaudit.Customer, coreaudit.Fields{"externalId": raw(`"C-1"`), "metadata": raw(`{}`), "name": raw(`"Acme"`)},
			coreaudit.Fields{"name": raw(`"Acme"`)},
		},
		{coreaudit.Credential, coreaudit.Fields{"madeWith": raw(`["k"]`), "name": raw(`"ci"`)}, coreaudit.Fields{"name": raw(`"ci"`)}},
		{coreaudit.User, coreaudit.Fields{"customerId": raw(`"` + acme + `"`)}, coreaudit.Fields{"customerId": raw(`"` + acme + `"`)}},
		{
			coreaudit.User, coreaudit.Fields{"customerId": raw(`"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e22"`), "metadata": raw(`{}`)},
			coreaudit.Fields{"metadata": raw(`{}`)},
		},
		{coreaudit.CredentialRequest, coreaudit.Fields{"decidedBy": raw(`"root"`), "reason": raw(`"Yes."`)}, coreaudit.Fields{"reason": raw(`"Yes."`)}},
		{coreaudit.User, nil, nil},
	} {
		t.Run(string(test.kind), func(t *testing.T) {
			event := coreaudit.Event{Target: coreaudit.Target{Kind: test.kind}, CustomerID: acme, Before: test.before,
				After: test.before}
			got := list(t, ofAcme(principal.Admin), event)
			if diff := cmp.Diff([]coreaudit.Fields{test.own, test.own},
				[]coreaudit.Fields{got[0].Before, got[0].After}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestMovedUsersLeaveTheirFieldsBehind checks that people of the new customer do not see what a user was in the old
// one.
func TestMovedUsersLeaveTheirFieldsBehind(t *testing.T) {
	event := coreaudit.Event{
		Target: coreaudit.Target{Kind: coreaudit.User}, CustomerID: acme,
		Before: coreaudit.Fields{"customerId": raw(`"bolt"`), "department": raw(`"Contract 42"`)},
		After:  coreaudit.Fields{"customerId": raw(`"` + acme + `"`), "department": raw(`"Docks"`)},
	}
	got := list(t, ofAcme(principal.Manager), event)[0]
	if len(got.Before) > 0 || len(got.After) != 2 {
		t.Errorf("the new customer sees %v before and %v after", got.Before, got.After)
	}
}

func TestFilters(t *testing.T) {
	filters := audit.Filters()
	for _, want := range append(coreaudit.Actions(), "user.*", "trust_policy.*", "table.*") {
		if !slices.Contains(filters, want) {
			t.Errorf("no filter %s", want)
		}
	}
	if slices.Contains(filters, "*") || len(slices.Compact(filters)) != len(filters) {
		t.Errorf("filters are %v", filters)
	}
}

// TestSettingsOfProjectsAreTheVendors checks that the log shows people of a customer no more of a project than the API
// does, and none of the vendor's people.
func TestSettingsOfProjectsAreTheVendors(t *testing.T) {
	fields := coreaudit.Fields{
		"settings": raw(`{"margin":"40%"}`), "metadata": raw(`{"note":"late payer"}`), "ownerId": raw(`"u"`),
		"name": raw(`"p"`),
	}
	event := coreaudit.Event{Target: coreaudit.Target{Kind: coreaudit.Project}, CustomerID: acme, Before: fields,
		After: fields}
	got := list(t, ofAcme(principal.Manager), event)[0]
	for _, name := range []string{"settings", "metadata", "ownerId"} {
		if got.After[name] != nil || got.Before[name] != nil {
			t.Errorf("a customer's manager sees the %s of a project: %s", name, got.After[name])
		}
	}
	if got.After["name"] == nil {
		t.Error("a customer's manager does not see the name of a project")
	}
}
