package credentialsdynamo

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/retry"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/dynamo/items"
)

// CustomerState is what authentication and the creation of users must know of a customer. It is an item of this table (pk
// "customer#<id>", sk "customer"), so that authentication reads it in the call that reads the credential. Stores of other domains
// write it in their transactions.
type CustomerState struct {
	Suspended bool  `dynamodbav:"suspended,omitempty"` // no credential of the customer's users works
	Users     int64 `dynamodbav:"users"`               // number of users who belong to the customer
	MaxUsers  int64 `dynamodbav:"maxUsers,omitempty"`  // 0 means no limit. Users can exceed it after it was lowered

	Generation int64 `dynamodbav:"generation,omitempty"` // how often all credentials ended; see EndCredentials
	Ended      int64 `dynamodbav:"ended,omitempty"`      // when they ended the last time, in Unix milliseconds, for lists

	// MaxRequests is how many requests all credentials of the customer's users may make per minute. 0 means no limit.
	MaxRequests int64 `dynamodbav:"maxRequests,omitempty"`

	// Entitlements is the version of the customer's entitlements, by which a process knows whether it has the current ones. 0 means that
	// the customer never had any.
	Entitlements int64 `dynamodbav:"entitlements,omitempty"`
}

// AddCustomer returns the write that adds the state of a new customer without users. It fails if the ID exists.
func (t *Table) AddCustomer(id string, state CustomerState) types.TransactWriteItem {
	item := items.Encode(CustomerState{Suspended: state.Suspended, MaxUsers: state.MaxUsers, MaxRequests: state.MaxRequests})
	maps.Copy(item, customerKey(id))
	return types.TransactWriteItem{Put: &types.Put{
		TableName: &t.name, Item: item, ConditionExpression: aws.String("attribute_not_exists(pk)"),
	}}
}

// SetCustomer returns the write that changes the status and the limits. It fails if the customer does not exist.
func (t *Table) SetCustomer(id string, state CustomerState) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &t.name, Key: customerKey(id),
		UpdateExpression:    aws.String("SET suspended = :suspended, maxUsers = :users, maxRequests = :requests"),
		ConditionExpression: aws.String("attribute_exists(pk)"),
		ExpressionAttributeValues: items.Map{
			":suspended": items.Bool(state.Suspended), ":users": items.Number(state.MaxUsers),
			":requests": items.Number(state.MaxRequests),
		},
	}}
}

// DeleteCustomer returns the write that deletes the state of a customer. It fails if the customer has users.
func (t *Table) DeleteCustomer(id string) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{
		TableName: &t.name, Key: customerKey(id), ConditionExpression: aws.String("#users = :none"),
		ExpressionAttributeNames:  map[string]string{"#users": "users"},
		ExpressionAttributeValues: items.Map{":none": items.Number(0)},
	}}
}

// CountUsers returns the write that adds 1 or -1 to the users of a customer. It fails if the customer does not exist, or has no room for
// another user.
func (t *Table) CountUsers(id string, change int64) types.TransactWriteItem {
	update := &types.Update{
		TableName: &t.name, Key: customerKey(id), UpdateExpression: aws.String("ADD #users :change, changes :one"),
		ConditionExpression:       aws.String("attribute_exists(pk)"),
		ExpressionAttributeNames:  map[string]string{"#users": "users"},
		ExpressionAttributeValues: items.Map{":change": items.Number(change), ":one": items.Number(1)},
	}
	if change > 0 {
		update.ConditionExpression = aws.String(
			"attribute_exists(pk) AND (attribute_not_exists(maxUsers) OR maxUsers = :none OR #users < maxUsers)")
		update.ExpressionAttributeValues[":none"] = items.Number(0)
	}
	return types.TransactWriteItem{Update: update}
}

// Customer returns the state of a customer, strongly consistent, or false if the customer does not exist.
func (t *Table) Customer(ctx context.Context, id string) (CustomerState, bool, error) {
	return items.Get[CustomerState](ctx, items.In(t.client, t.name), customerKey(id))
}

// Customers returns the states of the distinct customers that exist, by ID, strongly consistent.
func (t *Table) Customers(ctx context.Context, ids []string) (map[string]CustomerState, error) {
	keys := make([]items.Map, len(ids))
	for i, id := range ids {
		keys[i] = customerKey(id)
	}
	found := make(map[string]CustomerState, len(ids))
	err := items.GetAll(ctx, items.In(t.client, t.name), keys, func(item items.Map) error {
		state, err := items.Decode[CustomerState](item)
		found[strings.TrimPrefix(pkOf(item), customerPK)] = state
		return err
	})
	return found, err
}

// countedState is the state of a customer with the number of changes of Users, which shows that a user has joined and another one left.
type countedState struct {
	CustomerState

	Changes int64 `dynamodbav:"changes"`
}

// recountAttempts is how often RecountUsers starts again because a user was added or removed meanwhile.
const recountAttempts = 20

// RecountUsers corrects the number of users of a customer to the one that count returns, and reports whether it was wrong. It starts
// again if the number changes meanwhile.
func (t *Table) RecountUsers(ctx context.Context, id string, count func(context.Context) (int64, error)) (wrong bool, err error) {
	err = retry.Policy{Attempts: recountAttempts}.Do(ctx, versions.IsStale, func() error {
		wrong, err = t.recountUsers(ctx, id, count)
		return err
	})
	if versions.IsStale(err) {
		return false, fmt.Errorf("count the users of customer %s: %w", id, versions.ErrBusy)
	}
	return wrong, err
}

