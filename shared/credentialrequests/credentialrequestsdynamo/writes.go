package credentialrequestsdynamo

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/audit"
	"portside/shared/core/versions"
	"portside/shared/credentialrequests"
	"portside/shared/credentials/credentialsdynamo"
	"portside/shared/dynamo/idempotencykeys"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
)

// plan is one transaction.
type plan struct {
	transactions.Plan
	store *Store
}

// Create implements credentialrequests.Store.
func (s *Store) Create(ctx context.Context, creation credentialrequests.Creation) (credentialrequests.Created, error) {
	request, p := creation.Request, &plan{store: s}
	item := newRequestItem(request)
	p.Add(credentialrequests.ErrCaller, s.credentials.Writes.StillWorks(creation.By)...)
	if creation.Once != nil {
		p.Add(idempotencykeys.ErrInUse, idempotencykeys.Put(s.table, *creation.Once, item, request.CreatedAt))
	}
	p.Add(credentialrequests.ErrOpen, s.open(request.UserID))
	quota, at := creation.Quota, request.CreatedAt
	p.Add(quota.Exceeded(at), s.credentials.Windows.Count(quota.Window(), 1, at)...)
	if creation.AtOnce {
		p.Add(versions.ErrStale, s.announce(creation.By.CustomerID, at, at.Add(-credentialrequests.DigestInterval)))
	}
	p.Add(nil, items.PutNew(s.table, items.Encode(item)))
	p.put(lists(request)...)
	p.schedule(credentialrequests.Request{}, request)
	p.Add(nil, s.credentials.Audit(ctx, auditChange(audit.RequestCreated, creation.By.CustomerID, credentialrequests.Request{}, request))...)
	if err := p.Write(ctx, s.client); !errors.Is(err, idempotencykeys.ErrInUse) {
		return credentialrequests.Created{Request: request}, err
	}
	made, err := idempotencykeys.Result[requestItem](ctx, items.In(s.client, s.table), *creation.Once, request.CreatedAt)
	return credentialrequests.Created{Request: made.request(), Replayed: true}, err
}

// open counts one more pending request of a user.
func (s *Store) open(userID string) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &s.table, Key: openKey(userID), UpdateExpression: aws.String("ADD n :one"),
		ConditionExpression:       aws.String("attribute_not_exists(n) OR n < :most"),
		ExpressionAttributeValues: items.Map{":one": items.Number(1), ":most": items.Number(credentialrequests.MaxOpen)},
	}}
}

// announce returns the write that stores when requests are announced. It fails if the last announcement was after the
// given time.
func (s *Store) announce(customerID string, at, last time.Time) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &s.table, Key: announcedKey(customerID), UpdateExpression: aws.String("SET #at = :at, purgeAt = :purge"),
		ConditionExpression:      aws.String("attribute_not_exists(pk) OR #at <= :last"),
		ExpressionAttributeNames: map[string]string{"#at": "at"},
		ExpressionAttributeValues: items.Map{
			":at": items.Number(items.Millis(at)), ":last": items.Number(items.Millis(last)),
			":purge": items.Number(at.Add(credentialrequests.DigestInterval).Unix()),
		},
	}}
}

// Change implements credentialrequests.Store. If it fails because of too many credentials, it
// recounts them without the expired ones and tries once more.
func (s *Store) Change(ctx context.Context, change credentialrequests.Change) error {
	if change.Issue == nil {
		return s.change(ctx, change)
	}
	issuing := credentialsdynamo.Issuing{Credential: *change.Issue, TooMany: credentialrequests.ErrTooMany}
	return s.credentials.WithRecount(ctx, issuing, func() error { return s.change(ctx, change) })
}

func (s *Store) change(ctx context.Context, change credentialrequests.Change) error {
	p := &plan{store: s}
	p.replace(change.Before, change.After)
	if change.Person != nil {
		p.Add(versions.ErrStale, s.people.Unchanged(change.Person.ID, change.Person.Version))
	}
	if change.By.ID != "" {
		p.Add(credentialrequests.ErrCaller, s.credentials.Writes.StillWorks(change.By)...)
	}
	if err := p.checkMakers(ctx, change); err != nil {
		return err
	}
	p.credentials(change)
	p.audit(ctx, change)
	return p.Write(ctx, s.client)
}

// checkMakers adds one check for each credential, because a transaction cannot have two operations on one item. A
// request and its decision have at most credentials.MaxMakers + 1 each. A link whose use issues a password must not
// have ended either with all of its customer.
func (p *plan) checkMakers(ctx context.Context, change credentialrequests.Change) error {
	if len(change.Makers) == 0 {
		return nil
	}
	var since credentialsdynamo.Since
	if link := change.End; link != nil && change.Issue != nil {
		since.Add(link.Owner.CustomerID, link.Generation)
	}
	table := p.store.credentials
	checks, work, err := table.HaveNotEnded(ctx, change.Makers, &since)
	if err == nil && !work {
		err = credentialrequests.ErrMaker
	}
	p.Add(credentialrequests.ErrMaker, append(checks, table.Writes.Checks(since)...)...)
	return err
}

// replace writes the request and everything derived from it.
func (p *plan) replace(before, after credentialrequests.Request) {
	after.Version = before.Version + 1
	p.Add(versions.ErrStale, types.TransactWriteItem{Put: &types.Put{
		TableName: &p.store.table, Item: items.Encode(newRequestItem(after)),
		ConditionExpression:       aws.String("version = :version"),
		ExpressionAttributeValues: items.Map{":version": items.Number(before.Version)},
	}})
	if before.Status != after.Status {
		p.remove(statusPlaces(before)...)
		p.put(statusPlaces(after)...)
	}
	if before.Status == credentialrequests.Pending && after.Status != credentialrequests.Pending {
		p.Add(nil, types.TransactWriteItem{Update: &types.Update{
			TableName: &p.store.table, Key: openKey(before.UserID), UpdateExpression: aws.String("ADD n :less"),
			ExpressionAttributeValues: items.Map{":less": items.Number(-1)},
		}})
	}
	p.schedule(before, after)
}

// schedule moves the next step to its new time.
func (p *plan) schedule(before, after credentialrequests.Request) {
	from, was := due(before)
	to, is := due(after)
	if was == is && from.SK == to.SK {
		return
	}
	if was {
		p.remove(from)
	}
	if is {
		p.put(to)
	}
}

// credentials issues and revokes credentials of the requester, with the necessary tally.
func (p *plan) credentials(change credentialrequests.Change) {
	table, tally := p.store.credentials, credentialsdynamo.Change{}
	if change.End != nil {
		tally.Revoke(*change.End, change.End.RevokedAt)
		p.Add(versions.ErrStale, table.Writes.Revoke(*change.End)...)
	}
	if change.Issue != nil {
		tally.Issued = 1
		p.Add(nil, table.Writes.Issue(*change.Issue)...)
	}
	if tally.Issued+tally.Revoked > 0 {
		p.Add(credentialrequests.ErrTooMany, table.Writes.Tally(change.Before.UserID, tally))
	}
}

func (p *plan) put(places ...place) {
	for _, at := range places {
		p.Add(nil, types.TransactWriteItem{Put: &types.Put{TableName: &p.store.table, Item: items.Encode(at)}})
	}
}

func (p *plan) remove(places ...place) {
	for _, at := range places {
		p.Add(nil, types.TransactWriteItem{Delete: &types.Delete{TableName: &p.store.table, Key: items.Key(at.PK, at.SK)}})
	}
}
