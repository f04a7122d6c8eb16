package customersdynamo

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/audit"
	"portside/shared/core/versions"
	"portside/shared/customers"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/lists"
	"portside/shared/dynamo/searchindex"
	"portside/shared/dynamo/transactions"
)

// Conditions that fail only if the tables contradict themselves. These errors have no kind, because the caller cannot fix the cause; the
// operator can fix the lists, with "portside rebuild-ranks".
var (
	errDuplicateID = errors.New("customersdynamo: the new id exists already")
	errListed      = errors.New("customersdynamo: the lists disagree with the customers; run portside rebuild-ranks")
	errNoState     = errors.New("customersdynamo: the credentials table lacks the state of the customer")
	errInUse       = errors.New("customersdynamo: the idempotency key is in use")
)

// plan is one transaction.
type plan struct {
	transactions.Plan
	store *Store
	lists *lists.Changes

	changes []audit.Change // whose events the transaction writes
}

func (s *Store) plan() *plan { return &plan{store: s, lists: s.lists.Changes()} }

// run commits the writes together with the counters that they change.
func (p *plan) run(ctx context.Context) error {
	counters, err := p.lists.Counters()
	if err != nil {
		return err
	}
	p.Add(nil, counters...)
	for _, c := range p.changes {
		p.Add(nil, p.store.keys.Audit(ctx, c)...)
	}
	return p.Write(ctx, p.store.client)
}

func (p *plan) create(customer customers.Customer) {
	p.audit(audit.CustomerCreated, customers.Customer{}, customer)
	p.mark(customers.ErrSlugTaken, markerItem{}, slugMarker(customer))
	p.mark(customers.ErrExternalIDTaken, markerItem{}, externalMarker(customer))
	p.Add(errDuplicateID, p.put(newCustomerItem(customer), isNew, nil), p.store.keys.AddCustomer(customer.ID, state(customer)))
	p.Add(errListed, p.lists.Add(entry(customer))...)
	p.Add(nil, p.store.search.Changes(searchindex.Entry{}, searchEntry(customer))...)
}

func (p *plan) change(before, after customers.Customer) {
	p.audit(audit.CustomerUpdated, before, after)
	p.Add(versions.ErrStale, p.put(newCustomerItem(after), unchanged, versionOf(before)))
	p.mark(customers.ErrSlugTaken, slugMarker(before), slugMarker(after))
	p.mark(customers.ErrExternalIDTaken, externalMarker(before), externalMarker(after))
	if state(before) != state(after) {
		p.Add(errNoState, p.store.keys.SetCustomer(after.ID, state(after)))
	}
	if listForm(before) != listForm(after) {
		p.Add(errListed, p.lists.Replace(entry(before), entry(after))...)
	}
	p.Add(nil, p.store.search.Changes(searchEntry(before), searchEntry(after))...)
}

// delete deletes a customer with its trust policies, which have the given IDs.
func (p *plan) delete(customer customers.Customer, policies []string) {
	p.audit(audit.CustomerDeleted, customer, customers.Customer{})
	p.Add(versions.ErrStale, types.TransactWriteItem{Delete: &types.Delete{
		TableName: &p.store.table, Key: customerKey(customer.ID),
		ConditionExpression: aws.String(unchanged), ExpressionAttributeValues: versionOf(customer),
	}})
	p.Add(customers.ErrHasUsers, p.store.keys.DeleteCustomer(customer.ID))
	p.Add(nil, p.store.keys.DeleteEntitlements(customer.ID))
	p.Add(versions.ErrStale, p.store.keys.DeleteTrustPolicies(customer.ID, policies)...)
	p.mark(nil, slugMarker(customer), markerItem{})
	p.mark(nil, externalMarker(customer), markerItem{})
	p.Add(errListed, p.lists.Remove(entry(customer))...)
	p.Add(nil, p.store.search.Changes(searchEntry(customer), searchindex.Entry{})...)
}

// mark replaces a marker. Markers without keys stand for none. The error is that of a marker that another customer has.
func (p *plan) mark(taken error, before, after markerItem) {
	if before == after {
		return
	}
	if after.PK != "" {
		p.Add(taken, p.put(after, isNew, nil))
	}
	if before.PK != "" {
		p.Add(errListed, types.TransactWriteItem{Delete: &types.Delete{
			TableName: &p.store.table, Key: items.Key(before.PK, before.SK), ConditionExpression: aws.String("customer = :customer"),
			ExpressionAttributeValues: items.Map{":customer": items.Text(before.Customer)},
		}})
	}
}

const (
	isNew     = "attribute_not_exists(pk)"
	unchanged = "version = :version"
)

func versionOf(customer customers.Customer) items.Map {
	return items.Map{":version": items.Number(customer.Version)}
}

func (p *plan) put(shape any, condition string, values items.Map) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{
		TableName: &p.store.table, Item: items.Encode(shape), ConditionExpression: &condition, ExpressionAttributeValues: values,
	}}
}
