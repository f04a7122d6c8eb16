package projectsdynamo

import (
	"encoding/json"

	"portside/shared/core/audit"
	"portside/shared/projects"
)

// projectForm is what audit events show of a project.
type projectForm struct {
	Name        string            `json:"name"`
	Description string            `json:"description,omitempty"`
	Status      projects.Status   `json:"status"`
	CustomerID  string            `json:"customerId,omitempty"`
	OwnerID     string            `json:"ownerId"`
	Members     []projects.Member `json:"members"`
	Settings    json.RawMessage   `json:"settings"`
	Metadata    json.RawMessage   `json:"metadata"`
	Version     int64             `json:"version"`
}

func auditForm(p projects.Project) any {
	if p.ID == "" {
		return nil
	}
	return projectForm{p.Name, p.Description, p.Status, p.CustomerID, p.OwnerID, p.Members, p.Settings, p.Metadata, p.Version}
}

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
