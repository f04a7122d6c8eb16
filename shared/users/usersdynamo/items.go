package usersdynamo

import (
	"encoding/json"

	"portside/shared/core/principal"
	"portside/shared/core/search"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/records"
	"portside/shared/users"
)

// userItem is the stored form of a user. Times are Unix milliseconds, 0 for never.
type userItem struct {
	PK         string         `dynamodbav:"pk"`
	SK         string         `dynamodbav:"sk"`
	ID         string         `dynamodbav:"id"`
	Email      string         `dynamodbav:"email"`
	Name       string         `dynamodbav:"name"`
	Customer   string         `dynamodbav:"customer,omitempty"`
	Role       principal.Role `dynamodbav:"role"`
	Status     users.Status   `dynamodbav:"status"`
	Department string         `dynamodbav:"department,omitempty"`
	Metadata   string         `dynamodbav:"metadata"` // JSON text, so that numbers keep all their digits
	Created    int64          `dynamodbav:"created"`
	Updated    int64          `dynamodbav:"updated"`
	LastLogin  int64          `dynamodbav:"lastLogin,omitempty"`
	Number     int64          `dynamodbav:"number"`
	Version    int64          `dynamodbav:"version"`
	Link       string         `dynamodbav:"link,omitempty"`
	History    string         `dynamodbav:"life,omitempty"` // see daycounts.History
}

func newUserItem(u users.User) userItem {
	return userItem{
		PK: "user#" + u.ID, SK: "user", ID: u.ID, Email: u.Email, Name: u.Name, Customer: u.CustomerID, Role: u.Role,
		Status:     u.Status,
		Department: u.Department, Metadata: string(u.Metadata), Created: items.Millis(u.CreatedAt),
		Updated:   items.Millis(u.UpdatedAt),
		LastLogin: items.Millis(u.LastLoginAt), Number: u.Number, Version: u.Version, Link: u.LinkID,
		History: u.History,
	}
}

func (i userItem) user() users.User {
	return users.User{
		ID: i.ID, Email: i.Email, Name: i.Name, CustomerID: i.Customer, Role: i.Role, Status: i.Status,
		Department: i.Department,
		Metadata:   json.RawMessage(i.Metadata), CreatedAt: items.Time(i.Created), UpdatedAt: items.Time(i.Updated),
		LastLoginAt: items.Time(i.LastLogin), Number: i.Number, Version: i.Version, LinkID: i.Link,
		History: i.History,
	}
}

// listItem is the list form of a user. Its size determines most of the cost of a page.
type listItem struct {
	ID       string         `dynamodbav:"id"`
	Email    string         `dynamodbav:"email"`
	Name     string         `dynamodbav:"name"`
	Customer string         `dynamodbav:"customer,omitempty"`
	Role     principal.Role `dynamodbav:"role"`
	Status   users.Status   `dynamodbav:"status"`
	Created  int64          `dynamodbav:"created"`
}

func newListItem(u users.User) listItem {
	return listItem{
		ID: u.ID, Email: u.Email, Name: u.Name, Customer: u.CustomerID, Role: u.Role, Status: u.Status,
		Created: items.Millis(u.CreatedAt),
	}
}

// row returns all that the table keeps because of a user.
func row(u users.User) records.Row {
	return records.Row{
		ID: u.ID, Version: u.Version, Item: newUserItem(u), Unique: []records.Marker{emailMarker(u)},
		Number: u.Number, Label: string(u.Role), State: string(u.Status), Scope: u.CustomerID, Listed: newListItem(u),
		Terms: search.Terms(u.Email, u.Name), Name: u.Email, Customer: u.CustomerID, Audited: auditForm(u),
	}
}

// rowOf returns the row of a stored user, without a label if the user cannot be listed.
func rowOf(item items.Map) (records.Row, error) {
	stored, err := items.Decode[userItem](item)
	r := row(stored.user())
	if stored.Email == "" || !stored.Role.Known() || !stored.Status.Known() {
		r.Label = ""
	}
	return r, err
}

func emailMarker(u users.User) records.Marker {
	return records.Marker{PK: emailPK(u.Email), SK: "email", Owner: "user", Taken: users.ErrEmailTaken}
}

func (i listItem) user() users.User {
	return users.User{
		ID: i.ID, Email: i.Email, Name: i.Name, CustomerID: i.Customer, Role: i.Role, Status: i.Status,
		CreatedAt: items.Time(i.Created),
	}
}

// emailItem is a marker of an address.
type emailItem struct {
	User string `dynamodbav:"user"`
}

func emailPK(address string) string { return "email#" + address }

// unsentItem is an activation mail that was not sent yet.
type unsentItem struct {
	PK    string `dynamodbav:"pk"`
	SK    string `dynamodbav:"sk"`
	Base  string `dynamodbav:"base"`
	Link  string `dynamodbav:"link"` // empty for an import: the first link is created with the mail
	Due   int64  `dynamodbav:"due"`
	Tries int    `dynamodbav:"tries"`

	Customer string `dynamodbav:"customer,omitempty"` // of the user, when the invitation was made

	Makers []string `dynamodbav:"makers,omitempty"` // see credentialsdynamo.FormatMakers
}

func newUnsentItem(u users.User, i users.Invitation) unsentItem {
	return unsentItem{
		PK: "unsent", SK: u.ID, Customer: u.CustomerID, Base: i.BaseURL, Link: i.Link.ID, Due: items.Millis(i.Due),
		Tries:  i.Attempts,
		Makers: credentialsdynamo.FormatMakers(i.Makers),
	}
}

func emailKey(address string) items.Map { return items.Key(emailPK(address), "email") }
func adminsKey() items.Map              { return items.Key("admins", "admins") }
func unsentKey(userID string) items.Map { return items.Key("unsent", userID) }

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

func auditForm(u users.User) userForm {
	return userForm{u.Email, u.Name, u.CustomerID, u.Role, u.Status, u.Department, u.Metadata, u.Version}
}
