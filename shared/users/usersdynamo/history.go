package usersdynamo

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"time"

	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/users"
)

// counted returns the counters that include a user.
func counted(u users.User) []string {
	return []string{"users", "users:" + string(u.Status), "role:" + string(u.Role)}
}

// historyOf returns a user's history so far. Users that an earlier version of this program wrote
// have no stored history, or one whose last entry differs from the user. A missing history begins
// at the creation with the user's current state; a differing one continues with the last change.
// The rule gives the same result everywhere, so "portside reconcile" and the next change of the
// user agree on the changes that are not counted yet.
func historyOf(u users.User) (daycounts.History, error) {
	history, err := daycounts.ParseHistory(u.History)
	if err != nil {
		return nil, fmt.Errorf("user %s: %w: remove its attribute life, and run portside reconcile --fix", u.ID, err)
	}
	if len(history) == 0 {
		return history.Append(u.CreatedAt, counted(u)), nil
	}
	return appended(history, u, u.UpdatedAt), nil
}

// appended returns the history with the user's current state.
func appended(history daycounts.History, u users.User, at time.Time) daycounts.History {
	as := counted(u)
	if slices.Equal(history[len(history)-1].CountedAs, as) {
		return history
	}
	return history.Append(at, as)
}

// recordCreation gives a new user its history, and counts it.
func (p *plan) recordCreation(u *users.User) {
	history := daycounts.History{}.Append(u.CreatedAt, counted(*u))
	u.History = history.String()
	p.countDifference(nil, history)
}

// recordChange updates the history of a changed user, and counts the difference.
func (p *plan) recordChange(before users.User, after *users.User) error {
	history, err := historyOf(before)
	if err != nil {
		return err
	}
	changed := appended(history, *after, after.UpdatedAt)
	after.History = changed.String()
	p.countDifference(history, changed)
	return nil
}

// recordDeletion counts a deleted user out, and keeps its history.
func (p *plan) recordDeletion(u users.User, at time.Time) error {
	history, err := historyOf(u)
	if err != nil {
		return err
	}
	gone := history.Append(at, nil)
	p.Add(nil, daycounts.KeepDeleted(p.store.table, u.ID, gone))
	p.countDifference(history, gone)
	return nil
}

// countDifference counts what a history has gained since an earlier state of it.
func (p *plan) countDifference(from, to daycounts.History) {
	p.Count(to.ChangesSince(from))
}

// Histories returns the histories of all existing and deleted users; see [daycounts.Census].
func (s *Store) Histories(ctx context.Context) iter.Seq2[daycounts.History, error] {
	return s.records.Histories(ctx, func(item items.Map) (daycounts.History, error) {
		stored, err := items.Decode[userItem](item)
		if err != nil {
			return nil, err
		}
		return historyOf(stored.user())
	})
}
