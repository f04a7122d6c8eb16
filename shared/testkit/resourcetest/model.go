package resourcetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"portside/shared/core/idempotency"
	"portside/shared/core/paging"
	"portside/shared/core/search"
	"portside/shared/testkit/awstest"
	"portside/shared/testkit/pagetest"
	"portside/testclient/scale"
)

// checks is the number of random runs of each property; see scale.ChecksOf.
const checks = 15

// model is the expected content of a store, computed in a simple way.
type model struct {
	*fixture
	resources []Resource        // in the order of creation
	last      Resource          // the one that was created last
	days      DayCounts         // the day counters
	lastDay   map[string]string // by ID, the day on which the counters last changed
	steps     int
}

// testModel changes resources at random, with clocks that jump, and compares resources, pages, results of searches and
// counters.
func (f *fixture) testModel() {
	rapid.Check(scale.ChecksOf(f.t, checks), func(r *rapid.T) {
		m := f.newModel()
		some := func(do func(*rapid.T, int)) func(*rapid.T) {
			return func(r *rapid.T) {
				if len(m.resources) > 0 {
					do(r, rapid.IntRange(0, len(m.resources)-1).Draw(r, "which"))
				}
			}
		}
		steps := map[string]func(*rapid.T){
			"create": m.createOne, "change": some(m.change), "delete": some(m.delete), "list": m.list, "search": m.find,
		}
		if m.IsUnnamed {
			delete(steps, "search")
		}
		r.Repeat(steps)
		m.compare(r)
	})
}

// testCursors follows the cursors of a list while its resources change.
func (f *fixture) testCursors() {
	rapid.Check(scale.ChecksOf(f.t, checks), func(r *rapid.T) {
		m := f.newModel()
		query := m.filter(r)
		pagetest.Check(r, pagetest.List{
			Items: func() []string { return m.matching(query) },
			Change: func(r *rapid.T) {
				switch i := rapid.IntRange(-1, len(m.resources)-1).Draw(r, "which"); {
				case i < 0 || rapid.Bool().Draw(r, "create"):
					m.createOne(r)
				case rapid.Bool().Draw(r, "delete"):
					m.delete(r, i)
				default:
					m.change(r, i)
				}
			},
			Page: func(limit int, cursor string) ([]string, string) {
				query.Limit, query.After = limit, paging.Position(cursor)
				ids, next := m.page(r, query)
				return ids, string(next)
			},
		})
	})
}

func (f *fixture) newModel() *model {
	return &model{fixture: f.open(f.t), days: DayCounts{}, lastDay: map[string]string{}}
}

// when returns a time of March, which differs from all others.
func (m *model) when(r *rapid.T) time.Time {
	m.steps++
	hours := rapid.IntRange(0, 20*24).Draw(r, "hour")
	return time.Date(2026, 3, 1, 0, 0, m.steps, 0, time.UTC).Add(time.Duration(hours) * time.Hour)
}

// vary draws other fields: names that share words, and unique values that collide.
func (m *model) vary(r *rapid.T, resource Resource) Resource {
	name := rapid.SampledFrom([]string{"Ada", "Ada Byron", "Byron Ada Ada", "Adam", "Lord Byron"}).Draw(r, "name")
	resource.Name = m.nameOr(name)
	unique := slices.Clone(resource.Unique)
	for i, u := range m.Uniques {
		if u.IsFixed && resource.Version > 0 {
			continue
		}
		if unique[i] = ""; !u.IsOptional || rapid.Bool().Draw(r, "has "+u.Attribute) {
			unique[i] = uniqueText(i, rapid.IntRange(0, 7).Draw(r, u.Attribute))
		}
	}
	resource.Unique = unique
	return resource
}

// move draws a customer, a label, or a label and a state.
func (m *model) move(r *rapid.T, resource Resource) Resource {
	what := rapid.IntRange(0, 3).Draw(r, "what")
	if what == 0 && m.Customers != nil {
		resource.Customer = rapid.SampledFrom(m.Customers).Draw(r, "customer")
	}
	if what > 0 {
		resource.Label = rapid.SampledFrom(m.Labels).Draw(r, "label")
	}
	if what > 1 && m.States != nil {
		isUsable := func(state string) bool { return state != m.NewState || resource.Version == 0 }
		resource.State = rapid.SampledFrom(m.States).Filter(isUsable).Draw(r, "state")
	}
	return resource
}

