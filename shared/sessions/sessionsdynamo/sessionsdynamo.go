// Package sessionsdynamo keeps sign-in requests and sessions in the credentials table.
//
// The items, beside those of credentialsdynamo, with the keys pk and sk:
//
//	sign-in#<id>         request   a sign-in request; deleted when it is used
//	sign-ins-unsent      <id>      its mail was not sent yet, and when it is due
//	known-browser#<id>   browser   a browser in which a user has signed in
//
// Sessions are credentials (see credentialsdynamo). All items here have a purgeAt shortly after their end.
package sessionsdynamo

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/audit"
	"portside/shared/core/throttle"
	"portside/shared/core/versions"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
	"portside/shared/sessions"
)

// People is the part of the store of users that takes part in transactions.
type People interface {
	// SignedIn returns the write that records the time of a sign-in on an active user with this version.
	SignedIn(userID string, version int64, at time.Time) types.TransactWriteItem
}

// Store keeps sign-in requests and sessions.
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

var (
	_ sessions.RequestStore = (*Store)(nil)
	_ sessions.Outbox       = (*Store)(nil)
	_ sessions.SessionStore = (*Store)(nil)
)

// requestItem is the stored form of a sign-in request. Times are Unix milliseconds.
type requestItem struct {
	PK       string `dynamodbav:"pk"`
	SK       string `dynamodbav:"sk"`
	ID       string `dynamodbav:"id"`
	Browser  []byte `dynamodbav:"browser,omitempty"`
	Email    string `dynamodbav:"email"`
	User     string `dynamodbav:"user,omitempty"`
	Link     []byte `dynamodbav:"link,omitempty"`
	Code     []byte `dynamodbav:"code,omitempty"`
	Salt     []byte `dynamodbav:"salt"`
	Tries    int    `dynamodbav:"tries"`
	Attempts int    `dynamodbav:"attempts"`
	Base     string `dynamodbav:"base,omitempty"`
	Known    string `dynamodbav:"known,omitempty"`
	Expires  int64  `dynamodbav:"expires"`
	PurgeAt  int64  `dynamodbav:"purgeAt"`
}

func newRequestItem(r sessions.Request) requestItem {
	key := requestPK(r.ID)
	return requestItem{
		PK: key, SK: "request", ID: r.ID, Browser: r.BrowserHash, Email: r.Email, User: r.UserID, Link: r.LinkHash,
		Code: r.CodeHash, Salt: r.CodeSalt, Tries: r.Tries, Attempts: r.Attempts, Base: r.BaseURL, Known: r.Known,
		Expires: items.Millis(r.ExpiresAt), PurgeAt: purgeAt(r.ExpiresAt),
	}
}

func (i requestItem) request() sessions.Request {
	return sessions.Request{
		ID: i.ID, BrowserHash: i.Browser, Email: i.Email, UserID: i.User, LinkHash: i.Link, CodeHash: i.Code,
		CodeSalt: i.Salt,
		Tries:    i.Tries, Attempts: i.Attempts, BaseURL: i.Base, Known: i.Known, ExpiresAt: items.Time(i.Expires),
	}
}

// unsentItem is a mail that was not sent yet.
type unsentItem struct {
	PK      string `dynamodbav:"pk"`
	SK      string `dynamodbav:"sk"`
	Due     int64  `dynamodbav:"due"`
	PurgeAt int64  `dynamodbav:"purgeAt"`
}

func newUnsentItem(r sessions.Request, due time.Time) unsentItem {
	return unsentItem{PK: unsentPK, SK: r.ID, Due: items.Millis(due), PurgeAt: purgeAt(r.ExpiresAt)}
}

// purgeAt is one day after the end, so that recently expired requests can still be recognized.
func purgeAt(end time.Time) int64 { return end.Add(24 * time.Hour).Unix() }

const unsentPK = "sign-ins-unsent"

func requestPK(id string) string     { return "sign-in#" + id }
func requestKey(id string) items.Map { return items.Key(requestPK(id), "request") }
func unsentKey(id string) items.Map  { return items.Key(unsentPK, id) }

// Count implements sessions.RequestStore with one conditional write.
func (s *Store) Count(ctx context.Context, counter sessions.Counter, at time.Time) (bool, error) {
	return s.credentials.Windows.CountOne(ctx, throttle.Window{
		Name: counter.Name, Subject: counter.Subject, Length: counter.Window, Limit: counter.Limit,
	}, at)
}

