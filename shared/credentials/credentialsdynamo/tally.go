package credentialsdynamo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/calendar"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/dynamo/items"
)

// tally counts an owner's credentials. Issued counts all of them. Live counts all but sessions, and also those that
// have expired, until Recount corrects it. The other fields are the owner's state, as lists show it; see applied.
type tally struct {
	Issued   int64  `dynamodbav:"issued"`
	Live     int64  `dynamodbav:"live"`
	Inactive bool   `dynamodbav:"inactive,omitempty"`
	Version  int64  `dynamodbav:"ownerVersion,omitempty"` // of the user since the last change of role or status
	Ended    int64  `dynamodbav:"ended,omitempty"`        // when all credentials were revoked, in Unix milliseconds
	Reason   string `dynamodbav:"reason,omitempty"`
}

// Change is the part of a transaction that changes an owner's tally.
type Change struct {
	Issued, Revoked int // without sessions
	Sessions        int // issued sessions; revoked ones change nothing
	// Seen is the number from ListOpen on which the transaction relies; nil if it relies on none.
	// Without it, issuing fails if the owner already has credentials.MaxLive.
	Seen *int64
	// On is when a credential of the kind Kind is issued, for the limit of credentials.MaxDaily per owner, kind and
	// day; zero means no limit. The limit stops credentials that keep creating others. It has no effect together with
	// Seen.
	On   time.Time
	Kind credentials.Kind
	// Active is the owner's new status; nil if it does not change. An owner without a stored status is active. Nothing
	// can be issued to an inactive owner without Seen.
	Active *bool
	// Version is the version of the owner: with Active, the one that has the new role and status. Otherwise, the one
	// that the issuer has read: issuing fails if the role or status has changed since. Zero means no check.
	Version int64
	// EndedAt is when all credentials of the owner are revoked, with Reason; zero if they are not.
	EndedAt time.Time
	Reason  string
}

// Tally returns the write that updates an owner's tally, or only the check if the change is empty. Every transaction
// that issues or revokes must contain it, unless the change is empty.
func (w Writes) Tally(ownerID string, c Change) types.TransactWriteItem {
	condition, values := c.condition()
	if !c.writes() {
		return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
			TableName: &w.table, Key: tallyKey(ownerID), ConditionExpression: condition, ExpressionAttributeValues: values,
		}}
	}
	if values == nil {
		values = items.Map{}
	}
	update := &types.Update{
		TableName: &w.table, Key: tallyKey(ownerID), ConditionExpression: condition, ExpressionAttributeValues: values,
	}
	update.UpdateExpression = aws.String(strings.Join(append(c.state(values), c.counts(values)...), " "))
	if c.daily() {
		countDay(update, c.Kind, calendar.DayOf(c.On))
	}
	return types.TransactWriteItem{Update: update}
}

// writes reports whether the change stores anything.
func (c Change) writes() bool { return c.isCounted() || c.Active != nil || !c.EndedAt.IsZero() }

// IsEmpty reports whether the change stores and checks nothing, as after the revocation of a credential that has
// expired.
func (c Change) IsEmpty() bool { return !c.writes() && c.Seen == nil }

func (c Change) isCounted() bool { return c.Issued != 0 || c.Revoked != 0 || c.Sessions != 0 }

// state returns the clauses of the update that store the owner's state, and adds their values.
func (c Change) state(values items.Map) []string {
	var sets []string
	if c.Active != nil {
		sets = append(sets, "inactive = :inactive")
		values[":inactive"] = items.Bool(!*c.Active)
		if c.Version != 0 {
			sets = append(sets, "ownerVersion = :version")
			values[":version"] = items.Number(c.Version)
		}
	}
	if !c.EndedAt.IsZero() {
		sets = append(sets, "ended = :ended, reason = :reason")
		values[":ended"], values[":reason"] = items.Number(items.Millis(c.EndedAt)), items.Text(c.Reason)
	}
	if sets == nil {
		return nil
	}
	return []string{"SET " + strings.Join(sets, ", ")}
}

// counts returns the last clause of the update, which counts the credentials. Without any, it leaves the numbers
// absent, on which transactions rely that saw none.
func (c Change) counts(values items.Map) []string {
	if !c.isCounted() {
		return nil
	}
	values[":issued"], values[":live"] = items.Number(int64(c.Issued+c.Sessions)), items.Number(int64(c.Issued-c.Revoked))
	return []string{"ADD issued :issued, live :live"}
}

func (c Change) daily() bool { return !c.On.IsZero() && c.Seen == nil && c.Issued > c.Revoked }

// countDay makes the update count the credentials that are issued on a day. Each day has an attribute, and the update
// removes the attribute of the day before.
func countDay(update *types.Update, kind credentials.Kind, on calendar.Day) {
	update.UpdateExpression = aws.String(*update.UpdateExpression + ", #today :issued REMOVE #yesterday")
	update.ConditionExpression = aws.String("(" + *update.ConditionExpression + ") AND (attribute_not_exists(#today) OR #today < :daily)")
	update.ExpressionAttributeNames = map[string]string{"#today": dayName(kind, on), "#yesterday": dayName(kind, on-1)}
	update.ExpressionAttributeValues[":daily"] = items.Number(credentials.MaxDaily)
}

func dayName(kind credentials.Kind, day calendar.Day) string { return string(kind) + day.String() }

func (c Change) condition() (*string, items.Map) {
	switch {
	case c.Seen != nil && *c.Seen == 0:
		return aws.String("attribute_not_exists(issued)"), nil
	case c.Seen != nil:
		return aws.String("issued = :seen"), items.Map{":seen": items.Number(*c.Seen)}
	case c.Issued > c.Revoked:
		return c.mayIssue()
	default:
		return nil, nil
	}
}

