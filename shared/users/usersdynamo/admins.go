package usersdynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/principal"
	"portside/shared/core/retry"
	"portside/shared/core/versions"
	"portside/shared/dynamo/items"
	"portside/shared/users"
)

// adminsItem has the number of active admins.
type adminsItem struct {
	N int64 `dynamodbav:"n"`
	V int64 `dynamodbav:"v"` // grows with every change
}

func (s *Store) readAdmins(ctx context.Context) (adminsItem, error) {
	stored, _, err := items.Get[adminsItem](ctx, items.In(s.client, s.table), adminsKey())
	return stored, err
}

// recount is the retry policy for counting the admins. It starts again at once if an admin has changed
// meanwhile.
var recount = retry.Policy{Attempts: 50}

// repairAdmins recounts the active admins until no admin changes from the first read to the write.
// It reports whether their stored number was wrong.
func (s *Store) repairAdmins(ctx context.Context) (wrong bool, err error) {
	err = recount.Do(ctx, versions.IsStale, func() error {
		wrong, err = s.recountAdmins(ctx)
		return err
	})
	if versions.IsStale(err) {
		return false, fmt.Errorf("recount the admins: %w", versions.ErrBusy)
	}
	return wrong, err
}

// recountAdmins counts the active admins and corrects their number. Errors: versions.ErrStale if an admin changed
// meanwhile.
func (s *Store) recountAdmins(ctx context.Context) (wrong bool, err error) {
	before, err := s.readAdmins(ctx)
	if err != nil {
		return false, err
	}
	counted, err := s.countAdmins(ctx)
	if err != nil {
		return false, err
	}
	if counted != before.N {
		return true, s.writeAdmins(ctx, before, counted)
	}
	after, err := s.readAdmins(ctx)
	if err == nil && after != before {
		return false, versions.ErrStale
	}
	return false, err
}

// writeAdmins stores the number if it is still the one from before, or returns versions.ErrStale.
func (s *Store) writeAdmins(ctx context.Context, before adminsItem, counted int64) error {
	input := &dynamodb.UpdateItemInput{
		TableName: &s.table, Key: adminsKey(), UpdateExpression: aws.String("SET n = :n ADD v :one"),
		ConditionExpression:       aws.String("attribute_not_exists(v)"),
		ExpressionAttributeValues: items.Map{":n": items.Number(counted), ":one": items.Number(1)},
	}
	if before.V != 0 {
		input.ConditionExpression = aws.String("v = :before")
		input.ExpressionAttributeValues[":before"] = items.Number(before.V)
	}
	_, err := s.client.UpdateItem(ctx, input)
	_, changed := errors.AsType[*types.ConditionalCheckFailedException](err)
	_, conflict := errors.AsType[*types.TransactionConflictException](err)
	if changed || conflict {
		return versions.ErrStale
	}
	if err != nil {
		return fmt.Errorf("write the number of admins: %w", err)
	}
	return nil
}

// countAdmins counts the active admins of the vendor in the list of admins; see users.ActingAdmins.
func (s *Store) countAdmins(ctx context.Context) (int64, error) {
	pages := dynamodb.NewQueryPaginator(s.client, &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: aws.Bool(true), Select: types.SelectCount,
		KeyConditionExpression:   aws.String("pk = :list"),
		FilterExpression:         aws.String("#status = :active AND attribute_not_exists(customer)"),
		ExpressionAttributeNames: map[string]string{"#status": "status"},
		ExpressionAttributeValues: items.Map{":list": items.Text("list#" + string(principal.Admin)),
			":active": items.Text(string(users.Active))},
	})
	counted := int64(0)
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return 0, fmt.Errorf("count admins: %w", err)
		}
		counted += int64(page.Count)
	}
	return counted, nil
}
