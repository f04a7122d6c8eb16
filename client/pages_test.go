package client_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"testing"

	"portside/client"
)

// page answers with items and a pagination.
func page(pagination string, ids ...string) func(http.ResponseWriter) {
	items := ""
	for _, id := range ids {
		items += fmt.Sprintf(`,{"id":%q,"name":%q,"version":%q,"tag":%q,"repository":%q}`, id, id, id, id, id)
	}
	if items != "" {
		items = items[1:]
	}
	return status(http.StatusOK, `{"data":[`+items+`],"pagination":`+pagination+`}`)
}

// read collects the items of a list.
func read[T any](list iter.Seq2[T, error], id func(T) string) (ids []string, err error) {
	for item, err := range list {
		if err != nil {
			return ids, err
		}
		ids = append(ids, id(item))
	}
	return ids, nil
}

// twoPages returns responses with two pages of three lists: with offsets, with offsets and cursors, and with cursors
// only.
func twoPages() (byOffset, both, byCursor []func(http.ResponseWriter)) {
	byOffset = []func(http.ResponseWriter){
		page(`{"offset":4,"limit":2,"hasMore":true}`, "a", "b"), page(`{"offset":6,"limit":2,"hasMore":false}`, "c"),
	}
	both = []func(http.ResponseWriter){
		page(`{"offset":4,"limit":2,"hasMore":true,"next":"n1"}`, "a", "b"),
		page(`{"offset":0,"limit":2,"hasMore":false,"next":null}`, "c"),
	}
	byCursor = []func(http.ResponseWriter){page(`{"hasMore":true,"next":"n1"}`, "a", "b"), page(`{"hasMore":false,"next":null}`, "c")}
	return byOffset, both, byCursor
}

func TestIteratorsFollowThePages(t *testing.T) {
	byOffset, both, byCursor := twoPages()
	oldest := &client.ListCredentialRequestsParams{Order: new(client.ListCredentialRequestsParamsOrderOldest)}
	for name, test := range map[string]struct {
		answers []func(http.ResponseWriter)
		read    func(context.Context, *client.Client) ([]string, error)
		second  string // query of the second request
	}{
		"users": {both, func(ctx context.Context, c *client.Client) ([]string, error) {
			params := &client.ListUsersParams{Limit: new(int64(2)), Offset: new(int64(4))}
			ids, err := read(c.AllUsers(ctx, params), func(u client.ListedUser) string { return u.ID })
			if *params.Offset != 4 {
				t.Error("the iterator changes the parameters of its caller")
			}
			return ids, err
		}, "cursor=n1&limit=2"},
		"projects": {both, func(ctx context.Context, c *client.Client) ([]string, error) {
			return read(c.AllProjects(ctx, nil), func(p client.ListedProject) string { return p.ID })
		}, "cursor=n1"},
		"projects without cursors": {byOffset, func(ctx context.Context, c *client.Client) ([]string, error) { // of an older deployment
			return read(c.AllProjects(ctx, nil), func(p client.ListedProject) string { return p.ID })
		}, "offset=6"},
		"entitlements": {both, func(ctx context.Context, c *client.Client) ([]string, error) {
			return read(c.AllEntitlements(ctx, "acme", nil), func(e client.Entitlement) string { return e.ID })
		}, "cursor=n1"},
		"trust policies": {both, func(ctx context.Context, c *client.Client) ([]string, error) {
			return read(c.AllTrustPolicies(ctx, "acme", nil), func(p client.TrustPolicy) string { return p.ID })
		}, "cursor=n1"},
		"pulls": {byCursor, func(ctx context.Context, c *client.Client) ([]string, error) {
			return read(c.AllPulls(ctx, nil), func(p client.Pull) string { return p.ID })
		}, "cursor=n1"},
		"audit events": {byCursor, func(ctx context.Context, c *client.Client) ([]string, error) {
			return read(c.AllAuditEvents(ctx, nil), func(e client.AuditEvent) string { return e.ID })
		}, "cursor=n1"},
		"charts": {byCursor, func(ctx context.Context, c *client.Client) ([]string, error) {
			return read(c.AllCharts(ctx, nil), func(s client.ChartSummary) string { return s.Name })
		}, "cursor=n1"},
		"chart versions": {byCursor, func(ctx context.Context, c *client.Client) ([]string, error) {
			return read(c.AllChartVersions(ctx, "buoy", nil), func(v client.ChartVersion) string { return v.Version })
		}, "cursor=n1"},
		"repositories": {byCursor, func(ctx context.Context, c *client.Client) ([]string, error) {
			return read(c.AllImageRepositories(ctx, nil), func(r client.ImageRepository) string { return r.Repository })
		}, "cursor=n1"},
		"tags": {byCursor, func(ctx context.Context, c *client.Client) ([]string, error) {
			params := &client.ListImageTagsParams{Repository: "acme/api"}
			return read(c.AllImageTags(ctx, params), func(t client.ImageTag) string { return t.Tag })
		}, "cursor=n1&repository=acme%2Fapi"},
		"credential requests": {byCursor, func(ctx context.Context, c *client.Client) ([]string, error) {
			return read(c.AllCredentialRequests(ctx, nil), func(r client.CredentialRequest) string { return r.ID })
		}, "cursor=n1"},
		"oldest credential requests": {byCursor, func(ctx context.Context, c *client.Client) ([]string, error) {
			return read(c.AllCredentialRequests(ctx, oldest), func(r client.CredentialRequest) string { return r.ID })
		}, "cursor=n1&order=oldest"},
	} {
		t.Run(name, func(t *testing.T) {
			wantTwoPages(t, test.answers, test.read, test.second)
		})
	}
}

