package users

import (
	"context"
	"time"

	"portside/shared/core/fault"
	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/mail"
)

// The shortest time between two activation links of one user, so that a mailbox is not flooded: a minute for the first
// links, which correct a mistake, and then longer.
const (
	minResendInterval   = time.Minute
	laterResendInterval = time.Hour
	quickLinks          = 4
)

// The errors of operations on an invitation.
var (
	// ErrNoInvitation means that the user is not pending.
	ErrNoInvitation = fault.New(fault.NotFound, "The user has no invitation, because the user is not pending.")
	// ErrNotPending means that Resend cannot invite the user, because the user is not pending.
	ErrNotPending = fault.NewFinal(fault.Conflict, "Only a pending user can be invited again. This user has activated the account, or "+
		"someone has changed the status.")
	// ErrInvitedJustNow means that the current link is younger than the shortest time between two links.
	ErrInvitedJustNow = fault.New(fault.RateLimited, "An activation link was sent to this user a short time ago. After the fourth link, "+
		"another can be sent every hour, before that every minute.")
)

// CurrentInvitation is the invitation of a pending user.
type CurrentInvitation struct {
	User      User
	CreatedAt time.Time // of the link; zero before the first link, or after an expired link was deleted
	ExpiresAt time.Time // of the link, or when it was revoked; zero if CreatedAt is zero
	IsUnsent  bool      // the mail was not accepted for delivery yet
	Links     int64     // how many links were created for the user
}

// IsExpired reports whether the link has expired. An invitation without a link is expired unless its mail is still to
// be sent.
func (c CurrentInvitation) IsExpired(now time.Time) bool {
	return !c.IsUnsent && !now.Before(c.ExpiresAt)
}

// Invitation returns the invitation of a pending user. Errors: ErrNotFound, ErrNoInvitation.
func (i *Inviter) Invitation(ctx context.Context, caller principal.Principal,
	userID string) (CurrentInvitation, error) {
	current, err := i.store.CurrentInvitation(ctx, userID)
	if _, err = visibleTo(caller, current.User, err); err != nil {
		return CurrentInvitation{}, err
	}
	if current.User.Status != Pending {
		return CurrentInvitation{}, ErrNoInvitation
	}
	return current, nil
}

// Resend mails a new link to a pending user and revokes the previous link. Like Service.Create, it returns once the
// invitation is stored. Errors: ErrNotFound, ErrNotPending, ErrRoleTooHigh, ErrInvitedJustNow, mail.ErrQuota.
func (i *Inviter) Resend(ctx context.Context, caller principal.Principal,
	userID, baseURL string) (CurrentInvitation, error) {
	makers, err := credentials.MadeBy(caller)
	if err != nil {
		return CurrentInvitation{}, err
	}
	var user User
	var link credentials.Secret
	var invitation Invitation
	err = versions.Retry(ctx, func() error {
		current, err := i.store.CurrentInvitation(ctx, userID)
		if _, err = visibleTo(caller, current.User, err); err != nil {
			return err
		}
		now := i.now().UTC()
		if err := checkResend(caller, current, now); err != nil {
			return err
		}
		user = current.User
		link, invitation = i.invite(user, baseURL, makers)
		invitation.Quotas = mail.InvitationsTo(caller, user.Email)
		return i.store.Renew(ctx, user, invitation, now)
	})
	if err != nil {
		return CurrentInvitation{}, err
	}
	isSent := i.trySend(ctx, user, link, invitation)
	return CurrentInvitation{
		User: user, CreatedAt: invitation.Link.CreatedAt, ExpiresAt: invitation.Link.ExpiresAt, IsUnsent: !isSent,
	}, nil
}

func checkResend(caller principal.Principal, current CurrentInvitation, now time.Time) error {
	if !caller.Role.Covers(current.User.Role) {
		return ErrRoleTooHigh
	}
	if current.User.Status != Pending {
		return ErrNotPending
	}
	if wait := current.CreatedAt.Add(resendInterval(current.Links)).Sub(now); wait > 0 {
		return ErrInvitedJustNow.After(wait)
	}
	return nil
}

func resendInterval(links int64) time.Duration {
	if links < quickLinks {
		return minResendInterval
	}
	return laterResendInterval
}
