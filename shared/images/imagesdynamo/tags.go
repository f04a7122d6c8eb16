package imagesdynamo

import (
	"context"
	"fmt"
	"maps"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/retry"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
	"portside/shared/images"
)

// stored is the item of a version.
type stored struct {
	Manifest string `dynamodbav:"manifest"`
	Number   int    `dynamodbav:"number"`
}

func (s *Store) version(ctx context.Context, repository, name string) (stored, bool, error) {
	return items.Get[stored](ctx, items.In(s.client, s.table), items.Key(repositoryKey(repository), tagPrefix+name))
}

// maxVersions limits the numbers of a repository, so that no item becomes larger than DynamoDB permits.
const maxVersions = 1_000_000

// nextNumber returns a number that no version of the repository has had before.
func (s *Store) nextNumber(ctx context.Context, repository string) (int, error) {
	out, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.table, Key: items.Key(repositoryKey(repository), numbers),
		UpdateExpression:          aws.String("ADD #next :one"),
		ConditionExpression:       aws.String("attribute_not_exists(#next) OR #next < :max"),
		ExpressionAttributeNames:  map[string]string{"#next": "next"},
		ExpressionAttributeValues: items.Map{":one": items.Number(1), ":max": items.Number(maxVersions)},
		ReturnValues:              types.ReturnValueUpdatedNew,
	})
	if items.ConditionFailed(err) {
		return 0, fmt.Errorf("the repository %s has had %d versions, and the index holds no more", repository, maxVersions)
	}
	if err != nil {
		return 0, fmt.Errorf("number a version: %w", err)
	}
	after, err := items.Decode[struct {
		Next int `dynamodbav:"next"`
	}](out.Attributes)
	return after.Next - 1, err
}

// change is the new version under a name. A negative number means that the name is removed.
type change struct {
	version  images.Version
	manifest string
	number   int
}

// replace writes the version under a name. In the same transaction, it moves the tag from the old number to the new one.
func (s *Store) replace(ctx context.Context, repository, name string, to change) error {
	return retry.Default.Do(ctx, isChanged, func() error {
		before, exists, err := s.version(ctx, repository, name)
		if err != nil || !exists && to.number < 0 || exists && before.Manifest == to.manifest {
			return err
		}
		named := map[int]images.Version{}
		if exists {
			named[before.Number] = images.Version{}
		}
		if to.number >= 0 {
			named[to.number] = to.version
		}
		var plan transactions.Plan
		condition := expression{text: "attribute_not_exists(pk)"}
		if exists {
			condition = expression{
				"#number = :number", map[string]string{"#number": "number"}, items.Map{":number": items.Number(int64(before.Number))},
			}
		}
		plan.Add(errChanged, s.write(items.Key(repositoryKey(repository), tagPrefix+name), to, condition))
		if err := s.rename(ctx, &plan, repository, named); err != nil {
			return err
		}
		return plan.Write(ctx, s.client)
	})
}

// expression is a condition of a write.
type expression struct {
	text   string
	names  map[string]string
	values items.Map
}

// write returns the write that stores or removes the version with the key.
func (s *Store) write(key items.Map, to change, condition expression) types.TransactWriteItem {
	if to.number < 0 {
		return types.TransactWriteItem{Delete: &types.Delete{
			TableName: &s.table, Key: key, ConditionExpression: &condition.text,
			ExpressionAttributeNames: condition.names, ExpressionAttributeValues: condition.values,
		}}
	}
	item := items.Encode(stored{Manifest: to.manifest, Number: to.number})
	maps.Copy(item, key)
	return types.TransactWriteItem{Put: &types.Put{
		TableName: &s.table, Item: item, ConditionExpression: &condition.text,
		ExpressionAttributeNames: condition.names, ExpressionAttributeValues: condition.values,
	}}
}

// rename adds the writes of all parts in which the names of numbers change.
func (s *Store) rename(ctx context.Context, plan *transactions.Plan, repository string, named map[int]images.Version) error {
	parts := map[int]part{}
	for number, version := range named {
		at := number / partSize
		if _, isRead := parts[at]; !isRead {
			found, err := s.part(ctx, repository, at)
			if err != nil {
				return err
			}
			parts[at] = found
		}
		changed := parts[at]
		changed.Names = encodeNames(changed.versions().with(number%partSize, version))
		parts[at] = changed
	}
	for at, changed := range parts {
		before := changed.Revision
		changed.PK, changed.SK, changed.Revision = repositoryKey(repository), partKey(at), before+1
		plan.Add(errChanged, types.TransactWriteItem{Put: &types.Put{
			TableName: &s.table, Item: items.Encode(changed),
			ConditionExpression:       aws.String(unchanged),
			ExpressionAttributeValues: items.Map{":revision": items.Number(before)},
		}})
	}
	return nil
}
