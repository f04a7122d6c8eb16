// Package projectsdynamo keeps projects in a DynamoDB table.
//
// The items, all in one table with the keys pk and sk:
//
//	project#<id>           project    the project, with all fields of the full form
//	gone#<id>              gone       the history of a deleted project, without its other data
//	list#all               <number>   the list form, in the order of creation; see package lists
//	list#<status>          <number>   the same, of one status
//	list#<customer>#…      <number>   the same lists of the projects of a customer
//	rank#projects…                    counts over the lists; see package rank
//	search#<character>     <term>     what a search finds: the beginnings of words of the name; see package searchindex
//	once#<caller>#<hash>   once       an idempotency key and the project that it created; see package idempotencykeys
//
// Every change is one transaction over all affected items and over the counters of the day in the
// analytics table, so a crash never leaves an incomplete project or a wrong counter. Every write is
// conditional: on the version for a project, on existence for all other items. See package records.
//
// A project stores its history: the counters that included it on each day. So the counters can be
// recomputed from the projects; see Histories.
package projectsdynamo

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/audit"
	"portside/shared/core/idempotency"
	"portside/shared/core/search"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/idempotencykeys"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/lists"
	"portside/shared/dynamo/records"
	"portside/shared/projects"
)

// Store keeps projects.
type Store struct{ records *records.Table }

// New returns a Store in the named table. days is the table of the day counters.
func New(client *dynamodb.Client, table string, days daycounts.Table) *Store {
	kept := records.New(audit.Project, client, table, lists.Shape{Name: "projects", Label: "status", Labels: labels()})
	kept.Days, kept.Log = days, auditlog.Log{}.Write
	return &Store{kept}
}

// Audited returns the store with a log, to which it adds its changes.
func (s *Store) Audited(log auditlog.Log) *Store {
	s.records.Log = log.Write
	return s
}

var _ projects.Store = (*Store)(nil)

// labels returns the labels whose items the lists count. Their order is part of the stored counters,
// so labels may only be appended.
func labels() []string {
	all := make([]string, 0, len(projects.Statuses()))
	for _, s := range projects.Statuses() {
		all = append(all, string(s))
	}
	return all
}

// Get implements projects.Store with one strongly consistent read.
func (s *Store) Get(ctx context.Context, id string) (projects.Project, error) {
	stored, found, err := items.Get[projectItem](ctx, s.records.Items(), s.records.Key(id))
	if err == nil && !found {
		err = projects.ErrNotFound
	}
	return stored.project(), err
}

// List implements projects.Store.
func (s *Store) List(ctx context.Context, query projects.Query) (projects.Page, error) {
	from := s.records.Lists
	if query.CustomerID != "" {
		from = s.records.Lists.In(query.CustomerID)
	}
	found, err := lists.Page[listItem](ctx, from, lists.Query{
		Label: string(query.Status), Limit: query.Limit, Offset: query.Offset, After: query.After,
	})
	page := projects.Page{Projects: make([]projects.Project, len(found.Entries)), Total: found.Total, Next: found.Next}
	for i, entry := range found.Entries {
		page.Projects[i] = entry.project()
	}
	return page, err
}

// Search implements projects.Store.
func (s *Store) Search(ctx context.Context, customerID string, query search.Query) (
	page projects.SearchPage, err error,
) {
	page.Next, err = s.records.Find(ctx, customerID, query, func(item items.Map) error {
		stored, err := items.Decode[projectItem](item)
		if customerID == "" || stored.Customer == customerID { // the project may have moved since the first read
			page.Projects = append(page.Projects, stored.project())
		}
		return err
	})
	return page, err
}

// Create implements projects.Store.
func (s *Store) Create(ctx context.Context, creation projects.Creation) (projects.Created, error) {
	if creation.Refusal != nil {
		return s.refuse(ctx, creation)
	}
	project := creation.Project
	var err error
	if project.Number, project.CreatedAt, err = s.records.Lists.Allocate(ctx, 1, project.CreatedAt); err != nil {
		return projects.Created{}, err
	}
	project.UpdatedAt, project.Version = project.CreatedAt, 1
	history := daycounts.History{}.Append(project.CreatedAt, counted(project), creationEvents(project)...)
	project.History = history.String()
	p := s.records.Plan()
	created := row(project)
	p.Once(creation.Once, created, project.CreatedAt)
	p.Create(audit.ProjectCreated, created)
	p.Count(history.Changes())
	err = p.Run(ctx)
	if errors.Is(err, idempotencykeys.ErrInUse) {
		return s.replay(ctx, *creation.Once, project.CreatedAt)
	}
	return projects.Created{Project: project}, err
}

