// Package credentialnotices mails owners about events of their credentials that they did not cause: another user
// created a key for them, a credential was reported as leaked, or a credential ended with the one with which it was
// made.
//
// The transaction that causes the event stores the notice. The request that caused it mails it; if that fails, SendDue
// does later. A mail may in rare cases be sent twice; none is lost.
package credentialnotices

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/mail"
)

// Outbox keeps the notices that were not sent yet.
type Outbox interface {
	// DueNotices returns up to limit notices that are due at the given time.
	DueNotices(ctx context.Context, at time.Time, limit int) ([]credentials.Notice, error)
	// PostponeNotice stores one more attempt. Errors: versions.ErrStale if the notice was sent or tried meanwhile.
	PostponeNotice(ctx context.Context, n credentials.Notice, due time.Time) error
	// RemoveNotice removes a notice that was sent.
	RemoveNotice(ctx context.Context, n credentials.Notice) error
}

// People finds users.
type People interface {
	// Person returns a user. It returns a fault of kind NotFound if the user does not exist.
	Person(ctx context.Context, id string) (principal.Person, error)
}

// Mailer sends one message. Nil means that the message was accepted for delivery.
type Mailer interface {
	Send(ctx context.Context, message mail.Message) error
}

// Parts are the dependencies of a Service.
type Parts struct {
	Outbox Outbox
	People People
	Mailer Mailer
	Now    func() time.Time
}

// Service mails notices.
type Service struct{ Parts }

// NewService returns a Service.
func NewService(parts Parts) *Service { return &Service{parts} }

// TrySend mails a notice that was just stored with its first attempt. If that fails, SendDue mails it later. The event
// has happened already, so TrySend reports no error. The maker is zero if no user made the credential.
func (s *Service) TrySend(ctx context.Context, n credentials.Notice, owner, maker principal.Person) {
	if err := s.mail(ctx, n, owner, maker); err != nil {
		slog.WarnContext(ctx, "notice not sent yet", "event", n.Event, "credential", n.ID, "error", err)
	}
}

// SendDue mails the notices that are due, as long as the context's deadline leaves time. It returns their number. A
// failure does not stop the rest; the errors are joined.
func (s *Service) SendDue(ctx context.Context) (sent int, err error) {
	const batch = 100
	due, err := s.Outbox.DueNotices(ctx, s.Now(), batch)
	if err != nil {
		return 0, err
	}
	var failures []error
	for _, n := range due {
		if !mail.HasTime(ctx) {
			break
		}
		err := s.send(ctx, n)
		switch {
		case err == nil:
			sent++
		case !versions.IsStale(err): // a stale notice was sent meanwhile
			failures = append(failures, fmt.Errorf("notice about credential %s: %w", n.ID, err))
		}
	}
	return sent, errors.Join(failures...)
}

// send stores the attempt before the mail, so that a notice that always fails is retried with growing pauses.
func (s *Service) send(ctx context.Context, n credentials.Notice) error {
	if n.Attempts >= mail.MaxAttempts {
		slog.ErrorContext(ctx, "notice not sent: all attempts failed", "event", n.Event, "credential", n.ID)
		return s.Outbox.RemoveNotice(ctx, n)
	}
	owner, err := s.People.Person(ctx, n.OwnerID)
	if fault.KindOf(err) == fault.NotFound {
		return s.Outbox.RemoveNotice(ctx, n)
	}
	if err != nil {
		return err
	}
	maker, err := s.maker(ctx, n)
	if err != nil {
		return err
	}
	if err := s.Outbox.PostponeNotice(ctx, n, s.Now().Add(mail.RetryDelay(n.Attempts+1))); err != nil {
		return err
	}
	return s.mail(ctx, n, owner, maker)
}

// mail sends the mail of a notice whose attempt is stored.
func (s *Service) mail(ctx context.Context, n credentials.Notice, owner, maker principal.Person) error {
	if err := s.Mailer.Send(ctx, message(n, owner, maker)); err != nil {
		return err
	}
	return s.Outbox.RemoveNotice(ctx, n)
}

// maker returns the user who created the credential, or a zero one if no user did or the user was deleted.
func (s *Service) maker(ctx context.Context, n credentials.Notice) (principal.Person, error) {
	if n.By == "" {
		return principal.Person{}, nil
	}
	maker, err := s.People.Person(ctx, n.By)
	if fault.KindOf(err) == fault.NotFound {
		return principal.Person{}, nil
	}
	return maker, err
}
