package users

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/mail"
)

// LinkLife is how long an activation link works.
const LinkLife = 7 * 24 * time.Hour

// SendAfter is how long SendDue leaves a new invitation alone: the request that made it gets the time to send it itself.
const SendAfter = mail.SendAfter

// ErrLink is what an activation link gets that does not work, whatever the reason.
var ErrLink = fault.New(fault.Unauthorized, "This activation link does not work: it has expired, was used already, or was "+
	"replaced by a newer one. Ask your administrator for a new invitation.")

// Invitation is what must be stored with a user who is to activate the account by mail.
type Invitation struct {
	Link    credentials.Credential
	BaseURL string    // of the portal, for the link in the mail
	Due     time.Time // when SendDue takes the mail up if it is still unsent; zero: at once
	Tries   int       // how often SendDue has tried
}

// Unsent is an invitation whose mail has not been accepted for delivery.
type Unsent struct {
	User    User
	BaseURL string
	Tries   int
}

// InvitationStore keeps activation links and knows which of them still have to be mailed. Writes are all or nothing;
// reads are strongly consistent.
type InvitationStore interface {
	// Invited returns the pending user whom the link belongs to, or ErrLink where the link does not work at that time.
	Invited(ctx context.Context, link credentials.Secret, at time.Time) (User, error)
	// Activate makes the user active, spends its link and adds the key. ErrLink if the user is no longer pending with
	// that link, versions.ErrStale if the user changed otherwise.
	Activate(ctx context.Context, user User, key credentials.Credential, at time.Time) (User, error)
	// Unsent returns up to limit invitations that are due at the given time and never were marked as sent.
	Unsent(ctx context.Context, at time.Time, limit int) ([]Unsent, error)
	// Renew gives a pending user a new link and ends the one before. versions.ErrStale if the user changed.
	Renew(ctx context.Context, user User, invitation Invitation, at time.Time) error
	// Sent notes that the mail with this link was accepted for delivery.
	Sent(ctx context.Context, userID, linkID string) error
}

// Mailer sends one message; nil means accepted for delivery.
type Mailer interface {
	Send(ctx context.Context, message mail.Message) error
}

// Inviter mails activation links and lets people use them.
type Inviter struct {
	store  InvitationStore
	mailer Mailer
	now    func() time.Time
}

// NewInviter returns an Inviter.
func NewInviter(store InvitationStore, mailer Mailer, now func() time.Time) *Inviter {
	return &Inviter{store: store, mailer: mailer, now: now}
}

func (i *Inviter) invite(user User, baseURL string) (credentials.Secret, Invitation) {
	link := credentials.Mint(credentials.Link)
	now := i.now().UTC()
	return link, Invitation{BaseURL: baseURL, Due: now.Add(SendAfter), Link: credentials.Credential{
		ID: link.ID(), Kind: credentials.Link, Hash: link.Hash(), Name: "activation",
		Owner: ownerOf(user), CreatedAt: now, ExpiresAt: now.Add(LinkLife),
	}}
}

// mailOrLeave sends the letter. One that cannot be sent now stays noted as unsent, and SendDue sends it: the user exists
// already, so the request must not fail for it.
func (i *Inviter) mailOrLeave(ctx context.Context, user User, link credentials.Secret, invitation Invitation) {
	if err := i.mail(ctx, user, link, invitation); err != nil {
		slog.WarnContext(ctx, "activation mail left for later", "user", user.ID, "error", err)
	}
}

func (i *Inviter) mail(ctx context.Context, user User, link credentials.Secret, invitation Invitation) error {
	if err := i.mailer.Send(ctx, letter(user, link, invitation)); err != nil {
		return err
	}
	return i.store.Sent(ctx, user.ID, link.ID())
}

// SendDue mails every invitation that its own request could not, as far as the context's deadline lets it. Since only the
// hash of a link is stored, each gets a new link, and the one before ends. It returns how many it sent; errors are joined,
// one user's does not stop the rest.
func (i *Inviter) SendDue(ctx context.Context) (sent int, err error) {
	const batch = 100
	due, err := i.store.Unsent(ctx, i.now(), batch)
	if err != nil {
		return 0, err
	}
	var failures []error
	for _, d := range due {
		if !mail.HasTime(ctx) {
			break
		}
		err := i.sendAgain(ctx, d)
		switch {
		case err == nil:
			sent++
		case !errors.Is(err, versions.ErrStale): // stale: activated, changed or deleted meanwhile; the next run sees what it is now
			failures = append(failures, fmt.Errorf("user %s: %w", d.User.ID, err))
		}
	}
	return sent, errors.Join(failures...)
}

func (i *Inviter) sendAgain(ctx context.Context, due Unsent) error {
	if due.Tries >= mail.MaxTries {
		slog.ErrorContext(ctx, "activation mail given up", "user", due.User.ID, "tries", due.Tries)
		return i.store.Sent(ctx, due.User.ID, due.User.LinkID)
	}
	link, invitation := i.invite(due.User, due.BaseURL)
	invitation.Tries = due.Tries + 1
	invitation.Due = i.now().UTC().Add(mail.BackOff(invitation.Tries))
	if err := i.store.Renew(ctx, due.User, invitation, i.now().UTC()); err != nil {
		return err
	}
	return i.mail(ctx, due.User, link, invitation)
}

// Activated is a user who has just activated the account, with a first API key, shown this once.
type Activated struct {
	User User
	Key  credentials.Secret
}

// Activate spends the link: the user becomes active and gets a first API key. Of several uses at the same moment one
// succeeds. Error: ErrLink.
func (i *Inviter) Activate(ctx context.Context, text string) (Activated, error) {
	link, err := credentials.Parse(text)
	if err != nil || link.Kind() != credentials.Link {
		return Activated{}, ErrLink
	}
	var activated Activated
	err = versions.Retry(ctx, func() error {
		user, err := i.store.Invited(ctx, link, i.now())
		if err != nil {
			return err
		}
		at := versions.Stamp(i.now())
		secret, key := mintKey(user, "first key", at)
		key.Owner.Active = true
		activated.Key = secret
		activated.User, err = i.store.Activate(ctx, user, key, at)
		return err
	})
	return activated, err
}

func letter(user User, link credentials.Secret, invitation Invitation) mail.Message {
	until := invitation.Link.ExpiresAt.Format("2 January 2006, 15:04 UTC")
	return mail.Letter{
		To: user.Email, Subject: "Activate your account", Name: user.Name,
		Body: []string{"an account was made for you."},
		// The link sits behind the #, which browsers do not send: it reaches no server's log.
		Button: mail.Button{Label: "Activate your account", Address: invitation.BaseURL + "/portal/activate#" + link.Reveal()},
		Notes: []string{
			"The link works once, until " + until + ". You get your first API key there.",
			"If you did not expect this message, ignore it: without the link the account stays closed.",
		},
	}.Message()
}
