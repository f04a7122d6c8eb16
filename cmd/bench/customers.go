package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/uuid"

	"portside/cmd/bench/figures"
	"portside/shared/core/principal"
	"portside/shared/core/search"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/customers"
	"portside/shared/customers/customersdynamo"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/transactions"
	"portside/shared/users"
)

const customerAuthReads = 2 // the credential and the state of the customer

// customerTable is the stack's customers with a meter.
type customerTable struct {
	client  *dynamodb.Client
	meter   *meter
	table   string
	keys    *credentialsdynamo.Table
	store   *customersdynamo.Store
	service *customers.Service
}

func newCustomerTable(s *stack) customerTable {
	client, m := s.meteredClient()
	auditLog := auditlog.New(s.Tables["AuditTable"], time.Now)
	keys := credentialsdynamo.New(client, s.Tables["CredentialsTable"], s.Tables["RequestCountsTable"]).Audited(auditLog)
	table := s.Tables["CustomersTable"]
	store := customersdynamo.New(client, table, keys.Customers, auditLog)
	service := customers.NewService(store, newUUID, time.Now)
	return customerTable{client: client, meter: m, table: table, keys: keys, store: store, service: service}
}

func newUUID() string { return uuid.Must(uuid.NewV7()).String() }

// customerLists fills the list of customers, and measures pages and searches of it and the authentication of a
// customer's user.
func (b *bench) customerLists(ctx context.Context, s *stack) error {
	d := newCustomerTable(s)
	b.logProgress("writing %s customers", figures.Number(float64(b.customers)))
	if err := b.fillCustomers(ctx, d); err != nil {
		return err
	}
	made, err := d.service.Create(ctx, customers.CreateOptions{Caller: principal.Operator()}, benchCustomer(b.customers-1))
	if err != nil {
		return fmt.Errorf("create a customer: %w", err)
	}
	if err := b.customerPages(ctx, d); err != nil {
		return err
	}
	if err := b.customerSearches(ctx, d); err != nil {
		return err
	}
	return b.customerAuthentication(ctx, s, made.Customer.ID)
}

func benchCustomer(n int) customers.NewCustomer {
	return customers.NewCustomer{
		Name: fmt.Sprintf("Company %07d", n), Slug: fmt.Sprintf("company-%07d", n), ExternalID: fmt.Sprintf("C-%07d", n),
	}
}

// fillCustomers writes the items of all customers but the last, many customers in a transaction, and computes the
// counters. The service would take eleven minutes to create 100,000 customers. The rebuild would repair items that
// Create writes in another way, and that is an error here.
func (b *bench) fillCustomers(ctx context.Context, d customerTable) error {
	const together = 10 // with at most ten items each, they fit into one transaction
	begin := time.Now().Add(-time.Duration(b.customers) * time.Millisecond).Truncate(time.Millisecond)
	for first := 0; first < b.customers-1; first += together {
		var writes []types.TransactWriteItem
		for n := first; n < min(first+together, b.customers-1); n++ {
			input, at := benchCustomer(n), begin.Add(time.Duration(n)*time.Millisecond)
			for _, item := range d.store.Items(customers.Customer{
				ID: newUUID(), Name: input.Name, Slug: input.Slug, ExternalID: input.ExternalID, Status: customers.Active,
				Metadata: json.RawMessage("{}"), CreatedAt: at, UpdatedAt: at, Number: int64(n), Version: 1,
			}) {
				writes = append(writes, types.TransactWriteItem{Put: &types.Put{TableName: &d.table, Item: item}})
			}
		}
		if err := transactions.Write(ctx, d.client, writes); err != nil {
			return fmt.Errorf("write customers: %w", err)
		}
	}
	repairs, err := d.store.Rebuild(ctx, nil)
	if err == nil && repairs.Strays+repairs.Resources+len(repairs.Disputes) > 0 {
		err = fmt.Errorf("the rebuild repaired customers: %+v", repairs)
	}
	return err
}

// customerPages measures pages at random offsets.
func (b *bench) customerPages(ctx context.Context, d customerTable) error {
	random := rand.New(rand.NewPCG(5, 6)) //nolint:gosec // the same pages in every run
	var pages []meter
	for range samples {
		offset := random.Int64N(int64(b.customers))
		for _, status := range []customers.Status{"", customers.Active} {
			d.meter.reset()
			page, err := d.service.List(ctx, principal.Operator(), customers.Query{Status: status, Limit: pageSize, Offset: offset})
			if err != nil {
				return err
			}
			if page.Total != int64(b.customers) || len(page.Customers) == 0 {
				return fmt.Errorf("%d customers of %d at offset %d", len(page.Customers), page.Total, offset)
			}
			pages = append(pages, d.meter.reset())
		}
	}
	reads, calls := costs(pages)
	what := fmt.Sprintf("list %s customers, any offset and status: at most", figures.Number(float64(b.customers)))
	b.table.AddAtMost(what, figures.Quantile(reads, 1), mostUnits, "read units")
	b.table.AddAtMost(what, figures.Quantile(calls, 1), mostCalls, "calls")
	return nil
}

// customerSearches measures searches that match all customers, ten of them, and one.
func (b *bench) customerSearches(ctx context.Context, d customerTable) error {
	var pages []meter
	for _, text := range []string{"company", "company-000000", "c-0000017", "0000017"} {
		d.meter.reset()
		found, err := d.service.Search(ctx, principal.Operator(), search.Query{Text: text, Limit: pageSize})
		if err != nil {
			return err
		}
		if len(found.Customers) == 0 {
			return fmt.Errorf("the search for %q finds no customer", text)
		}
		pages = append(pages, d.meter.reset())
	}
	_, calls := costs(pages)
	what := fmt.Sprintf("search %s customers: at most", figures.Number(float64(b.customers)))
	b.table.AddAtMost(what, figures.Quantile(calls, 1), mostCalls, "calls")
	return nil
}

// customerAuthentication measures requests of a customer's user after the first one.
func (b *bench) customerAuthentication(ctx context.Context, s *stack, customerID string) error {
	d := newUserTable(s)
	service := users.NewService(d.store, nil, newUUID, time.Now)
	created, err := service.Create(ctx, users.CreateOptions{Caller: principal.Operator()}, users.NewUser{
		Email: "ada@company.example.com", Name: "Ada", CustomerID: customerID, Role: principal.Viewer,
	})
	if err != nil {
		return err
	}
	keys := users.NewKeys(d.store, d.store.Keys, time.Now)
	issued, err := keys.Create(ctx, principal.Operator(), created.User.ID, users.NewKey{Name: "bench"})
	if err != nil {
		return err
	}
	auth := credentials.NewAuthenticator(d.keys.Requests, 1<<30, time.Now)
	var requests []meter
	for range authRequests {
		d.meter.reset()
		if _, _, err := auth.Authenticate(ctx, issued.Secret.Reveal(), credentials.APIKey); err != nil {
			return fmt.Errorf("authenticate: %w", err)
		}
		requests = append(requests, d.meter.reset())
	}
	reads, calls := costs(requests[1:])
	const what = "authentication of a customer's user"
	b.table.AddAtMost(what+": at the same time, median", figures.Quantile(calls, 0.5), authCalls, "calls")
	b.table.AddAtMost(what+": at most", figures.Quantile(reads, 1), customerAuthReads, "read units")
	return nil
}
