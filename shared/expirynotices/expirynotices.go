// Package expirynotices mails the owners of tokens and passwords before these expire: 30, 14, 3 and 1 days before, one
// mail each.
//
// A run takes place every day. It covers all days since the last run that completed, so a day without a run is caught
// up. If a credential has reached several thresholds in that time, its owner gets one mail, for the nearest one.
//
// Mails are sent at least once. A run claims a notice before it sends the mail and marks it as sent afterwards, both with
// conditional writes. A process that dies in between leaves a claim, and the next run sends the mail again. A lock with a
// lease keeps two runs from working at the same time. A run renews the lease before each mail, and the time limit for
// sending one mail is shorter than the lease.
package expirynotices

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"portside/shared/core/calendar"
	"portside/shared/credentials"
	"portside/shared/mail"
)

// Thresholds returns how many days before the expiry an owner gets a notice, in descending order.
func Thresholds() []int { return []int{30, 14, 3, 1} }

// Time limits of a run.
const (
	Lease       = 45 * time.Second // how long the lock of a run that died blocks other runs
	sendTimeout = 20 * time.Second // for one mail
)

// Errors of the stores.
var (
	// ErrLocked means that another run has the lock.
	ErrLocked = errors.New("expirynotices: another run has the lock")
	// ErrNoPerson means that the owner does not exist or is not active.
	ErrNoPerson = errors.New("expirynotices: the owner is not an active user")
)

// Lock lets one run work at a time, and stores the last day that is done.
type Lock interface {
	// Acquire takes the lock until the given time and returns the last day that is done, or 0 before the first. Errors:
	// ErrLocked if another run has the lock.
	Acquire(ctx context.Context, run string, now, until time.Time) (done calendar.Day, err error)
	// Renew extends the lock. Errors: ErrLocked if the run has lost it.
	Renew(ctx context.Context, run string, until time.Time) error
	// Release releases the lock, and stores done as the last day that is done unless it is 0. It returns nil if the run
	// has lost the lock.
	Release(ctx context.Context, run string, done calendar.Day) error
}

// Notice is one mail to send.
type Notice struct {
	Credential credentials.Credential
	Days       int // the threshold
}

// Ledger stores which notices were sent. Its writes are conditional, so if two runs write at the same time, one succeeds.
type Ledger interface {
	// Claim stores that the notice is about to be sent. It returns false if the notice was sent before.
	Claim(ctx context.Context, notice Notice) (bool, error)
	// MarkSent stores that the notice was sent.
	MarkSent(ctx context.Context, notice Notice) error
}

// Credentials finds tokens and passwords. Reads are strongly consistent, except for last uses.
type Credentials interface {
	// Expiring returns the tokens and passwords that expire on a day, in no particular order and without their last uses.
	Expiring(ctx context.Context, day calendar.Day) ([]credentials.Credential, error)
	// ListWithUses returns an owner's credentials of some kinds, recently expired and revoked ones included, in no particular order.
	ListWithUses(ctx context.Context, ownerID string, kinds ...credentials.Kind) ([]credentials.Credential, error)
}

// Person is the recipient of a mail.
type Person struct {
	Name  string
	Email string
}

// People finds the owners of credentials.
type People interface {
	// Person returns an active user. Errors: ErrNoPerson.
	Person(ctx context.Context, id string) (Person, error)
}

// Mailer sends mails. Nil means that a message was accepted for delivery.
type Mailer interface {
	Send(ctx context.Context, message mail.Message) error
}

// Parts are the dependencies of a Sender.
type Parts struct {
	Lock        Lock
	Ledger      Ledger
	Credentials Credentials
	People      People
	Mailer      Mailer
	BaseURL     string // of the API, without a trailing slash; if empty, mails name only paths
	Now         func() time.Time
}

// Sender sends the notices that are due.
type Sender struct{ Parts }

// New returns a Sender.
func New(parts Parts) *Sender { return &Sender{parts} }

// Outcome is the result of a run.
type Outcome struct {
	Sent    int  // mails
	Skipped bool // because another run had the lock
}

