package backup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// createTimeout bounds the creation of a table, which takes seconds.
const createTimeout = 5 * time.Minute

// CreateLike creates a table with the keys, indexes and protection of another table, and waits until
// it is usable. It does nothing if the table exists.
func CreateLike(ctx context.Context, client *dynamodb.Client, model, name string) error {
	found, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &model})
	if err != nil {
		return err
	}
	_, err = client.CreateTable(ctx, creation(found.Table, name))
	if _, exists := errors.AsType[*types.ResourceInUseException](err); err != nil && !exists {
		return fmt.Errorf("create the table %s: %w", name, err)
	}
	return dynamodb.NewTableExistsWaiter(client).Wait(ctx, &dynamodb.DescribeTableInput{TableName: &name}, createTimeout)
}

func creation(like *types.TableDescription, name string) *dynamodb.CreateTableInput {
	in := &dynamodb.CreateTableInput{
		TableName: &name, AttributeDefinitions: like.AttributeDefinitions, KeySchema: like.KeySchema,
		BillingMode: types.BillingModePayPerRequest, DeletionProtectionEnabled: like.DeletionProtectionEnabled,
	}
	for _, i := range like.GlobalSecondaryIndexes {
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: i.IndexName, KeySchema: i.KeySchema, Projection: i.Projection,
		})
	}
	for _, i := range like.LocalSecondaryIndexes {
		in.LocalSecondaryIndexes = append(in.LocalSecondaryIndexes, types.LocalSecondaryIndex{
			IndexName: i.IndexName, KeySchema: i.KeySchema, Projection: i.Projection,
		})
	}
	return in
}
