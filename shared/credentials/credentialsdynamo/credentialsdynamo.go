// Package credentialsdynamo keeps credentials in a DynamoDB table.
//
// Each credential has two items, which are written together: the record (pk "credential#<id>"),
// which authentication reads by one key, and the listing (pk "owner#<user>", sk
// "credentials#<kind>#<id>"), a copy without the hash, so that one strongly consistent Query lists a
// user's credentials. Tokens and passwords have a third item (pk "expires#<day>", sk "<id>") for
// expiry notices; see Expiring. The record carries the owner's role and status, so authentication
// reads nothing else.
//
// Before the listings is the owner's tally (sk "credentials"): how many credentials were ever issued,
// and about how many are live. A transaction that changes all credentials of an owner is conditional
// on the first number, so that none is issued meanwhile; see Tally. Such a transaction changes only
// the records, because DynamoDB allows 100 items in one. The tally has the owner's status and the end
// of a deleted owner's credentials, which lists apply to the listings.
//
// Only a token or password is still listed after it was revoked.
//
// Stores of other domains put these writes into their own transactions with Writes.
//
// A credential that was made with credentials of other users, see credentials.Credential.Makers, also has an item for
// each of these (pk "made#<id of the maker's credential>", sk "<id>"), so that Made finds it. Those of its owner find
// it in the owner's listings.
//
// A token that was exchanged has only the record, because its owner is a trust policy; see Writes.IssueExchanged.
//
// The mails to owners that were not sent yet have the pk "notices"; see Notices.
//
// A second table counts requests; see Requests.CountRequest.
//
// The table of credentials also keeps items that other packages define: what authentication must know of a customer
// (customerstates, entitlementlists, trustlists), passkeys (passkeysets) and counts of events (windowcounts). The state
// of a customer can end all credentials of the customer's users; see ended.go.
package credentialsdynamo

import (
	"context"
	"errors"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/idempotency"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/dynamo/auditlog"
	"portside/shared/dynamo/customerstates"
	"portside/shared/dynamo/idempotencykeys"
	"portside/shared/dynamo/items"
	"portside/shared/dynamo/transactions"
	"portside/shared/dynamo/windowcounts"
)

// Table is the table of credentials, together with the table of request counts. Its fields are what else the two tables
// keep.
type Table struct {
	client *dynamodb.Client
	name   string
	counts string
	log    auditlog.Log

	Writes    Writes
	Requests  *Requests
	Notices   *Notices
	Customers customerstates.Table
	Windows   windowcounts.Table
}

// New returns a Table with the given name. counts is the name of the table of request counts, which may be empty for
// callers that neither authenticate nor issue sessions nor need last uses.
func New(client *dynamodb.Client, name, counts string) *Table {
	t := &Table{
		client: client, name: name, counts: counts, Writes: Writes{table: name, counts: counts},
		Customers: customerstates.New(client, name),
		Windows:   windowcounts.New(client, name),
	}
	t.Requests = &Requests{table: t, counter: windowcounts.NewCounter(client, counts), entitled: newEntitledCache(t.items())}
	t.Notices = &Notices{table: t}
	return t
}

func (t *Table) items() items.Table { return items.In(t.client, t.name) }

// Name returns the name of the credentials table, in which other stores keep their items, too.
func (t *Table) Name() string { return t.name }

// record is the stored form of a credential. A listing has the same form, without what only
// authentication needs. Times are Unix milliseconds, except purgeAt, which is in seconds for
// DynamoDB's TTL. LastUsed is the creation of a session, and absent otherwise.
type record struct {
	PK            string           `dynamodbav:"pk"`
	SK            string           `dynamodbav:"sk"`
	ID            string           `dynamodbav:"id"`
	Kind          credentials.Kind `dynamodbav:"kind"`
	Hash          []byte           `dynamodbav:"hash,omitempty"`
	Owner         string           `dynamodbav:"owner"`
	Customer      string           `dynamodbav:"customer,omitempty"`
	Role          principal.Role   `dynamodbav:"role,omitempty"`
	Active        bool             `dynamodbav:"active,omitempty"`
	Name          string           `dynamodbav:"name,omitempty"`
	Created       int64            `dynamodbav:"created"`
	Expires       int64            `dynamodbav:"expires,omitempty"`
	Revoked       int64            `dynamodbav:"revoked,omitempty"`
	LastUsed      int64            `dynamodbav:"lastUsed,omitempty"`
	Limit         int              `dynamodbav:"rateLimit,omitempty"`
	PurgeAt       int64            `dynamodbav:"purgeAt,omitempty"`
	Scopes        []string         `dynamodbav:"scopes,omitempty"`
	Username      string           `dynamodbav:"username,omitempty"`
	From          string           `dynamodbav:"rotatedFrom,omitempty"`
	Line          string           `dynamodbav:"line,omitempty"`
	LineEnds      int64            `dynamodbav:"lineEnds,omitempty"`
	Reason        string           `dynamodbav:"reason,omitempty"`
	Authenticated int64            `dynamodbav:"authenticated,omitempty"`
	Makers        []string         `dynamodbav:"makers,omitempty"` // see FormatMakers
	Exchanged     bool             `dynamodbav:"exchanged,omitempty"`
	Generation    int64            `dynamodbav:"generation,omitempty"`
}

