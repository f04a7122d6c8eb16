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
// conditional: on the version for a project, on existence for all other items.
//
// A project stores its history: the counters that included it on each day. So the counters can be
// recomputed from the projects; see Histories.
package projectsdynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/idempotency"
	"portside/shared/core/search"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/idempotencykeys"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/lists"
	"portside/shared/dynamo/searchindex"
	"portside/shared/projects"
)

// Store keeps projects.
type Store struct {
	client *dynamodb.Client
	table  string
	lists  *lists.Lists
	search searchindex.Index
	days   daycounts.Table
	log    auditlog.Log
}

// New returns a Store in the named table. days is the table of the day counters.
func New(client *dynamodb.Client, table string, days daycounts.Table) *Store {
	shape := lists.Shape{Name: "projects", Label: "status", Labels: labels()}
	return &Store{client: client, table: table, lists: lists.New(client, table, shape), search: searchindex.New(client, table), days: days}
}

// Audited returns the store with a log, to which it adds its changes.
func (s *Store) Audited(log auditlog.Log) *Store {
	s.log = log
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
	stored, found, err := items.Get[projectItem](ctx, items.In(s.client, s.table), projectKey(id))
	if err == nil && !found {
		err = projects.ErrNotFound
	}
	return stored.project(), err
}

// List implements projects.Store.
func (s *Store) List(ctx context.Context, query projects.Query) (projects.Page, error) {
	from := s.lists
	if query.CustomerID != "" {
		from = s.lists.In(query.CustomerID)
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

// Search implements projects.Store with two strongly consistent reads, whatever the number of projects.
func (s *Store) Search(ctx context.Context, customerID string, query search.Query) (projects.SearchPage, error) {
	page, err := s.search.In(customerID).Find(ctx, query)
	if err != nil {
		return projects.SearchPage{}, err
	}
	keys := make([]items.Map, len(page.IDs))
	for i, id := range page.IDs {
		keys[i] = projectKey(id)
	}
	result := projects.SearchPage{Projects: make([]projects.Project, 0, len(page.IDs)), Next: page.Next}
	err = items.GetAll(ctx, items.In(s.client, s.table), keys, func(item items.Map) error {
		stored, err := items.Decode[projectItem](item)
		if customerID == "" || stored.Customer == customerID { // the project may have moved since the first read
			result.Projects = append(result.Projects, stored.project())
		}
		return err
	})
	searchindex.InOrder(page, result.Projects, func(p projects.Project) string { return p.ID })
	return result, err
}

// Create implements projects.Store.
func (s *Store) Create(ctx context.Context, creation projects.Creation) (projects.Created, error) {
	if creation.Refusal != nil {
		return s.refuse(ctx, creation)
	}
	project := creation.Project
	var err error
	if project.Number, project.CreatedAt, err = s.lists.Allocate(ctx, 1, project.CreatedAt); err != nil {
		return projects.Created{}, err
	}
	project.UpdatedAt, project.Version = project.CreatedAt, 1
	history := daycounts.History{}.Append(project.CreatedAt, counted(project), creationEvents(project)...)
	project.History = history.String()
	p := s.plan()
	if creation.Once != nil {
		p.Add(errInUse, idempotencykeys.Put(s.table, *creation.Once, newProjectItem(project), project.CreatedAt))
	}
	p.create(project)
	p.count(history.Changes())
	err = p.run(ctx)
	if errors.Is(err, errInUse) {
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
	made, err := idempotencykeys.Result[projectItem](ctx, items.In(s.client, s.table), key, at)
	return projects.Created{Project: made.project(), Replayed: true}, err
}

// Update implements projects.Store.
func (s *Store) Update(ctx context.Context, before, after projects.Project) (projects.Project, error) {
	after.Number, after.Version = before.Number, before.Version+1
	history, err := historyOf(before)
	if err != nil {
		return projects.Project{}, err
	}
	p := s.plan()
	if before.Status != after.Status {
		changed := history.Append(after.UpdatedAt, counted(after), statusEvents(after.Status)...)
		after.History = changed.String()
		p.count(changed.ChangesSince(history))
	}
	p.change(before, after)
	return after, p.run(ctx)
}

// Delete implements projects.Store.
func (s *Store) Delete(ctx context.Context, project projects.Project, at time.Time) error {
	history, err := historyOf(project)
	if err != nil {
		return err
	}
	ended := history.Append(at, nil)
	p := s.plan()
	p.delete(project, ended)
	p.count(ended.ChangesSince(history))
	return p.run(ctx)
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
