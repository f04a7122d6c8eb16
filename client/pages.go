package client

import (
	"context"
	"iter"
)

// Page is one page of a list.
type Page[T, P any] struct {
	Data       []T `json:"data"`
	Pagination P   `json:"pagination"`
}

func (p Page[T, P]) hasData() bool { return p.Data != nil }

// list is an operation that returns one page.
type list[Params, T, P any] struct {
	get     func(context.Context, *Params, ...CallOption) (Page[T, P], error)
	advance func(*Params, Page[T, P]) (hasMore bool) // sets the parameters of the next page
}

// listOf lets the compiler infer the types of a list.
func listOf[Params, T, P any](
	get func(context.Context, *Params, ...CallOption) (Page[T, P], error), advance func(*Params, Page[T, P]) bool,
) list[Params, T, P] {
	return list[Params, T, P]{get, advance}
}

// all yields the items of all pages, beginning at the one of params. An error is the last value.
func (l list[Params, T, P]) all(ctx context.Context, params *Params, options []CallOption) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		current := new(Params) // a copy, so that the caller can use params again
		if params != nil {
			*current = *params
		}
		for hasMore := true; hasMore; {
			page, err := l.get(ctx, current, options...)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range page.Data {
				if !yield(item, nil) {
					return
				}
			}
			hasMore = l.advance(current, page)
		}
	}
}

// byCursorOrOffset sets the cursor of the next page or, for a deployment of a release without these cursors, its
// offset.
func byCursorOrOffset[T any](cursor **string, offset **int64, page Page[T, Pagination]) bool {
	if page.Pagination.Next != nil || !page.Pagination.HasMore {
		*offset = nil
		return byCursor(cursor, page.Pagination.Next)
	}
	*offset = new(page.Pagination.Offset + int64(len(page.Data)))
	return len(page.Data) > 0
}

// byCursor sets the cursor of the next page, which is nil on the last one. A list whose cursor stays the same would
// have no end.
func byCursor(cursor **string, next *string) bool {
	isSame := next != nil && *cursor != nil && **cursor == *next
	*cursor = next
	return next != nil && !isSame
}

// AllUsers yields the users on all pages of [Client.ListUsers].
func (c *Client) AllUsers(ctx context.Context, params *ListUsersParams, options ...CallOption) iter.Seq2[ListedUser,
	error] {
	return listOf(c.ListUsers, func(p *ListUsersParams, page Page[ListedUser, Pagination]) bool {
		return byCursorOrOffset(&p.Cursor, &p.Offset, page)
	}).all(ctx, params, options)
}

// AllProjects yields the projects on all pages of [Client.ListProjects].
func (c *Client) AllProjects(ctx context.Context, params *ListProjectsParams,
	options ...CallOption) iter.Seq2[ListedProject, error] {
	return listOf(c.ListProjects, func(p *ListProjectsParams, page Page[ListedProject, Pagination]) bool {
		return byCursorOrOffset(&p.Cursor, &p.Offset, page)
	}).all(ctx, params, options)
}

// AllCustomers yields the customers on all pages of [Client.ListCustomers].
func (c *Client) AllCustomers(ctx context.Context, params *ListCustomersParams,
	options ...CallOption) iter.Seq2[ListedCustomer, error] {
	return listOf(c.ListCustomers, func(p *ListCustomersParams, page Page[ListedCustomer, Pagination]) bool {
		return byCursorOrOffset(&p.Cursor, &p.Offset, page)
	}).all(ctx, params, options)
}

// AllEntitlements yields the entitlements on all pages of [Client.ListEntitlements].
func (c *Client) AllEntitlements(
	ctx context.Context, customerID string, params *ListEntitlementsParams, options ...CallOption,
) iter.Seq2[Entitlement, error] {
	get := func(ctx context.Context, p *ListEntitlementsParams, options ...CallOption) (Page[Entitlement, Pagination], error) {
		return c.ListEntitlements(ctx, customerID, p, options...)
	}
	return listOf(get, func(p *ListEntitlementsParams, page Page[Entitlement, Pagination]) bool {
		return byCursorOrOffset(&p.Cursor, &p.Offset, page)
	}).all(ctx, params, options)
}

// AllTrustPolicies yields the trust policies on all pages of [Client.ListTrustPolicies].
func (c *Client) AllTrustPolicies(
	ctx context.Context, customerID string, params *ListTrustPoliciesParams, options ...CallOption,
) iter.Seq2[TrustPolicy, error] {
	get := func(ctx context.Context, p *ListTrustPoliciesParams, options ...CallOption) (Page[TrustPolicy, Pagination], error) {
		return c.ListTrustPolicies(ctx, customerID, p, options...)
	}
	return listOf(get, func(p *ListTrustPoliciesParams, page Page[TrustPolicy, Pagination]) bool {
		return byCursorOrOffset(&p.Cursor, &p.Offset, page)
	}).all(ctx, params, options)
}

// FindUsers yields the users on all pages of [Client.SearchUsers]. A user whose name changes meanwhile may be left out
// or repeated.
func (c *Client) FindUsers(ctx context.Context, params *SearchUsersParams, options ...CallOption) iter.Seq2[ListedUser,
	error] {
	return listOf(c.SearchUsers, func(p *SearchUsersParams, page Page[ListedUser, CursorPagination]) bool {
		return byCursor(&p.Cursor, page.Pagination.Next)
	}).all(ctx, params, options)
}

