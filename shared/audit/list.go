package audit

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	coreaudit "portside/shared/core/audit"
	"portside/shared/core/principal"
)

// Position is a place in the log: the ID of an event, or the beginning of the IDs of a time. Text order is the order of
// time.
type Position string

var positionPattern = regexp.MustCompile(`^[0-9a-f]{14}(?:-[a-z2-7]{26})?$`)

// IsValid reports whether the text is the position of an event or a time.
func (p Position) IsValid() bool { return positionPattern.MatchString(string(p)) }

// Query selects the events to list. Empty fields select all.
type Query struct {
	ActorID     string
	CustomerID  string
	Target      coreaudit.Target // its kind and ID
	Action      coreaudit.Action // or all of a kind: user.*
	From, To    time.Time        // from inclusive, to exclusive
	OldestFirst bool             // the oldest first, else the newest
	After       Position
	Limit       int
}

// Page is a part of a list. Next is the position after which the next page begins; it is empty on the last page.
type Page struct {
	Events []coreaudit.Event
	Next   Position
}

// The bounds of one List, so that filters that match almost nothing do not read a whole year.
const (
	maxQueries  = 31 // so a page can skip a month without events
	maxExamined = 2000
	queryLimit  = 250 // events of a query, if not every event matches
)

// List returns the matching events in the order of their times, for a caller with audit:read. A page may have fewer
// events than its limit, even none, and still a Next. Events appear within moments after the change, and at the latest
// when auditlog.Settled has passed.
//
// A user of a customer sees the events about what belongs to this customer, in the form of forCustomer. Only the index
// by customer serves such a caller: the length of a page from another index would show how many events of others there
// are.
func (s *Service) List(ctx context.Context, caller principal.Principal, q Query) (Page, error) {
	if q.CustomerID != "" && !caller.Reaches(q.CustomerID) {
		return Page{}, nil
	}
	w := listing{Query: q, caller: caller}
	if caller.CustomerID != "" {
		w.CustomerID = caller.CustomerID
	}
	span := Range{By: w.key(), From: q.From, To: q.To, OldestFirst: q.OldestFirst, After: q.After, Queries: maxQueries}
	span.Limit = w.queryLimit(span.By)
	for examined := 0; examined < maxExamined && span.Queries > 0; {
		found, err := s.store.Page(ctx, span)
		if err != nil {
			return Page{}, err
		}
		if w.take(found.Events) {
			return Page{Events: w.taken, Next: Position(w.taken[q.Limit-1].ID)}, nil
		}
		if found.Next == "" {
			return Page{Events: w.taken}, nil
		}
		span.After = found.Next
		span.Queries -= found.Queries
		examined += len(found.Events)
	}
	return Page{Events: w.taken, Next: span.After}, nil
}

// listing is the state of one List.
type listing struct {
	Query
	caller principal.Principal
	taken  []coreaudit.Event
}

// key returns the most selective key that has an index.
func (w *listing) key() Key {
	switch {
	case w.caller.CustomerID != "":
		return Key{CustomerID: w.caller.CustomerID}
	case w.Target.ID != "":
		return Key{Target: w.Target}
	case w.ActorID != "":
		return Key{ActorID: w.ActorID}
	default:
		return Key{CustomerID: w.CustomerID}
	}
}

// queryLimit returns how many events to read at once: one more than the page needs, which shows whether there are more.
// If not every event of the key matches, it is as many as one query returns at low cost.
func (w *listing) queryLimit(by Key) int {
	everyEventMatches := by == Key{ActorID: w.ActorID, CustomerID: w.CustomerID, Target: w.Target} && w.Action == ""
	if everyEventMatches {
		return w.Limit + 1
	}
	return queryLimit
}

// take adds the matches to the page. It reports whether the page is complete: a further match shows that another page
// follows.
func (w *listing) take(found []coreaudit.Event) bool {
	for _, event := range found {
		if !w.matches(event) {
			continue
		}
		if len(w.taken) == w.Limit {
			return true
		}
		if w.caller.CustomerID != "" {
			event = forCustomer(event, w.caller.CustomerID)
		}
		w.taken = append(w.taken, event)
	}
	return false
}

func (w *listing) matches(event coreaudit.Event) bool {
	actor := event.Actor.ID
	if !w.caller.Reaches(event.Actor.CustomerID) {
		actor = "" // does not exist for the caller, who cannot filter by it
	}
	return w.caller.CanFor(principal.AuditRead, event.CustomerID) &&
		(w.ActorID == "" || actor == w.ActorID) &&
		(w.CustomerID == "" || event.CustomerID == w.CustomerID) &&
		(w.Target.ID == "" || event.Target.Kind == w.Target.Kind && event.Target.ID == w.Target.ID) &&
		(w.Action == "" || matchesAction(event.Action, w.Action))
}

// Filters returns the values by which events can be filtered by action: every action, and user.* for all actions of a
// kind.
func Filters() []coreaudit.Action {
	var all []coreaudit.Action
	for _, action := range coreaudit.Actions() {
		ofKind := coreaudit.Action(action.Kind() + anyVerb)
		if all = append(all, action); !slices.Contains(all, ofKind) {
			all = append(all, ofKind)
		}
	}
	slices.Sort(all)
	return all
}

const anyVerb = ".*"

func matchesAction(action, filter coreaudit.Action) bool {
	kind, isKind := strings.CutSuffix(string(filter), anyVerb)
	return action == filter || isKind && strings.HasPrefix(string(action), kind+".")
}
