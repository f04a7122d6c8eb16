package pulls

import (
	"context"
	"regexp"
	"strings"
	"time"

	"portside/shared/core/principal"
)

// Store keeps pulls, and counts them by day.
type Store interface {
	Recorder
	// Page reads a range of the log, newest first, and reports whether there may be more behind
	// it. It returns no pulls only if there are no more.
	Page(ctx context.Context, s Range) (found []Pull, more bool, err error)
	// SetChecks sets Checks of each of the given checks, at most a page of them.
	SetChecks(ctx context.Context, found []Pull) error
}

// Range is a part of the log in the order of positions, newest first.
type Range struct {
	By       Key
	IsChecks bool      // whether to read the checks instead of the pulls
	From, To time.Time // from inclusive, to exclusive
	After    Position  // only pulls behind it; zero means all
	Limit    int
}

// Key selects whose pulls to read. At most one field is set. The zero Key selects all pulls.
type Key struct{ Credential, Owner, Customer, Repository string }

// Position is the place of a pull in the log: its time and id as text that sorts like them. The
// empty position is before all others.
type Position string

// Stamp is the layout of times in positions and items: UTC text that sorts by time.
const Stamp = "2006-01-02T15:04:05.000Z"

// Precision is the precision of the times of pulls.
const Precision = time.Millisecond

// Position returns the position of the pull.
func (p Pull) Position() Position {
	return Position(p.At.UTC().Format(Stamp) + "#" + p.ID())
}

var position = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z#[0-9a-f]{32}$`)

// At returns the time in a position, or false if the text is not a position.
func (p Position) At() (time.Time, bool) {
	if !position.MatchString(string(p)) {
		return time.Time{}, false
	}
	stamp, _, _ := strings.Cut(string(p), "#")
	at, err := time.Parse(Stamp, stamp)
	return at, err == nil
}

// Service reads the log of pulls.
type Service struct{ store Store }

// NewService returns a Service on a store.
func NewService(store Store) *Service { return &Service{store: store} }

// Query selects the pulls to list. Empty fields select all.
type Query struct {
	Credential string
	Owner      string
	Customer   string
	Repository string
	Kind       Kind
	IsChecks   bool      // whether to list the checks instead of the pulls
	From, To   time.Time // from inclusive, to exclusive
	After      Position
	Limit      int
}

// Page is a part of a list. Next is the position behind which the next page begins; it is empty on
// the last page.
type Page struct {
	Pulls []Pull
	Next  Position
}

// maxReads bounds how many ranges one List reads, so that filters that match almost nothing do
// not read a whole year.
const (
	maxReads   = 8
	maxStretch = 250
)

// List returns the matching pulls, newest first: for a caller with tokens:read those of all users that the caller
// reaches, otherwise those of the caller. A page may have fewer pulls than its limit, even none, and still a Next.
// The credentials of others look as if they had no pulls.
//
// A pull belongs to the customer that its owner had at that time. After a move to another customer, the old customer
// keeps it.
func (s *Service) List(ctx context.Context, caller principal.Principal, q Query) (Page, error) {
	page, err := s.list(ctx, caller, q)
	if err == nil && q.IsChecks {
		err = s.store.SetChecks(ctx, page.Pulls)
	}
	return page, err
}

func (s *Service) list(ctx context.Context, caller principal.Principal, q Query) (Page, error) {
	w := listing{Query: q, owner: caller.UserID, customer: q.Customer}
	if caller.CanFor(principal.TokensRead, caller.CustomerID) {
		w.owner = q.Owner
	}
	if caller.CustomerID != "" {
		w.customer = caller.CustomerID
	}
	if q.Owner != "" && q.Owner != w.owner || q.Customer != "" && q.Customer != w.customer {
		return Page{}, nil
	}
	stretch := Range{By: w.key(), IsChecks: q.IsChecks, From: q.From, To: q.To, After: q.After, Limit: w.readSize()}
	for range maxReads {
		found, more, err := s.store.Page(ctx, stretch)
		if err != nil {
			return Page{}, err
		}
		if page, done := w.take(found, more); done {
			return page, nil
		}
		stretch.After = w.at
	}
	return Page{Pulls: w.taken, Next: w.at}, nil
}

// listing is the state of one List.
type listing struct {
	Query
	owner string // whose pulls may be shown; empty means everybody's
	at    Position
	taken []Pull

	customer string // of which customer pulls may be shown; empty means all, and the staff's
}

// key returns the most specific key with an index. Callers who may see only their own pulls, or those of their
// customer, cannot use the index by repository, because the length of a page would show how many others pull from
// it.
func (w *listing) key() Key {
	switch {
	case w.Credential != "":
		return Key{Credential: w.Credential}
	case w.owner != "":
		return Key{Owner: w.owner}
	case w.customer != "":
		return Key{Customer: w.customer}
	default:
		return Key{Repository: w.Repository}
	}
}

// readSize returns how many pulls to read at once: one more than the page needs, which shows whether
// there are more. If not every pull matches, it is as many as one read returns at low cost.
func (w *listing) readSize() int {
	if w.Kind != "" || w.Repository != "" && w.key().Repository == "" || w.customer != "" && w.key().Owner != "" {
		return maxStretch
	}
	return w.Limit + 1
}

// take adds the matches of a range to the page. The page is complete if a further match shows
// that another page follows, or if the log ends.
func (w *listing) take(found []Pull, more bool) (Page, bool) {
	for _, p := range found {
		if w.owner != "" && p.OwnerID != w.owner || w.key().Credential != "" && !w.isOfCustomer(p) {
			return Page{}, true // a credential has one owner and one customer
		}
		if w.matches(p) && len(w.taken) == w.Limit {
			return Page{Pulls: w.taken, Next: w.taken[w.Limit-1].Position()}, true
		}
		if w.matches(p) {
			w.taken = append(w.taken, p)
		}
		w.at = p.Position()
	}
	return Page{Pulls: w.taken}, !more
}

func (w *listing) matches(p Pull) bool {
	return (w.Repository == "" || p.Repository == w.Repository) && (w.Kind == "" || p.Kind == w.Kind) && w.isOfCustomer(p)
}

func (w *listing) isOfCustomer(p Pull) bool { return w.customer == "" || p.CustomerID == w.customer }
