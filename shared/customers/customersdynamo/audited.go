package customersdynamo

import (
	"portside/shared/core/audit"
	"portside/shared/customers"
)

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
