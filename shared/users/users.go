// Package users administers users, their roles and their statuses.
//
// A user of a customer sees and manages only the users of this customer; see principal.Principal.Reaches.
//
// Three rules always hold, even if a process dies halfway. An email address belongs to at most one
// user. The counts of a list match its users. Once there was an active admin, there is always
// one. The store ensures all three in the transaction that changes a user; see Store.
package users

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"portside/shared/core/errorcode"
	"portside/shared/core/fault"
	"portside/shared/core/idempotency"
	"portside/shared/core/paging"
	"portside/shared/core/principal"
	"portside/shared/core/search"
)

// Status says whether a user may act.
type Status string

// The statuses. Only the credentials of active users work.
const (
	Pending   Status = "pending" // created with an activation mail and not activated yet
	Active    Status = "active"
	Inactive  Status = "inactive"
	Suspended Status = "suspended"
)

// Statuses returns every status, first the one that most users have.
func Statuses() []Status { return []Status{Active, Pending, Inactive, Suspended} }

// Known reports whether s is one of Statuses.
func (s Status) Known() bool { return slices.Contains(Statuses(), s) }

// User is a person who may sign in.
type User struct {
	ID          string // UUIDv7
	Email       string // trimmed and in lower case
	Name        string
	CustomerID  string // the user's customer; empty for the vendor's staff
	Role        principal.Role
	Status      Status
	Department  string
	Metadata    json.RawMessage // a JSON object as the client wrote it, compacted; never empty
	CreatedAt   time.Time       // in milliseconds; ascends with Number
	UpdatedAt   time.Time
	LastLoginAt time.Time // zero before the first sign-in
	Number      int64     // position in the order of creation; gaps are normal
	Version     int64     // 1 at creation, and one more with every change that a reader can see
	LinkID      string    // public id of the current activation link; empty unless pending
	History     string    // what the store counted the user as on earlier days; opaque to this package
}

// The errors of operations on users.
var (
	ErrNotFound   = fault.New(fault.NotFound, "The user does not exist.")
	ErrEmailTaken = fault.NewFinal(fault.Conflict,
		"Another user has this email address. Addresses are compared case-insensitively.").
		Coded(errorcode.EmailTaken)
	// ErrNoCustomer means that no customer has the ID.
	ErrNoCustomer   = fault.Invalid(fault.Field{Pointer: "/customerId", Detail: notCustomer})
	ErrTooManyUsers = fault.NewFinal(fault.Conflict, "The customer already has as many users as its limit allows. Delete one of them. The "+
		"vendor's staff can raise limits.users of the customer.").Coded(errorcode.TooManyUsers)
	ErrLastAdmin = fault.NewFinal(fault.Conflict,
		"This is the last active admin. Make another user an active admin first.").
		Coded(errorcode.LastAdmin)
	ErrRoleTooHigh = fault.New(fault.Forbidden, "Your role permits less than that role: you cannot give that role to a user, "+
		"or change or delete a user who has it.")
)

// Reader reads users. Reads are strongly consistent.
type Reader interface {
	// Get returns a user, or ErrNotFound.
	Get(ctx context.Context, id string) (User, error)
	// List returns one page in the order of creation with the exact total. Its cost depends neither
	// on the offset nor on the number of users. Errors: paging.ErrCursor.
	List(ctx context.Context, query Query) (Page, error)
	// Search returns one page of the users whose address or name matches, in the order of the terms that match: those
	// of a customer, or all of them if the ID is empty. Its cost does not depend on the number of users. Errors:
	// search.ErrText, paging.ErrCursor.
	Search(ctx context.Context, customerID string, query search.Query) (SearchPage, error)
}

