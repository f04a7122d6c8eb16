package customersdynamo_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"portside/shared/core/paging"
	"portside/shared/customers"
	"portside/shared/testkit/pagetest"
	"portside/testclient/scale"
)

// model is the expected content of a store, computed in a simple way.
type model struct{ customers []customers.Customer } // in the order of creation

// refusal returns the error of a customer whose slug or external ID belongs to another one.
func (m *model) refusal(c customers.Customer) error {
	for _, other := range m.customers {
		if other.ID != c.ID && other.Slug == c.Slug {
			return customers.ErrSlugTaken
		}
	}
	for _, other := range m.customers {
		if other.ID != c.ID && c.ExternalID != "" && other.ExternalID == c.ExternalID {
			return customers.ErrExternalIDTaken
		}
	}
	return nil
}

func (m *model) page(q customers.Query) (page []string, total int64) {
	var all []string
	for _, c := range m.customers {
		if q.Status == "" || c.Status == q.Status {
			all = append(all, c.ID+" "+c.Slug)
		}
	}
	from := min(q.Offset, int64(len(all)))
	return all[from:min(from+int64(q.Limit), int64(len(all)))], int64(len(all))
}

// drawn sets all fields of a customer that a client sets, from few values, so that slugs and external IDs collide.
func drawn(r *rapid.T, c customers.Customer) customers.Customer {
	c.Name = rapid.SampledFrom([]string{"Acme", "Acme Ltd", "Other"}).Draw(r, "name")
	c.Slug = rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(r, "slug")
	c.ExternalID = rapid.SampledFrom([]string{"", "", "1", "2", "a"}).Draw(r, "external ID")
	c.Status = rapid.SampledFrom(customers.Statuses()).Draw(r, "status")
	c.MaxUsers = rapid.Int64Range(0, 3).Draw(r, "limit")
	c.MaxRequests = rapid.Int64Range(0, 3).Draw(r, "limit of requests")
	return c
}

// TestStoreMatchesModel creates, changes, entitles and deletes customers and counts their users at random, and compares customers and pages
// with the model.
func TestStoreMatchesModel(t *testing.T) {
	rapid.Check(scale.ChecksOf(t, 30), func(r *rapid.T) {
		d, m := newFixture(t), &model{}
		create := func(r *rapid.T) {
			customer := drawn(r, newCustomer("", "", noon))
			created, err := d.store.Create(t.Context(), customers.Creation{Customer: customer})
			if wantRefusal(r, err, m.refusal(customer)); err == nil {
				m.customers = append(m.customers, created.Customer)
			}
		}
		some := func(run func(r *rapid.T, i int)) func(*rapid.T) {
			return func(r *rapid.T) {
				if len(m.customers) == 0 {
					create(r)
				}
				run(r, rapid.IntRange(0, len(m.customers)-1).Draw(r, "which"))
			}
		}
		r.Repeat(map[string]func(*rapid.T){
			"create": create,
			"change": some(func(r *rapid.T, i int) {
				after := drawn(r, m.customers[i])
				changed, err := d.store.Update(t.Context(), m.customers[i], after)
				if wantRefusal(r, err, m.refusal(after)); err == nil {
					m.customers[i] = changed
				}
			}),
			"delete": some(func(r *rapid.T, i int) { m.delete(t, r, d, i) }),
			"users":  some(func(r *rapid.T, i int) { m.addUser(t, r, d, i) }),
			"entitle": some(func(r *rapid.T, i int) {
				id := m.customers[i].ID
				state, _, err := d.keys(d.client).Customer(t.Context(), id)
				must(r, err)
				must(r, d.entitle(t, id, state.Entitlements))
			}),
			"list": func(r *rapid.T) { m.list(t, r, d) },
		})
		m.compare(t, r, d)
	})
}

func (m *model) delete(t *testing.T, r *rapid.T, d *fixture, i int) {
	var want error
	if m.customers[i].Users > 0 {
		want = customers.ErrHasUsers
	}
	err := d.store.Delete(t.Context(), m.customers[i])
	if wantRefusal(r, err, want); err == nil {
		m.customers = slices.Delete(m.customers, i, i+1)
	}
}

// addUser adds a user, unless the customer has as many as its limit.
func (m *model) addUser(t *testing.T, r *rapid.T, d *fixture, i int) {
	c := &m.customers[i]
	isRefused := d.addUsers(t, c.ID, 1) != nil
	if wanted := c.MaxUsers > 0 && c.Users >= c.MaxUsers; isRefused != wanted {
		r.Fatalf("a customer with %d users and the limit %d refused another one: %v", c.Users, c.MaxUsers, isRefused)
	}
	if !isRefused {
		c.Users++
	}
}

// TestCursorsSurviveChanges follows the cursors of the list of a random status, while customers are created, changed and deleted.
func TestCursorsSurviveChanges(t *testing.T) {
	rapid.Check(scale.ChecksOf(t, 30), func(r *rapid.T) {
		d, m, created := newFixture(t), &model{}, 0
		query := customers.Query{Status: customers.Status(rapid.SampledFrom(append(statuses, "", "")).Draw(r, "list"))}
		change := func(r *rapid.T) {
			i := rapid.IntRange(-1, len(m.customers)-1).Draw(r, "which")
			if i < 0 || rapid.Bool().Draw(r, "create") {
				created++
				customer := newCustomer(fmt.Sprintf("c%d", created), "", noon)
				customer.Status = rapid.SampledFrom(customers.Statuses()).Draw(r, "status")
				made, err := d.store.Create(t.Context(), customers.Creation{Customer: customer})
				must(r, err)
				m.customers = append(m.customers, made.Customer)
				return
			}
			if rapid.Bool().Draw(r, "delete") {
				m.delete(t, r, d, i)
				return
			}
			after := m.customers[i]
			after.Status = rapid.SampledFrom(customers.Statuses()).Draw(r, "status")
			changed, err := d.store.Update(t.Context(), m.customers[i], after)
			must(r, err)
			m.customers[i] = changed
		}
		pagetest.Check(r, pagetest.List{
			Items: func() []string {
				query.Limit = len(m.customers)
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
	query := customers.Query{
		Status: customers.Status(rapid.SampledFrom(append(statuses, "")).Draw(r, "list")),
		Limit:  rapid.IntRange(1, 5).Draw(r, "limit"), Offset: rapid.Int64Range(0, 9).Draw(r, "offset"),
	}
	page, err := d.store.List(t.Context(), query)
	must(r, err)
	wanted, total := m.page(query)
	same(r, fmt.Sprintf("page %+v", query), fmt.Sprint(wanted, total), fmt.Sprint(shown(page), page.Total))
}

// shown returns the customers of a page as the model names them.
func shown(page customers.Page) []string {
	all := []string{}
	for _, c := range page.Customers {
		all = append(all, c.ID+" "+c.Slug)
	}
	return all
}

// compare compares the stored customers with the model.
func (m *model) compare(t *testing.T, r *rapid.T, d *fixture) {
	if n := d.check(t); n != len(m.customers) {
		r.Fatalf("%d customers, want %d", n, len(m.customers))
	}
	for _, customer := range m.customers {
		got, err := d.store.Get(t.Context(), customer.ID)
		must(r, err)
		same(r, "customer", customer, got)
	}
}

func wantRefusal(r *rapid.T, got, want error) {
	if !errors.Is(got, want) {
		r.Fatalf("error is %v, want %v", got, want)
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