// wantTwoPages checks the items of two pages, and the query of the second request.
func wantTwoPages(
	t *testing.T, answers []func(http.ResponseWriter), read func(context.Context, *client.Client) ([]string, error), second string,
) {
	t.Helper()
	s, c := answering(t, answers...)
	ids, err := read(t.Context(), c)
	if err != nil || !slices.Equal(ids, []string{"a", "b", "c"}) || len(s.requests) != 2 {
		t.Fatalf("read %v in %d requests: %v", ids, len(s.requests), err)
	}
	if got := s.requests[1].URL.RawQuery; got != second {
		t.Errorf("the query of the second page is %s, want %s", got, second)
	}
}

func TestSearchesFollowThePages(t *testing.T) {
	// The first page is empty.
	pages := []func(http.ResponseWriter){page(`{"hasMore":true,"next":"n1"}`), page(`{"hasMore":false,"next":null}`, "a")}
	s, c := answering(t, append(pages, pages...)...)
	users, err := read(c.FindUsers(t.Context(), &client.SearchUsersParams{Q: "ada b"}), func(u client.ListedUser) string { return u.ID })
	if err != nil || !slices.Equal(users, []string{"a"}) {
		t.Errorf("found %v: %v", users, err)
	}
	found := c.FindProjects(t.Context(), &client.SearchProjectsParams{Q: "x"})
	projects, err := read(found, func(p client.ListedProject) string { return p.ID })
	if err != nil || !slices.Equal(projects, []string{"a"}) || len(s.requests) != 4 {
		t.Fatalf("found %v in %d requests: %v", projects, len(s.requests), err)
	}
	if users, projects := s.requests[1].URL.RawQuery, s.requests[3].URL.RawQuery; users != "cursor=n1&q=ada+b" ||
		projects != "cursor=n1&q=x" {
		t.Errorf("the queries of the second pages are %s and %s", users, projects)
	}
}

func TestListWhoseCursorStaysEnds(t *testing.T) {
	s, c := answering(t, slices.Repeat([]func(http.ResponseWriter){page(`{"hasMore":true,"next":"n1"}`, "a")}, 3)...)
	if ids, err := read(c.AllPulls(t.Context(), nil), func(p client.Pull) string { return p.ID }); err != nil || len(s.requests) != 2 {
		t.Errorf("read %v in %d requests: %v", ids, len(s.requests), err)
	}
}

func TestIteratorEndsWithAnError(t *testing.T) {
	_, c := answering(t, page(`{"hasMore":true,"next":"n1"}`, "a"), status(http.StatusForbidden, `{"code":"FORBIDDEN"}`))
	ids, err := read(c.AllCharts(t.Context(), nil), func(s client.ChartSummary) string { return s.Name })
	if refused, ok := errors.AsType[*client.Error](err); !ok || refused.Status != http.StatusForbidden ||
		!slices.Equal(ids, []string{"a"}) {
		t.Errorf("read %v: %v", ids, err)
	}
}

func TestIteratorCanBeLeftAndRepeated(t *testing.T) {
	s, c := answering(t, page(`{"hasMore":true,"next":"n1"}`, "a", "b"))
	list := c.AllCharts(t.Context(), nil)
	for range 2 {
		for chart, err := range list {
			if err != nil || chart.Name != "a" {
				t.Error(chart, err)
			}
			break
		}
	}
	if len(s.requests) != 2 || s.requests[1].URL.RawQuery != "" {
		t.Errorf("%d requests", len(s.requests))
	}
}