// Add implements sessions.RequestStore.
func (s *Store) Add(ctx context.Context, request sessions.Request, due time.Time) error {
	var plan transactions.Plan
	plan.Add(nil, s.put(newRequestItem(request)))
	if !due.IsZero() {
		plan.Add(nil, s.put(newUnsentItem(request, due)))
	}
	if isOperators := request.BrowserHash == nil; isOperators {
		target := audit.Target{Kind: audit.User, ID: request.UserID, Name: request.Email}
		plan.Add(nil, s.credentials.Audit(ctx, audit.Change{Action: audit.UserSignInLink, Target: target})...)
	}
	return plan.Write(ctx, s.client)
}

func (s *Store) put(shape any) types.TransactWriteItem {
	return items.PutNew(s.table, items.Encode(shape))
}

// Get implements sessions.RequestStore.
func (s *Store) Get(ctx context.Context, id string) (sessions.Request, error) {
	stored, found, err := items.Get[requestItem](ctx, items.In(s.client, s.table), requestKey(id))
	if err == nil && !found {
		return sessions.Request{}, sessions.ErrUnknown
	}
	return stored.request(), err
}

// CountTry implements sessions.RequestStore with one conditional write.
func (s *Store) CountTry(ctx context.Context, id string) (sessions.Request, error) {
	out, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.table, Key: requestKey(id), ReturnValues: types.ReturnValueAllNew,
		UpdateExpression: aws.String("ADD tries :one"), ConditionExpression: aws.String("tries < :most"),
		ExpressionAttributeValues: items.Map{":one": items.Number(1), ":most": items.Number(sessions.MaxTries)},
	}, items.RetryConflicts)
	if items.ConditionFailed(err) {
		return sessions.Request{}, sessions.ErrUnknown
	}
	if err != nil {
		return sessions.Request{}, fmt.Errorf("count a try of a code: %w", err)
	}
	stored, err := items.Decode[requestItem](out.Attributes)
	return stored.request(), err
}

// Due implements sessions.Outbox. It reads pages until it has limit due mails.
func (s *Store) Due(ctx context.Context, at time.Time, limit int) ([]sessions.Request, error) {
	pages := dynamodb.NewQueryPaginator(s.client, &dynamodb.QueryInput{
		TableName: &s.table, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :unsent"), FilterExpression: aws.String("due <= :at"),
		ExpressionAttributeValues: items.Map{":unsent": items.Text(unsentPK), ":at": items.Number(at.UnixMilli())},
	})
	var keys []items.Map
	for pages.HasMorePages() && len(keys) < limit {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the unsent sign-in mails: %w", err)
		}
		for _, item := range page.Items[:min(len(page.Items), limit-len(keys))] {
			unsent, err := items.Decode[unsentItem](item)
			if err != nil {
				return nil, err
			}
			keys = append(keys, requestKey(unsent.SK))
		}
	}
	var due []sessions.Request
	err := items.GetAll(ctx, items.In(s.client, s.table), keys, func(item items.Map) error {
		stored, err := items.Decode[requestItem](item)
		due = append(due, stored.request())
		return err
	})
	return due, err
}

// Renew implements sessions.Outbox.
func (s *Store) Renew(ctx context.Context, before, after sessions.Request, due time.Time) error {
	var plan transactions.Plan
	plan.Add(versions.ErrStale, types.TransactWriteItem{Update: &types.Update{
		TableName: &s.table, Key: requestKey(before.ID),
		UpdateExpression:    aws.String("SET #link = :link, code = :code, attempts = :after"),
		ConditionExpression: aws.String("attempts = :before"), ExpressionAttributeNames: map[string]string{"#link": "link"},
		ExpressionAttributeValues: items.Map{
			":link": items.Bytes(after.LinkHash), ":code": items.Bytes(after.CodeHash),
			":before": items.Number(int64(before.Attempts)), ":after": items.Number(int64(after.Attempts)),
		},
	}})
	plan.Add(nil, types.TransactWriteItem{Put: &types.Put{TableName: &s.table,
		Item: items.Encode(newUnsentItem(after, due))}})
	return plan.Write(ctx, s.client)
}

// MarkSent implements sessions.Outbox.
func (s *Store) MarkSent(ctx context.Context, request sessions.Request) error {
	_, err := s.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &s.table, Key: unsentKey(request.ID), ConditionExpression: aws.String("attribute_exists(pk)"),
	}, items.RetryConflicts)
	if err != nil && !items.ConditionFailed(err) { // an earlier attempt has marked it
		return fmt.Errorf("mark a sign-in mail as sent: %w", err)
	}
	return nil
}
