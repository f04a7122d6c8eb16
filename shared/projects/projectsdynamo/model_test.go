package projectsdynamo_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"portside/shared/core/calendar"
	"portside/shared/core/paging"
	"portside/shared/dynamo/daycounts"
	"portside/shared/projects"
	"portside/shared/testkit/pagetest"
	"portside/testclient/scale"
)

// model is the expected content of a store, computed in a simple way.
type model struct {
	projects []projects.Project // in the order of creation
	days     daycounts.Changes
	now      time.Time
}

func (m *model) count(by int64, counters ...string) {
	change := daycounts.Change{}
	change.Add(by, counters...)
	m.days.Add(calendar.DayOf(m.now), change)
}

// countStatusChange counts a change of a project's status. An empty status means that the project does not exist.
func (m *model) countStatusChange(from, to projects.Status) {
	if from != "" {
		m.count(-1, "projects", "project:"+string(from))
	}
	if to != "" {
		m.count(1, "projects", "project:"+string(to))
	}
	if to == projects.Archived && from != to {
		m.count(1, "archived")
	}
}

func (m *model) page(q projects.Query) (page []string, total int64) {
	var all []string
	for _, p := range m.projects {
		if (q.Status == "" || p.Status == q.Status) && (q.CustomerID == "" || p.CustomerID == q.CustomerID) {
			all = append(all, p.ID+" "+p.Name)
		}
	}
	from := min(q.Offset, int64(len(all)))
	return all[from:min(from+int64(q.Limit), int64(len(all)))], int64(len(all))
}

// customers are to whom projects belong in these tests: nobody, and two customers.
var customers = []string{"", "0199cccc-0000-7000-8000-000000000001", "0199cccc-0000-7000-8000-000000000002"}

// TestStoreMatchesModel creates, changes and deletes projects at random over several days, and compares projects, pages
// and counters with the model.
func TestStoreMatchesModel(t *testing.T) {
	rapid.Check(scale.ChecksOf(t, 30), func(r *rapid.T) {
		d := newFixture(t)
		m := &model{days: daycounts.Changes{}, now: noon}
		pick := func() int { return rapid.IntRange(0, len(m.projects)-1).Draw(r, "which") }
		status, customer := rapid.SampledFrom(projects.Statuses()), rapid.SampledFrom(customers)
		create := func(r *rapid.T) {
			project := newProject(rapid.StringMatching(`[a-z]{1,9}`).Draw(r, "name"), status.Draw(r, "status"), m.now)
			project.CustomerID = customer.Draw(r, "customer")
			created, err := d.store.Create(t.Context(), projects.Creation{Project: project})
			must(r, err)
			m.projects = append(m.projects, created.Project)
			m.countStatusChange("", project.Status)
			m.count(1, "created")
		}
		some := func(run func(i int)) func(*rapid.T) {
			return func(r *rapid.T) {
				if len(m.projects) == 0 {
					create(r)
				}
				run(pick())
			}
		}
		r.Repeat(map[string]func(*rapid.T){
			"create": create,
			"change": some(func(i int) {
				after := m.projects[i]
				after.Status, after.CustomerID, after.UpdatedAt = status.Draw(r, "status"), customer.Draw(r, "customer"), m.now
				after.Members = []projects.Member{{UserID: rapid.StringMatching(`[a-z]{3}`).Draw(r, "member"), Role: projects.Viewer}}
				changed, err := d.store.Update(t.Context(), m.projects[i], after)
				must(r, err)
				m.countStatusChange(m.projects[i].Status, changed.Status)
				m.projects[i] = changed
			}),
			"delete": some(func(i int) {
				must(r, d.store.Delete(t.Context(), m.projects[i], m.now))
				m.countStatusChange(m.projects[i].Status, "")
				m.projects = slices.Delete(m.projects, i, i+1)
			}),
			"wait": func(r *rapid.T) {
				m.now = m.now.Add(time.Duration(rapid.IntRange(1, 40).Draw(r, "hours")) * time.Hour)
			},
			"list": func(r *rapid.T) {
				m.list(t, r, d)
			},
		})
		m.compare(t, r, d)
	})
}

