// Package mailses sends mail with Amazon SES.
package mailses

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
	"github.com/aws/smithy-go"

	"portside/shared/mail"
)

// Mailer sends from one verified address.
type Mailer struct {
	client *sesv2.Client
	from   string
}

// New returns a Mailer that sends from the given bare address, which must be a verified SES identity.
func New(client *sesv2.Client, from string) *Mailer {
	return &Mailer{client: client, from: from}
}

// Send passes the message to SES. Nil means that SES has accepted it; delivery happens later and is
// not guaranteed.
func (m *Mailer) Send(ctx context.Context, message mail.Message) error {
	_, err := m.client.SendEmail(ctx, &sesv2.SendEmailInput{
		FromEmailAddress: aws.String("Portside <" + m.from + ">"),
		Destination:      &types.Destination{ToAddresses: []string{message.To}},
		Content: &types.EmailContent{Simple: &types.Message{
			Subject: content(message.Subject),
			Body:    &types.Body{Text: content(message.Text), Html: content(message.HTML)},
		}},
	})
	if refused, ok := errors.AsType[smithy.APIError](err); ok {
		// The text of SES's error may contain the address, which must not be logged.
		return fmt.Errorf("send mail %q: SES returned %s", message.Subject, refused.ErrorCode())
	}
	if err != nil {
		return fmt.Errorf("send mail %q: %w", message.Subject, err)
	}
	return nil
}

func content(s string) *types.Content {
	return &types.Content{Data: aws.String(s), Charset: aws.String("UTF-8")}
}
