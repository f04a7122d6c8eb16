// Package customersdynamo keeps customers in a DynamoDB table.
//
// The items, all in one table with the keys pk and sk:
//
//	customer#<id>          customer   the customer, with all fields of the full form but the number of its users
//	slug#<slug>            slug       marks the slug as taken, and names the customer
//	external#<id>          external   marks the external ID as taken, and names the customer
//	list#all               <number>   the list form, in the order of creation; see package lists
//	list#<status>          <number>   the same, of one status
//	rank#customers…                   counts over the lists; see package rank
//	search#<character>     <term>     what a search finds: the beginnings of words of the name, of the slug and of the external ID; see
//	                                  package searchindex
//	once#<caller>#<hash>   once       an idempotency key and the customer that it created; see package idempotencykeys
//
// The credentials table has the state of each customer (see package customerstates): a copy of the status and the
// limit, and the number of users, which only the store of users changes. So authentication reads it together with the
// credential.
//
// Every change is one transaction over all affected items of both tables, so a crash never leaves an incomplete
// customer. Every write is conditional: on the version for a customer, on the owner for a marker that is removed, on
// existence for all other items. See package records.
package customersdynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/audit"
	"portside/shared/core/idempotency"
	"portside/shared/core/search"
	"portside/shared/core/versions"
	"portside/shared/customers"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/entitlementlists"
	"portside/shared/dynamo/idempotencykeys"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/lists"
	"portside/shared/dynamo/records"
	"portside/shared/dynamo/trustlists"
)

// errNoState means that the tables contradict themselves, which the caller cannot fix.
var errNoState = errors.New("customersdynamo: the credentials table lacks the state of the customer")

// Store keeps customers.
type Store struct {
	records *records.Table
	states  customerstates.Table
}

// New returns a Store in the named table. states is in the table of credentials.
func New(client *dynamodb.Client, table string, states customerstates.Table, log auditlog.Log) *Store {
	kept := records.New(audit.Customer, client, table, lists.Shape{Name: "customers", Label: "status", Labels: labels()})
	kept.Log = log.Write
	return &Store{kept, states}
}

var _ customers.Store = (*Store)(nil)

// labels returns the labels whose items the lists count. Their order is part of the stored counters,
// so labels may only be appended.
func labels() []string {
	all := make([]string, 0, len(customers.Statuses()))
	for _, s := range customers.Statuses() {
		all = append(all, string(s))
	}
	return all
}

// Get implements customers.Reader with two strongly consistent reads. The state comes first: it exists as long as the
// customer, so a customer that is found without a state has lost it.
func (s *Store) Get(ctx context.Context, id string) (customers.Customer, error) {
	state, hasState, err := s.states.Get(ctx, id)
	if err != nil {
		return customers.Customer{}, err
	}
	stored, found, err := items.Get[customerItem](ctx, s.records.Items(), s.records.Key(id))
	switch {
	case err != nil:
		return customers.Customer{}, err
	case !found:
		return customers.Customer{}, customers.ErrNotFound
	case !hasState:
		return customers.Customer{}, fmt.Errorf("customer %s: %w", id, errNoState)
	}
	customer := stored.customer()
	customer.Users = state.Users
	return customer, nil
}

// List implements customers.Reader.
func (s *Store) List(ctx context.Context, query customers.Query) (customers.Page, error) {
	found, err := lists.Page[listItem](ctx, s.records.Lists, lists.Query{
		Label: string(query.Status), Limit: query.Limit, Offset: query.Offset, After: query.After,
	})
	page := customers.Page{Customers: make([]customers.Customer, len(found.Entries)), Total: found.Total, Next: found.Next}
	for i, entry := range found.Entries {
		page.Customers[i] = entry.customer()
	}
	return page, err
}

