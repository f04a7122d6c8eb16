package credentialsdynamo

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

	"portside/shared/core/calendar"
	"portside/shared/credentials"
	"portside/shared/dynamo/items"
)

// tally counts an owner's credentials. Issued counts all of them. Live counts all but sessions, and also those that have
// expired, until Recount corrects it. The other fields are the owner's state, as lists show it; see applied.
type tally struct {
	Issued   int64  `dynamodbav:"issued"`
	Live     int64  `dynamodbav:"live"`
	Inactive bool   `dynamodbav:"inactive,omitempty"`
	Ended    int64  `dynamodbav:"ended,omitempty"` // when all credentials were revoked, in Unix milliseconds
	Reason   string `dynamodbav:"reason,omitempty"`
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
	// Active is the owner's new status; nil if it does not change. An owner without a stored status is active.
	Active *bool
	// EndedAt is when all credentials of the owner are revoked, with Reason; zero if they are not. See RevokeRecord.
	EndedAt time.Time
	Reason  string
}

// Tally returns the write that updates an owner's tally, or only the check if the change is empty. Every transaction that issues
// or revokes must contain it.
func (t *Table) Tally(ownerID string, c Change) types.TransactWriteItem {
	condition, values := c.condition()
	if !c.writes() {
		return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
			TableName: &t.name, Key: tallyKey(ownerID), ConditionExpression: condition, ExpressionAttributeValues: values,
		}}
	}
	if values == nil {
		values = items.Map{}
	}
	update := &types.Update{
		TableName: &t.name, Key: tallyKey(ownerID), ConditionExpression: condition, ExpressionAttributeValues: values,
	}
	update.UpdateExpression = aws.String(strings.Join(append(c.state(values), c.counts(values)...), " "))
	if c.daily() {
		countDay(update, calendar.DayOf(c.On))
	}
	return types.TransactWriteItem{Update: update}
}

// writes reports whether the change stores anything.
func (c Change) writes() bool { return c.isCounted() || c.Active != nil || !c.EndedAt.IsZero() }

func (c Change) isCounted() bool { return c.Issued != 0 || c.Revoked != 0 || c.Sessions != 0 }

// state returns the clauses of the update that store the owner's state, and adds their values.
func (c Change) state(values items.Map) []string {
	var sets []string
	if c.Active != nil {
		sets = append(sets, "inactive = :inactive")
		values[":inactive"] = items.Bool(!*c.Active)
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

// counts returns the last clause of the update, which counts the credentials. Without any, it leaves the numbers absent, on which
// transactions rely that saw none.
func (c Change) counts(values items.Map) []string {
	if !c.isCounted() {
		return nil
	}
	values[":issued"], values[":live"] = items.Number(int64(c.Issued+c.Sessions)), items.Number(int64(c.Issued-c.Revoked))
	return []string{"ADD issued :issued, live :live"}
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

// WithRecount runs issue, which adds the credential c. If that fails with the error tooMany, it corrects the number of live
// credentials, and runs issue once more if there is room for one.
func (t *Table) WithRecount(ctx context.Context, c credentials.Credential, tooMany error, issue func() error) error {
	err := issue()
	if !errors.Is(err, tooMany) {
		return err
	}
	room, recountErr := t.Recount(ctx, c.Owner.ID, c.CreatedAt)
	if recountErr != nil || !room {
		return cmp.Or(recountErr, err)
	}
	return issue()
}

func tallyKey(ownerID string) items.Map { return items.Key(ownerPK(ownerID), tallySK) }