// Run sends the notices that are due. It continues after a failed mail, and joins the errors. The day counts as done
// only if every notice was sent. Otherwise, or if the context's deadline leaves no time, the next run sends the other
// notices. If another run has the lock, Run returns without an error.
func (s *Sender) Run(ctx context.Context) (Outcome, error) {
	run := rand.Text()
	today := calendar.DayOf(s.Now())
	done, err := s.Lock.Acquire(ctx, run, s.Now(), s.Now().Add(Lease))
	if errors.Is(err, ErrLocked) {
		return Outcome{Skipped: true}, nil
	}
	if err != nil {
		return Outcome{}, err
	}
	sent, err := s.sendAll(ctx, run, span{done, today})
	if err != nil {
		return Outcome{Sent: sent}, errors.Join(err, s.Lock.Release(context.WithoutCancel(ctx), run, 0))
	}
	return Outcome{Sent: sent}, s.Lock.Release(ctx, run, today)
}

var errNoTime = errors.New("expirynotices: no time left in this run; the next run sends the rest")

// sendAll sends the notices of all days on which credentials expire.
func (s *Sender) sendAll(ctx context.Context, run string, days span) (sent int, err error) {
	var failures []error
	for _, expires := range days.expiryDays() {
		if err := s.Lock.Renew(ctx, run, s.Now().Add(Lease)); err != nil {
			return sent, errors.Join(append(failures, err)...)
		}
		found, err := s.Credentials.Expiring(ctx, expires)
		if err != nil {
			return sent, errors.Join(append(failures, err)...)
		}
		n, err := s.sendDay(ctx, run, days.notices(found, s.Now()))
		sent += n
		failures = append(failures, err)
		if errors.Is(err, ErrLocked) || errors.Is(err, errNoTime) {
			break
		}
	}
	return sent, errors.Join(failures...)
}

// sendDay sends the notices for the credentials that expire on one day.
func (s *Sender) sendDay(ctx context.Context, run string, due []Notice) (sent int, err error) {
	var failures []error
	for _, notice := range due {
		if !hasTime(ctx) {
			return sent, errors.Join(append(failures, errNoTime)...)
		}
		if err := s.Lock.Renew(ctx, run, s.Now().Add(Lease)); err != nil {
			return sent, errors.Join(append(failures, err)...)
		}
		switch isSent, err := s.send(ctx, notice); {
		case err != nil:
			failures = append(failures, fmt.Errorf("credential %s: %w", notice.Credential.ID, err))
		case isSent:
			sent++
		}
	}
	return sent, errors.Join(failures...)
}

// hasTime reports whether the context leaves time for one mail. It uses the machine's clock, like the deadline, and not
// Parts.Now.
func hasTime(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ctx.Err() == nil && (!ok || time.Until(deadline) >= sendTimeout)
}

// send sends one notice. It returns false if no mail is needed, because the owner is not active or already has the mail.
func (s *Sender) send(ctx context.Context, notice Notice) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	person, err := s.People.Person(ctx, notice.Credential.Owner.ID)
	if errors.Is(err, ErrNoPerson) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	owned, err := s.Credentials.ListWithUses(ctx, notice.Credential.Owner.ID, credentials.AccessToken, credentials.Password)
	if err != nil {
		return false, err
	}
	notice.Credential.LastUsedAt = lastUseOf(notice.Credential.ID, owned)
	successor := s.successor(notice.Credential.ID, owned)
	claimed, err := s.Ledger.Claim(ctx, notice)
	if err != nil || !claimed {
		return false, err
	}
	if err := s.Mailer.Send(ctx, content{notice, person, successor, s.BaseURL}.message()); err != nil {
		return false, err
	}
	return true, s.Ledger.MarkSent(ctx, notice)
}

// lastUseOf returns the last use of the credential with this id, or the zero time.
func lastUseOf(id string, owned []credentials.Credential) time.Time {
	for _, c := range owned {
		if c.ID == id {
			return c.LastUsedAt
		}
	}
	return time.Time{}
}

// successor returns the newest working token that replaces the credential with this id, or a zero Credential.
func (s *Sender) successor(id string, owned []credentials.Credential) (newest credentials.Credential) {
	for _, c := range owned {
		if c.Kind == credentials.AccessToken && c.RotatedFrom == id && c.Works(s.Now()) && c.CreatedAt.After(newest.CreatedAt) {
			newest = c
		}
	}
	return newest
}
