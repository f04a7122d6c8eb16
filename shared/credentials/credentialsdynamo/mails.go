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

// MailsLeft returns how many mails are left of a quota that has a limit, strongly consistent.
func (t *Table) MailsLeft(ctx context.Context, q mail.Quota, at time.Time) (int, error) {
	stored, _, err := items.Get[struct {
		N int `dynamodbav:"n"`
	}](ctx, items.In(t.client, t.name), mailWindow(q).key(at))
	return q.Limit - stored.N, err
}

func mailWindow(q mail.Quota) Window {
	return Window{Name: "mails: " + q.Name, Subject: q.Sender, Length: mail.QuotaPeriod, Limit: q.Limit}
}
