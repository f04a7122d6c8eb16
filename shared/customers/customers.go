// Package customers administers customers: the companies that buy from the vendor.
//
// Users can belong to a customer. While a customer is suspended, no credential of its users works. A customer can have
// a limit for the number of its users; a limit that is lowered below the present number only stops new users. Another
// limit is for the requests of all credentials of its users. The credentials table has a copy of the status and the
// limits, because authentication and the creation of users depend on them; see Store.
//
// A slug belongs to at most one customer, and so does an external ID. The counts of a list match its customers, even if
// a process dies halfway; see Store.
//
// For users of a customer, only their own customer exists; see principal.Principal.Reaches.
package customers

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"portside/shared/core/errorcode"
	"portside/shared/core/fault"
	"portside/shared/core/idempotency"
	"portside/shared/core/paging"
	"portside/shared/core/search"
)

// Status says whether the users of a customer may act.
type Status string

// The statuses.
const (
	Active    Status = "active"
	Suspended Status = "suspended"
)

// Statuses returns every status in the order in which documents and counters show them.
func Statuses() []Status { return []Status{Active, Suspended} }

// Known reports whether s is one of Statuses.
func (s Status) Known() bool { return slices.Contains(Statuses(), s) }

// Contact is a person of a customer, to whose address the vendor writes. The person need not be a user.
type Contact struct {
	Name  string
	Email string // trimmed and in lower case
	Role  string // what the person is responsible for, such as "billing"; it grants nothing
}

// Customer is one customer.
type Customer struct {
	ID          string // UUIDv7
	Name        string
	Slug        string // unique
	Status      Status
	ExternalID  string          // unique; empty if unknown
	Contacts    []Contact       // in the order in which the client named them
	MaxUsers    int64           // 0 means no limit
	MaxRequests int64           // of all credentials of the users, per minute; 0 means no limit
	Metadata    json.RawMessage // a JSON object as the client wrote it, compacted; never empty
	CreatedAt   time.Time       // in milliseconds; ascends with Number
	UpdatedAt   time.Time
	Users       int64 // how many belong to the customer; changes without a new version
	Number      int64 // position in the order of creation; gaps are normal
	Version     int64 // 1 at creation, and one more with every change of another field than Users
}

// Terms returns the search terms of the customer.
func (c Customer) Terms() []string { return search.TermsOf(c.Name, c.Slug, c.ExternalID) }

// The errors of operations on customers.
var (
	ErrNotFound  = fault.New(fault.NotFound, "The customer does not exist.")
	ErrSlugTaken = fault.NewFinal(fault.Conflict, "Another customer has this slug.").Coded(errorcode.SlugTaken)

	ErrExternalIDTaken = fault.NewFinal(fault.Conflict, "Another customer has this external ID.").
				Coded(errorcode.ExternalIDTaken)
	ErrHasUsers = fault.NewFinal(fault.Conflict,
		"The customer still has users. Delete them or move them to another customer first.").
		Coded(errorcode.CustomerHasUsers)
)

// Reader reads customers. Reads are strongly consistent.
type Reader interface {
	// Get returns a customer with the number of its users, or ErrNotFound.
	Get(ctx context.Context, id string) (Customer, error)
	// List returns one page in the order of creation with the exact total. Its cost depends neither on the offset nor
	// on the number of customers.
	List(ctx context.Context, query Query) (Page, error)
	// Search returns one page of the customers of which a term matches, in the order of the terms that match. Its cost
	// does not depend on the number of customers. Errors: search.ErrText, paging.ErrCursor.
	Search(ctx context.Context, query search.Query) (SearchPage, error)
}

// Store keeps customers. Each write is all or nothing: the customer, the markers of its slug and external ID, its
// entries in the lists, their counts, its search terms, and the copy of its status and limits that authentication
// reads. Methods return the errors of this package and those of packages versions and idempotency unwrapped; any other
// error is an outage.
type Store interface {
	Reader
	// Create adds a customer with its number, creation time and first version. Errors: ErrSlugTaken,
	// ErrExternalIDTaken. If the creation has an idempotency key that was used within its lifetime, nothing is written:
	// Create returns the first request's customer in its first state, or idempotency.ErrReused if the fingerprints
	// differ.
	Create(ctx context.Context, creation Creation) (Created, error)
	// Update replaces before with after. Errors: versions.ErrStale if the stored version differs from before's,
	// ErrSlugTaken, ErrExternalIDTaken. The store sets the version and number of after.
	Update(ctx context.Context, before, after Customer) (Customer, error)
	// EndCredentials ends all credentials of the customer's users, in one step for any number. Lists show the given
	// time. Errors: ErrNotFound.
	EndCredentials(ctx context.Context, id string, at time.Time) error
	// Delete removes a customer. Errors: versions.ErrStale, ErrHasUsers.
	Delete(ctx context.Context, customer Customer) error
}

// Query asks for one page of a list.
type Query struct {
	Status Status          // empty means all statuses
	Limit  int             // 1 to 100
	Offset int64           // 0 or more
	After  paging.Position // Next of the page before, without Offset; empty for the page at the offset
}

// Page is one page of a list. Its customers have only the fields of the list form: id, name, slug, status, external ID
// and creation time.
type Page struct {
	Customers []Customer
	Total     int64           // of matching customers on all pages
	Next      paging.Position // for Query.After; empty on the last page
}

// SearchPage is one page of the results of a search. Its customers have all fields except Users.
type SearchPage struct {
	Customers []Customer
	Next      paging.Position // for search.Query.After; empty on the last page. A page with few or no customers may have a next page
}

// Creation is a customer to add, with what must be written in the same transaction.
type Creation struct {
	Customer Customer
	Once     *idempotency.Key // nil if the client sent no idempotency key
}

// Created is the result of a creation.
type Created struct {
	Customer Customer
	Replayed bool // nothing was written, because an earlier request with the same idempotency key created this customer
}
