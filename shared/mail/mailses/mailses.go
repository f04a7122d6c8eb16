// Package mailses sends mail with Amazon SES.
//
// It needs one kind of request and sends it without the SDK's client, which makes the start of a function longer; see
// package awsrequest.
package mailses

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"

	"portside/shared/lambda/awsrequest"
	"portside/shared/mail"
)

// Mailer sends from one verified address.
type Mailer struct {
	client *awsrequest.Client
	from   string
}

// New returns a Mailer that sends from the given bare address, which must be a verified SES identity.
func New(cfg aws.Config, from string) *Mailer {
	service := awsrequest.Service{ID: "SESv2", Host: "email", SigningName: "ses"}
	return &Mailer{from: from, client: awsrequest.New(cfg, service)}
}

// sendEmail is the input of SendEmail.
type sendEmail struct {
	FromEmailAddress string
	Destination      struct{ ToAddresses []string }
	Content          struct{ Simple simple }
}

type simple struct {
	Subject content
	Body    struct {
		Text content
		HTML content `json:"Html"`
	}
}

type content struct{ Data, Charset string }

func newContent(text string) content { return content{Data: text, Charset: "UTF-8"} }

// Send passes the message to SES. Nil means that SES has accepted it; delivery happens later and is
// not guaranteed.
func (m *Mailer) Send(ctx context.Context, message mail.Message) error {
	var in sendEmail
	in.FromEmailAddress = "Portside <" + m.from + ">"
	in.Destination.ToAddresses = []string{message.To}
	in.Content.Simple.Subject = newContent(message.Subject)
	in.Content.Simple.Body.Text = newContent(message.Text)
	in.Content.Simple.Body.HTML = newContent(message.HTML)
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("send mail %q: %w", message.Subject, err)
	}
	_, err = m.client.Call(ctx, func() (*http.Request, error) { return m.client.NewPost(ctx, "/v2/email/outbound-emails", body) })
	if refused, ok := errors.AsType[*awsrequest.Refusal](err); ok {
		return fmt.Errorf("send mail %q: SES returned %s", message.Subject, refused.Code)
	}
	if err != nil {
		return fmt.Errorf("send mail %q: %w", message.Subject, err)
	}
	return nil
}
