// Package imagesdynamo stores which versions of a repository have which digests. The items have a separate table, so that the functions
// that read the registry need no write access to anything else. The registry can build them anew, so they need no backup.
//
//	repository#<name>              tag#<tag>        the manifest and the number of a version; for a chart without a tag, tag#<digest>
//	repository#<name>              names#<part>     the tags of 256 numbers, compressed
//	repository#<name>              numbers          the number of the next version
//	content#<name>@<digest>        versions         the numbers of the versions that have the digest, as compressed bits
//	content#<name>@<digest>        attached         the digests that are attached to the digest
//
// A version gets a number when it is stored, and another one when its tag leads to another manifest. The old number then has no tag, and
// nobody may fetch what has only that number. So a layer of ten thousand versions takes an item of a kilobyte, and a tag that moves
// changes no items of digests.
package imagesdynamo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/parallel"
	"portside/shared/core/recent"
	"portside/shared/core/retry"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
	"portside/shared/images"
)

// Store keeps the versions of all repositories.
type Store struct {
	client *dynamodb.Client
	table  string
	names  *recent.Cache[string, names] // by the repository
}

var _ images.VersionIndex = (*Store)(nil)

// Limits of what a function remembers: about 400 KB for a repository with 10,000 versions.
const (
	maxRepositories = 32
	namesLife       = time.Minute
)

// New returns a Store in the named table.
func New(client *dynamodb.Client, table string, now func() time.Time) *Store {
	return &Store{client: client, table: table, names: recent.New[string, names](maxRepositories, namesLife, now)}
}

// Sort keys, and prefixes of them.
const (
	tagPrefix   = "tag#"
	namesPrefix = "names#"
	numbers     = "numbers"
	versionsOf  = "versions"
	attachedTo  = "attached"
)

func repositoryKey(repository string) string      { return "repository#" + repository }
func contentKey(repository, digest string) string { return "content#" + repository + "@" + digest }

// stored is the item of a version.
type stored struct {
	Manifest string `dynamodbav:"manifest"`
	Number   int    `dynamodbav:"number"`
}

// content has bits or digests of a digest. Revision increases with each write, so that concurrent writers do not undo each other.
type content struct {
	PK       string   `dynamodbav:"pk"`
	SK       string   `dynamodbav:"sk"`
	Revision int64    `dynamodbav:"revision"`
	Versions []byte   `dynamodbav:"versions,omitempty"` // compressed bits
	Attached []string `dynamodbav:"attached,omitempty"` // digests
}

// maxVersions limits the numbers of a repository, so that no item becomes larger than DynamoDB permits.
const maxVersions = 1_000_000

// maxAttached is far above the attachments of any manifest.
const maxAttached = 1_000

const maxConcurrentWrites = 8

// errChanged means that another writer changed an item first.
var errChanged = errors.New("another writer changed the index of versions")

// Put implements images.VersionIndex. It writes the version last, so that a version that the index knows is complete.
func (s *Store) Put(ctx context.Context, repository string, version images.VersionContent) error {
	name := version.Tag
	if name == "" {
		name = version.Manifest
	}
	before, exists, err := s.version(ctx, repository, name)
	if err != nil || exists && before.Manifest == version.Manifest {
		return err
	}
	digests, err := version.Digests()
	if err != nil {
		return err
	}
	number, err := s.nextNumber(ctx, repository)
	if err != nil {
		return err
	}
	if err := s.add(ctx, repository, digests, new(big.Int).SetBit(new(big.Int), number, 1)); err != nil {
		return fmt.Errorf("store a version: %w", err)
	}
	return s.replace(ctx, repository, name, change{number: number, manifest: version.Manifest, version: version.Version})
}

// Attach implements images.VersionIndex. It stores the attachment before it reads the versions of the subject, and Put does the reverse. So
// one of two calls at the same time sees what the other wrote.
func (s *Store) Attach(ctx context.Context, repository, subject string, digests []string) error {
	err := s.change(ctx, contentKey(repository, subject), attachedTo, func(c *content) bool {
		return c.attach(digests)
	})
	if err != nil {
		return err
	}
	found, exists, err := s.content(ctx, repository, subject)
	if err != nil || !exists {
		return err
	}
	return s.add(ctx, repository, digests, found)
}

func (c *content) attach(digests []string) (isChanged bool) {
	known := map[string]bool{}
	newOf(c.Attached, known)
	fresh := newOf(digests, known)
	fresh = fresh[:min(len(fresh), maxAttached-len(c.Attached))]
	c.Attached = append(c.Attached, fresh...)
	return len(fresh) > 0
}

