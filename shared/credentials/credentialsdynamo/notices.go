package credentialsdynamo

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/dynamo/items"
	"portside/shared/mail"
)

// noticesPK is the partition of the mails to owners that were not sent yet. They are few, because requests send their
// mails themselves.
const noticesPK = "notices"

// notice is the stored form of credentials.Notice. Times are Unix milliseconds.
type notice struct {
	PK    string            `dynamodbav:"pk"`
	SK    string            `dynamodbav:"sk"`
	Event credentials.Event `dynamodbav:"event"`
	Owner string            `dynamodbav:"owner"`
	ID    string            `dynamodbav:"id"`
	Kind  credentials.Kind  `dynamodbav:"kind"`
	Name  string            `dynamodbav:"name"`
	By    string            `dynamodbav:"by,omitempty"`
	At    int64             `dynamodbav:"at"`
	Base  string            `dynamodbav:"base,omitempty"`
	Due   int64             `dynamodbav:"due"`
	Tries int               `dynamodbav:"tries"`
}

func newNotice(n credentials.Notice) notice {
	key := noticeSK(n)
	return notice{
		PK: noticesPK, SK: key, Event: n.Event, Owner: n.OwnerID, ID: n.ID, Kind: n.Kind, Name: n.Name, By: n.By,
		At: items.Millis(n.At), Base: n.BaseURL, Due: items.Millis(n.Due), Tries: n.Attempts,
	}
}

func (n notice) notice() credentials.Notice {
	return credentials.Notice{
		Event: n.Event, OwnerID: n.Owner, ID: n.ID, Kind: n.Kind, Name: n.Name, By: n.By,
		At: items.Time(n.At), BaseURL: n.Base, Due: items.Time(n.Due), Attempts: n.Tries,
	}
}

func noticeSK(n credentials.Notice) string { return n.ID + "#" + string(n.Event) }

// Notify returns the write that stores a notice. A credential has at most one notice of each event.
func (w Writes) Notify(n credentials.Notice) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{TableName: &w.table, Item: items.Encode(newNotice(n))}}
}

// Notices are the mails to owners that were not sent yet; see Writes.Notify.
type Notices struct {
	table *Table
	turns mail.Turns
}

// DueNotices returns up to limit notices that are due at the given time, strongly consistent. The owners take turns,
// also over several calls.
func (s *Notices) DueNotices(ctx context.Context, at time.Time, limit int) ([]credentials.Notice, error) {
	pages := dynamodb.NewQueryPaginator(s.table.client, &dynamodb.QueryInput{
		TableName: &s.table.name, ConsistentRead: aws.Bool(true),
		KeyConditionExpression: aws.String("pk = :notices"), FilterExpression: aws.String("due <= :at"),
		ExpressionAttributeValues: items.Map{":notices": items.Text(noticesPK), ":at": items.Number(at.UnixMilli())},
	})
	var due []credentials.Notice
	for pages.HasMorePages() && len(due) < mail.MaxWaiting {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, fmt.Errorf("read the unsent notices: %w", err)
		}
		for _, item := range page.Items {
			stored, err := items.Decode[notice](item)
			if err != nil {
				return nil, err
			}
			due = append(due, stored.notice())
		}
	}
	return mail.InTurns(&s.turns, due, limit, func(n credentials.Notice) string { return n.OwnerID }), nil
}

// PostponeNotice stores one more attempt and its due time. Errors: versions.ErrStale if the notice was sent or tried
// meanwhile.
func (s *Notices) PostponeNotice(ctx context.Context, n credentials.Notice, due time.Time) error {
	_, err := s.table.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: &s.table.name, Key: items.Key(noticesPK, noticeSK(n)),
		UpdateExpression: aws.String("SET tries = :after, due = :due"), ConditionExpression: aws.String("tries = :before"),
		ExpressionAttributeValues: items.Map{
			":before": items.Number(int64(n.Attempts)), ":after": items.Number(int64(n.Attempts + 1)), ":due": items.Number(items.Millis(due)),
		},
	}, items.RetryConflicts)
	if items.ConditionFailed(err) {
		return versions.ErrStale
	}
	if err != nil {
		return fmt.Errorf("postpone the notice about credential %s: %w", n.ID, err)
	}
	return nil
}

// RemoveNotice removes a notice that was sent.
func (s *Notices) RemoveNotice(ctx context.Context, n credentials.Notice) error {
	_, err := s.table.client.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &s.table.name, Key: items.Key(noticesPK, noticeSK(n)), ConditionExpression: aws.String("attribute_exists(pk)"),
	}, items.RetryConflicts)
	if err != nil && !items.ConditionFailed(err) { // an earlier attempt has removed it
		return fmt.Errorf("remove the notice about credential %s: %w", n.ID, err)
	}
	return nil
}