// mayIssue returns the condition that an open owner has room for another credential.
func (c Change) mayIssue() (*string, items.Map) {
	condition := "(attribute_not_exists(live) OR live < :most) AND (attribute_not_exists(inactive) OR inactive = :false)"
	values := items.Map{":most": items.Number(credentials.MaxLive), ":false": items.Bool(false)}
	if c.Version != 0 {
		condition += " AND (attribute_not_exists(ownerVersion) OR ownerVersion <= :version)"
		values[":version"] = items.Number(c.Version)
	}
	return &condition, values
}

// Issue counts an issued credential.
func (c *Change) Issue(kind credentials.Kind) {
	if kind == credentials.Session {
		c.Sessions++
		return
	}
	c.Issued++
}

// Revoke counts a credential that is revoked at a time. It does not count one that was exchanged, which was never
// counted, or that has expired, because Recount may have left that out already. Otherwise, the owner could have more
// working credentials than credentials.MaxLive.
func (c *Change) Revoke(revoked credentials.Credential, at time.Time) {
	hasExpired := !revoked.ExpiresAt.IsZero() && !at.Before(revoked.ExpiresAt)
	if revoked.Kind != credentials.Session && !revoked.Exchanged && !hasExpired {
		c.Revoked++
	}
}

// Issued returns how many credentials an owner ever got, strongly consistent.
func (t *Table) Issued(ctx context.Context, ownerID string) (int64, error) {
	stored, _, err := items.Get[tally](ctx, items.In(t.client, t.name), tallyKey(ownerID))
	return stored.Issued, err
}

// Recount corrects the number of live credentials, and reports whether one more may be issued.
// Issuers call it when their Tally failed, because expired credentials stay counted until then.
func (t *Table) Recount(ctx context.Context, ownerID string, at time.Time) (room bool, err error) {
	open, err := t.ListOpen(ctx, ownerID, at)
	live := slices.DeleteFunc(open.Live, func(c credentials.Credential) bool { return c.Kind == credentials.Session })
	if err != nil || len(live) >= credentials.MaxLive {
		return false, err
	}
	_, err = t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &t.name, Key: tallyKey(ownerID),
		UpdateExpression: aws.String("SET live = :live"), ConditionExpression: aws.String("issued = :seen"),
		ExpressionAttributeValues: items.Map{":live": items.Number(int64(len(live))), ":seen": items.Number(open.Issued)},
	}, items.RetryConflicts)
	if err != nil && !items.ConditionFailed(err) { // another issuer has recounted first
		return false, fmt.Errorf("recount credentials of %s: %w", ownerID, err)
	}
	return true, nil
}

// Renewals is the kind as which Change counts tokens that other tokens created, so that these do not use up the daily
// quota of tokens.
const Renewals credentials.Kind = "renewal"

// Issuing is a credential that a store adds.
type Issuing struct {
	Credential credentials.Credential
	Counted    credentials.Kind // as which it counts; empty for its own kind
	Version    int64            // of the owner that the issuer has read; 0 if none
	TooMany    error            // of a failed Tally
}

// WithRecount runs issue. If that fails with the error TooMany, it finds out why: versions.ErrStale if the owner is not
// active or has another role or status than at the version, or credentials.ErrDailyQuota. Otherwise, it corrects the
// number of live credentials, and runs issue once more if there is room for one.
func (t *Table) WithRecount(ctx context.Context, i Issuing, issue func() error) error {
	err := issue()
	if !errors.Is(err, i.TooMany) {
		return err
	}
	if refusal := t.refusal(ctx, i); refusal != nil {
		return refusal
	}
	room, recountErr := t.Recount(ctx, i.Credential.Owner.ID, i.Credential.CreatedAt)
	if recountErr != nil || !room {
		return cmp.Or(recountErr, err)
	}
	return issue()
}

// refusal returns why the tally fails, unless the number of live credentials is the reason.
func (t *Table) refusal(ctx context.Context, i Issuing) error {
	key, at := tallyKey(i.Credential.Owner.ID), i.Credential.CreatedAt
	out, err := t.client.GetItem(ctx, &dynamodb.GetItemInput{TableName: &t.name, Key: key, ConsistentRead: aws.Bool(true)})
	if err != nil {
		return fmt.Errorf("read the tally of %s: %w", i.Credential.Owner.ID, err)
	}
	stored, err := items.Decode[tally](out.Item)
	if err != nil {
		return err
	}
	if stored.Inactive || i.Version != 0 && stored.Version > i.Version {
		return versions.ErrStale
	}
	if issuedOn(out.Item, cmp.Or(i.Counted, i.Credential.Kind), at) >= credentials.MaxDaily {
		day := at.UTC().Truncate(24 * time.Hour)
		return credentials.ErrDailyQuota.After(day.Add(24 * time.Hour).Sub(at))
	}
	return nil
}

// issuedOn returns how many credentials of a kind the tally has counted on the day.
func issuedOn(item items.Map, kind credentials.Kind, at time.Time) int {
	n, isNumber := item[dayName(kind, calendar.DayOf(at))].(*types.AttributeValueMemberN)
	if !isNumber {
		return 0
	}
	counted, err := strconv.Atoi(n.Value)
	if err != nil {
		return 0 // the update would fail, too
	}
	return counted
}

func tallyKey(ownerID string) items.Map { return items.Key(ownerPK(ownerID), tallySK) }
