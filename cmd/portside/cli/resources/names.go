package resources

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"slices"

	"portside/client"
	"portside/cmd/portside/cli"
)

// maxLookups is how many customers a command looks up, one call each. A table shows the IDs of further ones.
const maxLookups = 100

// names are the slugs of customers and the email addresses of users whose IDs are in other resources. Only tables show
// them, so the other formats make no calls for them. An ID stays if its resource is hidden from the caller or deleted.
// A failed lookup is not an error: the result without a name is better than none.
type names struct {
	api       *client.Client
	isTable   bool
	lookups   int               // how many more customers may be looked up
	customers map[string]string // an empty text stands for a failed lookup
	users     map[string]string
}

func (a *app) names(api *client.Client) *names {
	return &names{
		api: api, isTable: !a.Format.IsForPrograms(), lookups: maxLookups, customers: map[string]string{}, users: map[string]string{},
	}
}

// customer returns the slug of a customer, or the ID if it is not known.
func (n *names) customer(id *string) string { return nameIn(n.customers, id) }

// user returns the email address of a user, or the ID if it is not known.
func (n *names) user(id *string) string { return nameIn(n.users, id) }

func nameIn(known map[string]string, id *string) string {
	if id == nil {
		return ""
	}
	if name := known[*id]; name != "" {
		return name
	}
	return *id
}

// lookUpCustomers looks up the customers that are not known yet. An ID can be nil.
func (n *names) lookUpCustomers(ctx context.Context, ids ...*string) {
	for _, id := range missing(n.customers, ids) {
		if !n.isTable || n.lookups == 0 {
			return
		}
		n.lookups--
		found, err := n.api.GetCustomer(ctx, id)
		if refused, ok := errors.AsType[*client.Error](err); err != nil && (!ok || refused.Status != http.StatusNotFound) {
			n.lookups = 0 // further lookups would fail, too
		}
		n.customers[id] = found.Slug
	}
}

// lookUpUsers looks up the users that are not known yet, at most as many as a page has, in one call. An ID can be nil.
func (n *names) lookUpUsers(ctx context.Context, ids ...*string) {
	wanted := missing(n.users, ids)
	if !n.isTable || len(wanted) == 0 {
		return
	}
	for _, id := range wanted {
		n.users[id] = ""
	}
	found, err := n.api.ListUsers(ctx, &client.ListUsersParams{Ids: &wanted})
	if err != nil {
		return
	}
	for _, user := range found.Data {
		n.users[user.ID] = user.Email
	}
}

// missing returns the distinct IDs that were not looked up.
func missing(known map[string]string, ids []*string) []string {
	var all []string
	for _, id := range ids {
		if id == nil || !idPattern.MatchString(*id) {
			continue
		}
		if _, isKnown := known[*id]; !isKnown && !slices.Contains(all, *id) {
			all = append(all, *id)
		}
	}
	return all
}

// namingCustomers returns a list whose customers are looked up page by page.
func namingCustomers[T any](ctx context.Context, n *names, items iter.Seq2[T, error], customerID func(T) *string) iter.Seq2[T, error] {
	if !n.isTable {
		return items
	}
	return inPages(ctx, items, func(page []T) {
		ids := make([]*string, len(page))
		for i, item := range page {
			ids[i] = customerID(item)
		}
		n.lookUpCustomers(ctx, ids...)
	})
}

// inPages calls a function with each page of items before it passes them on.
func inPages[T any](ctx context.Context, items iter.Seq2[T, error], prepare func(page []T)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var page []T
		var none T
		pass := func() bool {
			prepare(page)
			if ctx.Err() != nil {
				yield(none, ctx.Err())
				return false
			}
			for _, item := range page {
				if !yield(item, nil) {
					return false
				}
			}
			page = page[:0]
			return true
		}
		for item, err := range items {
			if err != nil {
				yield(none, err)
				return
			}
			if page = append(page, item); len(page) == cli.PageSize && !pass() {
				return
			}
		}
		pass()
	}
}
