package customers_test

import (
	"slices"
	"strings"
	"testing"

	"portside/shared/customers"
)

func TestSlug(t *testing.T) {
	t.Parallel()
	for slug, good := range map[string]bool{
		"a": true, "7": true, "acme": true, "acme-shipping-2": true, strings.Repeat("a", 63): true,
		"": false, "-": false, "-acme": false, "acme-": false, "acme--shipping": false, "Acme": false, "acme_x": false,
		"acme x": false,
		"ä":      false, "acme\x00": false, "\xff": false, " acme": false, strings.Repeat("a", 64): false,
	} {
		if failures := (customers.Change{Slug: &slug}).Check(); (len(failures) == 0) != good {
			t.Errorf("%q: failures %v, want accepted = %v", slug, failures, good)
		}
	}
}

func TestContactsAreChecked(t *testing.T) {
	t.Parallel()
	good := customers.Contact{Name: " Ada ", Email: " ADA@example.com", Role: " billing "}
	change := customers.Change{Contacts: []customers.Contact{
		good, {Name: strings.Repeat("a", 201), Email: "ada", Role: strings.Repeat("a", 101)}, {},
	}}
	var pointers []string
	for _, failure := range change.Check() {
		pointers = append(pointers, failure.Pointer)
	}
	want := []string{"/contacts/1/name", "/contacts/1/email", "/contacts/1/role", "/contacts/2/email"}
	if !slices.Equal(pointers, want) {
		t.Errorf("pointers %q, want %q", pointers, want)
	}
	change.Contacts = slices.Repeat([]customers.Contact{good}, customers.MaxContacts)
	stored := change.Apply(customers.Customer{}).Contacts
	wanted := customers.Contact{Name: "Ada", Email: "ada@example.com", Role: "billing"}
	if failures := change.Check(); len(failures) > 0 || stored[19] != wanted {
		t.Errorf("%v; the last contact is %+v", failures, stored[19])
	}
	change.Contacts = append(change.Contacts, good)
	if failures := change.Check(); len(failures) != 1 || failures[0].Pointer != "/contacts" {
		t.Errorf("21 contacts: %v", failures)
	}
}

func TestLimitOfUsersIsChecked(t *testing.T) {
	t.Parallel()
	for limit, good := range map[int64]bool{0: true, 1: true, customers.MaxUsers: true, customers.MaxUsers + 1: false,
		-1: false} {
		if failures := (customers.Change{MaxUsers: &limit}).Check(); (len(failures) == 0) != good {
			t.Errorf("%d users: failures %v, want accepted = %v", limit, failures, good)
		}
		if failures := (customers.Change{MaxRequests: &limit}).Check(); (len(failures) == 0) != good {
			t.Errorf("%d requests: failures %v, want accepted = %v", limit, failures, good)
		}
	}
}
