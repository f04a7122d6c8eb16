package sessions

import (
	"context"
	"errors"
	"fmt"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/mail"
)

// sendAfter delays SendDue for a new mail, because the request that created the mail tries to send it first.
const sendAfter = mail.SendAfter

// SendDue sends the mails that their own requests could not send, as long as the context's deadline leaves time. Each
// mail gets a new link and code, because only their hashes are stored. SendDue returns the number of mails. A failure
// does not stop the rest; the errors are joined.
func (s *Service) SendDue(ctx context.Context) (sent int, err error) {
	const batch = 100
	due, err := s.Outbox.Due(ctx, s.now(), batch)
	if err != nil {
		return 0, err
	}
	var failures []error
	for _, request := range due {
		if !mail.HasTime(ctx) {
			break
		}
		err := s.send(ctx, request)
		switch {
		case err == nil:
			sent++
		case !versions.IsStale(err): // a stale request was used or mailed meanwhile
			failures = append(failures, fmt.Errorf("sign-in mail to user %s: %w", request.UserID, err))
		}
	}
	return sent, errors.Join(failures...)
}

// send mails a new link and code. It stores them first, together with the time of the next attempt.
func (s *Service) send(ctx context.Context, before Request) error {
	if !s.now().Before(before.ExpiresAt) {
		return s.Outbox.MarkSent(ctx, before) // its link would not work
	}
	person, err := s.People.Person(ctx, before.UserID)
	if fault.KindOf(err) == fault.NotFound || err == nil && !person.MayAct() {
		return s.Outbox.MarkSent(ctx, before)
	}
	if err != nil {
		return err
	}
	link, code, after := credentials.Mint(credentials.Link), newCode(), before
	after.LinkHash, after.CodeHash, after.Attempts = link.Hash(), hashCode(code, before.CodeSalt), before.Attempts+1
	due := s.now().Add(mail.RetryDelay(after.Attempts))
	if err := s.Outbox.Renew(ctx, before, after, due); err != nil {
		return err
	}
	if err := s.Mailer.Send(ctx, message(person, after, link, code)); err != nil {
		return err
	}
	return s.Outbox.MarkSent(ctx, after)
}

func message(person principal.Person, request Request, link credentials.Secret, code string) mail.Message {
	until := request.ExpiresAt.Format("15:04 UTC")
	return mail.Content{
		To: person.Email, Subject: "Sign in", Name: person.Name,
		Body: []string{
			"Open this link in the browser where you requested it.",
			"You can also type the code there: " + code,
		},
		Button: mail.Button{Label: "Sign in", Address: request.BaseURL + LinkPath + link.Reveal()},
		Notes: []string{
			"The link and the code work once, until " + until + ", and only in that browser. Do not share the code with anyone.",
			"If you did not ask to sign in, ignore this message.",
		},
	}.Message()
}