// taken returns the error of a resource whose unique values belong to another one, or nil.
func (m *model) taken(resource Resource) error {
	for i, u := range m.Uniques {
		for _, other := range m.resources {
			if other.ID != resource.ID && resource.Unique[i] != "" && other.Unique[i] == resource.Unique[i] {
				return u.Taken
			}
		}
	}
	return nil
}

// succeeded reports whether a write succeeded. The test fails if there is another error than the wanted one. If none is
// wanted, the error may be one of Refusals.
func (m *model) succeeded(r *rapid.T, err, want error) bool {
	isRefusal := want == nil && slices.ContainsFunc(m.Refusals, func(refusal error) bool { return errors.Is(err, refusal) })
	if !isRefusal && !errors.Is(err, want) {
		r.Fatalf("error is %v, want %v", err, want)
	}
	return err == nil
}

// createOne creates a resource. With an idempotency key, it repeats the creation.
func (m *model) createOne(r *rapid.T) {
	resource := m.move(r, m.move(r, m.vary(r, m.newResource(m.steps)))) // twice, so that all of them can differ
	resource.CreatedAt = m.when(r)
	want := m.taken(resource)
	var once *idempotency.Key
	if rapid.Bool().Draw(r, "once") {
		once = key("caller", resource.ID, "input")
	}
	created, replayed, err := m.Create(m.t.Context(), resource, once)
	if !m.succeeded(r, err, want) {
		return
	}
	if replayed || created.Version != 1 || created.Number <= m.last.Number && m.last.ID != "" ||
		created.CreatedAt.Before(m.last.CreatedAt) {
		r.Fatalf("replayed %v: %+v was created after %+v", replayed, created, m.last)
	}
	m.resources, m.last = append(m.resources, created), created
	m.note(created.CreatedAt, Resource{}, created)
	if once == nil {
		return
	}
	again, replayed, err := m.Create(m.t.Context(), resource, once)
	if err != nil || !replayed {
		r.Fatalf("repeated: replayed %v, %v", replayed, err)
	}
	same(r, "replayed resource", created, again)
}

func (m *model) change(r *rapid.T, i int) {
	before := m.resources[i]
	after := m.move(r, m.vary(r, before))
	after.UpdatedAt = m.when(r)
	changed, err := m.Update(m.t.Context(), before, after)
	if m.succeeded(r, err, m.taken(after)) {
		m.resources[i] = changed
		m.note(after.UpdatedAt, before, changed)
	}
}

func (m *model) delete(r *rapid.T, i int) {
	before, at := m.resources[i], m.when(r)
	if m.succeeded(r, m.Delete(m.t.Context(), before, at), nil) {
		m.resources = slices.Delete(m.resources, i, i+1)
		m.note(at, before, Resource{})
	}
}

// note counts a change. If the clock is behind the resource's previous change, it counts on the day of that change.
func (m *model) note(at time.Time, before, after Resource) {
	if m.Counted == nil {
		return
	}
	var was, is, events []string
	if m.Events != nil {
		events = m.Events(before, after)
	}
	if before.ID != "" {
		was = m.Counted(before)
	}
	if after.ID != "" {
		is = m.Counted(after)
	}
	if slices.Equal(was, is) && len(events) == 0 {
		return
	}
	id := before.ID
	if id == "" {
		id = after.ID
	}
	day := max(m.lastDay[id], at.Format(time.DateOnly))
	m.lastDay[id] = day
	m.days.Add(day, -1, was...)
	m.days.Add(day, 1, slices.Concat(is, events)...)
}

// filter draws the filters of a list.
func (m *model) filter(r *rapid.T) Query {
	return Query{
		Customer: rapid.SampledFrom(append(slices.Clone(m.Customers), "")).Draw(r, "customer"),
		Label:    rapid.SampledFrom(append(slices.Clone(m.Labels), "", "")).Draw(r, "label"),
		State:    rapid.SampledFrom(append(slices.Clone(m.States), "")).Draw(r, "state"),
	}
}