// TestCursorsSurviveChanges follows the cursors of the list of a random filter, while projects are created, changed, moved and deleted.
func TestCursorsSurviveChanges(t *testing.T) {
	rapid.Check(scale.ChecksOf(t, 30), func(r *rapid.T) {
		d, m := newFixture(t), &model{now: noon}
		status, customer := rapid.SampledFrom(projects.Statuses()), rapid.SampledFrom(customers)
		query := projects.Query{
			CustomerID: customer.Draw(r, "customer"), Status: projects.Status(rapid.SampledFrom(append(statuses, "", "")).Draw(r, "list")),
		}
		change := func(r *rapid.T) {
			i := rapid.IntRange(-1, len(m.projects)-1).Draw(r, "which")
			if i < 0 || rapid.Bool().Draw(r, "create") {
				project := newProject("p", status.Draw(r, "status"), m.now)
				project.CustomerID = customer.Draw(r, "customer")
				created, err := d.store.Create(t.Context(), projects.Creation{Project: project})
				must(r, err)
				m.projects = append(m.projects, created.Project)
				return
			}
			if rapid.Bool().Draw(r, "delete") {
				must(r, d.store.Delete(t.Context(), m.projects[i], m.now))
				m.projects = slices.Delete(m.projects, i, i+1)
				return
			}
			after := m.projects[i]
			after.Status, after.CustomerID = status.Draw(r, "status"), customer.Draw(r, "customer")
			changed, err := d.store.Update(t.Context(), m.projects[i], after)
			must(r, err)
			m.projects[i] = changed
		}
		pagetest.Check(r, pagetest.List{
			Items: func() []string {
				query.Limit = len(m.projects)
				all, _ := m.page(query)
				return all
			},
			Change: change,
			Page: func(limit int, cursor string) ([]string, string) {
				query.Limit, query.After = limit, paging.Position(cursor)
				page, err := d.store.List(t.Context(), query)
				must(r, err)
				_, total := m.page(query)
				same(r, fmt.Sprintf("total of %+v", query), total, page.Total)
				return shown(page), string(page.Next)
			},
		})
	})
}

// list compares a page.
func (m *model) list(t *testing.T, r *rapid.T, d *fixture) {
	query := projects.Query{
		CustomerID: rapid.SampledFrom(customers).Draw(r, "customer"),

		Status: projects.Status(rapid.SampledFrom(append(statuses, "")).Draw(r, "list")),
		Limit:  rapid.IntRange(1, 5).Draw(r, "limit"), Offset: rapid.Int64Range(0, 9).Draw(r, "offset"),
	}
	page, err := d.store.List(t.Context(), query)
	must(r, err)
	wanted, total := m.page(query)
	same(r, fmt.Sprintf("page %+v", query), fmt.Sprint(wanted, total), fmt.Sprint(shown(page), page.Total))
}

// shown returns the projects of a page as the model names them.
func shown(page projects.Page) []string {
	all := []string{}
	for _, p := range page.Projects {
		all = append(all, p.ID+" "+p.Name)
	}
	return all
}

// compare compares the stored counters with counters computed from the histories.
func (m *model) compare(t *testing.T, r *rapid.T, d *fixture) {
	if n := d.check(t); n != len(m.projects) {
		r.Fatalf("%d projects, want %d", n, len(m.projects))
	}
	for _, project := range m.projects {
		got, err := d.store.Get(t.Context(), project.ID)
		must(r, err)
		same(r, "project", project, got)
	}
	wanted, histories := map[string]int64{}, daycounts.Changes{}
	for history, err := range d.store.Histories(t.Context()) {
		must(r, err)
		for day, change := range history.Changes() {
			histories.Add(day, change)
		}
	}
	for day, change := range m.days {
		for counter, n := range change {
			add(wanted, day.String(), counter, n)
			histories.Add(day, daycounts.Change{counter: -n})
		}
	}
	same(r, "counters", wanted, map[string]int64(d.days(t)))
	for day, change := range histories {
		if len(change) > 0 {
			r.Fatalf("histories differ from the model on %s by %v", day, change)
		}
	}
}

func must(r *rapid.T, err error) {
	if err != nil {
		r.Fatal(err)
	}
}

func same(r *rapid.T, what string, want, got any) {
	if diff := cmp.Diff(want, got); diff != "" {
		r.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}
