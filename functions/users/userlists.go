package main

import (
	"context"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/users"
	"portside/shared/web"
	"portside/shared/web/resource"
)

type listUsersInput struct {
	web.Paging
	CustomerID string         `query:"customerId" format:"uuid" doc:"Only users of this customer." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12"`
	Role       principal.Role `query:"role" enum:"admin,manager,user,viewer" doc:"Only users with this role."`
	Status     users.Status   `query:"status" enum:"pending,active,inactive,suspended" doc:"Only users with this status."`
	Email      string         `query:"email" maxLength:"320" doc:"Only the user with exactly this email address, in upper or lower case." example:"ada@example.com"`
	IDs        []string       `query:"ids" maxItems:"100" format:"uuid" doc:"Only the users with these IDs, separated by commas; unknown IDs are left out. Cannot be combined with other parameters." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e11"`
}

// Resolve implements huma.Resolver.
func (in *listUsersInput) Resolve(huma.Context) []error {
	if len(in.IDs) > 0 && (in.CustomerID != "" || in.Role != "" || in.Status != "" || in.Email != "" || in.Offset != 0 ||
		in.Cursor != "") {
		const detail = "cannot be combined with customerId, role, status, email, offset or cursor"
		return web.Failures([]fault.Field{{Pointer: "query/ids", Detail: detail}})
	}
	return nil
}

// query returns the query of the input. With ids, the page has all of them. Errors: those of web.Paging.After.
func (in *listUsersInput) query() (users.Query, error) {
	after, err := in.After()
	query := users.Query{
		CustomerID: in.CustomerID, Role: in.Role, Status: in.Status, Email: in.Email, Limit: in.Limit, Offset: in.Offset,
		After: after,
	}
	for _, id := range in.IDs {
		if id = resource.CanonicalID(id); !slices.Contains(query.IDs, id) {
			query.IDs = append(query.IDs, id)
		}
	}
	return query, err
}

type listUsersOutput struct {
	Body struct {
		Data       []ListedUser   `json:"data"`
		Pagination web.Pagination `json:"pagination"`
	}
}

var listUsers = huma.Operation{
	OperationID: "listUsers", Tags: []string{"Users"},
	Summary: "List users",
	Description: "Returns one page of users in the order of their creation, with the exact total. `customerId`, `role` and `status` can " +
		"be combined. `email` finds one user by the address, and `ids` up to 100 users at once. `GET /v1/users/search` finds users by the beginning of an address or a word.",
}

func (s *service) list(ctx context.Context, in *listUsersInput) (*listUsersOutput, error) {
	query, err := in.query()
	if err != nil {
		return nil, err
	}
	caller, _ := principal.From(ctx)
	page, err := s.users.List(ctx, caller, query)
	if err != nil {
		return nil, err
	}
	out := &listUsersOutput{}
	out.Body.Data = make([]ListedUser, len(page.Users))
	for i, u := range page.Users {
		out.Body.Data[i] = encodeListedUser(u)
	}
	out.Body.Pagination = in.Pagination(page.Total, page.Next)
	if in.IDs != nil {
		out.Body.Pagination.Limit = users.MaxLimit
	}
	return out, nil
}

type searchUsersInput struct {
	web.SearchPaging
	CustomerID string `query:"customerId" format:"uuid" doc:"Only users of this customer." example:"01939f6e-8a8e-7d5c-a3c1-5f6c0a7b2e12"`
}

type searchUsersOutput struct {
	Body struct {
		Data       []ListedUser         `json:"data"`
		Pagination web.CursorPagination `json:"pagination"`
	}
}

var searchUsers = huma.Operation{
	OperationID: "searchUsers", Tags: []string{"Users"},
	Summary: "Search users",
	Description: "Returns the users whose email address begins with the text, or whose name has it at the beginning " +
		"of its first, second or third word: `ada b` and `byr` find Ada Byron. The results are sorted by the text that matched, each " +
		"user once. A search finds a change with the next request and takes the same time " +
		"for any number of users. A page can have fewer results than `limit` although " +
		"`pagination.hasMore` is true.",
}

func (s *service) search(ctx context.Context, in *searchUsersInput) (*searchUsersOutput, error) {
	query, err := in.Query()
	if err != nil {
		return nil, err
	}
	caller, _ := principal.From(ctx)
	page, err := s.users.Search(ctx, caller, in.CustomerID, query)
	if err != nil {
		return nil, err
	}
	out := &searchUsersOutput{}
	out.Body.Data = make([]ListedUser, len(page.Users))
	for i, u := range page.Users {
		out.Body.Data[i] = encodeListedUser(u)
	}
	out.Body.Pagination = in.Pagination(page.Next)
	return out, nil
}