// refuse returns the refusal, unless an earlier request with the same key created the project.
func (s *Store) refuse(ctx context.Context, creation projects.Creation) (projects.Created, error) {
	if creation.Once == nil {
		return projects.Created{}, creation.Refusal
	}
	created, err := s.replay(ctx, *creation.Once, creation.Project.CreatedAt)
	if errors.Is(err, idempotency.ErrExpired) {
		err = creation.Refusal
	}
	return created, err
}

// replay returns what the idempotency key created.
func (s *Store) replay(ctx context.Context, key idempotency.Key, at time.Time) (projects.Created, error) {
	made, err := idempotencykeys.Result[projectItem](ctx, s.records.Items(), key, at)
	return projects.Created{Project: made.project(), Replayed: true}, err
}

// Update implements projects.Store.
func (s *Store) Update(ctx context.Context, before, after projects.Project) (projects.Project, error) {
	after.Number, after.Version = before.Number, before.Version+1
	history, err := historyOf(before)
	if err != nil {
		return projects.Project{}, err
	}
	p := s.records.Plan()
	if before.Status != after.Status {
		changed := history.Append(after.UpdatedAt, counted(after), statusEvents(after.Status)...)
		after.History = changed.String()
		p.Count(changed.ChangesSince(history))
	}
	p.Change(audit.ProjectUpdated, row(before), row(after))
	return after, p.Run(ctx)
}

// Delete implements projects.Store.
func (s *Store) Delete(ctx context.Context, project projects.Project, at time.Time) error {
	history, err := historyOf(project)
	if err != nil {
		return err
	}
	ended := history.Append(at, nil)
	p := s.records.Plan()
	p.Delete(audit.ProjectDeleted, row(project))
	p.Add(nil, daycounts.KeepDeleted(s.records.Name, project.ID, ended))
	p.Count(ended.ChangesSince(history))
	return p.Run(ctx)
}

// counted returns the counters that include a project.
func counted(p projects.Project) []string { return []string{"projects", "project:" + string(p.Status)} }

// creationEvents returns the events that a creation counts.
func creationEvents(p projects.Project) []string {
	return append([]string{"created"}, statusEvents(p.Status)...)
}

// statusEvents returns the events that a change to a status counts.
func statusEvents(status projects.Status) []string {
	if status == projects.Archived {
		return []string{"archived"}
	}
	return nil
}

func historyOf(p projects.Project) (daycounts.History, error) {
	history, err := daycounts.ParseHistory(p.History)
	if err != nil {
		return nil, fmt.Errorf("project %s: %w", p.ID, err)
	}
	return history, nil
}

// Rebuild makes the lists, their counts and the terms of searches agree with the projects while other writers work; see
// lists.Rebuild. It does not touch the day counters, which follow from Histories.
func (s *Store) Rebuild(ctx context.Context, report func(lists.Progress)) (lists.Repairs, error) {
	return s.records.Rebuild(ctx, records.Source{Row: rowOf}, report)
}

// RebuildCustomer makes the counts of the lists of a customer agree with the lists, which Rebuild has repaired. It
// reports whether one of them was wrong.
func (s *Store) RebuildCustomer(ctx context.Context, customerID string) (wrong bool, err error) {
	return s.records.RecountScope(ctx, customerID)
}

// Histories returns the histories of all existing and deleted projects; see [daycounts.Census].
func (s *Store) Histories(ctx context.Context) iter.Seq2[daycounts.History, error] {
	return s.records.Histories(ctx, func(item items.Map) (daycounts.History, error) {
		stored, err := items.Decode[projectItem](item)
		if err != nil {
			return nil, err
		}
		return historyOf(stored.project())
	})
}
