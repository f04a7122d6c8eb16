package projectsdynamo

import (
	"portside/shared/core/audit"
	"portside/shared/projects"
)

// audit adds an event. The zero project as before means a creation, and as after a deletion.
func (p *plan) audit(action audit.Action, before, after projects.Project) {
	of := after
	if of.ID == "" {
		of = before
	}
	p.changes = append(p.changes, audit.Change{
		Action: action, Target: audit.Target{Kind: audit.Project, ID: of.ID, Name: of.Name}, CustomerID: of.CustomerID,
		Before: auditForm(before), After: auditForm(after),
	})
}