// Remove implements images.VersionIndex.
func (s *Store) Remove(ctx context.Context, repository, tag string) error {
	return s.replace(ctx, repository, tag, change{number: -1})
}

// Any implements images.VersionIndex. It reads one item for the digest and, if no version known from the last minute is accepted, the tags.
func (s *Store) Any(ctx context.Context, repository, digest string, accept func(images.Version) bool) (bool, error) {
	numbers, exists, err := s.content(ctx, repository, digest)
	if err != nil || !exists {
		return false, err
	}
	known, isKept := s.names.Get(repository)
	if isKept && known.any(numbers, accept) {
		return true, nil
	}
	if !isKept {
		if known, err = s.readNames(ctx, repository); err != nil {
			return false, err
		}
		s.names.Put(repository, known)
	}
	// The names may lack the newest versions, because they are kept, and because their Query is not strongly consistent.
	newest := (numbers.BitLen() - 1) / partSize
	part, err := s.part(ctx, repository, newest)
	if err != nil {
		return false, err
	}
	return known.with(newest, part.versions()).any(numbers, accept), nil
}

// Tags implements images.VersionIndex.
func (s *Store) Tags(ctx context.Context, repository string) (map[string]bool, error) {
	known, isKept := s.names.Get(repository)
	if !isKept {
		var err error
		if known, err = s.readNames(ctx, repository); err != nil {
			return nil, err
		}
		s.names.Put(repository, known)
	}
	tags := map[string]bool{}
	for _, part := range known {
		for _, one := range part {
			if one.Tag != "" {
				tags[one.Tag] = true
			}
		}
	}
	return tags, nil
}

func (s *Store) version(ctx context.Context, repository, name string) (stored, bool, error) {
	return items.Get[stored](ctx, items.In(s.client, s.table), items.Key(repositoryKey(repository), tagPrefix+name))
}

// content returns the numbers of the versions with a digest, or false if there is none.
func (s *Store) content(ctx context.Context, repository, digest string) (*big.Int, bool, error) {
	found, exists, err := items.Get[content](ctx, items.In(s.client, s.table), items.Key(contentKey(repository, digest), versionsOf))
	if err != nil || !exists {
		return nil, false, err
	}
	numbers, err := decodeBits(found.Versions)
	return numbers, err == nil && numbers.BitLen() > 0, err
}

// nextNumber returns a number that no version of the repository had before.
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

// add adds numbers to those of the digests, and of what is attached to them.
func (s *Store) add(ctx context.Context, repository string, digests []string, numbers *big.Int) error {
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

// newOf returns the digests that are not known, and makes them known.
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
		before = new(big.Int) // an item that cannot be read is built anew
	}
	after := new(big.Int).Or(before, numbers)
	c.Versions = encodeBits(after)
	return err != nil || after.Cmp(before) != 0
}

// change changes an item of a digest, and writes it only if edit says that it changed.
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

// unchanged is the condition that an item has the revision that was read. An item that does not exist has none.
const unchanged = "attribute_not_exists(pk) OR revision = :revision"

func isChanged(err error) bool { return errors.Is(err, errChanged) }

// change is what replaces the version under a name: another one or, if number is below zero, none.
type change struct {
	version  images.Version
	manifest string
	number   int
}

// replace writes the version under a name, and gives its tag to its number instead of the number that had it before.
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

// write returns the write of the version with the key.
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

// rename adds the writes of the parts in which numbers get other names.
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

// readNames returns the names of all versions. It is not strongly consistent, because that costs twice as much.
func (s *Store) readNames(ctx context.Context, repository string) (names, error) {
	all := names{}
	pages := dynamodb.NewQueryPaginator(s.client, &dynamodb.QueryInput{
		TableName: &s.table, KeyConditionExpression: aws.String("pk = :pk AND begins_with(sk, :prefix)"),
		ExpressionAttributeValues: items.Map{":pk": items.Text(repositoryKey(repository)), ":prefix": items.Text(namesPrefix)},
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the names of versions: %w", err)
		}
		for _, item := range page.Items {
			found, err := items.Decode[part](item)
			if err != nil {
				return nil, err
			}
			var at int
			if _, err := fmt.Sscanf(strings.TrimPrefix(found.SK, namesPrefix), "%d", &at); err != nil {
				return nil, fmt.Errorf("read the names of versions: %w", err)
			}
			all[at] = found.versions()
		}
	}
	return all, nil
}

// part returns the names of a part, strongly consistent, or none if it does not exist.
func (s *Store) part(ctx context.Context, repository string, at int) (part, error) {
	found, _, err := items.Get[part](ctx, items.In(s.client, s.table), items.Key(repositoryKey(repository), partKey(at)))
	return found, err
}