// Store keeps users. Each write is all or nothing: the user, its email marker, its entries in the
// lists, their counts, and the role and status on its credentials. Methods return the errors of
// this package unwrapped; any other error is an outage.
type Store interface {
	Reader
	CredentialEnder
	// Create adds a user with its number, creation time and first version. Errors: ErrEmailTaken, ErrNoCustomer,
	// ErrTooManyUsers, mail.ErrQuota.
	// If the creation has an idempotency key that was used within 24 hours, nothing is written:
	// Create returns the first request's user in its first state, or idempotency.ErrReused if the
	// fingerprints differ.
	Create(ctx context.Context, creation Creation) (Created, error)
	// Update replaces before with after. Errors: versions.ErrStale if the stored version differs from before's;
	// ErrLastAdmin. If the user is not pending afterwards, Update revokes its activation link. If the user is not
	// active afterwards, Update ends the sessions and removes the passkeys. The store sets the version, number and
	// history of after. A change of the customer can have the errors ErrNoCustomer and ErrTooManyUsers.
	Update(ctx context.Context, before, after User) (User, error)
	// Deletion reads a user for its deletion as of the given time. Errors: ErrNotFound.
	Deletion(ctx context.Context, id string, at time.Time) (Deletion, error)
}

// CredentialEnder ends credentials of users.
type CredentialEnder interface {
	// End ends credentials of the user as of the given time. Errors: versions.ErrStale.
	End(ctx context.Context, user User, ending Ending, at time.Time) error
	// FinishClosing finishes what an earlier change of the user, or the deletion, has not yet done to the credentials.
	// It writes nothing if no change is unfinished, and leaves the rest to the schedule if it takes too long or fails.
	FinishClosing(ctx context.Context, userID string) error
}

// Ending says which credentials an administrator ends. The user can sign in again with a mailed link.
type Ending string

// The endings. Both remove the passkeys.
const (
	EndSessions Ending = "sessions"
	EndAll      Ending = "all" // also API keys, tokens, passwords and mailed links, except an activation link
)

// Deletion is a user who can be deleted.
type Deletion struct {
	User User
	// Commit removes the user and revokes all its credentials. Errors: versions.ErrStale, ErrLastAdmin.
	Commit func(context.Context) error
}

// Query asks for one page of a list.
type Query struct {
	CustomerID string          // empty: the staff and the users of all customers
	Role       principal.Role  // empty: all roles
	Status     Status          // empty: all statuses
	Email      string          // normal, see NewUser.Normal; empty: all addresses
	IDs        []string        // distinct, at most MaxLimit; nil: all users. Excludes the filters by role, status and address
	Limit      int             // 1 to MaxLimit
	Offset     int64           // 0 or more
	After      paging.Position // Next of the page before, without Offset; empty for the page at the offset
}

// Page is one page of a list. Its users have only the fields of the list form: id, customer, email, name,
// role, status and creation time.
type Page struct {
	Users []User
	Total int64           // of matching users on all pages
	Next  paging.Position // for Query.After; empty on the last page
}

// SearchPage is one page of the results of a search. Its users have all fields.
type SearchPage struct {
	Users []User
	Next  paging.Position // for search.Query.After; empty on the last page. A page with few or no users may have a next page
}

// Limits of pages, from the specification.
const (
	DefaultLimit = 20
	MaxLimit     = 100
)

// Creation is a user to add, with the other items to write in the same transaction.
type Creation struct {
	User       User
	Invitation *Invitation      // nil without an activation mail
	Once       *idempotency.Key // nil if the client sent no idempotency key
}

// Created is the result of a creation.
type Created struct {
	User     User
	Replayed bool // nothing was written, because an earlier request with the same idempotency key created this user
}

// Person returns the user as other domains see one.
func (u User) Person() principal.Person {
	return principal.Person{
		ID: u.ID, CustomerID: u.CustomerID, Email: u.Email, Name: u.Name, Role: u.Role, Active: u.Status == Active,
		Version: u.Version,
	}
}

// actingAdmin reports whether the user is an active admin of the vendor. At least one must always exist. An admin of a
// customer does not count, because it cannot manage other customers.
func (u User) actingAdmin() bool {
	return u.Role == principal.Admin && u.Status == Active && u.CustomerID == ""
}

// ActingAdmins returns by how much the number of active admins changes from before to after. A zero
// User stands for no user.
func ActingAdmins(before, after User) int {
	change := 0
	if before.actingAdmin() {
		change--
	}
	if after.actingAdmin() {
		change++
	}
	return change
}