// recountUsers is RecountUsers without retries. Errors: versions.ErrStale.
func (t *Table) recountUsers(ctx context.Context, id string, count func(context.Context) (int64, error)) (wrong bool, err error) {
	before, exists, err := items.Get[countedState](ctx, items.In(t.client, t.name), customerKey(id))
	if err != nil || !exists {
		return false, err
	}
	counted, err := count(ctx)
	if err != nil || counted == before.Users {
		return false, err
	}
	_, err = t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &t.name, Key: customerKey(id), UpdateExpression: aws.String("SET #users = :counted, changes = :next"),
		ConditionExpression:      aws.String("#users = :before AND (attribute_not_exists(changes) OR changes = :changes)"),
		ExpressionAttributeNames: map[string]string{"#users": "users"},
		ExpressionAttributeValues: items.Map{
			":counted": items.Number(counted), ":before": items.Number(before.Users),
			":changes": items.Number(before.Changes), ":next": items.Number(before.Changes + 1),
		},
	}, items.RetryConflicts)
	if items.ConditionFailed(err) {
		return false, versions.ErrStale
	}
	if err != nil {
		return false, fmt.Errorf("correct the number of users of customer %s: %w", id, err)
	}
	return true, nil
}

const customerPK, customerSK = "customer#", "customer"

func customerKey(id string) items.Map { return items.Key(customerPK+id, customerSK) }

// isState reports whether an item of a customer is its state.
func isState(item items.Map) bool {
	sk, _ := item["sk"].(*types.AttributeValueMemberS)
	return sk != nil && sk.Value == customerSK
}

// getWithCustomer is Get for authentication: the owner is not active if the owner's customer is suspended, or does not exist. Both items
// are read in one call, except with the first request of a credential of a customer's user in this process, which takes another.
func (t *Table) getWithCustomer(ctx context.Context, id string) (credentials.Presented, error) {
	hint := t.customers.of(id)
	if hint == "" {
		found, err := t.stored(ctx, id)
		if err != nil || found.Owner.CustomerID == "" {
			return credentials.Presented{Credential: found}, err
		}
		t.customers.keep(id, found.Owner.CustomerID)
		return t.inCustomer(ctx, found)
	}
	found, state, err := t.getBoth(ctx, id, hint)
	switch {
	case err != nil || found.Owner.CustomerID == "":
		return credentials.Presented{Credential: found}, err
	case found.Owner.CustomerID != hint: // the user belongs to another customer since
		t.customers.keep(id, found.Owner.CustomerID)
		return t.inCustomer(ctx, found)
	default:
		return t.withState(ctx, found, state)
	}
}

// inCustomer reads the state of the owner's customer.
func (t *Table) inCustomer(ctx context.Context, c credentials.Credential) (credentials.Presented, error) {
	state, exists, err := t.Customer(ctx, c.Owner.CustomerID)
	switch {
	case err != nil:
		return credentials.Presented{}, err
	case !exists:
		return t.withState(ctx, c, nil)
	default:
		return t.withState(ctx, c, &state)
	}
}

// withState deactivates the owner unless the customer exists and is not suspended, and if the credential has ended with all of the
// customer, whatever its record says about its expiry. It revokes the credential then, and otherwise adds the customer's limit of requests,
// and its entitlements to a credential that fetches artifacts. The state is nil if the customer does not exist.
func (t *Table) withState(ctx context.Context, c credentials.Credential, state *CustomerState) (credentials.Presented, error) {
	c.Owner.Active = c.Owner.Active && state != nil && !state.Suspended && !state.hasEnded(c)
	if state != nil {
		c = state.applied(c)
	}
	presented := credentials.Presented{Credential: c}
	if !c.Owner.Active || !c.RevokedAt.IsZero() {
		return presented, nil
	}
	presented.MaxRequests = int(state.MaxRequests)
	if !c.Fetches() {
		return presented, nil
	}
	var err error
	presented.Entitled, err = t.entitled.of(ctx, c.Owner.CustomerID, state.Entitlements)
	return presented, err
}

// getBoth reads a credential and the state of a customer, which is nil if the customer does not exist. Errors: credentials.ErrUnknown.
func (t *Table) getBoth(ctx context.Context, id, customerID string) (c credentials.Credential, state *CustomerState, err error) {
	if !credentials.IsID(id) {
		return c, nil, credentials.ErrUnknown
	}
	missing := credentials.ErrUnknown
	keys := []items.Map{recordKey(id), customerKey(customerID)}
	err = items.GetAll(ctx, items.In(t.client, t.name), keys, func(item items.Map) error {
		if pkOf(item) != recordPK(id) {
			decoded, err := items.Decode[CustomerState](item)
			state = &decoded
			return err
		}
		r, err := items.Decode[record](item)
		c, missing = r.credential(), nil
		return err
	})
	return c, state, cmp.Or(err, missing)
}

// maxHints bounds the memory of customerHints to about 1 MB.
const maxHints = 10_000

// customerHints remembers the customers to whom the owners of credentials belonged, so that the next request can read both at once. Its
// zero value is empty. A hint can be old, so the record decides.
type customerHints struct {
	mu sync.Mutex
	by map[string]string // customer by credential
}

func (h *customerHints) of(credentialID string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.by[credentialID]
}

func (h *customerHints) keep(credentialID, customerID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.by == nil || len(h.by) >= maxHints {
		h.by = map[string]string{}
	}
	h.by[credentialID] = customerID
}
