package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/customers"
	"portside/shared/web"
	"portside/shared/web/resource"
)

// ListedCustomer is a customer in a list. Structs that are embedded in inputs and outputs are exported, because huma
// ignores the fields of unexported ones.
type ListedCustomer struct {
	ID         string           `json:"id" format:"uuid" doc:"UUIDv7; never changes." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
	Name       string           `json:"name" doc:"Name of the customer; not necessarily unique." example:"Acme Shipping"`
	Slug       string           `json:"slug" doc:"Short unique name." example:"acme-shipping"`
	Status     customers.Status `json:"status" enum:"active,suspended" doc:"The credentials of a suspended customer's users do not work." example:"active"`
	ExternalID string           `json:"externalId" doc:"Unique ID of the customer in another system, such as a CRM. Empty if not set, and in responses to users of the customer." example:"C-1815"`
	CreatedAt  time.Time        `json:"createdAt" doc:"UTC." example:"2026-03-02T09:15:30.250Z"`
}

// Customer is a customer with all fields.
type Customer struct {
	ListedCustomer
	Contacts  []Contact      `json:"contacts" doc:"People of the customer, in the order in which you listed them."`
	Limits    CustomerLimits `json:"limits" doc:"Limits of the customer."`
	Users     int64          `json:"users" doc:"Number of users who belong to the customer." example:"12"`
	Metadata  web.Object     `json:"metadata" doc:"JSON object that you stored with the customer, unchanged. Empty for users of the customer." example:"{\"region\":\"emea\"}"`
	UpdatedAt time.Time      `json:"updatedAt" doc:"UTC; time of the last change." example:"2026-03-02T09:15:30.250Z"`
}

// Contact is a person of a customer.
type Contact struct {
	Name  string `json:"name" doc:"Empty if it is unknown." example:"Ada Byron"`
	Email string `json:"email" doc:"Email address in lower case." example:"ada@example.com"`
	Role  string `json:"role" doc:"What the person is responsible for; empty if it is unknown." example:"billing"`
}

// ContactInput is a contact in a request.
type ContactInput struct {
	Name  string `json:"name,omitempty" doc:"At most 200 characters." example:"Ada Byron"`
	Email string `json:"email" doc:"Email address; stored in lower case." example:"ada@example.com"`
	Role  string `json:"role,omitempty" doc:"What the person is responsible for; at most 100 characters." example:"billing"`
}

// CustomerLimits are the limits of a customer.
type CustomerLimits struct {
	Users             *int64 `json:"users" minimum:"1" maximum:"1000000" doc:"How many users the customer can have; null means no limit." example:"50"`
	RequestsPerMinute *int64 `json:"requestsPerMinute" minimum:"1" maximum:"1000000" doc:"How many requests all credentials of the customer's users together can make per minute; null means no limit." example:"6000"`
}

// CustomerLimitsInput are the limits of a customer in a request.
type CustomerLimitsInput struct {
	Users             *int64 `json:"users,omitempty" nullable:"true" minimum:"1" maximum:"1000000" doc:"How many users the customer can have; null means no limit. In a PUT or PATCH, leave it out to keep the limit." example:"50"`
	RequestsPerMinute *int64 `json:"requestsPerMinute,omitempty" nullable:"true" minimum:"1" maximum:"1000000" doc:"How many requests all credentials of the customer's users together can make per minute; null means no limit. In a PUT or PATCH, leave it out to keep the limit." example:"6000"`
}

// valueOf returns a limit, or 0 for none.
func valueOf(limit *int64) int64 {
	if limit == nil {
		return 0
	}
	return *limit
}

func encodeListedCustomer(c customers.Customer) ListedCustomer {
	return ListedCustomer{
		ID: c.ID, Name: c.Name, Slug: c.Slug, Status: c.Status, ExternalID: c.ExternalID, CreatedAt: c.CreatedAt,
	}
}

func encodeCustomer(c customers.Customer) Customer {
	contacts := make([]Contact, len(c.Contacts))
	for i, contact := range c.Contacts {
		contacts[i] = Contact(contact)
	}
	limits := CustomerLimits{Users: web.NullIfZero(c.MaxUsers), RequestsPerMinute: web.NullIfZero(c.MaxRequests)}
	return Customer{
		ListedCustomer: encodeListedCustomer(c), Contacts: contacts, Limits: limits, Users: c.Users, Metadata: web.Object(c.Metadata),
		UpdatedAt: c.UpdatedAt,
	}
}

// customerBody is the body of a response with one customer.
type customerBody struct {
	Data Customer `json:"data"`
}

type customerOutput struct {
	resource.Version
	Body customerBody
}

func newCustomerOutput(c customers.Customer) *customerOutput {
	return &customerOutput{Version: resource.VersionOf(c.Version), Body: customerBody{encodeCustomer(c)}}
}

type listCustomersInput struct {
	web.Paging
	Status customers.Status `query:"status" enum:"active,suspended" doc:"Only customers with this status."`
}

type listCustomersOutput struct {
	Body struct {
		Data       []ListedCustomer `json:"data"`
		Pagination web.Pagination   `json:"pagination"`
	}
}

func (s *service) list(ctx context.Context, in *listCustomersInput) (*listCustomersOutput, error) {
	after, err := in.After()
	if err != nil {
		return nil, err
	}
	caller, _ := principal.From(ctx)
	page, err := s.customers.List(ctx, caller,
		customers.Query{Status: in.Status, Limit: in.Limit, Offset: in.Offset, After: after})
	if err != nil {
		return nil, err
	}
	out := &listCustomersOutput{}
	out.Body.Data = encodeListedCustomers(page.Customers)
	out.Body.Pagination = in.Pagination(page.Total, page.Next)
	return out, nil
}

func encodeListedCustomers(all []customers.Customer) []ListedCustomer {
	listed := make([]ListedCustomer, len(all))
	for i, c := range all {
		listed[i] = encodeListedCustomer(c)
	}
	return listed
}

type searchCustomersInput struct {
	web.SearchPaging
}

type searchCustomersOutput struct {
	Body struct {
		Data       []ListedCustomer     `json:"data"`
		Pagination web.CursorPagination `json:"pagination"`
	}
}

func (s *service) search(ctx context.Context, in *searchCustomersInput) (*searchCustomersOutput, error) {
	query, err := in.Query()
	if err != nil {
		return nil, err
	}
	caller, _ := principal.From(ctx)
	page, err := s.customers.Search(ctx, caller, query)
	if err != nil {
		return nil, err
	}
	out := &searchCustomersOutput{}
	out.Body.Data = encodeListedCustomers(page.Customers)
	out.Body.Pagination = in.Pagination(page.Next)
	return out, nil
}

type createCustomerInput struct {
	resource.Idempotency
	Body struct {
		Name       string               `json:"name" doc:"1 to 200 characters." example:"Acme Shipping"`
		Slug       string               `json:"slug" doc:"Unique; 1 to 63 lower-case letters and digits, in words joined by single hyphens." example:"acme-shipping"`
		Status     customers.Status     `json:"status,omitempty" enum:"active,suspended" default:"active" doc:"The credentials of a suspended customer's users do not work."`
		ExternalID string               `json:"externalId,omitempty" doc:"Unique ID of the customer in another system; at most 200 characters." example:"C-1815"`
		Contacts   []ContactInput       `json:"contacts,omitempty" doc:"At most 20 people."`
		Limits     *CustomerLimitsInput `json:"limits,omitempty" doc:"Limits of the customer. Default: none."`
		Metadata   web.Object           `json:"metadata,omitempty" doc:"Any JSON object, at most 16 KB and 8 levels; stored unchanged." example:"{\"region\":\"emea\"}"`
	}
}

// Resolve implements huma.Resolver. It adds the failures of the domain to the failures of the schema.
func (in *createCustomerInput) Resolve(huma.Context) []error {
	return web.Failures(in.customer().Check())
}

func (in *createCustomerInput) customer() customers.NewCustomer {
	b := in.Body
	customer := customers.NewCustomer{
		Name: b.Name, Slug: b.Slug, Status: b.Status, ExternalID: b.ExternalID, Contacts: contactsOf(b.Contacts),
		Metadata: json.RawMessage(b.Metadata),
	}
	if b.Limits != nil {
		customer.MaxUsers, customer.MaxRequests = valueOf(b.Limits.Users), valueOf(b.Limits.RequestsPerMinute)
	}
	return customer
}

// contactsOf returns nil if the request has no contacts.
func contactsOf(all []ContactInput) []customers.Contact {
	if all == nil {
		return nil
	}
	contacts := make([]customers.Contact, len(all))
	for i, contact := range all {
		contacts[i] = customers.Contact(contact)
	}
	return contacts
}

type createCustomerOutput struct {
	resource.Version
	resource.Creation
	Body customerBody
}

func (s *service) create(ctx context.Context, in *createCustomerInput) (*createCustomerOutput, error) {
	caller, _ := principal.From(ctx)
	created, err := s.customers.Create(ctx, customers.CreateOptions{Caller: caller, IdempotencyKey: in.IdempotencyKey},
		in.customer())
	if err != nil {
		return nil, err
	}
	return &createCustomerOutput{
		Version:  resource.VersionOf(created.Customer.Version),
		Creation: resource.CreatedAt(path+"/"+created.Customer.ID, created.Replayed),
		Body:     customerBody{encodeCustomer(created.Customer)},
	}, nil
}

// CustomerPath is the path parameter of operations on one customer.
type CustomerPath struct {
	CustomerID string `path:"customerId" format:"uuid" doc:"ID of the customer." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
}

func (p CustomerPath) target(c resource.Condition) versions.Target {
	return versions.Target{ID: resource.CanonicalID(p.CustomerID), IfMatch: c.Wanted()}
}

func (s *service) get(ctx context.Context, in *CustomerPath) (*customerOutput, error) {
	caller, _ := principal.From(ctx)
	customer, err := s.customers.Get(ctx, caller, resource.CanonicalID(in.CustomerID))
	if err != nil {
		return nil, err
	}
	return newCustomerOutput(customer), nil
}

func (s *service) endCredentials(ctx context.Context, in *CustomerPath) (*struct{}, error) {
	return nil, s.customers.EndCredentials(ctx, resource.CanonicalID(in.CustomerID))
}

type deleteCustomerInput struct {
	CustomerPath
	resource.Condition
}

func (s *service) delete(ctx context.Context, in *deleteCustomerInput) (*struct{}, error) {
	return nil, s.customers.Delete(ctx, in.target(in.Condition))
}
