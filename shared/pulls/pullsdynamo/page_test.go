package pullsdynamo_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"portside/shared/core/principal"
	"portside/shared/pulls"
	"portside/shared/pulls/pullsdynamo"
	"portside/shared/testkit/awstest"
	"portside/testclient/scale"
)

var (
	ada     = principal.Principal{UserID: "ada", Role: principal.User}
	grace   = principal.Principal{UserID: "grace", Role: principal.Viewer}
	manager = principal.Principal{UserID: "joan", Role: principal.Manager}
)

// owners are the owners of the credentials.
var owners = map[string]string{"a": "ada", "b": "ada", "c": "grace", "d": "joan"}

// yearOfPulls returns pulls every few days over more than a year, some of them in the same
// millisecond.
func yearOfPulls() []pulls.Pull {
	var all []pulls.Pull
	for i := range 300 {
		credential := string("abcd"[i%7%4])
		all = append(all, pulls.Pull{
			At:   midnight.Add(-time.Duration(i/3) * 97 * time.Hour).Add(time.Duration(i%2) * time.Minute),
			Kind: []pulls.Kind{pulls.Chart, pulls.Image}[i%5%2], Repository: []string{"acme/api", "acme", "web"}[i%11%3],
			Reference: "1.0", CredentialID: credential, OwnerID: owners[credential],
		})
	}
	return append(all, busyMinutes()...)
}

// busyMinutes returns pulls of two minutes, many of each credential, in no order.
func busyMinutes() []pulls.Pull {
	var all []pulls.Pull
	for i := range 200 {
		credential := string("abc"[i%3])
		all = append(all, pulls.Pull{
			At:   midnight.Add(-time.Hour + time.Duration(i*7919%120_000)*time.Millisecond),
			Kind: pulls.Image, Repository: []string{"acme/api", "web"}[i%2], Reference: fmt.Sprint("2.", i),
			CredentialID: credential, OwnerID: owners[credential],
		})
	}
	return all
}

// matching returns the positions that List should return, computed by a full scan.
func matching(all []pulls.Pull, caller principal.Principal, q pulls.Query) []pulls.Position {
	var found []pulls.Position
	for _, p := range all {
		visible := caller.Can(principal.TokensRead) || p.OwnerID == caller.UserID
		asked := (q.Credential == "" || p.CredentialID == q.Credential) &&
			(q.Repository == "" || p.Repository == q.Repository) &&
			(q.Kind == "" || p.Kind == q.Kind) && !p.At.Before(q.From) && p.At.Before(q.To)
		if visible && asked {
			found = append(found, p.Position())
		}
	}
	slices.Sort(found)
	slices.Reverse(found)
	return slices.Compact(found)
}

