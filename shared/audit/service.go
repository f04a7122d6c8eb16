// Package audit reads the audit log: who changed what. Package core/audit defines the events, and dynamo/auditlog
// writes them.
//
// To users of a customer, only the events of this customer exist, and the people of the vendor have no ID, name or
// address in them; see [Service.List].
package audit

import (
	"context"
	"time"

	coreaudit "portside/shared/core/audit"
)

// Store reads events.
type Store interface {
	// Page reads a range of the log in its order. It returns all events of the range up to a position, which may be
	// more or fewer than the limit of the range. It returns the number of queries that it needed, at most the limit of
	// the range; those of a day count as one.
	Page(ctx context.Context, r Range) (Stretch, error)
}

// Range is a part of the log.
type Range struct {
	By          Key
	From, To    time.Time // from inclusive, to exclusive
	OldestFirst bool      // the oldest first, else the newest
	After       Position  // only events after it; empty means all
	Limit       int       // of the events of one query
	Queries     int       // at most
}

// Key selects the events that an index has. At most one field is set. The zero Key selects all events.
type Key struct {
	ActorID    string
	CustomerID string
	Target     coreaudit.Target // its kind and ID
}

// Stretch is the beginning of a Range. Next is the position after which the next one begins; it is empty at the end of
// the range.
type Stretch struct {
	Events  []coreaudit.Event
	Next    Position
	Queries int
}

// Service lists events.
type Service struct{ store Store }

// NewService returns a Service on a store.
func NewService(store Store) *Service { return &Service{store: store} }
