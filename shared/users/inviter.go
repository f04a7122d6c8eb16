package users

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

// LinkLifetime is how long an activation link works.
const LinkLifetime = 7 * 24 * time.Hour

// InvitationBatch is how many mails SendDue sends at most.
const InvitationBatch = 25

// SendAfter is how long SendDue waits with a new invitation, so that the request that created it
// can send the mail itself.
const SendAfter = mail.SendAfter

// ErrLink is the error of every other activation link that does not work, whatever the reason.
var ErrLink = fault.New(fault.Unauthorized, "This activation link does not work: it has expired, has already been used, or was "+
	"replaced by a newer one. Ask your administrator for a new invitation.")

// ErrCustomerSuspended is the error of an activation link that works again when the customer is not suspended any more.
var ErrCustomerSuspended = fault.New(fault.Unauthorized, "Your company's access is suspended. When it is restored, this activation link "+
	"works again until it expires. Ask your administrator.")

// Invitation is stored with a user who will activate the account by mail.
type Invitation struct {
	Link     credentials.Credential
	BaseURL  string            // of the portal, for the link in the mail
	Due      time.Time         // when SendDue sends the mail if it is still unsent; zero means at once
	Attempts int               // of SendDue
	Makers   []principal.Maker // of the link
	Quotas   []mail.Quota      // against which a new invitation counts; none for another attempt to send one
}

// Unsent is an invitation whose mail was not accepted for delivery yet.
type Unsent struct {
	User     User
	BaseURL  string
	Attempts int
	Makers   []principal.Maker
}

// InvitationReader reads activation links. Reads are strongly consistent.
type InvitationReader interface {
	// Invited returns the pending user who owns the link. Errors: ErrLink if the link does not work
	// at that time.
	Invited(ctx context.Context, link credentials.Secret, at time.Time) (User, error)
	// CurrentInvitation returns the user and the invitation. If the user is not pending, only the user is set. Errors:
	// ErrNotFound.
	CurrentInvitation(ctx context.Context, userID string) (CurrentInvitation, error)
	// Unsent returns up to limit invitations that are due at the given time and were never marked
	// as sent.
	Unsent(ctx context.Context, at time.Time, limit int) ([]Unsent, error)
}

// InvitationStore stores activation links and whether they were mailed. Writes are atomic.
type InvitationStore interface {
	InvitationReader
	// Activate makes the user active, revokes the link and adds the key. Errors: ErrLink if the
	// user is not pending any more or has a newer link; versions.ErrStale if the user has changed in
	// another way.
	Activate(ctx context.Context, user User, key credentials.Credential, at time.Time) (User, error)
	// Renew gives a pending user a new link and revokes the previous one. If invitation.Attempts is above 0, the
	// previous mail must still be unsent. Errors: versions.ErrStale if the user has changed, or if that mail was sent
	// meanwhile.
	Renew(ctx context.Context, user User, invitation Invitation, at time.Time) error
	// MarkSent records that the mail with this link was accepted for delivery.
	MarkSent(ctx context.Context, userID, linkID string) error
	// Abandon revokes the link of a mail that no attempt could send, and ends the attempts. Errors: versions.ErrStale
	// if the user has changed.
	Abandon(ctx context.Context, user User, at time.Time) error
}

// Mailer sends mails. Nil means that a message was accepted for delivery.
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

func (i *Inviter) invite(user User, baseURL string, makers []principal.Maker) (credentials.Secret, Invitation) {
	link := credentials.Mint(credentials.Link)
	now := versions.StoredTime(i.now())
	return link, Invitation{BaseURL: baseURL, Due: now.Add(SendAfter), Makers: makers, Link: credentials.Credential{
		ID: link.ID(), Kind: credentials.Link, Hash: link.Hash(), Name: credentials.ActivationLink,
		Owner: ownerOf(user), CreatedAt: now, ExpiresAt: now.Add(LinkLifetime), Makers: makers,
	}}
}

