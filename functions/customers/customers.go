package main

import (
	"context"
	"encoding/json"
	"net/http"
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

var listCustomers = huma.Operation{
	OperationID: "listCustomers", Tags: tags, Summary: "List customers",
	Description: "Returns one page of customers in the order of their creation, with the exact total.",
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

var searchCustomers = huma.Operation{
	OperationID: "searchCustomers", Tags: tags, Summary: "Search customers",
	Description: "Returns the customers whose slug or external ID begins with the text, or whose name has it at the beginning of its " +
		"first, second or third word: `ac`, `ship` and `c-18` find Acme Shipping with the external ID C-1815. The results are sorted by the " +
		"text that matched, each customer once. A search finds a change with the next request and takes the same time for any number of " +
		"customers. A page can have fewer results than `limit` although `pagination.hasMore` is true.",
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

var createCustomer = huma.Operation{
	OperationID: "createCustomer", Tags: tags, Summary: "Create a customer",
	DefaultStatus: http.StatusCreated,
	Description: "Creates a customer, a company that buys from you. The slug and the external ID must not belong to another customer." +
		"\n\nWith an `Idempotency-Key` you can safely repeat the request for 24 hours: the same body gets the first response again with " +
		"`Idempotency-Replayed: true`, and a different body gets a 422.",
	Errors: web.BodyErrors(http.StatusConflict, http.StatusUnprocessableEntity),
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

var getCustomer = huma.Operation{
	OperationID: "getCustomer", Tags: tags, Summary: "Get a customer",
	Description: "Returns one customer with all fields. The `ETag` identifies the version; send it in `If-Match` to change only this " +
		"version. A new or deleted user changes `users` but not the `ETag`.",
	Errors: []int{http.StatusNotFound},
}

func (s *service) get(ctx context.Context, in *CustomerPath) (*customerOutput, error) {
	caller, _ := principal.From(ctx)
	customer, err := s.customers.Get(ctx, caller, resource.CanonicalID(in.CustomerID))
	if err != nil {
		return nil, err
	}
	return newCustomerOutput(customer), nil
}

var endCredentials = huma.Operation{
	OperationID: "endCustomerCredentials", Tags: tags,
	Summary: "End all credentials of a customer's users", DefaultStatus: http.StatusNoContent,
	Description: "Ends all sessions, passkeys, API keys, tokens and passwords of all users of the customer, and the tokens that its " +
		"pipelines and pods have exchanged, for example after a theft. " +
		"They stop working with the next request, however many there are. The users stay `active` and can sign in again with a mailed link; " +
		"to prevent that, set the status of the customer to `suspended`. Invitations stay. Credentials that are created afterwards work.",
	Errors: []int{http.StatusNotFound},
}

func (s *service) endCredentials(ctx context.Context, in *CustomerPath) (*struct{}, error) {
	return nil, s.customers.EndCredentials(ctx, resource.CanonicalID(in.CustomerID))
}

type deleteCustomerInput struct {
	CustomerPath
	resource.Condition
}

var deleteCustomer = huma.Operation{
	OperationID: "deleteCustomer", Tags: tags, Summary: "Delete a customer",
	DefaultStatus: http.StatusNoContent,
	Description: "Deletes a customer permanently. A customer who still has users cannot be deleted. To stop the users of a customer, set " +
		"its status to `suspended`.",
	Errors: []int{http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed},
}

func (s *service) delete(ctx context.Context, in *deleteCustomerInput) (*struct{}, error) {
	return nil, s.customers.Delete(ctx, in.target(in.Condition))
}
