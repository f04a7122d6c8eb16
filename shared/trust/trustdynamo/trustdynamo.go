// Package trustdynamo keeps trust policies in the credentials table: each policy is an item (pk "trust#<id>", sk
// "policy"), so that an exchange reads it with one call, and an item of the customer has the IDs of the policies; see
// package trustlists.
//
// A creation is one transaction: the policy, its ID in the list, the check that the customer exists, and the
// idempotency key (see package idempotencykeys). So is an exchange: the access token, the checks that the policy has
// not changed and that the customer is active, and the counts of the policy and of the exchanged token.
package trustdynamo

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/audit"
	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/core/throttle"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/idempotencykeys"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
	"portside/shared/dynamo/trustlists"
	"portside/shared/trust"
)

// Conditions that fail for clients only in other words, or not at all.
var (
	errDuplicateID = errors.New("trustdynamo: the new id exists already")
)

// Store keeps policies.
type Store struct {
	client *dynamodb.Client
	table  *credentialsdynamo.Table
}

var (
	_ trust.Store         = (*Store)(nil)
	_ trust.ExchangeStore = (*Store)(nil)
)

// New returns a Store in the table of credentials.
func New(client *dynamodb.Client, table *credentialsdynamo.Table) *Store {
	return &Store{client: client, table: table}
}

func (s *Store) items() items.Table { return items.In(s.client, s.table.Name()) }

// List implements trust.Store with two calls. A policy that is deleted between them is left out.
func (s *Store) List(ctx context.Context, customerID string) ([]trust.Policy, error) {
	ids, exists, err := trustlists.Get(ctx, s.items(), customerID)
	if err != nil {
		return nil, err
	}
	if !exists {
		return nil, trust.ErrNoCustomer
	}
	found, err := s.byID(ctx, ids)
	var all []trust.Policy
	for _, id := range ids {
		if policy, isFound := found[id]; isFound {
			all = append(all, policy)
		}
	}
	return all, err
}

func (s *Store) byID(ctx context.Context, ids []string) (map[string]trust.Policy, error) {
	keys := make([]items.Map, len(ids))
	for i, id := range ids {
		keys[i] = trustlists.PolicyKey(id)
	}
	found := make(map[string]trust.Policy, len(ids))
	err := items.GetAll(ctx, s.items(), keys, func(raw items.Map) error {
		stored, err := items.Decode[policyItem](raw)
		found[stored.ID] = stored.policy()
		return err
	})
	return found, err
}

// Get implements trust.Store and trust.ExchangeStore with one call.
func (s *Store) Get(ctx context.Context, id string) (trust.Policy, error) {
	stored, found, err := items.Get[policyItem](ctx, s.items(), trustlists.PolicyKey(id))
	if err == nil && !found {
		err = trust.ErrNotFound
	}
	return stored.policy(), err
}

// Names returns the names of the policies that exist, by their distinct IDs.
func (s *Store) Names(ctx context.Context, ids []string) (map[string]string, error) {
	found, err := s.byID(ctx, ids)
	names := make(map[string]string, len(found))
	for id, policy := range found {
		names[id] = policy.Name
	}
	return names, err
}

// Add implements trust.Store. A customer who has the maximum does not keep an earlier request from being replayed.
func (s *Store) Add(ctx context.Context, creation trust.Creation) (trust.Created, error) {
	added, name := creation.Policy, s.table.Name()
	var p transactions.Plan
	if creation.Once != nil {
		p.Add(idempotencykeys.ErrInUse, idempotencykeys.Put(name, *creation.Once, newPolicyItem(added), added.CreatedAt))
	}
	p.Add(trust.ErrNoCustomer, s.table.Customers.Exists(added.CustomerID))
	p.Add(trust.ErrTooMany, trustlists.AddID(name, added.CustomerID, added.ID, trust.Max))
	p.Add(errDuplicateID, items.PutNew(name, items.Encode(newPolicyItem(added))))
	p.Add(nil, s.table.Audit(ctx, change(audit.TrustPolicyCreated, trust.Policy{}, added))...)
	err := p.Write(ctx, s.client)
	if errors.Is(err, idempotencykeys.ErrInUse) {
		return s.replay(ctx, *creation.Once, added.CreatedAt)
	}
	return trust.Created{Policy: added}, err
}

// replay returns what the idempotency key created.
func (s *Store) replay(ctx context.Context, key idempotency.Key, at time.Time) (trust.Created, error) {
	made, err := idempotencykeys.Result[policyItem](ctx, s.items(), key, at)
	if err != nil {
		return trust.Created{}, err
	}
	return trust.Created{Policy: made.policy(), Replayed: true}, nil
}

const unchanged = "version = :version"

func versionOf(policy trust.Policy) items.Map {
	return items.Map{":version": items.Number(policy.Version)}
}

// Replace implements trust.Store.
func (s *Store) Replace(ctx context.Context, before, after trust.Policy) error {
	var p transactions.Plan
	name := s.table.Name()
	p.Add(versions.ErrStale, types.TransactWriteItem{Put: &types.Put{
		TableName: &name, Item: items.Encode(newPolicyItem(after)), ConditionExpression: aws.String(unchanged),
		ExpressionAttributeValues: versionOf(before),
	}})
	p.Add(nil, s.table.Audit(ctx, change(audit.TrustPolicyUpdated, before, after))...)
	return p.Write(ctx, s.client)
}

