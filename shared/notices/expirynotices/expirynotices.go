// Package expirynotices mails the owners of tokens and passwords before these expire: 30, 14, 3 and 1 days before, one
// mail each.
//
// The notices of a day are a walk over the credentials by their day of expiry, nearest first. It takes as many runs as
// necessary. It covers all days since the last day that is done, so a day without a run is caught up. If a credential
// has reached several thresholds in that time, its owner gets one mail, for the nearest one.
//
// Mails are sent at least once. A run claims a notice before it sends the mail and marks it as sent afterwards, both
// with conditional writes. A process that dies in between leaves a claim, and the next run sends the mail again. A
// lease keeps two runs from working at the same time. A run renews the lease before a mail if necessary, and the time
// limit for sending one mail is shorter than the lease.
//
// A notice that fails is stored and tried again an hour later, so it neither stops nor repeats the walk.
package expirynotices

import (
	"context"
	"errors"
	"time"

	"portside/shared/core/calendar"
	"portside/shared/core/walk"
	"portside/shared/credentials"
	"portside/shared/mail"
)

// Thresholds returns how many days before the expiry an owner gets a notice, in descending order.
func Thresholds() []int { return []int{30, 14, 3, 1} }

// Times of a run.
const (
	Lease       = 45 * time.Second // how long a run that died blocks other runs
	RetryAfter  = time.Hour        // when a failed notice is tried again
	sendTimeout = 20 * time.Second // for one mail
	mailReserve = 30 * time.Second // time of the run that must be left to send a mail and to store the progress
)

// PageSize is how many credentials a run reads at once. After each page it stores its progress.
const PageSize = 100

// ErrNoPerson means that the owner does not exist or is not active.
var ErrNoPerson = errors.New("expirynotices: the owner is not an active user")

// Progress is how far the notices have been sent.
type Progress struct {
	Done    calendar.Day // last day whose notices were all sent or stored for a retry; 0 before the first
	Today   calendar.Day // day of the unfinished walk, or 0
	Expires calendar.Day // the walk has passed all credentials that expire before this day
	After   string       // and those that expire on it, up to this credential ID
}

// Notice is one mail to send.
type Notice struct {
	Credential credentials.Credential
	Days       int // the threshold
}

// Ledger stores which notices were sent. Its writes are conditional, so if two runs write at the same time, one
// succeeds.
type Ledger interface {
	// Unsent returns the notices that are not marked as sent, in the same order.
	Unsent(ctx context.Context, notices []Notice) ([]Notice, error)
	// Claim stores that the notice is about to be sent. It returns false if the notice was sent before.
	Claim(ctx context.Context, notice Notice) (bool, error)
	// MarkSent stores that the notice was sent.
	MarkSent(ctx context.Context, notice Notice) error
}

// Retry is a failed notice, which is tried again at a time.
type Retry struct {
	CredentialID string
	Days         int // the threshold
	At           time.Time
	PurgeAt      time.Time // when the credential is gone, and the retry too
}

// Retries stores failed notices.
type Retries interface {
	// Add stores a retry.
	Add(ctx context.Context, retry Retry) error
	// Due returns some of the retries whose time has come, earliest first, and at most limit.
	Due(ctx context.Context, now time.Time, limit int) ([]Retry, error)
	// Remove deletes a retry.
	Remove(ctx context.Context, retry Retry) error
}

// Credentials finds tokens and passwords. Reads are strongly consistent, except for last uses.
type Credentials interface {
	// Expiring returns at most limit tokens and passwords that expire on a day and follow the given ID, without their
	// last uses.
	Expiring(ctx context.Context, day calendar.Day, after string, limit int) (credentials.Found, error)
	// ByID returns the credentials with these IDs that exist, at most 100, in no particular order and without their
	// last uses.
	ByID(ctx context.Context, ids []string) (credentials.Found, error)
	// ListWithUses returns an owner's credentials of some kinds, recently expired and revoked ones included, in no
	// particular order.
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
	Walk        walk.Store[Progress]
	Ledger      Ledger
	Retries     Retries
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

// send sends one notice. It returns false if no mail is needed, because the owner is not active or already has the
// mail.
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