// FindProjects yields the projects on all pages of [Client.SearchProjects]. A project whose name changes meanwhile may
// be left out or repeated.
func (c *Client) FindProjects(ctx context.Context, params *SearchProjectsParams,
	options ...CallOption) iter.Seq2[ListedProject, error] {
	return listOf(c.SearchProjects, func(p *SearchProjectsParams, page Page[ListedProject, CursorPagination]) bool {
		return byCursor(&p.Cursor, page.Pagination.Next)
	}).all(ctx, params, options)
}

// FindCustomers yields the customers on all pages of [Client.SearchCustomers]. A customer whose name, slug or external
// ID changes meanwhile may be left out or repeated.
func (c *Client) FindCustomers(ctx context.Context, params *SearchCustomersParams,
	options ...CallOption) iter.Seq2[ListedCustomer, error] {
	return listOf(c.SearchCustomers, func(p *SearchCustomersParams, page Page[ListedCustomer, CursorPagination]) bool {
		return byCursor(&p.Cursor, page.Pagination.Next)
	}).all(ctx, params, options)
}

// AllTokens yields the tokens and passwords on all pages of [Client.ListTokens]. Only the list of a customer has
// several pages. Those of a user who is created meanwhile are on the last page.
func (c *Client) AllTokens(ctx context.Context, params *ListTokensParams, options ...CallOption) iter.Seq2[Token,
	error] {
	return listOf(c.ListTokens, func(p *ListTokensParams, page Page[Token, CursorPagination]) bool {
		return byCursor(&p.Cursor, page.Pagination.Next)
	}).all(ctx, params, options)
}

// AllPulls yields the pulls on all pages of [Client.ListPulls].
func (c *Client) AllPulls(ctx context.Context, params *ListPullsParams, options ...CallOption) iter.Seq2[Pull, error] {
	return listOf(c.ListPulls, func(p *ListPullsParams, page Page[Pull, CursorPagination]) bool {
		return byCursor(&p.Cursor, page.Pagination.Next)
	}).all(ctx, params, options)
}

// AllAuditEvents yields the events on all pages of [Client.ListAuditEvents].
func (c *Client) AllAuditEvents(ctx context.Context, params *ListAuditEventsParams,
	options ...CallOption) iter.Seq2[AuditEvent, error] {
	return listOf(c.ListAuditEvents, func(p *ListAuditEventsParams, page Page[AuditEvent, CursorPagination]) bool {
		return byCursor(&p.Cursor, page.Pagination.Next)
	}).all(ctx, params, options)
}

// AllCharts yields the charts on all pages of [Client.ListCharts].
func (c *Client) AllCharts(ctx context.Context, params *ListChartsParams, options ...CallOption) iter.Seq2[ChartSummary,
	error] {
	return listOf(c.ListCharts, func(p *ListChartsParams, page Page[ChartSummary, CountedPagination]) bool {
		return byCursor(&p.Cursor, page.Pagination.Next)
	}).all(ctx, params, options)
}

// AllChartVersions yields the versions on all pages of [Client.ListChartVersions].
func (c *Client) AllChartVersions(
	ctx context.Context, name string, params *ListChartVersionsParams, options ...CallOption,
) iter.Seq2[ChartVersion, error] {
	get := func(ctx context.Context, p *ListChartVersionsParams, options ...CallOption) (Page[ChartVersion, CountedPagination], error) {
		return c.ListChartVersions(ctx, name, p, options...)
	}
	return listOf(get, func(p *ListChartVersionsParams, page Page[ChartVersion, CountedPagination]) bool {
		return byCursor(&p.Cursor, page.Pagination.Next)
	}).all(ctx, params, options)
}

// AllImageRepositories yields the repositories on all pages of [Client.ListImageRepositories].
func (c *Client) AllImageRepositories(
	ctx context.Context, params *ListImageRepositoriesParams, options ...CallOption,
) iter.Seq2[ImageRepository, error] {
	return listOf(c.ListImageRepositories, func(p *ListImageRepositoriesParams, page Page[ImageRepository, CursorPagination]) bool {
		return byCursor(&p.Cursor, page.Pagination.Next)
	}).all(ctx, params, options)
}

// AllImageTags yields the tags on all pages of [Client.ListImageTags]. The parameters name the repository.
func (c *Client) AllImageTags(ctx context.Context, params *ListImageTagsParams,
	options ...CallOption) iter.Seq2[ImageTag, error] {
	return listOf(c.ListImageTags, func(p *ListImageTagsParams, page Page[ImageTag, CursorPagination]) bool {
		return byCursor(&p.Cursor, page.Pagination.Next)
	}).all(ctx, params, options)
}

// AllCredentialRequests yields the requests on all pages of [Client.ListCredentialRequests], in the order of the
// parameters.
func (c *Client) AllCredentialRequests(
	ctx context.Context, params *ListCredentialRequestsParams, options ...CallOption,
) iter.Seq2[CredentialRequest, error] {
	return listOf(c.ListCredentialRequests, func(p *ListCredentialRequestsParams, page Page[CredentialRequest, CursorPagination]) bool {
		p.Before, p.After = nil, nil // only the first page begins there
		return byCursor(&p.Cursor, page.Pagination.Next)
	}).all(ctx, params, options)
}
