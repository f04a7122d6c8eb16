// Package walkitem stores the progress and the lease of a walk in an item of a table:
//
//	walks   <name>   progress: a map with the fields of the progress; holder and until: which run has the lease, and until when
package walkitem

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/walk"
	"portside/shared/dynamo/items"
)

// Store implements walk.Store for a progress of type P, which is a struct.
type Store[P any] struct {
	client *dynamodb.Client
	table  string
	name   string
}

// New returns the Store of the named walk in the named table.
func New[P any](client *dynamodb.Client, table, name string) Store[P] {
	return Store[P]{client: client, table: table, name: name}
}

var _ walk.Store[struct{}] = Store[struct{}]{}

// stored is the form of the item, without the attributes that only conditions use.
type stored[P any] struct {
	Progress P `dynamodbav:"progress"`
}

// Acquire implements walk.Store.
func (s Store[P]) Acquire(ctx context.Context, run string, now, until time.Time) (P, error) {
	out, err := s.update(ctx, "SET holder = :run, #until = :until", "attribute_not_exists(#until) OR #until <= :now",
		items.Map{
			":run": items.Text(run), ":until": items.Number(items.Millis(until)), ":now": items.Number(items.Millis(now)),
		})
	if err != nil {
		return *new(P), err
	}
	item, err := items.Decode[stored[P]](out)
	return item.Progress, err
}

const isHolder = "holder = :run"

// Save implements walk.Store.
func (s Store[P]) Save(ctx context.Context, run string, progress P, until time.Time) error {
	_, err := s.update(ctx, "SET progress = :progress, #until = :until", isHolder, items.Map{
		":run": items.Text(run), ":until": items.Number(items.Millis(until)), ":progress": encode(progress),
	})
	return err
}

// Release implements walk.Store.
func (s Store[P]) Release(ctx context.Context, run string, progress P) error {
	_, err := s.update(ctx, "SET progress = :progress REMOVE holder, #until", isHolder, items.Map{
		":run": items.Text(run), ":progress": encode(progress),
	})
	return err
}

func encode(progress any) types.AttributeValue {
	return &types.AttributeValueMemberM{Value: items.Encode(progress)}
}

// update changes the item under a condition, and returns the new item. Errors: walk.ErrLocked if the condition fails.
func (s Store[P]) update(ctx context.Context, expression, condition string, values items.Map) (items.Map, error) {
	out, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.table, Key: items.Key("walks", s.name), ReturnValues: types.ReturnValueAllNew,
		UpdateExpression: &expression, ConditionExpression: aws.String(condition),
		ExpressionAttributeNames: map[string]string{"#until": "until"}, ExpressionAttributeValues: values,
	})
	if items.ConditionFailed(err) {
		return nil, walk.ErrLocked
	}
	if err != nil {
		return nil, fmt.Errorf("update the walk %s: %w", s.name, err)
	}
	return out.Attributes, nil
}
