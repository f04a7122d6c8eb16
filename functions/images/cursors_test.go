package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"portside/shared/core/principal"
	"portside/shared/credentials"
	"portside/shared/testkit/pagetest"
	"portside/shared/testkit/webtest"
)

// withRepositories puts the gateway in front of a registry with these repositories, which must be sorted.
func (q *fixture) withRepositories(names []string) {
	q.tb.Helper()
	q.replaceUpstream(func(w http.ResponseWriter, r *http.Request) {
		wanted, err := pageOf(r.URL.Query())
		listed, more := wanted.cut(names)
		if more {
			next := page{size: wanted.size, last: listed[len(listed)-1]}
			w.Header().Set("Link", "</v2/_catalog?"+next.query().Encode()+`>; rel="next"`)
		}
		if err = errors.Join(err, json.NewEncoder(w).Encode(map[string]any{"repositories": listed})); err != nil {
			q.tb.Error(err)
		}
	})
}

func TestCursorsNameOnlyVisibleRepositories(t *testing.T) {
	q := newFixture(t)
	names := []string{"zz/api", "zz/beta", "zz/web", "zzz"}
	for i := range 2 * maxPageNames {
		names = append(names, fmt.Sprintf("secret/customer-%04d", i))
	}
	slices.Sort(names)
	q.withRepositories(names)
	q.issue(credentials.AccessToken, "read:docker-images:zz/*")
	user := q.person(owner, principal.User)
	page := user.Get("/v1/images?limit=1").WantStatus(http.StatusOK).WantValue("data.0.repository", "zz/api")
	next := page.Text("pagination.next")
	if position := pagetest.Position(t, next); position != `{"a":"zz/api"}` {
		t.Errorf("the cursor has the position %s", position)
	}
	if got := pages(user, "/v1/images?limit=1", "repository"); !slices.Equal(got, []any{"zz/api", "zz/beta", "zz/web"}) {
		t.Errorf("a user sees %v", got)
	}
	if got := pages(user, "/v1/images?limit=1&q=e", "repository"); !slices.Equal(got, []any{"zz/beta", "zz/web"}) {
		t.Errorf("the filter finds %v", got)
	}
	chosen := func(position string) webtest.Response {
		return user.Get("/v1/images?limit=1&cursor=" + pagetest.Forge(t, next, position))
	}
	chosen(`{"a":"secret/customer-0500"}`).WantStatus(http.StatusOK).WantValue("data.0.repository", "zz/api").
		WantValue("pagination.next", next)
	chosen(`{"l":"secret/customer-0500"}`).WantStatus(http.StatusBadRequest).WantValue("errors.0.pointer", "query/cursor")
	everything := q.person("manager", principal.Manager)
	if got := pages(everything, "/v1/images?limit=100", "repository"); len(got) != len(names) {
		t.Errorf("a manager sees %d repositories, want %d", len(got), len(names))
	}
}
