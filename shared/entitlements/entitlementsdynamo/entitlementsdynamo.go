// Package entitlementsdynamo keeps entitlements in the credentials table, where authentication reads them; see
// package entitlementlists.
//
// A change is one transaction: the entitlements of the customer, their version in the state of the customer, and the
// idempotency key of a creation (see package idempotencykeys).
package entitlementsdynamo

import (
	"context"
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/entitlement"
	"portside/shared/core/idempotency"
	"portside/shared/core/versions"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/entitlementlists"
	"portside/shared/dynamo/idempotencykeys"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
	"portside/shared/entitlements"
)

// Store keeps entitlements.
type Store struct {
	client *dynamodb.Client
	table  string
	log    auditlog.Log
}

var _ entitlements.Store = (*Store)(nil)

// New returns a Store in the named table of credentials.
func New(client *dynamodb.Client, table string, log auditlog.Log) *Store {
	return &Store{client: client, table: table, log: log}
}

func (s *Store) items() items.Table { return items.In(s.client, s.table) }

// Get implements entitlements.Store with one call.
func (s *Store) Get(ctx context.Context, customerID string) (entitlements.Held, error) {
	found, exists, err := entitlementlists.Get(ctx, s.items(), customerID)
	if err == nil && !exists {
		err = entitlements.ErrNoCustomer
	}
	return entitlements.Held(found), err
}

// Replace implements entitlements.Store.
func (s *Store) Replace(ctx context.Context, customerID string, before entitlements.Held, after entitlement.Set) error {
	var p transactions.Plan
	s.replace(ctx, &p, customerID, replacement{before, after})
	return p.Write(ctx, s.client)
}

type replacement struct {
	before entitlements.Held
	after  entitlement.Set
}

func (s *Store) replace(ctx context.Context, p *transactions.Plan, customerID string, r replacement) {
	writes := entitlementlists.Set(s.table, customerID, entitlementlists.List{All: r.after, Version: r.before.Version + 1})
	p.Add(versions.ErrStale, writes[0])
	p.Add(entitlements.ErrNoCustomer, writes[1])
	for _, c := range changes(customerID, r.before.All, r.after) {
		p.Add(nil, s.log.Write(ctx, c)...)
	}
}

// Add implements entitlements.Store. A customer who has the maximum does not keep an earlier request from being
// replayed.
func (s *Store) Add(
	ctx context.Context, customerID string, before entitlements.Held, creation entitlements.Creation,
) (entitlements.Created, error) {
	added := creation.Entitlement
	if len(before.All) >= entitlements.Max {
		return s.replayOr(ctx, creation, entitlements.ErrTooMany)
	}
	var p transactions.Plan
	if creation.Once != nil {
		made := entitlementlists.NewItem(added)
		p.Add(idempotencykeys.ErrInUse, idempotencykeys.Put(s.table, *creation.Once, made, added.CreatedAt))
	}
	s.replace(ctx, &p, customerID, replacement{before, append(slices.Clone(before.All), added)})
	err := p.Write(ctx, s.client)
	if errors.Is(err, idempotencykeys.ErrInUse) {
		return s.replay(ctx, creation)
	}
	return entitlements.Created{Entitlement: added}, err
}

// replayOr replays a creation, or returns the error if its key has created nothing.
func (s *Store) replayOr(ctx context.Context, creation entitlements.Creation,
	otherwise error) (entitlements.Created, error) {
	if creation.Once == nil {
		return entitlements.Created{}, otherwise
	}
	created, err := s.replay(ctx, creation)
	if errors.Is(err, idempotency.ErrExpired) {
		err = otherwise
	}
	return created, err
}

// replay returns what the idempotency key created.
func (s *Store) replay(ctx context.Context, creation entitlements.Creation) (entitlements.Created, error) {
	made, err := idempotencykeys.Result[entitlementlists.Item](ctx, s.items(), *creation.Once, creation.Entitlement.CreatedAt)
	if err != nil {
		return entitlements.Created{}, err
	}
	return entitlements.Created{Entitlement: made.Entitlement(), Replayed: true}, nil
}
