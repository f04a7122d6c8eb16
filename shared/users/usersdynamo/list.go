package usersdynamo

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"portside/shared/core/search"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/lists"
	"portside/shared/users"
)

// List implements users.Store.
func (s *Store) List(ctx context.Context, query users.Query) (users.Page, error) {
	if query.IDs != nil {
		return s.listByID(ctx, query)
	}
	if query.Email != "" {
		return s.listByEmail(ctx, query)
	}
	from := s.records.Lists
	if query.CustomerID != "" {
		from = s.records.Lists.In(query.CustomerID)
	}
	found, err := lists.Page[listItem](ctx, from, lists.Query{
		Label: string(query.Role), State: string(query.Status), Limit: query.Limit, Offset: query.Offset, After: query.After,
	})
	page := users.Page{Users: make([]users.User, len(found.Entries)), Total: found.Total, Next: found.Next}
	for i, entry := range found.Entries {
		page.Users[i] = entry.user()
	}
	return page, err
}

// listByEmail returns the list of the users with an address: one at most.
func (s *Store) listByEmail(ctx context.Context, query users.Query) (users.Page, error) {
	user, err := s.ByEmail(ctx, query.Email)
	if errors.Is(err, users.ErrNotFound) || err == nil && !matches(user, query) {
		return users.Page{}, nil
	}
	if err != nil {
		return users.Page{}, err
	}
	page := users.Page{Total: 1}
	if query.Offset == 0 && query.After == "" {
		page.Users = []users.User{user}
	}
	return page, nil
}

// matches reports whether the user has the customer, the role and the status of the query.
func matches(u users.User, query users.Query) bool {
	return (query.CustomerID == "" || u.CustomerID == query.CustomerID) && (query.Role == "" || u.Role == query.Role) &&
		(query.Status == "" || u.Status == query.Status)
}

// Search implements users.Store.
func (s *Store) Search(ctx context.Context, customerID string, query search.Query) (page users.SearchPage, err error) {
	page.Next, err = s.records.Find(ctx, customerID, query, func(item items.Map) error {
		stored, err := items.Decode[userItem](item)
		if customerID == "" || stored.Customer == customerID { // the user may have moved since the first read
			page.Users = append(page.Users, stored.user())
		}
		return err
	})
	return page, err
}

// listByID returns the list of the users with the IDs, in the order of creation, in one read.
func (s *Store) listByID(ctx context.Context, query users.Query) (users.Page, error) {
	page := users.Page{}
	err := s.readAll(ctx, query.IDs, func(stored userItem) {
		if user := stored.user(); matches(user, query) {
			page.Users = append(page.Users, user)
		}
	})
	slices.SortFunc(page.Users, func(a, b users.User) int { return cmp.Compare(a.Number, b.Number) })
	page.Total = int64(len(page.Users))
	return page, err
}
