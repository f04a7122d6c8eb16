package daycounts

import (
	"context"
	"fmt"
	"iter"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/dynamo/items"
)

// deletedItem keeps only the history of a deleted resource, so that past days can be recounted.
type deletedItem struct {
	PK      string `dynamodbav:"pk"`
	SK      string `dynamodbav:"sk"`
	History string `dynamodbav:"life"`
}

const deleted = "gone"

// KeepDeleted returns the write that keeps the history of a deleted resource in its table. It has
// no condition, so that a resource that an operator restored by hand can be deleted again.
func KeepDeleted(table, id string, history History) types.TransactWriteItem {
	item := items.Encode(deletedItem{PK: deleted + "#" + id, SK: deleted, History: history.String()})
	return types.TransactWriteItem{Put: &types.Put{TableName: &table, Item: item}}
}

// Census reads the histories of all resources of one kind.
type Census struct {
	Client    *dynamodb.Client
	Table     string
	Kind      string                           // the sk of their items
	HistoryOf func(items.Map) (History, error) // reads the history from such an item
}

// Histories returns the histories of all existing and deleted resources, in no particular order. It
// reads pages one after the other, each strongly consistent. A resource that changes meanwhile may
// be returned in an old state, twice, or not at all; callers who need an exact answer compare the
// counters before and after. The sequence ends with the first error.
func (c Census) Histories(ctx context.Context) iter.Seq2[History, error] {
	return func(yield func(History, error) bool) {
		pages := dynamodb.NewScanPaginator(c.Client, &dynamodb.ScanInput{
			TableName: &c.Table, ConsistentRead: aws.Bool(true), FilterExpression: aws.String("sk = :kind OR sk = :gone"),
			ExpressionAttributeValues: items.Map{":kind": items.Text(c.Kind), ":gone": items.Text(deleted)},
		})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield(nil, fmt.Errorf("read the histories of each %s: %w", c.Kind, err))
				return
			}
			for _, item := range page.Items {
				if history, err := c.history(item); !yield(history, err) || err != nil {
					return
				}
			}
		}
	}
}

func (c Census) history(item items.Map) (History, error) {
	left, err := items.Decode[deletedItem](item)
	if err != nil {
		return nil, err
	}
	if left.SK != deleted {
		return c.HistoryOf(item)
	}
	history, err := ParseHistory(left.History)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", left.PK, err)
	}
	return history, nil
}
