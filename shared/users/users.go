// Package users is the administration of users: who exists, in which role, and who may still act.
//
// Three rules hold whatever happens half-way. An e-mail address belongs to at most one user. The counts of a list are
// the counts of its users. There is always an active admin, once there was one. All three are kept by the store, in the
// same transaction as the user they speak of; see Store.
package users

import (
	"context"
	"encoding/json"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
)

// Status says whether a user may act.
type Status string

// The statuses. Only an active user's credentials work.
const (
	Pending   Status = "pending" // created with an activation mail and not activated yet
	Active    Status = "active"
	Inactive  Status = "inactive"
	Suspended Status = "suspended"
)

// User is one person who may sign in.
type User struct {
	ID          string // UUIDv7
	Email       string // trimmed and lower-cased
	Name        string
	Role        principal.Role
	Status      Status
	Department  string
	Metadata    json.RawMessage // a JSON object as the client wrote it, compacted; never empty
	CreatedAt   time.Time       // milliseconds; in the order of Number
	UpdatedAt   time.Time
	LastLoginAt time.Time // zero before the first sign-in
	Number      int64     // place in the order of creation; holes are normal
	Version     int64     // 1 at creation, +1 with every change that a reader can see
	LinkID      string    // public id of the activation link that is out; empty unless pending
	Past        string    // what the store has to know of earlier days; goes back to it as it came
}

// The ways in which an operation on users is refused.
var (
	ErrNotFound   = fault.New(fault.NotFound, "There is no such user.")
	ErrEmailTaken = fault.NewFinal(fault.Conflict, "Another user has this e-mail address. Addresses are compared without regard to case.")
	ErrLastAdmin  = fault.NewFinal(fault.Conflict, "This is the last active admin. Make another user an active admin first.")
	ErrAbove      = fault.New(fault.Forbidden, "Your role permits less than the role in question: you can neither give it, "+
		"nor change or delete a user who has it.")
)

// Store keeps users. Everything that a method writes appears at once or not at all: the user, its e-mail marker, its
// places in the lists, their counts, and the standing of its credentials. Reads are strongly consistent. Methods return
// the errors of this package as they are; anything else is an outage.
type Store interface {
	// Get returns a user, or ErrNotFound.
	Get(ctx context.Context, id string) (User, error)
	// List returns one page in the order of creation, with the exact total, at a cost that grows neither with the
	// offset nor with the number of users.
	List(ctx context.Context, query Query) (Page, error)
	// Create adds a user and gives it its number, creation time and first version. ErrEmailTaken. If the creation
	// carries an idempotency key that was used within 24 hours, nothing is written: the first request's user is
	// returned as it was then, or once.ErrReused where the fingerprints differ.
	Create(ctx context.Context, creation Creation) (Created, error)
	// Update replaces before by after if the stored version is still before's; else versions.ErrStale. ErrLastAdmin. A user
	// that is no longer pending loses its activation link. After's version, number and past are the store's to set.
	Update(ctx context.Context, before, after User) (User, error)
	// Delete removes a user and revokes all its credentials as of the given time; versions.ErrStale and ErrLastAdmin as with
	// Update.
	Delete(ctx context.Context, user User, at time.Time) error
}

// Query asks for one page of a list.
type Query struct {
	Role   principal.Role // empty: all roles
	Limit  int            // 1 to MaxLimit
	Offset int64          // 0 or more
}

// Page is one page of a list. The users in it carry only what the list form shows: id, email, name, role, status and
// creation time.
type Page struct {
	Users []User
	Total int64 // users that match, on all pages
}

// Paging bounds, from the specification.
const (
	DefaultLimit = 20
	MaxLimit     = 100
)

// Creation is a user to be added, with what must be written together with it.
type Creation struct {
	User       User
	Invitation *Invitation      // nil: no activation mail
	Once       *idempotency.Key // nil: no idempotency key
}

// Created is the outcome of a creation.
type Created struct {
	User     User
	Replayed bool // nothing was written: an earlier request with the same idempotency key made this user
}

// actingAdmin reports whether the user is one of the active admins, of whom there must always be one.
func (u User) actingAdmin() bool { return u.Role == principal.Admin && u.Status == Active }

// ActingAdmins returns by how much the number of active admins changes from before to after. A zero User stands for no
// user.
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
