// Package searchindex keeps the terms by which a search finds resources in their DynamoDB table; see package search.
//
// A resource has one item for each of its terms. The items are written in the same transaction as the resource:
//
//	search#<first character>           <term> TAB <id>   shared: see termItem
//	search#<scope>#<first character>   <term> TAB <id>   the same, for a search among the resources of a scope, such as a customer
//
// The table holds the terms and not the resources, so a change of a role or a status writes nothing here, however long
// a name is.
package searchindex

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/paging"
	"portside/shared/core/search"
	"portside/shared/dynamo/items"
)

const (
	keyPrefix = "search#"
	separator = "\t" // in no term and in no ID
)

// A resource can match with several terms, of which all but one are skipped. So a search reads some more terms than it
// may return results. If it finds less than a page, it reads many more once: a long row of terms can belong to
// resources that earlier pages have returned.
const (
	readPerResult = 4
	readToSkip    = 2_000 // about 220 KB
)

// IsKey reports whether a partition key belongs to a term. The attribute "id" of a term names its resource.
func IsKey(pk string) bool { return strings.HasPrefix(pk, keyPrefix) }

// Index has the terms of one kind of resource in a table.
type Index struct {
	client *dynamodb.Client
	table  string
	scope  string
}

// New returns the index in a table.
func New(client *dynamodb.Client, table string) Index { return Index{client: client, table: table} }

// In returns the index that finds only the resources of a scope. An empty scope is that of all resources.
func (x Index) In(scope string) Index {
	x.scope = scope
	return x
}

// Entry is a resource with its search terms; see search.Terms.
type Entry struct {
	ID    string
	Scope string   // empty if the resource belongs to none
	Terms []string // distinct
}

// termItem is a term of a resource.
type termItem struct {
	PK string `dynamodbav:"pk"`
	SK string `dynamodbav:"sk"`
	ID string `dynamodbav:"id"`
	// Shared is the length in bytes of the longest beginning that this term has in common with a smaller term of the
	// resource. A search for a text that is not longer finds the resource by the smaller term, so it skips this one and
	// returns each resource once.
	Shared int `dynamodbav:"shared,omitempty"`
}

// Items returns the items of the entry.
func (e Entry) Items() []items.Map {
	var encoded []items.Map
	for _, item := range e.termItems() {
		encoded = append(encoded, items.Encode(item))
	}
	return encoded
}

func (e Entry) termItems() []termItem {
	terms := slices.Sorted(slices.Values(e.Terms))
	stored := make([]termItem, len(terms))
	for i, term := range terms {
		shared := 0
		if i > 0 { // of all smaller terms, the next smaller one has the longest beginning in common
			shared = commonLength(terms[i-1], term)
		}
		stored[i] = termItem{PK: partition("", term), SK: term + separator + e.ID, ID: e.ID, Shared: shared}
	}
	return slices.Concat(stored, inScope(e.Scope, stored))
}

// inScope returns copies of the items for searches in the scope, unless it is empty.
func inScope(scope string, stored []termItem) []termItem {
	if scope == "" {
		return nil
	}
	copies := slices.Clone(stored)
	for i, item := range copies {
		copies[i].PK = partition(scope, item.SK)
	}
	return copies
}

// partition returns the partition key of the terms of a scope with the same first character.
func partition(scope, term string) string {
	_, size := utf8.DecodeRuneInString(term)
	if scope != "" {
		scope += "#"
	}
	return keyPrefix + scope + term[:size]
}

func commonLength(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// Changes returns the writes that replace the items of a resource. The entry of a resource that does not exist has no
// terms. The writes have no conditions, because the transaction depends on the version of the resource.
func (x Index) Changes(before, after Entry) []types.TransactWriteItem {
	old, current := before.termItems(), after.termItems()
	var writes []types.TransactWriteItem
	for _, item := range current {
		if !slices.Contains(old, item) {
			writes = append(writes, types.TransactWriteItem{Put: &types.Put{TableName: &x.table, Item: items.Encode(item)}})
		}
	}
	for _, item := range old {
		isKept := func(other termItem) bool { return other.PK == item.PK && other.SK == item.SK }
		if !slices.ContainsFunc(current, isKept) {
			key := items.Key(item.PK, item.SK)
			writes = append(writes, types.TransactWriteItem{Delete: &types.Delete{TableName: &x.table, Key: key}})
		}
	}
	return writes
}

// Page is a page of results, in the order of the terms that were found.
type Page struct {
	IDs  []string
	Next paging.Position // empty on the last page; a page with few results may have a next page
}

// Find returns a page of the resources with a term that begins with the text of the query. It makes one strongly
// consistent call, or two if the first finds less than a page, whatever the number of resources. Errors: search.ErrText
// and paging.ErrCursor.
//
// The position of a result is the sort key of the last term that was read.
func (x Index) Find(ctx context.Context, query search.Query) (Page, error) {
	text := search.Normal(query.Text)
	if text == "" {
		return Page{}, search.ErrText
	}
	scan := scan{index: x, text: text, last: string(query.After)}
	if query.After != "" && !isPosition(scan.last, text) {
		return Page{}, paging.ErrCursor
	}
	err := scan.read(ctx, query.Limit, query.Limit*readPerResult)
	if err == nil && len(scan.ids) < query.Limit && scan.hasMore {
		err = scan.read(ctx, query.Limit, readToSkip)
	}
	page := Page{IDs: scan.ids}
	if scan.hasMore {
		page.Next = paging.Position(scan.last)
	}
	return page, err
}

// scan is a search that reads terms in their order.
type scan struct {
	index   Index
	text    string // normal
	last    string // the sort key of the last term that was read; empty at the beginning
	ids     []string
	hasMore bool
}

// read reads up to n terms, until there are limit results. It skips a term of a resource that a smaller term has found,
// on this or an earlier page.
func (s *scan) read(ctx context.Context, limit, n int) error {
	input := &dynamodb.QueryInput{
		TableName: &s.index.table, ConsistentRead: aws.Bool(true),
		Limit:                  aws.Int32(int32(n)), //nolint:gosec // some thousands at most
		KeyConditionExpression: aws.String("pk = :partition AND begins_with(sk, :text)"),
		ExpressionAttributeValues: items.Map{":partition": items.Text(partition(s.index.scope, s.text)),
			":text": items.Text(s.text)},
	}
	if s.last != "" {
		input.ExclusiveStartKey = items.Key(partition(s.index.scope, s.text), s.last)
	}
	out, err := s.index.client.Query(ctx, input)
	if err != nil {
		return fmt.Errorf("search %s: %w", s.index.table, err)
	}
	for _, stored := range out.Items {
		if len(s.ids) == limit {
			s.hasMore = true
			return nil
		}
		item, err := items.Decode[termItem](stored)
		if err != nil {
			return err
		}
		if s.last = item.SK; item.Shared < len(s.text) {
			s.ids = append(s.ids, item.ID)
		}
	}
	s.hasMore = out.LastEvaluatedKey != nil
	return nil
}

// isPosition reports whether a text is a possible sort key of a term that begins with the searched text.
func isPosition(key, text string) bool {
	return len(key) <= maxKey && utf8.ValidString(key) && strings.HasPrefix(key, text) && strings.Contains(key, separator)
}

// maxKey is more than the length of any sort key in bytes: a term, a separator and an ID.
const maxKey = 400
