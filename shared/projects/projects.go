// Package projects is the administration of projects: what is worked on for customers, by whom, and how far it is.
//
// A project has an owner and members, who are users. These roles say who does what; they permit nothing: what a caller may do
// follows from the role of the user, as everywhere. Users are named when they exist. One who is deleted later stays named, so
// that it can still be told whose project it was, until somebody names another.
//
// Any status may follow any other: customers reopen what was completed, and undo what was done by mistake. Each time that a
// project becomes archived counts as an archival.
//
// The counts of a list are the counts of its projects, and the dashboard's counters are what happened to them, whatever happens
// half-way; see Store.
package projects

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/idempotency"
)

// Status is how far a project is.
type Status string

// The statuses.
const (
	Draft     Status = "draft"
	Active    Status = "active"
	OnHold    Status = "on_hold"
	Completed Status = "completed"
	Archived  Status = "archived"
)

// Statuses lists every status in the order in which documents and counters show them.
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
	OwnerID     string          // user id
	Members     []Member        // each user once, in the order in which the client named them
	Settings    json.RawMessage // a JSON object as the client wrote it, compacted; never empty
	Metadata    json.RawMessage // the same
	CreatedAt   time.Time       // milliseconds; in the order of Number
	UpdatedAt   time.Time
	Number      int64  // place in the order of creation; holes are normal
	Version     int64  // 1 at creation, +1 with every change that a reader can see
	Past        string // what the store has to know of earlier days; goes back to it as it came
}

// ErrNotFound is what an operation on a project gets that does not exist.
var ErrNotFound = fault.New(fault.NotFound, "There is no such project.")

// Store keeps projects. Everything that a method writes appears at once or not at all: the project, its places in the lists,
// their counts, and the counters of the day on which it happened. Reads are strongly consistent. Methods return ErrNotFound
// and the errors of versions and once as they are; anything else is an outage.
type Store interface {
	// Get returns a project, or ErrNotFound.
	Get(ctx context.Context, id string) (Project, error)
	// List returns one page in the order of creation, with the exact total, at a cost that grows neither with the
	// offset nor with the number of projects.
	List(ctx context.Context, query Query) (Page, error)
	// Create adds a project and gives it its number, creation time and first version. If the creation carries an
	// idempotency key that was used within its life, nothing is written: the first request's project is returned as it
	// was then, or once.ErrReused where the fingerprints differ.
	Create(ctx context.Context, creation Creation) (Created, error)
	// Update replaces before by after if the stored version is still before's; else versions.ErrStale. After's version and
	// number are the store's to set.
	Update(ctx context.Context, before, after Project) (Project, error)
	// Delete removes a project as of the given time; versions.ErrStale as with Update.
	Delete(ctx context.Context, project Project, at time.Time) error
}

// Query asks for one page of a list.
type Query struct {
	Status Status // empty: all statuses
	Limit  int    // 1 to 100
	Offset int64  // 0 or more
}

// Page is one page of a list. The projects in it carry only what the list form shows: id, name, description, status, owner
// and creation time.
type Page struct {
	Projects []Project
	Total    int64 // projects that match, on all pages
}

// Creation is a project to be added, with what must be written together with it.
type Creation struct {
	Project Project
	Once    *idempotency.Key // nil: no idempotency key
	// Refusal, unless nil, is what forbids the creation by now. It is returned, except where an earlier request with the
	// same idempotency key made the project when nothing forbade it.
	Refusal error
}

// Created is the outcome of a creation.
type Created struct {
	Project  Project
	Replayed bool // nothing was written: an earlier request with the same idempotency key made this project
}

// Directory knows the users.
type Directory interface {
	// Existing returns those of the ids, each given once, that a user has, in any order.
	Existing(ctx context.Context, ids []string) ([]string, error)
}
