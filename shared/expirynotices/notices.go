// Package notices tells the owners of tokens and passwords in time that these are about to expire: 30, 14, 3 and 1 days
// before, by mail, once each.
//
// A daily run looks at the days that each threshold has passed over since the last run that completed, so that days on
// which no run did are caught up. Only one mail is due for a credential at a time, that of the nearest threshold. Before a
// mail its notice is claimed and afterwards marked as sent, both conditionally: a process that dies in between leaves a
// claim, and the next run sends that mail again. So a mail may in rare cases come twice, and none is lost. A lock with a
// lease keeps two runs from working at the same time; it is renewed before each mail, and no mail takes as long as what is
// left of it then.
package expirynotices

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"portside/shared/credentials"
	"portside/shared/mail"
)

// Thresholds are how many days before its end a credential's owner is told, from the first notice to the last.
func Thresholds() []int { return []int{30, 14, 3, 1} }

// The times of a run.
const (
	Lease    = 45 * time.Second // how long a run that died keeps the others out
	sendTime = 20 * time.Second // the most that one mail may take
)

// What a store says of a lock or of a person.
var (
	ErrLocked   = errors.New("notices: another run is at work")
	ErrNoPerson = errors.New("notices: there is no such person, or none that may act")
)

// Lock lets one run work at a time, and remembers up to which day everything was done.
type Lock interface {
	// Acquire takes the lock until the given time unless somebody else has it (ErrLocked), and returns the last day that
	// was done, zero if there was none.
	Acquire(ctx context.Context, run string, now, until time.Time) (done time.Time, err error)
	// Renew extends the lock; ErrLocked if the run does not have it any more.
	Renew(ctx context.Context, run string, until time.Time) error
	// Release gives the lock back; no error if the run does not have it. A day that is not zero is noted as done.
	Release(ctx context.Context, run string, done time.Time) error
}

// Notice is one mail that is due.
type Notice struct {
	Credential credentials.Credential
	Days       int // the threshold
}

// Ledger keeps which notices were sent. Writes are conditional: whatever happens at the same time, one of them holds.
type Ledger interface {
	// Claim notes that the notice is about to be sent; false if it was sent already.
	Claim(ctx context.Context, notice Notice) (bool, error)
	// Sent notes that it was.
	Sent(ctx context.Context, notice Notice) error
}

// Credentials is where tokens and passwords are found. Reads are strongly consistent.
type Credentials interface {
	// Expiring returns those that expire on the UTC day of the given time, in no particular order.
	Expiring(ctx context.Context, day time.Time) ([]credentials.Credential, error)
	// List returns the credentials of one kind that an owner has or had lately, in no particular order.
	List(ctx context.Context, ownerID string, kind credentials.Kind) ([]credentials.Credential, error)
}

// Person is whom a mail goes to.
type Person struct {
	Name  string
	Email string
}

// People knows the owners.
type People interface {
	// Person returns an active user; ErrNoPerson.
	Person(ctx context.Context, id string) (Person, error)
}

// Mailer sends one message; nil means accepted for delivery.
type Mailer interface {
	Send(ctx context.Context, message mail.Message) error
}

// Parts are what a Sender works with.
type Parts struct {
	Lock        Lock
	Ledger      Ledger
	Credentials Credentials
	People      People
	Mailer      Mailer
	BaseURL     string // of the API, without a trailing slash; empty: the mail names paths alone
	Now         func() time.Time
}

// Sender sends the notices that are due.
type Sender struct{ Parts }

// New returns a Sender.
func New(parts Parts) *Sender { return &Sender{parts} }

// Outcome is what a run did.
type Outcome struct {
	Sent    int
	Skipped bool // another run was at work
}

// Run sends what is due, as far as the context's deadline lets it. A mail that fails does not stop the rest; errors are
// joined. Unless everything was sent the day is not noted as done, and the next run does the rest. A run that finds
// another one at work does nothing and is no error.
func (s *Sender) Run(ctx context.Context) (Outcome, error) {
	run := rand.Text()
	today := s.Now().UTC().Truncate(day)
	done, err := s.Lock.Acquire(ctx, run, s.Now(), s.Now().Add(Lease))
	if errors.Is(err, ErrLocked) {
		return Outcome{Skipped: true}, nil
	}
	if err != nil {
		return Outcome{}, err
	}
	sent, err := s.work(ctx, run, span{done, today})
	if err != nil {
		return Outcome{Sent: sent}, errors.Join(err, s.Lock.Release(context.WithoutCancel(ctx), run, time.Time{}))
	}
	return Outcome{Sent: sent}, s.Lock.Release(ctx, run, today)
}

var errNoTime = errors.New("notices: the time of this run is used up; the next one does the rest")

func (s *Sender) work(ctx context.Context, run string, days span) (sent int, err error) {
	var failures []error
	for _, expires := range days.expiries() {
		if err := s.Lock.Renew(ctx, run, s.Now().Add(Lease)); err != nil {
			return sent, errors.Join(append(failures, err)...)
		}
		found, err := s.Credentials.Expiring(ctx, expires)
		if err != nil {
			return sent, errors.Join(append(failures, err)...)
		}
		n, err := s.tell(ctx, run, days.due(found, s.Now()))
		sent += n
		failures = append(failures, err)
		if errors.Is(err, ErrLocked) || errors.Is(err, errNoTime) {
			break
		}
	}
	return sent, errors.Join(failures...)
}

// tell sends the notices of one day.
func (s *Sender) tell(ctx context.Context, run string, due []Notice) (sent int, err error) {
	var failures []error
	for _, notice := range due {
		if !hasTime(ctx) {
			return sent, errors.Join(append(failures, errNoTime)...)
		}
		if err := s.Lock.Renew(ctx, run, s.Now().Add(Lease)); err != nil {
			return sent, errors.Join(append(failures, err)...)
		}
		switch told, err := s.send(ctx, notice); {
		case err != nil:
			failures = append(failures, fmt.Errorf("credential %s: %w", notice.Credential.ID, err))
		case told:
			sent++
		}
	}
	return sent, errors.Join(failures...)
}

// hasTime compares with the machine's clock, which the deadline comes from, and not with the one that is passed in.
func hasTime(ctx context.Context) bool {
	deadline, limited := ctx.Deadline()
	return ctx.Err() == nil && (!limited || time.Until(deadline) >= sendTime)
}

// send reports whether it sent a mail; no mail was needed where there is nobody to tell, or it was sent already.
func (s *Sender) send(ctx context.Context, notice Notice) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	person, err := s.People.Person(ctx, notice.Credential.Owner.ID)
	if errors.Is(err, ErrNoPerson) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	successor, err := s.successor(ctx, notice.Credential)
	if err != nil {
		return false, err
	}
	claimed, err := s.Ledger.Claim(ctx, notice)
	if err != nil || !claimed {
		return false, err
	}
	if err := s.Mailer.Send(ctx, letter{notice, person, successor, s.BaseURL}.message()); err != nil {
		return false, err
	}
	return true, s.Ledger.Sent(ctx, notice)
}

// successor returns the newest live token that was made with the credential; zero if there is none.
func (s *Sender) successor(ctx context.Context, c credentials.Credential) (newest credentials.Credential, err error) {
	all, err := s.Credentials.List(ctx, c.Owner.ID, credentials.AccessToken)
	for _, other := range all {
		if other.RotatedFrom == c.ID && other.Works(s.Now()) && other.CreatedAt.After(newest.CreatedAt) {
			newest = other
		}
	}
	return newest, err
}
