package transactions

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/retry"
)

// Reader is the part of *dynamodb.Client that Read needs.
type Reader interface {
	TransactGetItems(context.Context, *dynamodb.TransactGetItemsInput, ...func(*dynamodb.Options)) (
		*dynamodb.TransactGetItemsOutput, error)
}

// Read returns the items at one moment, in the order of gets, with nil for items that do not exist. A transaction that
// writes one of them at the same time cancels the read, so Read retries like Write. It costs two read units for each
// 4 KB of each item.
func Read(ctx context.Context, client Reader, gets []types.TransactGetItem) ([]map[string]types.AttributeValue, error) {
	if len(gets) == 0 || len(gets) > MaxItems {
		return nil, fmt.Errorf("transactions: %d items in one transaction, want 1 to %d", len(gets), MaxItems)
	}
	found := make([]map[string]types.AttributeValue, len(gets))
	err := run(ctx, retry.Default, func() error {
		out, err := client.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: gets}, withoutRetries)
		if err != nil {
			return err
		}
		for i, response := range out.Responses {
			found[i] = response.Item
		}
		return nil
	})
	return found, err
}
