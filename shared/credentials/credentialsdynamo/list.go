package credentialsdynamo

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/entitlement"
	"portside/shared/credentials"
	"portside/shared/dynamo/entitlementlists"
	"portside/shared/dynamo/items"
)

// newListing returns the item that lists a credential under its owner. It omits the owner's role and status and the
// rate limit, which change only on the record. The customer of a credential that can end with all of the customer does
// not change.
func newListing(c credentials.Credential) record {
	r := newRecord(c)
	r.PK, r.SK = ownerPK(c.Owner.ID), listingSK(c.Kind, c.ID)
	r.Hash, r.Role, r.Active, r.Limit = nil, "", false, 0
	return r
}

// tallySK is the sort key of the tally, which precedes the listings.
const tallySK = "credentials"

func listingSK(kind credentials.Kind, id string) string {
	return tallySK + "#" + string(kind) + "#" + id
}

func listingKey(c credentials.Credential) items.Map {
	return items.Key(ownerPK(c.Owner.ID), listingSK(c.Kind, c.ID))
}

// StaysListed reports whether credentials of a kind are listed after they were revoked.
func StaysListed(kind credentials.Kind) bool {
	return kind == credentials.AccessToken || kind == credentials.Password
}

// List returns the credentials of the given kinds that an owner has, and the tokens and passwords that the owner had
// within credentials.Retention, in no particular order. Some may be older, since DynamoDB's TTL takes days; see
// credentials.Credential.IsRetained. Reads are strongly consistent. The credentials have no hash, role, rate limit and
// last use, and the customer of their creation. A session has its creation as its last use.
func (t *Table) List(ctx context.Context, ownerID string, kinds ...credentials.Kind) ([]credentials.Credential, error) {
	all, _, err := t.list(ctx, ownerID, kinds)
	return all, err
}

// ListWithUses is List with the last uses, which are eventually consistent.
func (t *Table) ListWithUses(ctx context.Context, ownerID string, kinds ...credentials.Kind) ([]credentials.Credential, error) {
	all, _, err := t.ListIssued(ctx, ownerID, kinds...)
	return all, err
}

// ListIssued is ListWithUses, and returns how many credentials of all kinds were ever issued. A transaction that is
// conditional on this number sees all credentials.
func (t *Table) ListIssued(ctx context.Context, ownerID string, kinds ...credentials.Kind) (
	all []credentials.Credential, issued int64, err error,
) {
	var uses map[string]time.Time
	var usesErr error
	var reads sync.WaitGroup
	reads.Go(func() { uses, usesErr = t.lastUses(ctx, ownerID, kinds) })
	all, issued, err = t.list(ctx, ownerID, kinds)
	reads.Wait()
	for i, c := range all {
		all[i] = withUse(c, uses[c.ID])
	}
	return all, issued, cmp.Or(err, usesErr)
}

// list is listStored with the end of all credentials of a customer.
func (t *Table) list(ctx context.Context, ownerID string, kinds []credentials.Kind) ([]credentials.Credential, int64, error) {
	found, issued, err := t.listStored(ctx, ownerID, kinds)
	return found, issued, cmp.Or(err, t.withEnds(ctx, found))
}

// listStored reads the tally and the listings in one Query. The tally comes first in the order of keys, so a
// transaction that is conditional on the number of issued credentials sees all of them.
func (t *Table) listStored(ctx context.Context, ownerID string, kinds []credentials.Kind) ([]credentials.Credential, int64, error) {
	pages := dynamodb.NewQueryPaginator(t.client, &dynamodb.QueryInput{
		TableName: &t.name, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :owner AND sk BETWEEN :tally AND :end"),
		ExpressionAttributeValues: items.Map{
			":owner": items.Text(ownerPK(ownerID)), ":tally": items.Text(tallySK), ":end": items.Text(endOf(kinds)),
		},
	})
	var owned tally
	var found []credentials.Credential
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, 0, fmt.Errorf("list the credentials of %s: %w", ownerID, err)
		}
		for _, item := range page.Items {
			if isTally(item) {
				owned, err = items.Decode[tally](item)
			} else {
				found, err = appendListed(found, item, kinds)
			}
			if err != nil {
				return nil, 0, err
			}
		}
	}
	for i, c := range found {
		found[i] = owned.applied(c)
	}
	return found, owned.Issued, nil
}

// endOf returns a sort key after the listings of the given kinds, or of all kinds if none is given.
func endOf(kinds []credentials.Kind) string {
	if len(kinds) == 0 {
		return tallySK + "$" // after "#"
	}
	return tallySK + "#" + string(slices.Max(kinds)) + "$"
}

func isTally(item items.Map) bool {
	sk, isText := item["sk"].(*types.AttributeValueMemberS)
	return isText && sk.Value == tallySK
}

// appendListed appends the credential of a listing if it is of one of the kinds.
func appendListed(found []credentials.Credential, item items.Map, kinds []credentials.Kind) ([]credentials.Credential, error) {
	r, err := items.Decode[record](item)
	if err != nil || len(kinds) > 0 && !slices.Contains(kinds, r.Kind) {
		return found, err
	}
	return append(found, r.credential()), nil
}

// applied returns a listed credential with the owner's status. It is revoked if the owner was deleted before it ended.
func (o tally) applied(c credentials.Credential) credentials.Credential {
	c.Owner.Active = !o.Inactive
	if ended := items.Time(o.Ended); !ended.IsZero() && c.IsOpen(ended) {
		c.RevokedAt, c.Reason = ended, o.Reason
	}
	return c
}

// Open are an owner's credentials of all kinds whose records are neither revoked nor expired. They include sessions
// that ended because they were not used, so that a change of all credentials does not depend on request counts.
type Open struct {
	Live   []credentials.Credential
	Ended  []credentials.Credential // with all credentials of the customer, so they are revoked here; the tally may have left them out
	Issued int64                    // how many were ever issued
}

// ListOpen returns the open credentials of an owner, strongly consistent. A change that revokes all of them also
// revokes those in Ended, so that their records are deleted some day.
func (t *Table) ListOpen(ctx context.Context, ownerID string, at time.Time) (Open, error) {
	all, issued, err := t.listStored(ctx, ownerID, nil)
	all = slices.DeleteFunc(all, func(c credentials.Credential) bool { return !c.IsOpen(at) })
	err = cmp.Or(err, t.withEnds(ctx, all))
	open := Open{Issued: issued}
	for _, c := range all {
		if c.RevokedAt.IsZero() {
			open.Live = append(open.Live, c)
		} else {
			open.Ended = append(open.Ended, c)
		}
	}
	return open, err
}

// Entitled implements credentials.Lister.
func (t *Table) Entitled(ctx context.Context, customerID string) (entitlement.Set, error) {
	stored, err := entitlementlists.GetOrEmpty(ctx, t.items(), customerID)
	return stored.All, err
}
