package customers

import (
	"encoding/json"
	"fmt"
	"strings"

	"portside/shared/core/checks"
	"portside/shared/core/fault"
	"portside/shared/core/principal"
)

// Limits of a customer's fields, from the API contract. Lengths are in characters. Package checks has those of
// addresses and metadata.
const (
	MaxName        = 200
	MaxSlug        = 63
	MaxExternalID  = 200
	MaxContacts    = 20
	MaxContactName = 200
	MaxContactRole = 100
	MaxUsers       = 1_000_000
	MaxRequests    = 1_000_000 // per minute
)

// NewCustomer is the input for a new customer.
type NewCustomer struct {
	Name        string
	Slug        string
	Status      Status // empty means active
	ExternalID  string // empty means none
	Contacts    []Contact
	MaxUsers    int64           // 0 means no limit
	MaxRequests int64           // per minute; 0 means no limit
	Metadata    json.RawMessage // nil means an empty object
}

// Change is the input for changing a customer. Nil fields stay unchanged.
type Change struct {
	// IsPatch: Metadata is a JSON Merge Patch (RFC 7396) to the stored object. Otherwise it replaces the stored object.
	IsPatch     bool
	Name        *string
	Slug        *string
	Status      *Status
	ExternalID  *string   // empty removes it
	Contacts    []Contact // replaces all contacts; an empty slice removes them
	MaxUsers    *int64    // 0 removes the limit
	MaxRequests *int64    // 0 removes the limit
	Metadata    json.RawMessage
}

// change returns the creation as a change of an empty customer, so that both follow the same rules.
func (n NewCustomer) change() Change {
	c := Change{
		Name: &n.Name, Slug: &n.Slug, ExternalID: &n.ExternalID, Contacts: n.Contacts, MaxUsers: &n.MaxUsers,
		MaxRequests: &n.MaxRequests,
		Metadata:    n.Metadata,
	}
	if n.Status != "" {
		c.Status = &n.Status
	}
	return c
}

// Check returns all validation failures.
func (n NewCustomer) Check() []fault.Field { return n.change().Check() }

// Apply returns c, a customer with default values, with the input applied.
func (n NewCustomer) Apply(c Customer) Customer { return n.change().Apply(c) }

// Check returns all validation failures.
func (c Change) Check() []fault.Field {
	var failures checks.Failures
	if c.Name != nil {
		failures.Text("/name", strings.TrimSpace(*c.Name), 1, MaxName)
	}
	if c.Slug != nil && !isSlug(*c.Slug) {
		const rule = "must have 1 to %d lower-case letters and digits, in words joined by single hyphens, such as acme-shipping"
		failures.Add("/slug", rule, MaxSlug)
	}
	if c.Status != nil && !c.Status.Known() {
		failures.Add("/status", "must be active or suspended")
	}
	if c.ExternalID != nil {
		failures.Text("/externalId", strings.TrimSpace(*c.ExternalID), 0, MaxExternalID)
	}
	checkContacts(&failures, c.Contacts)
	checkLimit(&failures, "/limits/users", c.MaxUsers, MaxUsers)
	checkLimit(&failures, "/limits/requestsPerMinute", c.MaxRequests, MaxRequests)
	if c.Metadata != nil {
		failures.Object("/metadata", checks.Compact(c.Metadata))
	}
	return failures.Fields()
}

func checkLimit(failures *checks.Failures, at string, limit *int64, most int64) {
	if limit != nil && (*limit < 0 || *limit > most) {
		failures.Add(at, "must be 1 to %d, or null for no limit", most)
	}
}

// isSlug reports whether a text has words of lower-case letters and digits, joined by single hyphens.
func isSlug(text string) bool {
	isOther := func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') }
	for word := range strings.SplitSeq(text, "-") {
		if word == "" || strings.ContainsFunc(word, isOther) {
			return false
		}
	}
	return len(text) <= MaxSlug
}

func checkContacts(failures *checks.Failures, contacts []Contact) {
	if len(contacts) > MaxContacts {
		failures.Add("/contacts", "must have at most %d contacts", MaxContacts)
		return
	}
	for i, contact := range contacts {
		at := fmt.Sprintf("/contacts/%d/", i)
		contact = contact.normal()
		failures.Text(at+"name", contact.Name, 0, MaxContactName)
		failures.Email(at+"email", contact.Email)
		failures.Text(at+"role", contact.Role, 0, MaxContactRole)
	}
}

// normal returns the contact in its stored form.
func (c Contact) normal() Contact {
	return Contact{Name: strings.TrimSpace(c.Name), Email: principal.NormalEmail(c.Email), Role: strings.TrimSpace(c.Role)}
}

// Apply returns customer with the change applied.
func (c Change) Apply(customer Customer) Customer {
	if c.Name != nil {
		customer.Name = strings.TrimSpace(*c.Name)
	}
	if c.Slug != nil {
		customer.Slug = *c.Slug
	}
	if c.Status != nil {
		customer.Status = *c.Status
	}
	if c.ExternalID != nil {
		customer.ExternalID = strings.TrimSpace(*c.ExternalID)
	}
	if c.Contacts != nil {
		customer.Contacts = make([]Contact, len(c.Contacts))
		for i, contact := range c.Contacts {
			customer.Contacts[i] = contact.normal()
		}
	}
	if c.MaxUsers != nil {
		customer.MaxUsers = *c.MaxUsers
	}
	if c.MaxRequests != nil {
		customer.MaxRequests = *c.MaxRequests
	}
	if c.Metadata != nil {
		customer.Metadata = checks.ReplaceOrPatch(customer.Metadata, c.Metadata, c.IsPatch)
	}
	return customer
}

// checkResult returns the failures that a valid patch can cause: an object that is too large after the merge.
func checkResult(c Customer) []fault.Field {
	var failures checks.Failures
	failures.Object("/metadata", c.Metadata)
	return failures.Fields()
}
