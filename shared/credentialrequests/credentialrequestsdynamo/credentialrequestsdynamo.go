// Package credentialrequestsdynamo keeps credential requests in the credentials table.
//
// The items, beside those of credentialsdynamo, with the keys pk and sk:
//
//	request#<id>              request       the request with its events
//	requests                  <id>          lists it among all requests
//	requests#<status>         <id>          lists it among those of its status
//	requests#<user>           <id>          lists it among the user's
//	requests#<user>#<status>  <id>          lists it among the user's of its status
//	requests#<user>           open          n, the number of the user's pending requests
//	requests-due              <ms>#<id>     its next step, by the time when it is due
//	requests-announced        <customer>    at, when approvers were last mailed about requests of its users; "staff" for those of the staff
//	once#<caller>#<hash>      once          an idempotency key and the request that it created; see package idempotencykeys
//
// Each change is one transaction. It is conditional on the version of the request, which also
// guards everything derived from it: its list items, the number of pending requests, the next step.
// Ids are UUIDv7, so they are in the order of creation. The list items contain only ids, and a page
// reads the requests afterwards; a request that changes between the two reads is left out if it no
// longer matches. Requests are kept forever, as the record of all granted access.
package credentialrequestsdynamo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/credentialrequests"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/items"
)

// People is the part of the store of users that takes part in transactions.
type People interface {
	// Unchanged returns the check that a user still has this version.
	Unchanged(userID string, version int64) types.TransactWriteItem
}

// Store keeps credential requests.
type Store struct {
	client      *dynamodb.Client
	table       string
	credentials *credentialsdynamo.Table
	people      People
}

// New returns a Store in the table of the credentials.
func New(client *dynamodb.Client, table *credentialsdynamo.Table, people People) *Store {
	return &Store{client: client, table: table.Name(), credentials: table, people: people}
}

var _ credentialrequests.Store = (*Store)(nil)

// Get implements credentialrequests.Store.
func (s *Store) Get(ctx context.Context, id string) (credentialrequests.Request, error) {
	stored, found, err := items.Get[requestItem](ctx, items.In(s.client, s.table), requestKey(id))
	if err == nil && !found {
		return credentialrequests.Request{}, credentialrequests.ErrNotFound
	}
	return stored.request(), err
}

// List implements credentialrequests.Store with one Query and one read of the page's requests.
func (s *Store) List(ctx context.Context, query credentialrequests.Query) (credentialrequests.Page, error) {
	ids, err := s.query(ctx, s.listInput(query))
	if err != nil {
		return credentialrequests.Page{}, fmt.Errorf("list credential requests: %w", err)
	}
	page := credentialrequests.Page{}
	if len(ids) > query.Limit {
		ids = ids[:query.Limit]
		page.Next = ids[query.Limit-1]
	}
	page.Requests, err = s.read(ctx, ids)
	page.Requests = slices.DeleteFunc(page.Requests, func(r credentialrequests.Request) bool {
		return query.Status != "" && r.Status != query.Status
	})
	slices.SortFunc(page.Requests, func(a, b credentialrequests.Request) int { return strings.Compare(b.ID, a.ID) })
	if query.OldestFirst {
		slices.Reverse(page.Requests)
	}
	return page, err
}

// listInput returns the query for the ids of one page and of one more request.
func (s *Store) listInput(query credentialrequests.Query) *dynamodb.QueryInput {
	condition, bounds := "sk < :to", items.Map{":to": items.Text(cmp.Or(query.Before, afterAllIDs))}
	if query.OldestFirst {
		condition = "sk BETWEEN :from AND :to"
		bounds = items.Map{":from": items.Text(query.After + "!"), ":to": items.Text(afterAllIDs)} // not the request of After itself
	}
	bounds[":list"] = items.Text(listPK(query.UserID, query.Status))
	return &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: aws.Bool(true), ScanIndexForward: &query.OldestFirst,
		Limit:                     aws.Int32(int32(query.Limit + 1)), //nolint:gosec // at most 101
		KeyConditionExpression:    aws.String("pk = :list AND " + condition),
		ExpressionAttributeValues: bounds,
	}
}

// afterAllIDs is a key after those of all requests, whose ids are hexadecimal, and before the key of the
// number of pending requests.
const afterAllIDs = "g"

// Due implements credentialrequests.Store.
func (s *Store) Due(ctx context.Context, at time.Time, limit int) ([]credentialrequests.Request, error) {
	keys, err := s.query(ctx, &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: aws.Bool(true), Limit: aws.Int32(int32(limit)), //nolint:gosec // a small number
		KeyConditionExpression: aws.String("pk = :due AND sk < :end"),
		ExpressionAttributeValues: items.Map{
			":due": items.Text(duePK), ":end": items.Text(dueSK(at.Add(time.Millisecond), "")),
		},
	})
	if err != nil {
		return nil, fmt.Errorf("read the credential requests that are due: %w", err)
	}
	ids := make([]string, len(keys))
	for i, key := range keys {
		_, ids[i], _ = strings.Cut(key, "#")
	}
	found, err := s.read(ctx, ids)
	slices.SortFunc(found, func(a, b credentialrequests.Request) int { return a.Next.Due.Compare(b.Next.Due) })
	return found, err
}

// Announced implements credentialrequests.Store.
func (s *Store) Announced(ctx context.Context, customerID string) (time.Time, error) {
	stored, _, err := items.Get[announcedItem](ctx, items.In(s.client, s.table), announcedKey(customerID))
	return items.Time(stored.At), err
}

// Announce implements credentialrequests.Store.
func (s *Store) Announce(ctx context.Context, customerID string, at time.Time) error {
	write := s.announce(customerID, at, at).Update
	_, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: write.TableName, Key: write.Key, UpdateExpression: write.UpdateExpression,
		ConditionExpression:      write.ConditionExpression,
		ExpressionAttributeNames: write.ExpressionAttributeNames, ExpressionAttributeValues: write.ExpressionAttributeValues,
	}, items.RetryConflicts)
	if err != nil && !items.ConditionFailed(err) { // it began later already
		return fmt.Errorf("store that credential requests are announced: %w", err)
	}
	return nil
}

// query returns the sort keys of one page.
func (s *Store) query(ctx context.Context, input *dynamodb.QueryInput) ([]string, error) {
	out, err := s.client.Query(ctx, input)
	if err != nil {
		return nil, err
	}
	keys := make([]string, 0, len(out.Items))
	for _, item := range out.Items {
		key, isText := item["sk"].(*types.AttributeValueMemberS)
		if !isText {
			return nil, errors.New("credentialrequestsdynamo: an item has no sort key")
		}
		keys = append(keys, key.Value)
	}
	return keys, nil
}

func (s *Store) read(ctx context.Context, ids []string) ([]credentialrequests.Request, error) {
	keys := make([]items.Map, len(ids))
	for i, id := range ids {
		keys[i] = requestKey(id)
	}
	found := make([]credentialrequests.Request, 0, len(ids))
	err := items.GetAll(ctx, items.In(s.client, s.table), keys, func(item items.Map) error {
		stored, err := items.Decode[requestItem](item)
		found = append(found, stored.request())
		return err
	})
	return found, err
}
