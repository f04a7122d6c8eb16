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
	// Record adds the pulls, each of which counts once however often it is given. What it did before an error stays done;
	// giving it the same pulls again does the rest. It returns how many were new.
	Record(ctx context.Context, pulls []Pull) (int, error)
	// Page reads a stretch of the log, newest first, and tells whether there may be more behind it. It returns none only where
	// there are no more.
	Page(ctx context.Context, s Stretch) (found []Pull, more bool, err error)
}

// Stretch is a part of the log in the order of positions, newest first.
type Stretch struct {
	By       Key
	From, To time.Time // from inclusive, to exclusive
	After    Position  // only what comes behind it; the zero Position: all
	Limit    int
}

// Key is whose pulls: at most one field is set. The zero Key is everybody's.
type Key struct{ Credential, Owner, Repository string }

// Position is the place of a pull in the log: its time and id, as text that sorts like them. The empty one is before all.
type Position string

// Stamp is how times are written in positions and stored: as text that sorts, in UTC.
const Stamp = "2006-01-02T15:04:05.000Z"

// Position returns where the pull is.
func (p Pull) Position() Position {
	return Position(p.At.UTC().Format(Stamp) + "#" + p.ID())
}

var position = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z#[0-9a-f]{32}$`)

// At returns the time of a position; false for text that is none.
func (p Position) At() (time.Time, bool) {
	if !position.MatchString(string(p)) {
		return time.Time{}, false
	}
	stamp, _, _ := strings.Cut(string(p), "#")
	at, err := time.Parse(Stamp, stamp)
	return at, err == nil
}

// Service is the rules of reading the log.
type Service struct{ store Store }

// NewService returns the rules over a store.
func NewService(store Store) *Service { return &Service{store: store} }

// Query is which pulls to list. Empty fields do not narrow.
type Query struct {
	Credential string
	Repository string
	Kind       Kind
	From, To   time.Time // from inclusive, to exclusive
	After      Position
	Limit      int
}

// Page is a part of a list. Next is the position to go on behind; empty: that was all.
type Page struct {
	Pulls []Pull
	Next  Position
}

// What one List reads at most is maxReads stretches: filters that match next to nothing must not read for a year.
const (
	maxReads   = 8
	maxStretch = 250
)

// List returns the pulls that match, newest first: everybody's with tokens:read, otherwise the caller's own. A page may have
// less than its limit, or nothing, and yet a Next. Without the permission, other people's credentials look as if nobody
// had pulled with them.
func (s *Service) List(ctx context.Context, caller principal.Principal, q Query) (Page, error) {
	w := walk{Query: q, owner: caller.UserID}
	if caller.Can(principal.TokensRead) {
		w.owner = ""
	}
	stretch := Stretch{By: w.key(), From: q.From, To: q.To, After: q.After, Limit: w.stretch()}
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

// walk is how far a List has come.
type walk struct {
	Query
	owner string // whose pulls may be shown; empty: everybody's
	at    Position
	taken []Pull
}

// key is the narrowest that there is an index for. A repository is not, for those who may see only what is their own: how
// many others pull from it would show in how far a page reaches.
func (w *walk) key() Key {
	switch {
	case w.Credential != "":
		return Key{Credential: w.Credential}
	case w.owner != "":
		return Key{Owner: w.owner}
	default:
		return Key{Repository: w.Repository}
	}
}

// stretch is how many pulls to read at once: one more than wanted tells whether there are more; where not every one matches,
// as many as come cheaply.
func (w *walk) stretch() int {
	if w.Kind != "" || w.Repository != "" && w.key().Repository == "" {
		return maxStretch
	}
	return w.Limit + 1
}

// take goes through a stretch. It is done with the pull that proves another page, or where the log ends.
func (w *walk) take(found []Pull, more bool) (Page, bool) {
	for _, p := range found {
		if w.owner != "" && p.OwnerID != w.owner {
			return Page{}, true // a credential has one owner
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

func (w *walk) matches(p Pull) bool {
	return (w.Repository == "" || p.Repository == w.Repository) && (w.Kind == "" || p.Kind == w.Kind)
}
