package projectsdynamo

import (
	"encoding/json"

	"portside/shared/core/search"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/records"
	"portside/shared/projects"
)

// projectItem is the stored form of a project. Times are Unix milliseconds.
type projectItem struct {
	PK          string          `dynamodbav:"pk"`
	SK          string          `dynamodbav:"sk"`
	ID          string          `dynamodbav:"id"`
	Name        string          `dynamodbav:"name"`
	Description string          `dynamodbav:"description,omitempty"`
	Status      projects.Status `dynamodbav:"status"`
	Customer    string          `dynamodbav:"customer,omitempty"`
	Owner       string          `dynamodbav:"owner"`
	Members     []memberItem    `dynamodbav:"members,omitempty"`
	Settings    string          `dynamodbav:"settings"` // JSON text, so that numbers keep all their digits
	Metadata    string          `dynamodbav:"metadata"` // like Settings
	Created     int64           `dynamodbav:"created"`
	Updated     int64           `dynamodbav:"updated"`
	Number      int64           `dynamodbav:"number"`
	Version     int64           `dynamodbav:"version"`
	History     string          `dynamodbav:"life"`
}

type memberItem struct {
	User string              `dynamodbav:"user"`
	Role projects.MemberRole `dynamodbav:"role"`
}

func newProjectItem(p projects.Project) projectItem {
	item := projectItem{
		PK: "project#" + p.ID, SK: "project", ID: p.ID, Name: p.Name, Description: p.Description, Status: p.Status,
		Customer: p.CustomerID, Owner: p.OwnerID,
		Settings: string(p.Settings), Metadata: string(p.Metadata), Created: items.Millis(p.CreatedAt),
		Updated: items.Millis(p.UpdatedAt), Number: p.Number, Version: p.Version, History: p.History,
	}
	for _, m := range p.Members {
		item.Members = append(item.Members, memberItem{m.UserID, m.Role})
	}
	return item
}

func (i projectItem) project() projects.Project {
	p := projects.Project{
		ID: i.ID, Name: i.Name, Description: i.Description, Status: i.Status, CustomerID: i.Customer, OwnerID: i.Owner,
		Members:  make([]projects.Member, len(i.Members)),
		Settings: json.RawMessage(i.Settings), Metadata: json.RawMessage(i.Metadata), CreatedAt: items.Time(i.Created),
		UpdatedAt: items.Time(i.Updated), Number: i.Number, Version: i.Version, History: i.History,
	}
	for n, m := range i.Members {
		p.Members[n] = projects.Member{UserID: m.User, Role: m.Role}
	}
	return p
}

// listItem is the list form of a project. Its size determines most of the cost of a page.
type listItem struct {
	ID          string          `dynamodbav:"id"`
	Name        string          `dynamodbav:"name"`
	Description string          `dynamodbav:"description,omitempty"`
	Status      projects.Status `dynamodbav:"status"`
	Customer    string          `dynamodbav:"customer,omitempty"`
	Owner       string          `dynamodbav:"owner"`
	Created     int64           `dynamodbav:"created"`
}

func listForm(p projects.Project) listItem {
	return listItem{
		ID: p.ID, Name: p.Name, Description: p.Description, Status: p.Status, Customer: p.CustomerID, Owner: p.OwnerID,
		Created: items.Millis(p.CreatedAt),
	}
}

func (i listItem) project() projects.Project {
	return projects.Project{
		ID: i.ID, Name: i.Name, Description: i.Description, Status: i.Status, CustomerID: i.Customer, OwnerID: i.Owner,
		CreatedAt: items.Time(i.Created),
	}
}

// row returns all that the table keeps because of a project.
func row(p projects.Project) records.Row {
	return records.Row{
		ID: p.ID, Version: p.Version, Item: newProjectItem(p), Number: p.Number, Label: string(p.Status), Scope: p.CustomerID,
		Listed: listForm(p), Terms: search.Terms("", p.Name), Name: p.Name, Customer: p.CustomerID, Audited: auditForm(p),
	}
}

// rowOf returns the row of a stored project, without a label if the project cannot be listed.
func rowOf(item items.Map) (records.Row, error) {
	stored, err := items.Decode[projectItem](item)
	r := row(stored.project())
	if !stored.Status.Known() {
		r.Label = ""
	}
	return r, err
}

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

func auditForm(p projects.Project) projectForm {
	return projectForm{p.Name, p.Description, p.Status, p.CustomerID, p.OwnerID, p.Members, p.Settings, p.Metadata,
		p.Version}
}
