package imagesdynamo

import (
	"context"
	"fmt"
	"maps"

	"github.com/aws/aws-sdk-go-v2/aws"
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

// counter is the item with the number of the next version.
type counter struct {
	Next int `dynamodbav:"next"`
}

// number returns the number of a tag with a manifest. The first call takes the next number; all others return the same
// one, also at the same time, after a failure, or when the tag has led to other manifests in between. So only a new
// content uses up a number. Errors: images.ErrIndexFull.
func (s *Store) number(ctx context.Context, repository, name, manifest string) (number int, err error) {
	own, next := items.Key(repositoryKey(repository), numberPrefix+name+"@"+manifest),
		items.Key(repositoryKey(repository), numbers)
	err = retry.Default.Do(ctx, isChanged, func() error {
		known, exists, err := items.Get[stored](ctx, items.In(s.client, s.table), own)
		if number = known.Number; err != nil || exists {
			return err
		}
		count, _, err := items.Get[counter](ctx, items.In(s.client, s.table), next)
		if number = count.Next; err != nil {
			return err
		}
		if number >= maxVersions {
			return fmt.Errorf("%w: %s has had %d", images.ErrIndexFull, repository, maxVersions)
		}
		var plan transactions.Plan
		plan.Add(errChanged, types.TransactWriteItem{Update: &types.Update{
			TableName: &s.table, Key: next, UpdateExpression: aws.String("SET #next = :after"),
			ConditionExpression:      aws.String("attribute_not_exists(pk) OR #next = :before"),
			ExpressionAttributeNames: map[string]string{"#next": "next"},
			ExpressionAttributeValues: items.Map{":before": items.Number(int64(number)),
				":after": items.Number(int64(number) + 1)},
		}})
		plan.Add(errChanged, s.write(own, change{number: number, manifest: manifest}, expression{text: isNew}))
		return plan.Write(ctx, s.client)
	})
	return number, err
}

// change is the new version under a name. A negative number means that the name is removed.
type change struct {
	version  images.Version
	manifest string
	number   int
}

// replace writes the version under a name. In the same transaction, it moves the tag from the old number to the new
// one.
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
		condition := expression{text: isNew}
		if exists {
			condition = expression{
				"#number = :number", map[string]string{"#number": "number"},
				items.Map{":number": items.Number(int64(before.Number))},
			}
		}
		plan.Add(errChanged, s.write(items.Key(repositoryKey(repository), tagPrefix+name), to, condition))
		if err := s.rename(ctx, &plan, repository, named); err != nil {
			return err
		}
		return plan.Write(ctx, s.client)
	})
}

// isNew is the condition that an item does not exist.
const isNew = "attribute_not_exists(pk)"

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
func (s *Store) rename(ctx context.Context, plan *transactions.Plan, repository string,
	named map[int]images.Version) error {
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
