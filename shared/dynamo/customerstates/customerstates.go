// Package customerstates keeps the states of customers in the table of credentials.
//
// The state of a customer (pk "customer#<id>", sk "customer") has what authentication and the creation of users need to
// know about the customer. Authentication reads it together with the credential, so both are in one table. The state
// exists as long as the customer.
//
// The store of customers writes the status and the limits, and ends credentials. The store of users counts users. Other
// items of a customer have the same pk; see packages entitlementlists and trustlists.
package customerstates

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/retry"
	"portside/shared/core/versions"
	"portside/shared/dynamo/items"
)

// State is what authentication and the creation of users need to know about a customer.
type State struct {
	Suspended bool  `dynamodbav:"suspended,omitempty"` // no credential of the customer's users works
	Users     int64 `dynamodbav:"users"`               // number of users who belong to the customer
	MaxUsers  int64 `dynamodbav:"maxUsers,omitempty"`  // 0 means no limit; Users exceeds a limit that was lowered

	Generation int64 `dynamodbav:"generation,omitempty"` // how often EndCredentials was used
	Ended      int64 `dynamodbav:"ended,omitempty"`      // the time of the last use in Unix milliseconds, for lists

	// MaxRequests is how many requests all credentials of the customer's users may make per minute. 0 means no limit.
	MaxRequests int64 `dynamodbav:"maxRequests,omitempty"`

	// Entitlements is the version of the customer's entitlements. A process that remembers them compares it. 0 means
	// that the customer never had any.
	Entitlements int64 `dynamodbav:"entitlements,omitempty"`
}

// Table is the table of credentials.
type Table struct {
	client *dynamodb.Client
	name   string
}

// New returns a Table with the given name.
func New(client *dynamodb.Client, name string) Table { return Table{client, name} }

// Name returns the name of the table, for writes of other items of a customer.
func (t Table) Name() string { return t.name }

// Items returns the table, for reads of other items of a customer.
func (t Table) Items() items.Table { return items.In(t.client, t.name) }

// Add returns the write that adds the state of a new customer without users. It fails if the ID exists.
func (t Table) Add(id string, state State) types.TransactWriteItem {
	item := items.Encode(State{Suspended: state.Suspended, MaxUsers: state.MaxUsers, MaxRequests: state.MaxRequests})
	maps.Copy(item, Key(id))
	return items.PutNew(t.name, item)
}

// Set returns the write that changes the status and the limits. It fails if the customer does not exist.
func (t Table) Set(id string, state State) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &t.name, Key: Key(id),
		UpdateExpression:    aws.String("SET suspended = :suspended, maxUsers = :users, maxRequests = :requests"),
		ConditionExpression: aws.String("attribute_exists(pk)"),
		ExpressionAttributeValues: items.Map{
			":suspended": items.Bool(state.Suspended), ":users": items.Number(state.MaxUsers),
			":requests": items.Number(state.MaxRequests),
		},
	}}
}

// EndCredentials returns the write that ends all credentials of the customer's users, with the time that lists show. It
// increases the generation, and credentials of earlier generations do not work. The write fails if the customer does
// not exist.
func (t Table) EndCredentials(id string, at time.Time) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &t.name, Key: Key(id), UpdateExpression: aws.String("SET ended = :at ADD generation :one"),
		ConditionExpression:       aws.String("attribute_exists(pk)"),
		ExpressionAttributeValues: items.Map{":at": items.Number(items.Millis(at)), ":one": items.Number(1)},
	}}
}

// Delete returns the write that deletes the state of a customer. It fails if the customer has users.
func (t Table) Delete(id string) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{
		TableName: &t.name, Key: Key(id), ConditionExpression: aws.String("#users = :none"),
		ExpressionAttributeNames:  map[string]string{"#users": "users"},
		ExpressionAttributeValues: items.Map{":none": items.Number(0)},
	}}
}

// Exists returns the check that a customer exists.
func (t Table) Exists(id string) types.TransactWriteItem {
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: &t.name, Key: Key(id), ConditionExpression: aws.String("attribute_exists(pk)"),
	}}
}

