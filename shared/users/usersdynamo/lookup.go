package usersdynamo

import (
	"context"
	"errors"

	"portside/shared/dynamo/items"
	"portside/shared/users"
)

// lookups is how often ByEmail follows a marker whose user changes between the two reads.
const lookups = 3

// ByEmail returns the user who has the address, which must be normal (see users.NewUser.Normal), or users.ErrNotFound.
// The marker and the user are read one after the other, both strongly consistent.
func (s *Store) ByEmail(ctx context.Context, address string) (users.User, error) {
	for range lookups {
		id, err := s.holder(ctx, address)
		if err != nil {
			return users.User{}, err
		}
		user, err := s.Get(ctx, id)
		if err == nil && user.Email == address {
			return user, nil
		}
		if err != nil && !errors.Is(err, users.ErrNotFound) {
			return users.User{}, err
		}
	}
	return users.User{}, errListed
}

// holder returns the id that the address is marked with.
func (s *Store) holder(ctx context.Context, address string) (string, error) {
	marker, found, err := items.Get[emailItem](ctx, items.In(s.client, s.table), emailKey(address))
	if err == nil && !found {
		return "", users.ErrNotFound
	}
	return marker.User, err
}

// ActingAdmins returns the number of active admins.
func (s *Store) ActingAdmins(ctx context.Context) (int64, error) {
	stored, err := s.readAdmins(ctx)
	return stored.N, err
}
