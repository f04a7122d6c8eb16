package projectsdynamo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/uuid"

	"portside/shared/core/idempotency"
	"portside/shared/core/versions"
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
		client: client, table: awstest.Table(t, client, "ProjectsTable"), analytics: awstest.Table(t, client, "AnalyticsTable"),
		log: audittest.Log(t, client),
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

// TestCrashAtAnyCall crashes each operation at each of its calls, before or after the call takes effect, and checks that
// the tables stay consistent.
func TestCrashAtAnyCall(t *testing.T) {
	operations := map[string]func(ctx context.Context, s *projectsdynamo.Store, p projects.Project) error{
		"create": func(ctx context.Context, s *projectsdynamo.Store, _ projects.Project) error {
			key := &idempotency.Key{Caller: "c", Text: "k", Fingerprint: []byte("f")}
			_, err := s.Create(ctx, projects.Creation{Project: newProject("new", projects.Archived, noon), Once: key})
			return err
		},
		"change": func(ctx context.Context, s *projectsdynamo.Store, p projects.Project) error {
			after := p
			after.Status, after.Name, after.UpdatedAt = projects.Archived, "Changed", noon.Add(24*time.Hour)
			_, err := s.Update(ctx, p, after)
			return err
		},
		"delete": func(ctx context.Context, s *projectsdynamo.Store, p projects.Project) error {
			return s.Delete(ctx, p, noon.Add(time.Hour))
		},
	}
	for name, operation := range operations {
		for _, lost := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, response lost %v", name, lost), func(t *testing.T) {
				awstest.CrashAtEachCall(lost, func(crashing func(*dynamodb.Client) *dynamodb.Client) error {
					d := newFixture(t)
					d.create(t, "bystander", projects.Draft)
					victim := d.create(t, "victim", projects.Active)
					err := operation(t.Context(), d.over(crashing(d.client)), victim)
					d.check(t)
					return err
				})
			})
		}
	}
}

// TestChangesUnderConflict makes every third transaction conflict, as on AWS, while eight workers create, change and
// delete. The tables must be consistent in the end.
func TestChangesUnderConflict(t *testing.T) {
	d := newFixture(t)
	store := d.over(awstest.WithConflicts(d.client))
	var all sync.WaitGroup
	for worker := range 8 {
		all.Go(func() {
			if err := work(t.Context(), store, worker); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := d.check(t); n != 8*4 {
		t.Errorf("%d projects, want %d", n, 8*4)
	}
}

// work adds eight projects, changes each of them, and deletes every second one.
func work(ctx context.Context, store *projectsdynamo.Store, worker int) error {
	for i := range 8 {
		at := noon.Add(time.Duration(i*worker) * time.Hour)
		created, err := store.Create(ctx, projects.Creation{Project: newProject(fmt.Sprintf("w%d-%d", worker, i), projects.Draft, at)})
		if err != nil {
			return err
		}
		after := created.Project
		after.Status, after.UpdatedAt = projects.Statuses()[i%5], at.Add(24*time.Hour)
		changed, err := store.Update(ctx, created.Project, after)
		if err != nil {
			return err
		}
		if i%2 == 0 {
			continue
		}
		if err := store.Delete(ctx, changed, at.Add(36*time.Hour)); err != nil {
			return err
		}
	}
	return nil
}

func TestStaleChangesFail(t *testing.T) {
	d := newFixture(t)
	first := d.create(t, "first", projects.Draft)
	second := first
	second.Name = "Second"
	changed, err := d.store.Update(t.Context(), first, second)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.store.Update(t.Context(), first, second); !errors.Is(err, versions.ErrStale) {
		t.Errorf("change of an old version: %v, want ErrStale", err)
	}
	if err := d.store.Delete(t.Context(), first, noon); !errors.Is(err, versions.ErrStale) {
		t.Errorf("deletion of an old version: %v, want ErrStale", err)
	}
	if err := d.store.Delete(t.Context(), changed, noon); err != nil {
		t.Error(err)
	}
	if _, err := d.store.Update(t.Context(), changed, second); !errors.Is(err, versions.ErrStale) {
		t.Errorf("change of a deleted project: %v, want ErrStale", err)
	}
	d.check(t)
}

// TestChangesWithSlowClock changes a project with a clock that is a day behind.
func TestChangesWithSlowClock(t *testing.T) {
	d := newFixture(t)
	project := d.create(t, "late", projects.Draft)
	after := project
	after.Status, after.UpdatedAt = projects.Archived, noon.AddDate(0, 0, -1)
	changed, err := d.store.Update(t.Context(), project, after)
	if err != nil {
		t.Fatal(err)
	}
	d.check(t)
	if got := d.days(t); got["counts 2026-03-02 archived"] != 1 || got["counts total projects"] != 1 {
		t.Errorf("counters are %v", got)
	}
	if err := d.store.Delete(t.Context(), changed, noon.AddDate(0, 0, -1)); err != nil {
		t.Error(err)
	}
	d.check(t)
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
				t.Errorf("status %q, offset %d of %d: %v read units, %d calls", status, offset, page.Total, meter.ReadUnits(), meter.Calls())
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
