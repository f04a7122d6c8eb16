package projectsdynamo_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/audit"
	"portside/shared/core/idempotency"
	"portside/shared/core/search"
	"portside/shared/projects"
	"portside/shared/testkit/fieldstest"
	"portside/shared/testkit/resourcetest"
)

// customers are the owners of projects in these tests: the vendor and two customers.
var customers = []string{"", "0199cccc-0000-7000-8000-000000000001", "0199cccc-0000-7000-8000-000000000002"}

// subject describes projects for the tests of each stored resource.
var subject = resourcetest.Subject{
	Kind: "project", Lists: "projects",
	Form:  []string{"id", "name", "description", "status", "customer", "owner", "created"},
	Label: "status", Labels: []string{"draft", "active", "on_hold", "completed", "archived"}, Customers: customers,
	Created: audit.ProjectCreated, Updated: audit.ProjectUpdated, Deleted: audit.ProjectDeleted,
	NotFound:  projects.ErrNotFound,
	Unaudited: []string{"ID", "CreatedAt", "UpdatedAt", "Number", "History"},
	Filled:    func(tb testing.TB) any { return fieldstest.Filled[projects.Project](tb) },
	Emptied: func(value any) any {
		p := value.(projects.Project)
		p.Description, p.Members, p.Settings, p.Metadata = "", []projects.Member{}, json.RawMessage("{}"),
			json.RawMessage("{}")
		return p
	},
	Counted: func(r resourcetest.Resource) []string { return []string{"projects", "project:" + r.Label} },
	Events:  events,
	Open:    func(t *testing.T) resourcetest.Tables { return newFixture(t).tables() },
}

func TestContract(t *testing.T) { resourcetest.Run(t, subject) }

func TestConcurrentWrites(t *testing.T) { resourcetest.Concurrently(t, subject) }

func (d *fixture) tables() resourcetest.Tables {
	return resourcetest.Tables{Client: d.client, Table: d.table, Analytics: d.analytics, Log: d.log, Over: d.contract}
}

// events returns the events that a change of a project counts.
func events(before, after resourcetest.Resource) (counted []string) {
	if before.ID == "" {
		counted = append(counted, "created")
	}
	if after.Label == "archived" && before.Label != "archived" {
		counted = append(counted, "archived")
	}
	return counted
}

// project returns the project that the contract describes.
func project(r resourcetest.Resource) projects.Project {
	p, isStored := r.Value.(projects.Project)
	if !isStored {
		p = newProject("", "", time.Time{})
	}
	p.ID, p.Name, p.Status, p.CustomerID = r.ID, r.Name, projects.Status(r.Label), r.Customer
	p.CreatedAt, p.UpdatedAt = r.CreatedAt, r.UpdatedAt
	return p
}

func resource(p projects.Project) resourcetest.Resource {
	return resourcetest.Resource{
		ID: p.ID, Name: p.Name, Label: string(p.Status), Customer: p.CustomerID, CreatedAt: p.CreatedAt,
		UpdatedAt: p.UpdatedAt,
		Number:    p.Number, Version: p.Version, Value: p,
	}
}

func resources(all []projects.Project) (converted []resourcetest.Resource) {
	for _, p := range all {
		converted = append(converted, resource(p))
	}
	return converted
}

// contract returns the store over a client as the contract sees it.
func (d *fixture) contract(client *dynamodb.Client) resourcetest.Store {
	store := d.over(client)
	return resourcetest.Store{
		Create: func(ctx context.Context, r resourcetest.Resource, once *idempotency.Key) (resourcetest.Resource, bool, error) {
			created, err := store.Create(ctx, projects.Creation{Project: project(r), Once: once})
			return resource(created.Project), created.Replayed, err
		},
		Get: func(ctx context.Context, id string) (resourcetest.Resource, error) {
			p, err := store.Get(ctx, id)
			return resource(p), err
		},
		Update: func(ctx context.Context, before, after resourcetest.Resource) (resourcetest.Resource, error) {
			p, err := store.Update(ctx, project(before), project(after))
			return resource(p), err
		},
		Delete: func(ctx context.Context, r resourcetest.Resource, at time.Time) error {
			return store.Delete(ctx, project(r), at)
		},
		List: func(ctx context.Context, q resourcetest.Query) (resourcetest.Page, error) {
			page, err := store.List(ctx, projects.Query{
				CustomerID: q.Customer, Status: projects.Status(q.Label), Limit: q.Limit, Offset: q.Offset, After: q.After,
			})
			return resourcetest.Page{Resources: resources(page.Projects), Total: page.Total, Next: page.Next}, err
		},
		Search: func(ctx context.Context, customer string, q search.Query) (resourcetest.Page, error) {
			page, err := store.Search(ctx, customer, q)
			return resourcetest.Page{Resources: resources(page.Projects), Next: page.Next}, err
		},
		Rebuild: store.Rebuild, RebuildCustomer: store.RebuildCustomer, Histories: store.Histories,
	}
}
