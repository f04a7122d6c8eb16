package tokensdynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/calendar"
	"portside/shared/credentials"
	"portside/shared/dynamo/items"
	"portside/shared/tokens"
)

// line is the item that counts the renewals of a line (pk "line#<id of the first token>", sk "line"). The first renewal
// creates it. Live also counts tokens that have ended, until recountLine corrects it.
type line struct {
	Renewals int64        `dynamodbav:"renewals"` // all of them
	Live     int64        `dynamodbav:"live"`     // the first token, too
	Day      calendar.Day `dynamodbav:"day"`      // of the latest renewal
	Today    int64        `dynamodbav:"today"`    // renewals on that day
}

// errLine means that the counts of a line do not permit a renewal, or have changed since they were read.
var errLine = errors.New("tokensdynamo: the line has changed or is full")

// lineAttempts bounds the attempts to renew a token: each fails only because another renewal of the same line succeeded
// meanwhile.
const lineAttempts = 2 + tokens.MaxLineDaily

// firstToday returns the write that counts a renewal without knowing the line. Its condition fails if the line was
// renewed on the same day before, or may be full. Most renewals need no more.
func (s *Store) firstToday(token credentials.Credential) types.TransactWriteItem {
	write := s.countRenewal(token)
	write.Update.ConditionExpression = aws.String("attribute_not_exists(renewals) OR live < :most AND #day < :day")
	write.Update.UpdateExpression = aws.String("SET renewals = if_not_exists(renewals, :zero) + :one, " +
		"live = if_not_exists(live, :one) + :one, today = :one, #day = :day, purgeAt = :purge")
	values := write.Update.ExpressionAttributeValues
	values[":most"], values[":zero"], values[":one"] = items.Number(tokens.MaxLineLive), items.Number(0), items.Number(1)
	return write
}

// after returns the write that counts a renewal of a line that was read. Its condition fails if the line has changed
// since.
func (s *Store) after(seen line, token credentials.Credential) types.TransactWriteItem {
	today := int64(1)
	if seen.Day == calendar.DayOf(token.CreatedAt) {
		today += seen.Today
	}
	write := s.countRenewal(token)
	write.Update.ConditionExpression = aws.String("renewals = :seen")
	write.Update.UpdateExpression = aws.String("SET renewals = :renewals, live = :live, today = :today, #day = :day, purgeAt = :purge")
	values := write.Update.ExpressionAttributeValues
	values[":seen"], values[":renewals"] = items.Number(seen.Renewals), items.Number(seen.Renewals+1)
	values[":live"], values[":today"] = items.Number(seen.Live+1), items.Number(today)
	return write
}

// countRenewal returns the part that both writes have in common.
func (s *Store) countRenewal(token credentials.Credential) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: aws.String(s.table.Name()), Key: lineKey(token.Line),
		ExpressionAttributeNames: map[string]string{"#day": "day"},
		ExpressionAttributeValues: items.Map{
			":day":   items.Number(int64(calendar.DayOf(token.CreatedAt))),
			":purge": items.Number(token.LineEndsAt.Add(credentials.Retention).Unix()),
		},
	}}
}

func lineKey(id string) items.Map { return items.Key("line#"+id, "line") }

// renew issues a renewal within the quota of its line. issue is called with the write that counts it, and returns
// errLine if that fails.
func (s *Store) renew(ctx context.Context, token credentials.Credential, issue func(types.TransactWriteItem) error) error {
	err := issue(s.firstToday(token))
	for attempt := 0; errors.Is(err, errLine) && attempt < lineAttempts; attempt++ {
		var seen line
		if seen, err = s.room(ctx, token); err != nil {
			return err
		}
		err = issue(s.after(seen, token))
	}
	if errors.Is(err, errLine) {
		return tokens.ErrBusy
	}
	return err
}

// room returns the line of a token with the number of tokens that work. Errors: tokens.ErrLineQuota,
// tokens.ErrLineFull.
func (s *Store) room(ctx context.Context, token credentials.Credential) (line, error) {
	seen, _, err := items.Get[line](ctx, items.In(s.client, s.table.Name()), lineKey(token.Line))
	if err != nil {
		return line{}, err
	}
	if seen.Day == calendar.DayOf(token.CreatedAt) && seen.Today >= tokens.MaxLineDaily {
		day := token.CreatedAt.UTC().Truncate(24 * time.Hour)
		return line{}, tokens.ErrLineQuota.After(day.Add(24 * time.Hour).Sub(token.CreatedAt))
	}
	if seen.Live >= tokens.MaxLineLive {
		seen.Live, err = s.recountLine(ctx, token)
	}
	if err == nil && seen.Live >= tokens.MaxLineLive {
		err = tokens.ErrLineFull
	}
	return seen, err
}

// recountLine returns how many tokens of a line work. The caller has read the line before, so a renewal meanwhile fails
// its condition.
func (s *Store) recountLine(ctx context.Context, token credentials.Credential) (int64, error) {
	owned, err := s.table.List(ctx, token.Owner.ID, credentials.AccessToken)
	if err != nil {
		return 0, fmt.Errorf("recount the line %s: %w", token.Line, err)
	}
	live := int64(0)
	for _, c := range owned {
		if c.Line == token.Line && c.IsOpen(token.CreatedAt) {
			live++
		}
	}
	return live, nil
}
