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
// The credentials table has the state of each customer (see credentialsdynamo.CustomerState): a copy of the status and the limit, and the
// number of users, which only the store of users changes. So authentication reads it together with the credential.
//
// Every change is one transaction over all affected items of both tables, so a crash never leaves an incomplete customer. Every write is
// conditional: on the version for a customer, on the owner for a marker that is removed, on existence for all other items.
package customersdynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/idempotency"
	"portside/shared/core/search"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/customers"
	"portside/shared/dynamo/idempotencykeys"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/lists"
	"portside/shared/dynamo/searchindex"
)

// Store keeps customers.
type Store struct {
	client *dynamodb.Client
	table  string
	lists  *lists.Lists
	search searchindex.Index
	keys   *credentialsdynamo.Table
}

// New returns a Store in the named table. keys is the table of credentials.
func New(client *dynamodb.Client, table string, keys *credentialsdynamo.Table) *Store {
	shape := lists.Shape{Name: "customers", Label: "status", Labels: labels()}
	return &Store{client: client, table: table, lists: lists.New(client, table, shape), search: searchindex.New(client, table), keys: keys}
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

// Get implements customers.Reader with two strongly consistent reads. The state comes first: it exists as long as the customer, so a
// customer that is found without a state has lost it.
func (s *Store) Get(ctx context.Context, id string) (customers.Customer, error) {
	state, hasState, err := s.keys.Customer(ctx, id)
	if err != nil {
		return customers.Customer{}, err
	}
	stored, found, err := items.Get[customerItem](ctx, items.In(s.client, s.table), customerKey(id))
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
	found, err := lists.Page[listItem](ctx, s.lists, lists.Query{
		Label: string(query.Status), Limit: query.Limit, Offset: query.Offset, After: query.After,
	})
	page := customers.Page{Customers: make([]customers.Customer, len(found.Entries)), Total: found.Total, Next: found.Next}
	for i, entry := range found.Entries {
		page.Customers[i] = entry.customer()
	}
	return page, err
}

// Search implements customers.Reader with two strongly consistent reads, whatever the number of customers.
func (s *Store) Search(ctx context.Context, query search.Query) (customers.SearchPage, error) {
	page, err := s.search.Find(ctx, query)
	if err != nil {
		return customers.SearchPage{}, err
	}
	keys := make([]items.Map, len(page.IDs))
	for i, id := range page.IDs {
		keys[i] = customerKey(id)
	}
	result := customers.SearchPage{Customers: make([]customers.Customer, 0, len(page.IDs)), Next: page.Next}
	err = items.GetAll(ctx, items.In(s.client, s.table), keys, func(item items.Map) error {
		stored, err := items.Decode[customerItem](item)
		result.Customers = append(result.Customers, stored.customer())
		return err
	})
	searchindex.InOrder(page, result.Customers, func(c customers.Customer) string { return c.ID })
	return result, err
}

// Create implements customers.Store.
func (s *Store) Create(ctx context.Context, creation customers.Creation) (customers.Created, error) {
	customer := creation.Customer
	var err error
	if customer.Number, customer.CreatedAt, err = s.lists.Allocate(ctx, 1, customer.CreatedAt); err != nil {
		return customers.Created{}, err
	}
	customer.UpdatedAt, customer.Version = customer.CreatedAt, 1
	p := s.plan()
	if creation.Once != nil {
		p.Add(errInUse, idempotencykeys.Put(s.table, *creation.Once, newCustomerItem(customer), customer.CreatedAt))
	}
	p.create(customer)
	err = p.run(ctx)
	if errors.Is(err, errInUse) {
		return s.replay(ctx, *creation.Once, customer.CreatedAt)
	}
	return customers.Created{Customer: customer}, err
}

// replay returns what the idempotency key created.
func (s *Store) replay(ctx context.Context, key idempotency.Key, at time.Time) (customers.Created, error) {
	made, err := idempotencykeys.Result[customerItem](ctx, items.In(s.client, s.table), key, at)
	return customers.Created{Customer: made.customer(), Replayed: true}, err
}

// Update implements customers.Store.
func (s *Store) Update(ctx context.Context, before, after customers.Customer) (customers.Customer, error) {
	after.Number, after.Version = before.Number, before.Version+1
	p := s.plan()
	p.change(before, after)
	return after, p.run(ctx)
}

// EndCredentials implements customers.Store with one write.
func (s *Store) EndCredentials(ctx context.Context, id string, at time.Time) error {
	customer, err := s.Get(ctx, id)
	if err != nil {
		return err
	}
	exists, err := s.keys.EndCredentials(ctx, id, customer.Slug, at)
	if err == nil && !exists {
		return customers.ErrNotFound
	}
	return err
}

// Delete implements customers.Store.
func (s *Store) Delete(ctx context.Context, customer customers.Customer) error {
	policies, _, err := s.keys.TrustPolicies(ctx, customer.ID)
	if err != nil {
		return err
	}
	p := s.plan()
	p.delete(customer, policies)
	return p.run(ctx)
}