// trySend sends the mail and marks it as sent. It reports whether both succeeded. Otherwise SendDue sends a mail with a
// new link later. The request still succeeds, because the user is already stored.
func (i *Inviter) trySend(ctx context.Context, user User, link credentials.Secret, invitation Invitation) (isSent bool) {
	err := i.mail(ctx, user, link, invitation)
	if err != nil {
		slog.WarnContext(ctx, "activation mail not sent, or not marked as sent; the schedule sends another", "user", user.ID,
			"error", err)
	}
	return err == nil
}

func (i *Inviter) mail(ctx context.Context, user User, link credentials.Secret, invitation Invitation) error {
	if err := i.mailer.Send(ctx, invitationMessage(user, link, invitation)); err != nil {
		return err
	}
	return i.store.MarkSent(ctx, user.ID, link.ID())
}

// SendDue sends the activation mails that their own requests could not send, as long as the
// context's deadline leaves time. Each mail gets a new link, because only the hash of a link is
// stored, and the previous link stops working. SendDue returns the number of mails. A failure does
// not stop the rest; the errors are joined. One call makes at most InvitationBatch attempts, and the customers take
// turns.
func (i *Inviter) SendDue(ctx context.Context) (sent int, err error) {
	due, err := i.store.Unsent(ctx, i.now(), InvitationBatch)
	if err != nil {
		return 0, err
	}
	var failures []error
	for _, d := range due {
		if !mail.HasTime(ctx) {
			break
		}
		err := i.resend(ctx, d)
		switch {
		case err == nil:
			sent++
		case !errors.Is(err, versions.ErrStale): // a stale user was activated, changed or deleted meanwhile; the next run reads it again
			failures = append(failures, fmt.Errorf("user %s: %w", d.User.ID, err))
		}
	}
	return sent, errors.Join(failures...)
}

func (i *Inviter) resend(ctx context.Context, due Unsent) error {
	if due.Attempts >= mail.MaxAttempts {
		slog.ErrorContext(ctx, "activation mail not sent: all attempts failed", "user", due.User.ID, "attempts", due.Attempts)
		return i.store.Abandon(ctx, due.User, i.now().UTC())
	}
	link, invitation := i.invite(due.User, due.BaseURL, due.Makers)
	invitation.Attempts = due.Attempts + 1
	invitation.Due = i.now().UTC().Add(mail.RetryDelay(invitation.Attempts))
	if err := i.store.Renew(ctx, due.User, invitation, i.now().UTC()); err != nil {
		return err
	}
	return i.mail(ctx, due.User, link, invitation)
}

// Activated is a user who has just activated the account, with a first API key. The key is shown
// only now.
type Activated struct {
	User User
	Key  credentials.Secret
}

// Activate uses the link: the user becomes active and gets a first API key. If a link is used
// several times at once, one use succeeds. The chain of makers of the key begins with the link: it reached only the
// user's mailbox, so opening it is a sign-in, and the inviter has no hand in the key. Errors: ErrLink,
// ErrCustomerSuspended.
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
		at := versions.StoredTime(i.now())
		secret, key := mintKey(user, "first key", at)
		key.Owner.Active, key.Makers = true, []principal.Maker{{UserID: user.ID, CredentialID: link.ID()}}
		activated.Key = secret
		activated.User, err = i.store.Activate(ctx, user, key, at)
		return err
	})
	return activated, err
}

func invitationMessage(user User, link credentials.Secret, invitation Invitation) mail.Message {
	until := invitation.Link.ExpiresAt.Format("2 January 2006, 15:04 UTC")
	return mail.Content{
		To: user.Email, Subject: "Activate your account", Name: user.Name,
		Body: []string{"An account has been created for you."},
		// The secret is behind the #, which browsers do not send, so it reaches no server log.
		Button: mail.Button{Label: "Activate your account",
			Address: invitation.BaseURL + "/portal/activate#" + link.Reveal()},
		Notes: []string{
			"The link works once, until " + until + ". You get your first API key there.",
			"If you did not expect this message, ignore it. The account stays inactive unless you use the link.",
		},
	}.Message()
}