// Search implements customers.Reader.
func (s *Store) Search(ctx context.Context, query search.Query) (page customers.SearchPage, err error) {
	page.Next, err = s.records.Find(ctx, "", query, func(item items.Map) error {
		stored, err := items.Decode[customerItem](item)
		page.Customers = append(page.Customers, stored.customer())
		return err
	})
	return page, err
}

// Create implements customers.Store.
func (s *Store) Create(ctx context.Context, creation customers.Creation) (customers.Created, error) {
	customer := creation.Customer
	var err error
	if customer.Number, customer.CreatedAt, err = s.records.Lists.Allocate(ctx, 1, customer.CreatedAt); err != nil {
		return customers.Created{}, err
	}
	customer.UpdatedAt, customer.Version = customer.CreatedAt, 1
	p := s.records.Plan()
	created := row(customer)
	p.Once(creation.Once, created, customer.CreatedAt)
	p.Create(audit.CustomerCreated, created)
	p.Add(records.ErrDuplicateID, s.states.Add(customer.ID, state(customer)))
	err = p.Run(ctx)
	if errors.Is(err, idempotencykeys.ErrInUse) {
		return s.replay(ctx, *creation.Once, customer.CreatedAt)
	}
	return customers.Created{Customer: customer}, err
}

// replay returns what the idempotency key created.
func (s *Store) replay(ctx context.Context, key idempotency.Key, at time.Time) (customers.Created, error) {
	made, err := idempotencykeys.Result[customerItem](ctx, s.records.Items(), key, at)
	return customers.Created{Customer: made.customer(), Replayed: true}, err
}

// Update implements customers.Store.
func (s *Store) Update(ctx context.Context, before, after customers.Customer) (customers.Customer, error) {
	after.Number, after.Version = before.Number, before.Version+1
	p := s.records.Plan()
	p.Change(audit.CustomerUpdated, row(before), row(after))
	if state(before) != state(after) {
		p.Add(errNoState, s.states.Set(after.ID, state(after)))
	}
	return after, p.Run(ctx)
}

// EndCredentials implements customers.Store with one write.
func (s *Store) EndCredentials(ctx context.Context, id string, at time.Time) error {
	customer, err := s.Get(ctx, id)
	if err != nil {
		return err
	}
	p := s.records.Plan()
	p.Add(customers.ErrNotFound, s.states.EndCredentials(id, at))
	p.Record(audit.Change{
		Action: audit.CustomerCredentialsEnded, Target: audit.Target{Kind: audit.Customer, ID: id, Name: customer.Slug}, CustomerID: id,
	})
	return p.Run(ctx)
}

// Delete implements customers.Store. It also deletes the entitlements and the trust policies of the customer.
func (s *Store) Delete(ctx context.Context, customer customers.Customer) error {
	policies, _, err := trustlists.Get(ctx, s.states.Items(), customer.ID)
	if err != nil {
		return err
	}
	p := s.records.Plan()
	p.Delete(audit.CustomerDeleted, row(customer))
	p.Add(customers.ErrHasUsers, s.states.Delete(customer.ID))
	p.Add(nil, entitlementlists.Delete(s.states.Name(), customer.ID))
	p.Add(versions.ErrStale, trustlists.DeleteAll(s.states.Name(), customer.ID, policies)...)
	return p.Run(ctx)
}

// Rebuild makes the markers of slugs and external IDs, the lists, their counts and the terms of searches agree with the
// customers while other writers work; see lists.Rebuild. It does not touch the states in the credentials table.
func (s *Store) Rebuild(ctx context.Context, report func(lists.Progress)) (lists.Repairs, error) {
	markers := map[string]string{slugPK(""): owner, externalPK(""): owner}
	return s.records.Rebuild(ctx, records.Source{Row: rowOf, MarkerPrefixes: markers}, report)
}

// Items returns the items of a customer that Create writes, but the counters, which Rebuild computes. With it, tools
// fill tables quickly.
func (s *Store) Items(c customers.Customer) []items.Map {
	return append(s.records.Derived(row(c)), items.Encode(newCustomerItem(c)))
}
