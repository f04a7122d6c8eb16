package customersdynamo

import (
	"encoding/json"

	"portside/shared/customers"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/records"
)

// customerItem is the stored form of a customer. Times are Unix milliseconds.
type customerItem struct {
	PK          string           `dynamodbav:"pk"`
	SK          string           `dynamodbav:"sk"`
	ID          string           `dynamodbav:"id"`
	Name        string           `dynamodbav:"name"`
	Slug        string           `dynamodbav:"slug"`
	Status      customers.Status `dynamodbav:"status"`
	ExternalID  string           `dynamodbav:"externalId,omitempty"`
	Contacts    []contactItem    `dynamodbav:"contacts,omitempty"`
	MaxUsers    int64            `dynamodbav:"maxUsers,omitempty"`
	MaxRequests int64            `dynamodbav:"maxRequests,omitempty"`
	Metadata    string           `dynamodbav:"metadata"` // JSON text, so that numbers keep all their digits
	Created     int64            `dynamodbav:"created"`
	Updated     int64            `dynamodbav:"updated"`
	Number      int64            `dynamodbav:"number"`
	Version     int64            `dynamodbav:"version"`
}

type contactItem struct {
	Name  string `dynamodbav:"name,omitempty"`
	Email string `dynamodbav:"email"`
	Role  string `dynamodbav:"role,omitempty"`
}

// newCustomerItem leaves out the number of users, which is in the state of the customer.
func newCustomerItem(c customers.Customer) customerItem {
	item := customerItem{
		PK: "customer#" + c.ID, SK: "customer", ID: c.ID, Name: c.Name, Slug: c.Slug, Status: c.Status,
		ExternalID: c.ExternalID,
		MaxUsers:   c.MaxUsers, MaxRequests: c.MaxRequests, Metadata: string(c.Metadata),
		Created: items.Millis(c.CreatedAt), Updated: items.Millis(c.UpdatedAt), Number: c.Number, Version: c.Version,
	}
	for _, contact := range c.Contacts {
		item.Contacts = append(item.Contacts, contactItem(contact))
	}
	return item
}

func (i customerItem) customer() customers.Customer {
	c := customers.Customer{
		ID: i.ID, Name: i.Name, Slug: i.Slug, Status: i.Status, ExternalID: i.ExternalID,
		Contacts: make([]customers.Contact, len(i.Contacts)), MaxUsers: i.MaxUsers, MaxRequests: i.MaxRequests,
		Metadata:  json.RawMessage(i.Metadata),
		CreatedAt: items.Time(i.Created), UpdatedAt: items.Time(i.Updated), Number: i.Number, Version: i.Version,
	}
	for n, contact := range i.Contacts {
		c.Contacts[n] = customers.Contact(contact)
	}
	return c
}

// listItem is the list form of a customer. Its size determines most of the cost of a page.
type listItem struct {
	ID         string           `dynamodbav:"id"`
	Name       string           `dynamodbav:"name"`
	Slug       string           `dynamodbav:"slug"`
	Status     customers.Status `dynamodbav:"status"`
	ExternalID string           `dynamodbav:"externalId,omitempty"`
	Created    int64            `dynamodbav:"created"`
}

func listForm(c customers.Customer) listItem {
	return listItem{
		ID: c.ID, Name: c.Name, Slug: c.Slug, Status: c.Status, ExternalID: c.ExternalID, Created: items.Millis(c.CreatedAt),
	}
}

func (i listItem) customer() customers.Customer {
	return customers.Customer{
		ID: i.ID, Name: i.Name, Slug: i.Slug, Status: i.Status, ExternalID: i.ExternalID, CreatedAt: items.Time(i.Created),
	}
}

// state returns what authentication and the creation of users must know of the customer.
func state(c customers.Customer) customerstates.State {
	return customerstates.State{Suspended: c.Status == customers.Suspended, MaxUsers: c.MaxUsers, MaxRequests: c.MaxRequests}
}

// owner is the attribute of a marker with the ID of the customer.
const owner = "customer"

// row returns all that the table keeps because of a customer.
func row(c customers.Customer) records.Row {
	return records.Row{
		ID: c.ID, Version: c.Version, Item: newCustomerItem(c), Unique: []records.Marker{slugMarker(c), externalMarker(c)},
		Number: c.Number, Label: string(c.Status), Listed: listForm(c), Terms: c.Terms(),
		Name: c.Slug, Customer: c.ID, Audited: auditForm(c),
	}
}

// rowOf returns the row of a stored customer, without a label if the customer cannot be listed.
func rowOf(item items.Map) (records.Row, error) {
	stored, err := items.Decode[customerItem](item)
	r := row(stored.customer())
	if stored.Slug == "" || !stored.Status.Known() {
		r.Label = ""
	}
	return r, err
}

func slugMarker(c customers.Customer) records.Marker {
	return records.Marker{PK: slugPK(c.Slug), SK: "slug", Owner: owner, Taken: customers.ErrSlugTaken}
}

// externalMarker returns a marker that stands for none if the customer has no external ID.
func externalMarker(c customers.Customer) records.Marker {
	if c.ExternalID == "" {
		return records.Marker{}
	}
	return records.Marker{PK: externalPK(c.ExternalID), SK: "external", Owner: owner, Taken: customers.ErrExternalIDTaken}
}

func slugPK(slug string) string { return "slug#" + slug }

// externalPK returns a key of at most 809 bytes, because customers.MaxExternalID characters have at most 800. DynamoDB
// allows 2,048.
func externalPK(externalID string) string { return "external#" + externalID }

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

func auditForm(c customers.Customer) customerForm {
	form := customerForm{
		Name: c.Name, Slug: c.Slug, Status: c.Status, ExternalID: c.ExternalID, Limits: limitsForm{c.MaxUsers, c.MaxRequests},
		Metadata: c.Metadata, Version: c.Version,
	}
	for _, contact := range c.Contacts {
		form.Contacts = append(form.Contacts, contactForm(contact))
	}
	return form
}
