package usersdynamo

import (
	"encoding/json"

	"portside/shared/core/audit"
	"portside/shared/core/principal"
	"portside/shared/users"
)

// userForm is what audit events show of a user.
type userForm struct {
	Email      string          `json:"email"`
	Name       string          `json:"name"`
	CustomerID string          `json:"customerId,omitempty"`
	Role       principal.Role  `json:"role"`
	Status     users.Status    `json:"status"`
	Department string          `json:"department,omitempty"`
	Metadata   json.RawMessage `json:"metadata,omitempty"`
	Version    int64           `json:"version"`
}

func auditForm(u users.User) any {
	if u.ID == "" {
		return nil
	}
	return userForm{u.Email, u.Name, u.CustomerID, u.Role, u.Status, u.Department, u.Metadata, u.Version}
}

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
