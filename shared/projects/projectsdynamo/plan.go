package projectsdynamo

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/audit"
	"portside/shared/core/versions"
	"portside/shared/dynamo/daycounts"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/lists"
	"portside/shared/dynamo/searchindex"
	"portside/shared/dynamo/transactions"
	"portside/shared/projects"
)

// Conditions that fail only if the table contradicts itself. These errors have no kind, because the
// caller cannot fix the cause; the operator can, with "portside rebuild-ranks".
var (
	errDuplicateID = errors.New("projectsdynamo: the new id exists already")
	errListed      = errors.New("projectsdynamo: the lists disagree with the projects; run portside rebuild-ranks")
	errInUse       = errors.New("projectsdynamo: the idempotency key is in use")
)

// plan is one transaction.
type plan struct {
	transactions.Plan
	store *Store
	lists *lists.Changes
	days  daycounts.Changes

	changes []audit.Change // whose events the transaction writes
}

func (s *Store) plan() *plan {
	return &plan{store: s, lists: s.lists.Changes(), days: daycounts.Changes{}}
}

// count adds to the day counters.
func (p *plan) count(changes daycounts.Changes) {
	for day, change := range changes {
		p.days.Add(day, change)
	}
}

// run commits the writes together with the counters that they change.
func (p *plan) run(ctx context.Context) error {
	counters, err := p.lists.Counters()
	if err != nil {
		return err
	}
	p.Add(nil, counters...)
	p.Add(nil, p.store.days.Writes(p.days)...)
	for _, c := range p.changes {
		p.Add(nil, p.store.log.Write(ctx, c)...)
	}
	return p.Write(ctx, p.store.client)
}

func (p *plan) create(project projects.Project) {
	p.audit(audit.ProjectCreated, projects.Project{}, project)
	p.Add(errDuplicateID, p.put(newProjectItem(project), "attribute_not_exists(pk)", nil))
	p.Add(errListed, p.lists.Add(entry(project))...)
	p.Add(nil, p.store.search.Changes(searchindex.Entry{}, searchEntry(project))...)
}

func (p *plan) change(before, after projects.Project) {
	p.audit(audit.ProjectUpdated, before, after)
	p.Add(versions.ErrStale, p.put(newProjectItem(after), unchanged, versionOf(before)))
	if listForm(before) != listForm(after) {
		p.Add(errListed, p.lists.Replace(entry(before), entry(after))...)
	}
	p.Add(nil, p.store.search.Changes(searchEntry(before), searchEntry(after))...)
}

func (p *plan) delete(project projects.Project, history daycounts.History) {
	p.audit(audit.ProjectDeleted, project, projects.Project{})
	p.Add(versions.ErrStale, types.TransactWriteItem{Delete: &types.Delete{
		TableName: &p.store.table, Key: projectKey(project.ID),
		ConditionExpression: aws.String(unchanged), ExpressionAttributeValues: versionOf(project),
	}})
	p.Add(nil, daycounts.KeepDeleted(p.store.table, project.ID, history))
	p.Add(errListed, p.lists.Remove(entry(project))...)
	p.Add(nil, p.store.search.Changes(searchEntry(project), searchindex.Entry{})...)
}

const unchanged = "version = :version"

func versionOf(project projects.Project) items.Map {
	return items.Map{":version": items.Number(project.Version)}
}

func (p *plan) put(shape any, condition string, values items.Map) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{
		TableName: &p.store.table, Item: items.Encode(shape), ConditionExpression: &condition, ExpressionAttributeValues: values,
	}}
}
