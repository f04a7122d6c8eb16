package usersdynamo

import (
	"context"
	"errors"
	"fmt"

	"portside/shared/dynamo/items"
	"portside/shared/dynamo/records"
	"portside/shared/users"
)

// lookups is how often ByEmail reads a marker and its user, which can change between the two reads.
const lookups = 3

// ByEmail returns the user with the address, which must be normal (see users.NewUser.Normal), or
// users.ErrNotFound. It reads the marker and then the user, both strongly consistent.
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
	return users.User{}, fmt.Errorf("find a user by the email address: %w", records.ErrListed)
}

// holder returns the ID of the user that the marker of an address names, or users.ErrNotFound.
func (s *Store) holder(ctx context.Context, address string) (string, error) {
	marker, found, err := items.Get[emailItem](ctx, s.records.Items(), emailKey(address))
	if err == nil && !found {
		return "", users.ErrNotFound
	}
	return marker.User, err
}

// ActiveAdmins returns the number of active admins.
func (s *Store) ActiveAdmins(ctx context.Context) (int64, error) {
	stored, err := s.readAdmins(ctx)
	return stored.N, err
}
