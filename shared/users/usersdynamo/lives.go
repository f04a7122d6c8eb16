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

// counted returns the counters that count a user.
func counted(u users.User) []string {
	return []string{"users", "users:" + string(u.Status), "role:" + string(u.Role)}
}

// lifeOf returns a user's life so far. A user that an earlier version of this program wrote has none stored, or one that ends
// with something else than the user is. Then it began as what it is at its creation, or became that with its last change: the
// same whoever asks, so that "portside reconcile" and the next change of the user agree on what is still to be counted.
func lifeOf(u users.User) (daycounts.Life, error) {
	life, err := daycounts.ParseLife(u.Past)
	if err != nil {
		return nil, fmt.Errorf("user %s: %w: remove its attribute life, and run portside reconcile --fix", u.ID, err)
	}
	if len(life) == 0 {
		return life.On(u.CreatedAt, counted(u)), nil
	}
	return become(life, u, u.UpdatedAt), nil
}

// become returns the life after the user has become what it is now.
func become(life daycounts.Life, u users.User, at time.Time) daycounts.Life {
	as := counted(u)
	if slices.Equal(life[len(life)-1].As, as) {
		return life
	}
	return life.On(at, as)
}

// begin gives a new user its life, and counts it.
func (p *plan) begin(u *users.User) {
	life := daycounts.Life{}.On(u.CreatedAt, counted(*u))
	u.Past = life.String()
	p.turn(nil, life)
}

// goOn gives a changed user its life, and counts what that adds.
func (p *plan) goOn(before users.User, after *users.User) error {
	life, err := lifeOf(before)
	if err != nil {
		return err
	}
	changed := become(life, *after, after.UpdatedAt)
	after.Past = changed.String()
	p.turn(life, changed)
	return nil
}

// end counts a deleted user no more, and keeps its life.
func (p *plan) end(u users.User, at time.Time) error {
	life, err := lifeOf(u)
	if err != nil {
		return err
	}
	gone := life.On(at, nil)
	p.Add(nil, daycounts.Gone(p.store.table, u.ID, gone))
	p.turn(life, gone)
	return nil
}

// turn counts what one life has that an earlier state of it had not.
func (p *plan) turn(from, to daycounts.Life) {
	for day, change := range to.Since(from) {
		p.days.Add(day, change)
	}
}

// Lives returns the lives of all users, and of all that were deleted; see [daily.Census].
func (s *Store) Lives(ctx context.Context) iter.Seq2[daycounts.Life, error] {
	return daycounts.Census{Client: s.client, Table: s.table, Kind: "user", LifeOf: func(item items.Map) (daycounts.Life, error) {
		stored, err := items.Decode[userItem](item)
		if err != nil {
			return nil, err
		}
		return lifeOf(stored.user())
	}}.Lives(ctx)
}
