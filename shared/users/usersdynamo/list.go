package usersdynamo

import (
	"context"

	"portside/shared/dynamo/lists"
	"portside/shared/users"
)

// List implements users.Store.
func (s *Store) List(ctx context.Context, query users.Query) (users.Page, error) {
	entries, total, err := lists.Page[listItem](ctx, s.lists, lists.Query{
		Label: string(query.Role), Limit: query.Limit, Offset: query.Offset,
	})
	page := users.Page{Users: make([]users.User, len(entries)), Total: total}
	for i, entry := range entries {
		page.Users[i] = entry.user()
	}
	return page, err
}