func newRecord(c credentials.Credential) record {
	r := record{
		PK: recordPK(c.ID), SK: "credential", ID: c.ID, Kind: c.Kind, Hash: c.Hash,
		Owner: c.Owner.ID, Customer: c.Owner.CustomerID, Role: c.Owner.Role, Active: c.Owner.Active, Name: c.Name,
		Created: items.Millis(c.CreatedAt), Expires: items.Millis(c.ExpiresAt), Revoked: items.Millis(c.RevokedAt),
		LastUsed: items.Millis(c.LastUsedAt), Limit: c.RateLimit, Authenticated: items.Millis(c.AuthenticatedAt),
		Scopes: c.Scopes, Username: c.Username, From: c.RotatedFrom, Reason: c.Reason, Makers: FormatMakers(c.Makers),
		Line: c.Line, LineEnds: items.Millis(c.LineEndsAt), Exchanged: c.Exchanged, Generation: c.Generation,
	}
	if !c.ExpiresAt.IsZero() {
		r.PurgeAt = c.ExpiresAt.Add(credentials.Retention).Unix()
	}
	return r
}

func (r record) credential() credentials.Credential {
	return credentials.Credential{
		ID: r.ID, Kind: r.Kind, Hash: r.Hash,
		Owner: credentials.Owner{ID: r.Owner, CustomerID: r.Customer, Role: r.Role, Active: r.Active}, Name: r.Name,
		CreatedAt: items.Time(r.Created), ExpiresAt: items.Time(r.Expires), RevokedAt: items.Time(r.Revoked),
		LastUsedAt: items.Time(r.LastUsed), RateLimit: r.Limit, AuthenticatedAt: items.Time(r.Authenticated),
		Scopes: r.Scopes, Username: r.Username, RotatedFrom: r.From, Reason: r.Reason, Makers: ParseMakers(r.Makers),
		Line: r.Line, LineEndsAt: items.Time(r.LineEnds), Exchanged: r.Exchanged, Generation: r.Generation,
	}
}

// Get returns the credential with this id, strongly consistent, without its last use. Errors:
// credentials.ErrUnknown.
func (t *Table) Get(ctx context.Context, id string) (credentials.Credential, error) {
	c, err := t.stored(ctx, id)
	if err != nil {
		return credentials.Credential{}, err
	}
	found := []credentials.Credential{c}
	err = t.withEnds(ctx, found)
	return found[0], err
}

// stored is Get without the end of all credentials of a customer.
func (t *Table) stored(ctx context.Context, id string) (credentials.Credential, error) {
	if !credentials.IsID(id) {
		return credentials.Credential{}, credentials.ErrUnknown
	}
	r, found, err := items.Get[record](ctx, t.items(), recordKey(id))
	if err == nil && !found {
		return credentials.Credential{}, credentials.ErrUnknown
	}
	return r.credential(), err
}

// Replay returns the credential that an idempotency key has created, and its secret. Errors: idempotency.ErrReused,
// idempotency.ErrExpired, idempotency.ErrRevoked.
func (t *Table) Replay(
	ctx context.Context, key idempotency.Key, at time.Time,
) (credentials.Credential, credentials.Secret, error) {
	sealed, err := idempotencykeys.Result[[]byte](ctx, t.items(), key, at)
	if err != nil {
		return credentials.Credential{}, credentials.Secret{}, err
	}
	text, err := key.Open(sealed)
	if err != nil {
		return credentials.Credential{}, credentials.Secret{}, err
	}
	secret, err := credentials.Parse(text)
	if err != nil {
		return credentials.Credential{}, credentials.Secret{}, err
	}
	created, err := t.Get(ctx, secret.ID())
	if errors.Is(err, credentials.ErrUnknown) || err == nil && !created.RevokedAt.IsZero() {
		return credentials.Credential{}, credentials.Secret{}, idempotency.ErrRevoked
	}
	return created, secret, err
}

// SetRateLimit sets the rate limit of one credential, in requests per minute. 0 restores the
// default. A limit that is set already changes nothing. Errors: ErrUnknown.
func (t *Table) SetRateLimit(ctx context.Context, id string, perMinute int) error {
	return versions.Retry(ctx, func() error {
		before, err := t.Get(ctx, id)
		if err != nil || before.RateLimit == perMinute {
			return err
		}
		after := before
		after.RateLimit = perMinute
		return t.replaceRateLimit(ctx, before, after)
	})
}

// replaceRateLimit stores the rate limit of after. The event has the one of before, so another stored limit is an
// error. Errors: versions.ErrStale.
func (t *Table) replaceRateLimit(ctx context.Context, before, after credentials.Credential) error {
	update := &types.Update{
		TableName: &t.name, Key: recordKey(after.ID), UpdateExpression: aws.String("SET rateLimit = :limit"),
		ConditionExpression: aws.String("attribute_exists(pk) AND rateLimit = :before"),
		ExpressionAttributeValues: items.Map{
			":limit": items.Number(int64(after.RateLimit)), ":before": items.Number(int64(before.RateLimit)),
		},
	}
	if before.RateLimit == 0 {
		update.ConditionExpression = aws.String("attribute_exists(pk) AND (attribute_not_exists(rateLimit) OR rateLimit = :before)")
	}
	var plan transactions.Plan
	plan.Add(versions.ErrStale, types.TransactWriteItem{Update: update})
	plan.Add(nil, t.Audit(ctx, updated(before, after))...)
	return plan.Write(ctx, t.client)
}
