package customersdynamo

import (
	"encoding/json"

	"portside/shared/core/audit"
	"portside/shared/customers"
)

// customerForm is what audit events show of a customer.
type customerForm struct {
	Name       string           `json:"name"`
	Slug       string           `json:"slug"`
	Status     customers.Status `json:"status"`
	ExternalID string           `json:"externalId,omitempty"`
	Contacts   []contactForm    `json:"contacts,omitempty"`
	Limits     limitsForm       `json:"limits"`
	Metadata   json.RawMessage  `json:"metadata,omitempty"`
	Version    int64            `json:"version"`
}

type contactForm struct {
	Name  string `json:"name,omitempty"`
	Email string `json:"email,omitempty"`
	Role  string `json:"role,omitempty"`
}

type limitsForm struct {
	Users             int64 `json:"users,omitempty"`
	RequestsPerMinute int64 `json:"requestsPerMinute,omitempty"`
}

func auditForm(c customers.Customer) any {
	if c.ID == "" {
		return nil
	}
	form := customerForm{
		Name: c.Name, Slug: c.Slug, Status: c.Status, ExternalID: c.ExternalID, Limits: limitsForm{c.MaxUsers, c.MaxRequests},
		Metadata: c.Metadata, Version: c.Version,
	}
	for _, contact := range c.Contacts {
		form.Contacts = append(form.Contacts, contactForm(contact))
	}
	return form
}

// audit adds an event. The zero customer as before means a creation, and as after a deletion.
func (p *plan) audit(action audit.Action, before, after customers.Customer) {
	of := after
	if of.ID == "" {
		of = before
	}
	p.changes = append(p.changes, audit.Change{
		Action: action, Target: audit.Target{Kind: audit.Customer, ID: of.ID, Name: of.Slug}, CustomerID: of.ID,
		Before: auditForm(before), After: auditForm(after),
	})
}