// matching returns the resources that a list must have, in its order.
func (m *model) matching(query Query) []string {
	ids := []string{}
	for _, r := range m.resources {
		if (query.Customer == "" || r.Customer == query.Customer) && (query.Label == "" || r.Label == query.Label) &&
			(query.State == "" || r.State == query.State) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// page reads a page, and compares its total.
func (m *model) page(r *rapid.T, query Query) (ids []string, next paging.Position) {
	page, err := m.List(m.t.Context(), query)
	if err != nil {
		r.Fatal(err)
	}
	same(r, fmt.Sprintf("total of %+v", query), int64(len(m.matching(query))), page.Total)
	ids = []string{}
	for _, resource := range page.Resources {
		ids = append(ids, resource.ID)
	}
	return ids, page.Next
}

// list compares a page at a random offset.
func (m *model) list(r *rapid.T) {
	query := m.filter(r)
	query.Limit, query.Offset = rapid.IntRange(1, 5).Draw(r, "limit"), rapid.Int64Range(0, 8).Draw(r, "offset")
	want := m.matching(query)
	from := min(int(query.Offset), len(want))
	to := min(from+query.Limit, len(want))
	got, next := m.page(r, query)
	same(r, fmt.Sprintf("page %+v", query), want[from:to], got)
	same(r, fmt.Sprintf("page %+v has a next one", query), to < len(want), next != "")
}

// find compares the results of a search on all its pages. Names and unique values are found by the beginnings of their
// words.
func (m *model) find(r *rapid.T) {
	text := rapid.SampledFrom([]string{"a", "ada", "ADA B", "byr", "lord", "zzz", uniqueText(0, 1), uniqueText(1, 2)[:2]}).
		Draw(r, "text")
	customer := rapid.SampledFrom(append(slices.Clone(m.Customers), "")).Draw(r, "of")
	want, got := []string{}, []string{}
	for _, resource := range m.resources {
		words := strings.Fields(strings.ToLower(resource.Name))
		isFound := slices.ContainsFunc(resource.Unique, func(u string) bool { return strings.HasPrefix(u, text) })
		for i := range words {
			isFound = isFound || strings.HasPrefix(strings.Join(words[i:], " "), strings.ToLower(text))
		}
		if isFound && (customer == "" || resource.Customer == customer) {
			want = append(want, resource.ID)
		}
	}
	query := search.Query{Text: text, Limit: rapid.IntRange(1, 3).Draw(r, "limit")}
	for {
		page, err := m.Search(m.t.Context(), customer, query)
		if err != nil || len(page.Resources) > query.Limit {
			r.Fatalf("%d results of %+v, %v", len(page.Resources), query, err)
		}
		for _, resource := range page.Resources {
			got = append(got, resource.ID)
		}
		if query.After = page.Next; page.Next == "" {
			break
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	same(r, fmt.Sprintf("results of %q for the customer %q", text, customer), want, got)
}

// testMoveDuringSearch moves a resource to another customer between the two reads of a search. The search must not show
// the resource.
func (f *fixture) testMoveDuringSearch() {
	if f.Customers == nil || f.IsUnnamed {
		return
	}
	moving := f.newResource(0)
	moving.Customer = f.Customers[1]
	moving = f.store(moving)
	racing := f.Over(awstest.Faulty(f.Client, func(operation string, _ int) error {
		if operation == "BatchGetItem" {
			after := moving
			after.Customer, after.UpdatedAt = f.Customers[2], noon().Add(time.Hour)
			_, err := f.Update(f.t.Context(), moving, after)
			f.wantError("move", err, nil)
		}
		return nil
	}))
	page, err := racing.Search(f.t.Context(), f.Customers[1], search.Query{Text: "name", Limit: 5})
	if err != nil || len(page.Resources) != 0 {
		f.t.Errorf("the search shows %+v of another customer, %v", page.Resources, err)
	}
	if moved := f.mustGet(moving.ID); moved.Version != 2 {
		f.t.Errorf("the search has not read the resource: %+v", moved)
	}
}

// compare compares the stored resources and counters with the model.
func (m *model) compare(r *rapid.T) {
	n, problems := m.problems()
	same(r, "differences", []string(nil), problems)
	same(r, "number of resources", len(m.resources), n)
	for _, want := range m.resources {
		got, err := m.Get(m.t.Context(), want.ID)
		if err != nil {
			r.Fatal(err)
		}
		same(r, "resource", want, got)
	}
	if m.Counted != nil {
		same(r, "day counters", m.days, StoredDays(m.t, m.Client, m.Analytics))
	}
}

func same(r *rapid.T, what string, want, got any) {
	r.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		r.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}