// Delete implements trust.Store.
func (s *Store) Delete(ctx context.Context, policy trust.Policy) error {
	var p transactions.Plan
	name := s.table.Name()
	p.Add(versions.ErrStale, types.TransactWriteItem{Delete: &types.Delete{
		TableName: &name, Key: trustlists.PolicyKey(policy.ID), ConditionExpression: aws.String(unchanged),
		ExpressionAttributeValues: versionOf(policy),
	}})
	p.Add(versions.ErrStale, trustlists.RemoveID(name, policy.CustomerID, policy.ID))
	p.Add(nil, s.table.Audit(ctx, change(audit.TrustPolicyDeleted, policy, trust.Policy{}))...)
	return p.Write(ctx, s.client)
}

// Issue implements trust.ExchangeStore.
func (s *Store) Issue(ctx context.Context, policy trust.Policy, token credentials.Credential, of trust.Exchanged) error {
	var err error
	if token.Generation, err = s.table.Customers.Generation(ctx, policy.CustomerID); err != nil {
		return err
	}
	var p transactions.Plan
	name := s.table.Name()
	p.Add(versions.ErrStale, types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: &name, Key: trustlists.PolicyKey(policy.ID), ConditionExpression: aws.String(unchanged),
		ExpressionAttributeValues: versionOf(policy),
	}})
	p.Add(trust.ErrNoCustomer, s.table.Writes.IssueExchanged(token)...)
	p.Add(trust.ErrTokenQuota, s.table.Windows.Count(throttle.Window{
		Name: "exchanged-token", Subject: policy.ID + "#" + of.Hash, Length: trust.MaxLifetime, Limit: trust.MaxPerToken,
	}, 1, of.ExpiresAt)...) // its end is always in the same window
	p.Add(trust.ErrDailyQuota, s.table.Windows.Count(throttle.Window{
		Name: "policy-tokens", Subject: policy.ID, Length: 24 * time.Hour, Limit: trust.MaxDaily,
	}, 1, token.CreatedAt)...)
	ctx = audit.WithActor(ctx, audit.Actor{Kind: audit.Workload, ID: policy.ID, CustomerID: policy.CustomerID, Name: policy.Name})
	p.Add(nil, s.table.Audit(ctx, credentialsdynamo.Created(token))...)
	return p.Write(ctx, s.client)
}

// CountFailure implements trust.ExchangeStore.
func (s *Store) CountFailure(ctx context.Context, limit throttle.Limit, subject string, at time.Time) (int, error) {
	return s.table.Requests.CountFailure(ctx, limit, subject, at)
}

// policyItem is the stored form. Times are Unix milliseconds. The longest policy has about 50 KB.
type policyItem struct {
	PK         string            `dynamodbav:"pk"`
	SK         string            `dynamodbav:"sk"`
	ID         string            `dynamodbav:"id"`
	Customer   string            `dynamodbav:"customer"`
	Name       string            `dynamodbav:"name"`
	Issuer     string            `dynamodbav:"issuer"`
	Audience   string            `dynamodbav:"audience"`
	Conditions []conditionItem   `dynamodbav:"conditions"`
	Scopes     []principal.Scope `dynamodbav:"scopes"`
	Minutes    int               `dynamodbav:"minutes"`
	Keys       string            `dynamodbav:"keys,omitempty"`
	Created    int64             `dynamodbav:"created"`
	Updated    int64             `dynamodbav:"updated"`
	Version    int64             `dynamodbav:"version"`
}

// conditionItem has one value or several. Conditions of earlier releases have one.
type conditionItem struct {
	Claim  string   `dynamodbav:"claim"`
	Value  string   `dynamodbav:"value,omitempty"`
	Values []string `dynamodbav:"values,omitempty"`
}

func newConditionItem(c trust.Condition) conditionItem {
	if len(c.Values) == 1 {
		return conditionItem{Claim: c.Claim, Value: c.Values[0]}
	}
	return conditionItem{Claim: c.Claim, Values: c.Values}
}

func (i conditionItem) condition() trust.Condition {
	if len(i.Values) > 0 {
		return trust.Condition{Claim: i.Claim, Values: i.Values}
	}
	return trust.Condition{Claim: i.Claim, Values: []string{i.Value}}
}

func newPolicyItem(p trust.Policy) policyItem {
	item := policyItem{
		PK: "trust#" + p.ID, SK: "policy", ID: p.ID, Customer: p.CustomerID, Name: p.Name, Issuer: p.Issuer,
		Audience: p.Audience,
		Scopes:   p.Scopes, Minutes: p.MaxMinutes, Keys: p.Keys, Created: items.Millis(p.CreatedAt),
		Updated: items.Millis(p.UpdatedAt),
		Version: p.Version,
	}
	for _, c := range p.Conditions {
		item.Conditions = append(item.Conditions, newConditionItem(c))
	}
	return item
}

func (i policyItem) policy() trust.Policy {
	p := trust.Policy{
		ID: i.ID, CustomerID: i.Customer, Name: i.Name, Issuer: i.Issuer, Audience: i.Audience, Scopes: i.Scopes,
		MaxMinutes: i.Minutes,
		Keys:       i.Keys, CreatedAt: items.Time(i.Created), UpdatedAt: items.Time(i.Updated), Version: i.Version,
	}
	for _, c := range i.Conditions {
		p.Conditions = append(p.Conditions, c.condition())
	}
	return p
}
