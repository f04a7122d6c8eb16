package credentialsdynamo

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/calendar"
	"portside/shared/credentials"
	"portside/shared/dynamo/items"
)

// tally counts an owner's credentials. Issued counts all of them. Live counts all but sessions, and also those that have
// expired, until Recount corrects it.
type tally struct {
	Issued int64 `dynamodbav:"issued"`
	Live   int64 `dynamodbav:"live"`
}

// Change is the part of a transaction that changes an owner's tally.
type Change struct {
	Issued, Revoked int // without sessions
	Sessions        int // issued sessions; revoked ones change nothing
	// Seen is the number from ListLive on which the transaction relies; nil if it relies on none.
	// Without it, issuing fails if the owner already has credentials.MaxLive.
	Seen *int64
	// On is when the credential is issued, for the limit of credentials.MaxDaily per owner and day; zero means no limit. The
	// limit stops tokens that keep creating successors. It has no effect together with Seen.
	On time.Time
}

// Tally returns the write that updates an owner's tally, or only the check if nothing is issued or
// revoked. Every transaction that issues or revokes must contain it.
func (t *Table) Tally(ownerID string, c Change) types.TransactWriteItem {
	condition, values := c.condition()
	if c.Issued == 0 && c.Revoked == 0 && c.Sessions == 0 {
		return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
			TableName: &t.name, Key: tallyKey(ownerID), ConditionExpression: condition, ExpressionAttributeValues: values,
		}}
	}
	if values == nil {
		values = items.Map{}
	}
	values[":issued"], values[":live"] = items.Number(int64(c.Issued+c.Sessions)), items.Number(int64(c.Issued-c.Revoked))
	update := &types.Update{
		TableName: &t.name, Key: tallyKey(ownerID), UpdateExpression: aws.String("ADD issued :issued, live :live"),
		ConditionExpression: condition, ExpressionAttributeValues: values,
	}
	if c.daily() {
		countDay(update, calendar.DayOf(c.On))
	}
	return types.TransactWriteItem{Update: update}
}

func (c Change) daily() bool { return !c.On.IsZero() && c.Seen == nil && c.Issued > c.Revoked }

// countDay makes the update count the credentials that are issued on a day. Each day has its own attribute, and the update removes that of
// the day before.
func countDay(update *types.Update, on calendar.Day) {
	update.UpdateExpression = aws.String(*update.UpdateExpression + ", #today :issued REMOVE #yesterday")
	update.ConditionExpression = aws.String("(" + *update.ConditionExpression + ") AND (attribute_not_exists(#today) OR #today < :daily)")
	update.ExpressionAttributeNames = map[string]string{"#today": dayName(on), "#yesterday": dayName(on - 1)}
	update.ExpressionAttributeValues[":daily"] = items.Number(credentials.MaxDaily)
}

func dayName(day calendar.Day) string { return "on" + day.String() }

func (c Change) condition() (*string, items.Map) {
	switch {
	case c.Seen != nil && *c.Seen == 0:
		return aws.String("attribute_not_exists(issued)"), nil
	case c.Seen != nil:
		return aws.String("issued = :seen"), items.Map{":seen": items.Number(*c.Seen)}
	case c.Issued > c.Revoked:
		return aws.String("attribute_not_exists(live) OR live < :most"), items.Map{":most": items.Number(credentials.MaxLive)}
	default:
		return nil, nil
	}
}

// Issue counts an issued credential.
func (c *Change) Issue(kind credentials.Kind) {
	if kind == credentials.Session {
		c.Sessions++
		return
	}
	c.Issued++
}

// Revoke counts a revoked credential.
func (c *Change) Revoke(kind credentials.Kind) {
	if kind != credentials.Session {
		c.Revoked++
	}
}

// Issued returns how many credentials an owner ever got, strongly consistent.
func (t *Table) Issued(ctx context.Context, ownerID string) (int64, error) {
	stored, _, err := items.Get[tally](ctx, items.In(t.client, t.name), tallyKey(ownerID))
	return stored.Issued, err
}

// ListLive returns an owner's live credentials of all kinds, and how many were ever issued. It
// reads the number first, so a transaction that is conditional on the number sees all of them.
func (t *Table) ListLive(ctx context.Context, ownerID string, at time.Time) (live []credentials.Credential, issued int64, err error) {
	issued, err = t.Issued(ctx, ownerID)
	if err != nil || issued == 0 {
		return nil, 0, err
	}
	all, err := t.list(ctx, ownerID, "ps")
	live = all[:0]
	for _, c := range all {
		if c.Live(at) {
			live = append(live, c)
		}
	}
	return live, issued, err
}

// Recount corrects the number of live credentials, and reports whether one more may be issued.
// Issuers call it when their Tally failed, because expired credentials stay counted until then.
func (t *Table) Recount(ctx context.Context, ownerID string, at time.Time) (room bool, err error) {
	all, issued, err := t.ListLive(ctx, ownerID, at)
	live := slices.DeleteFunc(all, func(c credentials.Credential) bool { return c.Kind == credentials.Session })
	if err != nil || len(live) >= credentials.MaxLive {
		return false, err
	}
	_, err = t.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &t.name, Key: tallyKey(ownerID),
		UpdateExpression: aws.String("SET live = :live"), ConditionExpression: aws.String("issued = :seen"),
		ExpressionAttributeValues: items.Map{":live": items.Number(int64(len(live))), ":seen": items.Number(issued)},
	}, items.RetryConflicts)
	if err != nil && !items.ConditionFailed(err) { // another issuer has recounted first
		return false, fmt.Errorf("recount credentials of %s: %w", ownerID, err)
	}
	return true, nil
}

func tallyKey(ownerID string) items.Map { return items.Key(ownerPK(ownerID), "owner") }
