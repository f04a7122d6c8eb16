package projectsdynamo_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/uuid"

	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/daycounts"
	"portside/shared/projects"
	"portside/shared/projects/projectsdynamo"
	"portside/shared/testkit/audittest"
	"portside/shared/testkit/awstest"
)

// fixture is a store on new tables, with access to the tables.
type fixture struct {
	client           *dynamodb.Client
	table, analytics string
	log              auditlog.Log
	store            *projectsdynamo.Store
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	client := awstest.DynamoDB(t)
	d := &fixture{
		client: client, table: awstest.Table(t, client, "ProjectsTable"),
		analytics: awstest.Table(t, client, "AnalyticsTable"),
		log:       audittest.Log(t, client),
	}
	d.store = d.over(client)
	return d
}

// over returns a store on the same tables over another client, such as one that fails.
func (d *fixture) over(client *dynamodb.Client) *projectsdynamo.Store {
	return projectsdynamo.New(client, d.table, daycounts.In(d.analytics)).Audited(d.log)
}

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func newProject(name string, status projects.Status, at time.Time) projects.Project {
	return projects.Project{
		ID: uuid.Must(uuid.NewV7()).String(), Name: name, Status: status, OwnerID: "somebody", Members: []projects.Member{},
		Settings: json.RawMessage("{}"), Metadata: json.RawMessage("{}"), CreatedAt: at,
	}
}

func (d *fixture) create(t *testing.T, name string, status projects.Status) projects.Project {
	t.Helper()
	created, err := d.store.Create(t.Context(), projects.Creation{Project: newProject(name, status, noon)})
	if err != nil {
		t.Fatal(err)
	}
	return created.Project
}

// TestCostOfListPage checks that capacity and calls do not grow with the offset.
func TestCostOfListPage(t *testing.T) {
	d := newFixture(t)
	const size = 400
	for i := range size {
		d.create(t, strings.Repeat("N", 20+i%20), projects.Statuses()[i%5])
	}
	client, meter := awstest.Metered(d.client)
	store := d.over(client)
	for _, status := range append(projects.Statuses(), "") {
		for _, offset := range []int64{0, 31, 32, 60, 79, 200, size - 1} {
			meter.Reset()
			page, err := store.List(t.Context(), projects.Query{Status: status, Limit: 20, Offset: offset})
			if err != nil {
				t.Fatal(err)
			}
			if meter.ReadUnits() > 6 || meter.Calls() > 3 {
				t.Errorf("status %q, offset %d of %d: %v read units, %d calls", status, offset, page.Total, meter.ReadUnits(),
					meter.Calls())
			}
		}
	}
}

// TestCostOfChanges checks the costs of writes in docs/projects.md. A transaction costs two units per kilobyte.
func TestCostOfChanges(t *testing.T) {
	d := newFixture(t)
	client, meter := awstest.Metered(d.client)
	store := d.over(client)
	cost := func(what string, most float64, run func() error) {
		t.Helper()
		meter.Reset()
		if err := run(); err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %v write units in %d calls", what, meter.WriteUnits(), meter.Calls())
		if meter.WriteUnits() > most || meter.ReadUnits() > 0 || meter.Calls() > 2 {
			t.Errorf("%s: %v write units, %v read units, %d calls", what, meter.WriteUnits(), meter.ReadUnits(), meter.Calls())
		}
	}
	var project projects.Project
	cost("create", 22, func() error {
		created, err := store.Create(t.Context(), projects.Creation{Project: newProject("A", projects.Draft, noon)})
		project = created.Project
		return err
	})
	change := func(edit func(*projects.Project)) func() error {
		return func() (err error) {
			after := project
			edit(&after)
			project, err = store.Update(t.Context(), project, after)
			return err
		}
	}
	cost("members", 5, change(func(p *projects.Project) { p.Members = []projects.Member{{UserID: "a", Role: projects.Editor}} }))
	cost("name", 13, change(func(p *projects.Project) { p.Name = "B" }))
	cost("status", 21, change(func(p *projects.Project) { p.Status = projects.Active }))
	cost("delete", 23, func() error { return store.Delete(t.Context(), project, noon) })
}
