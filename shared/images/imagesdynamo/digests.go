package imagesdynamo

import (
	"context"
	"math/big"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"portside/shared/core/parallel"
	"portside/shared/core/retry"
	"portside/shared/dynamo/items"
)

// content is the item of a digest, with bits or with attached digests. Revision increases with each write, so that
// concurrent writers do not undo each other.
type content struct {
	PK       string   `dynamodbav:"pk"`
	SK       string   `dynamodbav:"sk"`
	Revision int64    `dynamodbav:"revision"`
	Versions []byte   `dynamodbav:"versions,omitempty"` // compressed bits
	Attached []string `dynamodbav:"attached,omitempty"` // digests
}

// maxAttached is far above the number of attachments of any manifest.
const maxAttached = 1_000

const maxConcurrentWrites = 8

func (c *content) attach(digests []string) (isChanged bool) {
	known := map[string]bool{}
	newOf(c.Attached, known)
	fresh := newOf(digests, known)
	fresh = fresh[:min(len(fresh), maxAttached-len(c.Attached))]
	c.Attached = append(c.Attached, fresh...)
	return len(fresh) > 0
}

// content returns the numbers of the versions that contain a digest. It returns false if no version does.
func (s *Store) content(ctx context.Context, repository, digest string) (*big.Int, bool, error) {
	found, exists, err := items.Get[content](ctx, items.In(s.client, s.table),
		items.Key(contentKey(repository, digest), versionsOf))
	if err != nil || !exists {
		return nil, false, err
	}
	numbers, err := decodeBits(found.Versions)
	return numbers, err == nil && numbers.BitLen() > 0, err
}

// addNumbers adds version numbers to the digests and to everything attached to them.
func (s *Store) addNumbers(ctx context.Context, repository string, digests []string, numbers *big.Int) error {
	known := map[string]bool{}
	for next := newOf(digests, known); len(next) > 0; {
		err := parallel.Each(len(next), maxConcurrentWrites, func(i int) error {
			return s.change(ctx, contentKey(repository, next[i]), versionsOf, func(c *content) bool { return c.add(numbers) })
		})
		if err != nil {
			return err
		}
		keys := make([]items.Map, len(next))
		for i, digest := range next {
			keys[i] = items.Key(contentKey(repository, digest), attachedTo)
		}
		next = nil
		err = items.GetAll(ctx, items.In(s.client, s.table), keys, func(item items.Map) error {
			found, err := items.Decode[content](item)
			next = append(next, newOf(found.Attached, known)...)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// newOf returns the digests that are not in known, and adds them to it.
func newOf(digests []string, known map[string]bool) []string {
	var fresh []string
	for _, digest := range digests {
		if !known[digest] {
			known[digest] = true
			fresh = append(fresh, digest)
		}
	}
	return fresh
}

func (c *content) add(numbers *big.Int) (isChanged bool) {
	before, err := decodeBits(c.Versions)
	if err != nil {
		before = new(big.Int) // replace a damaged item
	}
	after := new(big.Int).Or(before, numbers)
	c.Versions = encodeBits(after)
	return err != nil || after.Cmp(before) != 0
}

// change edits an item of a digest. It writes the item only if edit returns true.
func (s *Store) change(ctx context.Context, pk, sk string, edit func(*content) bool) error {
	return retry.Default.Do(ctx, isChanged, func() error {
		found, _, err := items.Get[content](ctx, items.In(s.client, s.table), items.Key(pk, sk))
		if err != nil || !edit(&found) {
			return err
		}
		before := found.Revision
		found.PK, found.SK, found.Revision = pk, sk, before+1
		_, err = s.client.PutItem(ctx, &dynamodb.PutItemInput{
			TableName: &s.table, Item: items.Encode(found),
			ConditionExpression:       aws.String(unchanged),
			ExpressionAttributeValues: items.Map{":revision": items.Number(before)},
		})
		if items.ConditionFailed(err) {
			return errChanged
		}
		return err
	})
}
