package usersdynamo

import (
	"context"
	"errors"

	"portside/shared/dynamo/lists"
	"portside/shared/users"
)

// List implements users.Store.
func (s *Store) List(ctx context.Context, query users.Query) (users.Page, error) {
	if query.Email != "" {
		return s.listByEmail(ctx, query)
	}
	entries, total, err := lists.Page[listItem](ctx, s.lists, lists.Query{
		Label: string(query.Role), Limit: query.Limit, Offset: query.Offset,
	})
	page := users.Page{Users: make([]users.User, len(entries)), Total: total}
	for i, entry := range entries {
		page.Users[i] = entry.user()
	}
	return page, err
}

// listByEmail returns the list of the users with an address: one at most.
func (s *Store) listByEmail(ctx context.Context, query users.Query) (users.Page, error) {
	user, err := s.ByEmail(ctx, query.Email)
	if errors.Is(err, users.ErrNotFound) || err == nil && query.Role != "" && user.Role != query.Role {
		return users.Page{}, nil
	}
	if err != nil {
		return users.Page{}, err
	}
	page := users.Page{Total: 1}
	if query.Offset == 0 {
		page.Users = []users.User{user}
	}
	return page, nil
}