// CountUsers returns the write that adds 1 or -1 to the number of a customer's users. It fails if the customer does not
// exist, or if an added user exceeds the limit.
func (t Table) CountUsers(id string, change int64) types.TransactWriteItem {
	update := &types.Update{
		TableName: &t.name, Key: Key(id), UpdateExpression: aws.String("ADD #users :change, changes :one"),
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

// Get returns the state of a customer, strongly consistent, or false if the customer does not exist.
func (t Table) Get(ctx context.Context, id string) (State, bool, error) {
	return items.Get[State](ctx, t.Items(), Key(id))
}

// GetItem returns another item of a customer, or nil if there is none, and whether the customer exists. It reads both
// in one strongly consistent call.
func GetItem(ctx context.Context, table items.Table, id string, key items.Map) (item items.Map, exists bool, err error) {
	err = items.GetAll(ctx, table, []items.Map{Key(id), key}, func(found items.Map) error {
		if sk, _ := found["sk"].(*types.AttributeValueMemberS); sk != nil && sk.Value == sortKey {
			exists = true
		} else {
			item = found
		}
		return nil
	})
	return item, exists, err
}

// CustomerExists reports whether a customer has the ID.
func (t Table) CustomerExists(ctx context.Context, id string) (bool, error) {
	_, exists, err := t.Get(ctx, id)
	return exists, err
}

// Generation returns the current generation of a customer's credentials, strongly consistent: 0 for the vendor's staff,
// who have no customer, and for a customer that does not exist.
func (t Table) Generation(ctx context.Context, id string) (int64, error) {
	if id == "" {
		return 0, nil
	}
	state, _, err := t.Get(ctx, id)
	return state.Generation, err
}

// All returns the states of the distinct customers that exist, by ID, strongly consistent.
func (t Table) All(ctx context.Context, ids []string) (map[string]State, error) {
	keys := make([]items.Map, len(ids))
	for i, id := range ids {
		keys[i] = Key(id)
	}
	found := make(map[string]State, len(ids))
	err := items.GetAll(ctx, t.Items(), keys, func(item items.Map) error {
		stored, err := items.Decode[struct {
			State

			PK string `dynamodbav:"pk"`
		}](item)
		found[strings.TrimPrefix(stored.PK, prefix)] = stored.State
		return err
	})
	return found, err
}

// countedState is a state with the number of changes of Users. It differs even if one user has joined and another one
// has left.
type countedState struct {
	State

	Changes int64 `dynamodbav:"changes"`
}

// recountAttempts is how often RecountUsers starts again because a user was added or removed meanwhile.
const recountAttempts = 20

// RecountUsers corrects the number of users of a customer to the one that count returns, and reports whether it was
// wrong. It starts again if the number changes meanwhile. Errors: versions.ErrBusy.
func (t Table) RecountUsers(ctx context.Context, id string, count func(context.Context) (int64, error)) (wrong bool, err error) {
	err = retry.Policy{Attempts: recountAttempts}.Do(ctx, versions.IsStale, func() error {
		wrong, err = t.tryRecountUsers(ctx, id, count)
		return err
	})
	if versions.IsStale(err) {
		return false, fmt.Errorf("count the users of customer %s: %w", id, versions.ErrBusy)
	}
	return wrong, err
}

// tryRecountUsers is RecountUsers without retries. Errors: versions.ErrStale if the number changed meanwhile.
func (t Table) tryRecountUsers(ctx context.Context, id string, count func(context.Context) (int64, error)) (wrong bool, err error) {
	before, exists, err := items.Get[countedState](ctx, t.Items(), Key(id))
	if err != nil || !exists {
		return false, err
	}
	counted, err := count(ctx)
	if err != nil {
		return false, err
	}
	if counted == before.Users { // perhaps only because a user has joined or left meanwhile
		after, _, err := items.Get[countedState](ctx, t.Items(), Key(id))
		if err == nil && after.Changes != before.Changes {
			err = versions.ErrStale
		}
		return false, err
	}
	_, err = t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &t.name, Key: Key(id), UpdateExpression: aws.String("SET #users = :counted, changes = :next"),
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

const prefix, sortKey = "customer#", "customer"

// PK returns the partition key of all items of a customer.
func PK(id string) string { return prefix + id }

// Key returns the key of the state of a customer.
func Key(id string) items.Map { return items.Key(PK(id), sortKey) }
