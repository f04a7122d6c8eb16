package usersdynamo

import (
	"portside/shared/core/audit"
	"portside/shared/users"
)

// audit adds an event. The zero user as before means a creation, and as after a deletion.
func (p *plan) audit(action audit.Action, before, after users.User) {
	of := after
	if of.ID == "" {
		of = before
	}
	p.changes = append(p.changes, audit.Change{
		Action: action, Target: audit.Target{Kind: audit.User, ID: of.ID, Name: of.Email}, CustomerID: of.CustomerID,
		Before: auditForm(before), After: auditForm(after),
	})
}

// person is the actor of what a user does with a mailed link.
func person(u users.User) audit.Actor {
	return audit.Actor{Kind: audit.Person, ID: u.ID, CustomerID: u.CustomerID}
}
