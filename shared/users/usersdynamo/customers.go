package usersdynamo

import (
	"context"
	"errors"
	"math"

	"portside/shared/dynamo/records"
	"portside/shared/users"
)

// A user of a customer is also in the lists of the customer, see lists.Entry, and is counted in the state of the
// customer, which limits the number. The state is in the table of credentials, where authentication reads it; see
// customerstates.State.

// errNoRoom is replaced by its reason; see explainCustomer.
var errNoRoom = errors.New("usersdynamo: the customer does not exist or has no room for another user")

// join counts the user in the customer, unless the user is one of the staff.
func (p *plan) join(u users.User) {
	if u.CustomerID != "" {
		p.Add(errNoRoom, p.store.credentials.Customers.CountUsers(u.CustomerID, 1))
	}
}

// leave is the opposite of join.
func (p *plan) leave(u users.User) {
	if u.CustomerID != "" {
		p.Add(records.ErrListed, p.store.credentials.Customers.CountUsers(u.CustomerID, -1))
	}
}

// explainCustomer replaces errNoRoom by its reason.
func (s *Store) explainCustomer(ctx context.Context, err error, customerID string) error {
	if !errors.Is(err, errNoRoom) {
		return err
	}
	_, exists, err := s.credentials.Customers.Get(ctx, customerID)
	switch {
	case err != nil:
		return err
	case !exists:
		return users.ErrNoCustomer
	default:
		return users.ErrTooManyUsers
	}
}

// Rooms implements users.BulkStore.
func (s Bulk) Rooms(ctx context.Context, customerIDs []string) (map[string]int64, error) {
	states, err := s.store.credentials.Customers.All(ctx, customerIDs)
	rooms := make(map[string]int64, len(states))
	for id, state := range states {
		rooms[id] = math.MaxInt64
		if state.MaxUsers > 0 {
			rooms[id] = state.MaxUsers - state.Users
		}
	}
	return rooms, err
}

// RebuildCustomer makes the counts of the lists of a customer, and the number of its users, agree with the lists, which
// Rebuild has repaired. It reports whether one of them was wrong.
func (s *Store) RebuildCustomer(ctx context.Context, customerID string) (wrong bool, err error) {
	wrong, err = s.records.RecountScope(ctx, customerID)
	if err != nil {
		return wrong, err
	}
	corrected, err := s.credentials.Customers.RecountUsers(ctx, customerID, s.records.Lists.In(customerID).Total)
	return wrong || corrected, err
}
