// Package projects administers projects: the work that is done for customers, who does it, and its
// status.
//
// A project has an owner and members, who are users. These roles describe who does what; they grant
// nothing, because permissions follow from the role of the user. A project can belong to a customer, whose users read
// it; see access.go. A user must exist when a project
// first names it. A deleted user stays in the project until an update replaces it, so that
// readers still see whose project it was. The same holds for a deleted customer.
//
// Any status may follow any other, because customers reopen completed projects and undo mistakes.
// Each change to archived counts as an archival.
//
// The counts of a list match its projects, and the dashboard's counters match the changes
// of projects, even if a process dies halfway; see Store.
package projects

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/idempotency"
	"portside/shared/core/paging"
	"portside/shared/core/search"
)

// Status is the state of a project.
type Status string

// The statuses.
const (
	Draft     Status = "draft"
	Active    Status = "active"
	OnHold    Status = "on_hold"
	Completed Status = "completed"
	Archived  Status = "archived"
)

// Statuses returns every status in the order in which documents and counters show them.
func Statuses() []Status { return []Status{Draft, Active, OnHold, Completed, Archived} }

// Known reports whether s is one of Statuses.
func (s Status) Known() bool { return slices.Contains(Statuses(), s) }

// MemberRole is what a member does in a project.
type MemberRole string

// The roles of members.
const (
	Owner  MemberRole = "owner"
	Editor MemberRole = "editor"
	Viewer MemberRole = "viewer"
)

// Member is a user who takes part in a project.
type Member struct {
	UserID string     `json:"userId"`
	Role   MemberRole `json:"role"`
}

// Project is one project.
type Project struct {
	ID          string // UUIDv7
	Name        string
	Description string
	Status      Status
	CustomerID  string          // the project's customer; empty if the project belongs to the vendor
	OwnerID     string          // user id
	Members     []Member        // each user once, in the order in which the client named them
	Settings    json.RawMessage // a JSON object as the client wrote it, compacted; never empty
	Metadata    json.RawMessage // like Settings
	CreatedAt   time.Time       // in milliseconds; ascends with Number
	UpdatedAt   time.Time
	Number      int64  // position in the order of creation; gaps are normal
	Version     int64  // 1 at creation, and one more with every change that a reader can see
	History     string // what the store counted the project as on earlier days; opaque to this package
}

// ErrNotFound is the error of an operation on a project that does not exist.
var ErrNotFound = fault.New(fault.NotFound, "The project does not exist.")

// Reader reads projects. Reads are strongly consistent.
type Reader interface {
	// Get returns a project, or ErrNotFound.
	Get(ctx context.Context, id string) (Project, error)
	// List returns one page in the order of creation with the exact total. Its cost depends neither
	// on the offset nor on the number of projects.
	List(ctx context.Context, query Query) (Page, error)
	// Search returns one page of the projects whose name matches, in the order of the terms that match: those of a
	// customer, or all of them if the ID is empty. Its cost does not depend on the number of projects. Errors:
	// search.ErrText, paging.ErrCursor.
	Search(ctx context.Context, customerID string, query search.Query) (SearchPage, error)
}

// Store keeps projects. Each write is all or nothing: the project, its entries in the lists, their
// counts, and the counters of the day. Methods return ErrNotFound
// and the errors of packages versions and idempotency unwrapped; any other error is an outage.
type Store interface {
	Reader
	// Create adds a project with its number, creation time and first version. If the creation has
	// an idempotency key that was used within its lifetime, nothing is written: Create returns the
	// first request's project in its first state, or idempotency.ErrReused if the fingerprints differ.
	Create(ctx context.Context, creation Creation) (Created, error)
	// Update replaces before with after. Errors: versions.ErrStale if the stored version differs
	// from before's. The store sets the version and number of after.
	Update(ctx context.Context, before, after Project) (Project, error)
	// Delete removes a project as of the given time. Errors: versions.ErrStale.
	Delete(ctx context.Context, project Project, at time.Time) error
}

// Query asks for one page of a list.
type Query struct {
	CustomerID string          // empty means all projects
	Status     Status          // empty means all statuses
	Limit      int             // 1 to 100
	Offset     int64           // 0 or more
	After      paging.Position // Next of the page before, without Offset; empty for the page at the offset
}

// Page is one page of a list. Its projects have only the fields of the list form: id, name,
// description, status, customer, owner and creation time.
type Page struct {
	Projects []Project
	Total    int64           // of matching projects on all pages
	Next     paging.Position // for Query.After; empty on the last page
}

// SearchPage is one page of the results of a search. Its projects have all fields.
type SearchPage struct {
	Projects []Project
	Next     paging.Position // for search.Query.After; empty on the last page. A page with few or no projects may have a next page
}

// Creation is a project to add, with what must be written in the same transaction.
type Creation struct {
	Project Project
	Once    *idempotency.Key // nil if the client sent no idempotency key
	// Refusal, unless nil, is the reason why the creation is not allowed now. It is returned,
	// unless an earlier request with the same idempotency key created the project when it was
	// allowed.
	Refusal error
}

// Created is the result of a creation.
type Created struct {
	Project  Project
	Replayed bool // nothing was written, because an earlier request with the same idempotency key created this project
}

// Directory finds users and customers.
type Directory interface {
	// Existing returns the distinct ids that belong to a user, in any order.
	Existing(ctx context.Context, ids []string) ([]string, error)
	// CustomerExists reports whether a customer has the id.
	CustomerExists(ctx context.Context, id string) (bool, error)
}
