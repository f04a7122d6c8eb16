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

// goneItem is what a deleted thing leaves behind, so that past days can be counted again: nothing else of it.
type goneItem struct {
	PK   string `dynamodbav:"pk"`
	SK   string `dynamodbav:"sk"`
	Life string `dynamodbav:"life"`
}

const gone = "gone"

// Gone returns the write that keeps the life of a deleted thing in its table. It has no condition, so that a thing that somebody
// put back by hand can be deleted again.
func Gone(table, id string, life Life) types.TransactWriteItem {
	item := items.Encode(goneItem{PK: gone + "#" + id, SK: gone, Life: life.String()})
	return types.TransactWriteItem{Put: &types.Put{TableName: &table, Item: item}}
}

// Census reads the lives of all things of a kind.
type Census struct {
	Client *dynamodb.Client
	Table  string
	Kind   string                        // the sk of their items
	LifeOf func(items.Map) (Life, error) // of such an item
}

// Lives returns the lives of all things, and of all that were deleted, in no order. Pages are read strongly consistent, but one
// after the other: of what changes meanwhile, a life may be returned as it was, twice, or not at all. Who needs them exact
// compares the counters before and after. It ends with the first error.
func (c Census) Lives(ctx context.Context) iter.Seq2[Life, error] {
	return func(yield func(Life, error) bool) {
		pages := dynamodb.NewScanPaginator(c.Client, &dynamodb.ScanInput{
			TableName: &c.Table, ConsistentRead: aws.Bool(true), FilterExpression: aws.String("sk = :kind OR sk = :gone"),
			ExpressionAttributeValues: items.Map{":kind": items.Text(c.Kind), ":gone": items.Text(gone)},
		})
		for pages.HasMorePages() {
			page, err := pages.NextPage(ctx)
			if err != nil {
				yield(nil, fmt.Errorf("read the lives of each %s: %w", c.Kind, err))
				return
			}
			for _, item := range page.Items {
				if life, err := c.life(item); !yield(life, err) || err != nil {
					return
				}
			}
		}
	}
}

func (c Census) life(item items.Map) (Life, error) {
	left, err := items.Decode[goneItem](item)
	if err != nil {
		return nil, err
	}
	if left.SK != gone {
		return c.LifeOf(item)
	}
	life, err := ParseLife(left.Life)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", left.PK, err)
	}
	return life, nil
}
