package credentialsdynamo

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"portside/shared/dynamo/items"
	"portside/shared/mail"
)

// CountMails returns the write that counts mails, for the transaction that causes them. Its condition fails if the quota does not suffice.
// Without a quota or mails, there is no write.
func (t *Table) CountMails(q mail.Quota, mails int, at time.Time) []types.TransactWriteItem {
	if q.Limit == 0 || mails == 0 {
		return nil
	}
	return []types.TransactWriteItem{t.Count(mailWindow(q), mails, at)}
}

// MailsLeft returns how many mails are left of distinct quotas that have a limit, strongly consistent.
func (t *Table) MailsLeft(ctx context.Context, quotas []mail.Quota, at time.Time) (map[mail.Quota]int, error) {
	left, keys, byPK := make(map[mail.Quota]int, len(quotas)), make([]items.Map, len(quotas)), make(map[string]mail.Quota, len(quotas))
	for i, q := range quotas {
		keys[i] = mailWindow(q).key(at)
		left[q], byPK[pkOf(keys[i])] = q.Limit, q
	}
	err := items.GetAll(ctx, items.In(t.client, t.name), keys, func(item items.Map) error {
		counted, err := items.Decode[struct {
			N int `dynamodbav:"n"`
		}](item)
		left[byPK[pkOf(item)]] -= counted.N
		return err
	})
	return left, err
}

func mailWindow(q mail.Quota) Window {
	subject := q.Sender
	if q.To != "" {
		subject += "#" + q.To
	}
	return Window{Name: "mails: " + q.Name, Subject: subject, Length: mail.QuotaPeriod, Limit: q.Limit}
}
