// Package searchindex keeps the terms by which a search finds resources in their DynamoDB table; see package search.
//
// A resource has one item for each of its terms. The items are written in the same transaction as the resource:
//
//	search#<first character>   <term> TAB <id>   shared: see termItem
//
// The table holds the terms and not the resources, so a change of a role or a status writes nothing here, however long a name is.
package searchindex

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/search"
	"portside/shared/dynamo/items"
)

const (
	keyPrefix = "search#"
	separator = "\t" // in no term and in no ID
)

// readPerResult is how many items a search reads for each result that it may return: a resource can match with several terms.
const readPerResult = 4

// IsKey reports whether a partition key belongs to a term. The attribute "id" of a term names its resource.
func IsKey(pk string) bool { return strings.HasPrefix(pk, keyPrefix) }

// Index has the terms of one kind of resource in a table.
type Index struct {
	client *dynamodb.Client
	table  string
}

// New returns the index in a table.
func New(client *dynamodb.Client, table string) Index { return Index{client, table} }

// Entry is a resource with its terms; see search.Terms.
type Entry struct {
	ID    string
	Terms []string // distinct
}

// termItem is a term of a resource.
type termItem struct {
	PK string `dynamodbav:"pk"`
	SK string `dynamodbav:"sk"`
	ID string `dynamodbav:"id"`
	// Shared is the length in bytes of the longest beginning that this term has in common with a smaller term of the resource. A search for
	// a text that is not longer finds the resource by the smaller term, so it skips this one and returns each resource once.
	Shared int `dynamodbav:"shared,omitempty"`
}

// Items returns the items of the entry.
func (e Entry) Items() []items.Map {
	terms := slices.Sorted(slices.Values(e.Terms))
	stored := make([]items.Map, len(terms))
	for i, term := range terms {
		shared := 0
		if i > 0 { // of all smaller terms, the next smaller one has the longest beginning in common
			shared = commonLength(terms[i-1], term)
		}
		stored[i] = items.Encode(termItem{PK: partition(term), SK: term + separator + e.ID, ID: e.ID, Shared: shared})
	}
	return stored
}

// partition returns the partition key of the terms with the same first character.
func partition(term string) string {
	_, size := utf8.DecodeRuneInString(term)
	return keyPrefix + term[:size]
}

func commonLength(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// Changes returns the writes that replace the items of a resource. The entry of a resource that does not exist has no terms. The writes
// have no conditions, because the transaction depends on the version of the resource.
func (x Index) Changes(before, after Entry) []types.TransactWriteItem {
	old, current := before.Items(), after.Items()
	var writes []types.TransactWriteItem
	for _, item := range current {
		if !slices.ContainsFunc(old, func(o items.Map) bool { return isSame(o, item) }) {
			writes = append(writes, types.TransactWriteItem{Put: &types.Put{TableName: &x.table, Item: item}})
		}
	}
	for _, item := range old {
		if !slices.ContainsFunc(current, func(c items.Map) bool { return hasSameKey(c, item) }) {
			key := items.Map{"pk": item["pk"], "sk": item["sk"]}
			writes = append(writes, types.TransactWriteItem{Delete: &types.Delete{TableName: &x.table, Key: key}})
		}
	}
	return writes
}

func isSame(a, b items.Map) bool {
	return hasSameKey(a, b) && number(a["shared"]) == number(b["shared"])
}

func hasSameKey(a, b items.Map) bool {
	return text(a["pk"]) == text(b["pk"]) && text(a["sk"]) == text(b["sk"])
}

// text returns the value of an attribute that a termItem has as a text.
func text(value types.AttributeValue) string {
	member, _ := value.(*types.AttributeValueMemberS)
	if member == nil {
		return ""
	}
	return member.Value
}

// number returns the digits of an attribute that a termItem has as a number.
func number(value types.AttributeValue) string {
	member, _ := value.(*types.AttributeValueMemberN)
	if member == nil {
		return ""
	}
	return member.Value
}

// Page is a page of results, in the order of the terms that were found.
type Page struct {
	IDs  []string
	Next string // empty on the last page; a page with fewer results than its limit need not be the last one
}

// Find returns a page of the resources with a term that begins with the text of the query. It makes one strongly consistent call,
// whatever the number of resources. Errors: search.ErrText and search.ErrCursor.
func (x Index) Find(ctx context.Context, query search.Query) (Page, error) {
	beginning := search.Normal(query.Text)
	if beginning == "" {
		return Page{}, search.ErrText
	}
	input := &dynamodb.QueryInput{
		TableName: &x.table, ConsistentRead: aws.Bool(true),
		Limit:                     aws.Int32(int32(query.Limit * readPerResult)), //nolint:gosec // a page is small
		KeyConditionExpression:    aws.String("pk = :partition AND begins_with(sk, :beginning)"),
		ExpressionAttributeValues: items.Map{":partition": items.Text(partition(beginning)), ":beginning": items.Text(beginning)},
	}
	if query.After != "" {
		last, err := decodeCursor(query.After, beginning)
		if err != nil {
			return Page{}, err
		}
		input.ExclusiveStartKey = items.Key(partition(beginning), last)
	}
	out, err := x.client.Query(ctx, input)
	if err != nil {
		return Page{}, fmt.Errorf("search %s: %w", x.table, err)
	}
	return newPage(out, len(beginning), query.Limit)
}

// newPage takes the first results up to the limit. It skips items of resources that a smaller term has found, on this or an earlier page.
func newPage(out *dynamodb.QueryOutput, length, limit int) (Page, error) {
	page := Page{IDs: make([]string, 0, limit)}
	var last string
	for _, stored := range out.Items {
		if len(page.IDs) == limit {
			page.Next = encodeCursor(last)
			return page, nil
		}
		item, err := items.Decode[termItem](stored)
		if err != nil {
			return Page{}, err
		}
		if last = item.SK; item.Shared < length {
			page.IDs = append(page.IDs, item.ID)
		}
	}
	if out.LastEvaluatedKey != nil {
		page.Next = encodeCursor(last)
	}
	return page, nil
}

// encodeCursor hides the sort key, which has a tab.
func encodeCursor(sk string) string { return base64.RawURLEncoding.EncodeToString([]byte(sk)) }

// decodeCursor returns the sort key of a cursor. It refuses one of a search for another text.
func decodeCursor(cursor, beginning string) (string, error) {
	sk, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil || len(sk) > maxCursor || !strings.HasPrefix(string(sk), beginning) || !strings.Contains(string(sk), separator) {
		return "", search.ErrCursor
	}
	return string(sk), nil
}

// maxCursor is more than a sort key has: a term, the separator and an ID.
const maxCursor = 256