func TestListMatchesTheFilters(t *testing.T) {
	s := newTables(t)
	store := s.store()
	for given := range slices.Chunk(yearOfPulls(), 90) {
		if _, err := store.Record(t.Context(), given); err != nil {
			t.Fatal(err)
		}
	}
	service := pulls.NewService(store)
	rapid.Check(scale.ChecksOf(t, 30), func(t *rapid.T) {
		caller := rapid.SampledFrom([]principal.Principal{ada, grace, manager}).Draw(t, "caller")
		bound := rapid.Custom(func(t *rapid.T) time.Time { // often the exact time of a pull
			return rapid.SampledFrom(yearOfPulls()).Draw(t, "of").
				At.Add(time.Duration(rapid.IntRange(-1, 1).Draw(t, "ms")) * time.Millisecond)
		})
		q := pulls.Query{
			Credential: rapid.SampledFrom([]string{"", "a", "b", "c", "d", "x"}).Draw(t, "credential"),
			Repository: rapid.SampledFrom([]string{"", "acme/api", "acme", "none"}).Draw(t, "repository"),
			Kind:       rapid.SampledFrom([]pulls.Kind{"", pulls.Chart, pulls.Image}).Draw(t, "kind"),
			From:       bound.Draw(t, "from"), To: bound.Draw(t, "to"),
			Limit: rapid.IntRange(1, 30).Draw(t, "limit"),
		}
		want, got := matching(yearOfPulls(), caller, q), []pulls.Position(nil)
		for {
			page, err := service.List(t.Context(), caller, q)
			if err != nil {
				t.Fatal(err)
			}
			if len(page.Pulls) > q.Limit || page.Next != "" && page.Next == q.After {
				t.Fatalf("page of %d pulls, want at most %d; from %q to %q", len(page.Pulls), q.Limit, q.After, page.Next)
			}
			for _, p := range page.Pulls {
				got = append(got, p.Position())
			}
			if q.After = page.Next; q.After == "" {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("found %v, want %v", got, want)
		}
	})
}

func TestLastPageHasNoNext(t *testing.T) {
	s, all := newTables(t), many(6, 1, 1)
	for i := range 2 {
		all[i].Kind = pulls.Chart // the oldest pull
	}
	store := pullsdynamo.New(s.client, s.pulls, s.analytics)
	if _, err := store.Record(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kind         pulls.Kind
		limit, found int
		next         bool
	}{{"", 5, 5, true}, {"", 6, 6, false}, {"", 7, 6, false}, {pulls.Image, 3, 3, true}, {pulls.Image, 4, 4, false}} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			page, err := pulls.NewService(store).List(t.Context(), manager, pulls.Query{
				Kind: c.kind, From: midnight, To: midnight.AddDate(0, 0, 1), Limit: c.limit,
			})
			if err != nil || (page.Next != "") != c.next || len(page.Pulls) != c.found {
				t.Errorf("%d pulls, next %q, %v", len(page.Pulls), page.Next, err)
			}
		})
	}
}

// TestReadsAreBounded lists the pulls of all users over the longest span with one pull at each end, and
// uses filters that match almost nothing.
func TestReadsAreBounded(t *testing.T) {
	s := newTables(t)
	client, meter := awstest.Metered(s.client)
	store := pullsdynamo.New(client, s.pulls, s.analytics)
	old := many(1, 1, 1)[0]
	old.At = midnight.Add(-pulls.Retention)
	if _, err := store.Record(t.Context(), append(many(2100, 1, 1), old)); err != nil {
		t.Fatal(err)
	}
	service := pulls.NewService(store)
	q := pulls.Query{From: old.At, To: midnight, Limit: 20}
	meter.Reset()
	page, err := service.List(t.Context(), manager, q)
	if err != nil || len(page.Pulls) != 1 || page.Next != "" || meter.Calls() > 15 {
		t.Errorf("found %d pulls by %d queries, %v", len(page.Pulls), meter.Calls(), err)
	}
	q.To, q.Kind = midnight.AddDate(0, 0, 1), pulls.Chart
	meter.Reset()
	page, err = service.List(t.Context(), manager, q)
	if err != nil || len(page.Pulls) != 0 || page.Next == "" || meter.Calls() > 8 || meter.ReadUnits() > 200 {
		t.Errorf("found %d pulls, next %q, by %d queries of %.0f units, %v",
			len(page.Pulls), page.Next, meter.Calls(), meter.ReadUnits(), err)
	}
}

// TestListHidesCredentialsOfOthers checks that pages for another user's credential look empty.
func TestListHidesCredentialsOfOthers(t *testing.T) {
	s := newTables(t)
	store := pullsdynamo.New(s.client, s.pulls, s.analytics)
	if _, err := store.Record(t.Context(), yearOfPulls()); err != nil {
		t.Fatal(err)
	}
	for _, q := range []pulls.Query{{}, {Kind: pulls.Chart}, {Repository: "none"}} {
		q.Credential, q.From, q.To, q.Limit = "a", midnight.AddDate(-1, 0, 0), midnight, 1
		page, err := pulls.NewService(store).List(t.Context(), grace, q)
		if err != nil || page.Next != "" || len(page.Pulls) != 0 {
			t.Errorf("%+v, %v", page, err)
		}
	}
}
