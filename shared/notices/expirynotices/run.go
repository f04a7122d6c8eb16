package expirynotices

import (
	"context"
	"errors"
	"fmt"

	"portside/shared/core/calendar"
	"portside/shared/core/walk"
	"portside/shared/credentials"
)

// Outcome is the result of a run.
type Outcome struct {
	Sent       int  // mails
	Failed     int  // notices that are tried again later
	DaysBehind int  // days whose notices are not all sent; 0 if today is done
	Skipped    bool // because another run has the lease
}

// Run continues to send the notices that are due, until all are sent or the context leaves no time for another mail. If
// notices failed, it returns an error after it has sent the rest. If another run has the lease, it returns without an
// error.
func (s *Sender) Run(ctx context.Context) (Outcome, error) {
	lease, err := walk.Begin(ctx, s.Walk, walk.Clock{Now: s.Now, Lease: Lease})
	if errors.Is(err, walk.ErrLocked) {
		return Outcome{Skipped: true}, nil
	}
	if err != nil {
		return Outcome{}, err
	}
	r := &run{Sender: s, lease: lease, today: calendar.DayOf(s.Now())}
	err = r.sendAll(ctx)
	err = errors.Join(err, r.failures.err(), lease.End(ctx))
	return Outcome{Sent: r.sent, Failed: r.failures.count, DaysBehind: int(max(0, r.today-lease.Progress.Done))}, err
}

// run is one run of a Sender.
type run struct {
	*Sender
	lease    *walk.Run[Progress]
	today    calendar.Day
	sent     int
	failures failures
}

// errNoTime ends a run that has no time for another mail. Run does not return it.
var errNoTime = errors.New("expirynotices: no time left in this run")

func (r *run) sendAll(ctx context.Context) error {
	err := r.walk(ctx)
	if err == nil {
		err = r.retry(ctx)
	}
	if errors.Is(err, errNoTime) {
		return nil
	}
	return err
}

// walk continues the walk of today. It starts a new one if the last walk was of another day: the days of expiry have
// moved meanwhile, and the ledger knows the notices that the other walk has sent.
func (r *run) walk(ctx context.Context) error {
	at := &r.lease.Progress
	if at.Done >= r.today {
		return nil
	}
	if at.Today != r.today {
		*at = Progress{Done: at.Done, Today: r.today}
	}
	days := span{at.Done, r.today}
	for _, expires := range days.expiryDays() {
		if expires < at.Expires {
			continue
		}
		if expires > at.Expires {
			at.Expires, at.After = expires, ""
		}
		if err := r.walkDay(ctx, days); err != nil {
			return err
		}
	}
	*at = Progress{Done: r.today}
	return r.lease.Save(ctx)
}

// walkDay sends the notices for the credentials that expire on the day of the progress, page by page.
func (r *run) walkDay(ctx context.Context, days span) error {
	at := &r.lease.Progress
	for {
		if !walk.HasTime(ctx, mailReserve) {
			return errNoTime
		}
		page, err := r.Credentials.Expiring(ctx, at.Expires, at.After, PageSize)
		if err != nil {
			return err
		}
		if err := r.sendPage(ctx, days.notices(page.Credentials, r.Now())); err != nil {
			return err
		}
		r.failures.add(page.Damaged...)
		if at.After = page.Next; page.Next == "" {
			at.Expires++
			return r.lease.Save(ctx)
		}
		if err := r.lease.Save(ctx); err != nil {
			return err
		}
	}
}

func (r *run) sendPage(ctx context.Context, due []Notice) error {
	unsent, err := r.Ledger.Unsent(ctx, due)
	if err != nil {
		return err
	}
	for _, notice := range unsent {
		if err := r.attempt(ctx, notice); err != nil {
			return err
		}
	}
	return nil
}

// attempt sends a notice, or stores a retry. An error means that the run must stop.
func (r *run) attempt(ctx context.Context, notice Notice) error {
	if !walk.HasTime(ctx, mailReserve) {
		return errNoTime
	}
	if err := r.lease.Renew(ctx, 2*sendTimeout); err != nil {
		return err
	}
	sent, err := r.send(ctx, notice)
	if err != nil {
		c := notice.Credential
		r.failures.add(fmt.Errorf("credential %s: %w", c.ID, err))
		return r.Retries.Add(ctx, Retry{
			CredentialID: c.ID, Days: notice.Days, At: r.Now().Add(RetryAfter), PurgeAt: c.ExpiresAt.Add(credentials.Retention),
		})
	}
	if sent {
		r.sent++
	}
	return nil
}

// retry tries the failed notices whose time has come. Each of them is removed, or stored for a later time.
func (r *run) retry(ctx context.Context) error {
	for {
		due, err := r.Retries.Due(ctx, r.Now(), PageSize)
		if err != nil || len(due) == 0 {
			return err
		}
		if err := r.retryPage(ctx, due); err != nil {
			return err
		}
	}
}

func (r *run) retryPage(ctx context.Context, due []Retry) error {
	found, err := r.Credentials.ByID(ctx, idsOf(due))
	if err != nil {
		return err
	}
	r.failures.add(found.Damaged...)
	byID := map[string]credentials.Credential{}
	for _, c := range found.Credentials {
		byID[c.ID] = c
	}
	for _, again := range due {
		notice := Notice{byID[again.CredentialID], again.Days}
		if notice.Credential.Works(r.Now()) && !r.isOvertaken(notice) {
			if err := r.attempt(ctx, notice); err != nil {
				return err
			}
		}
		if err := r.Retries.Remove(ctx, again); err != nil {
			return err
		}
	}
	return nil
}

// idsOf returns the distinct IDs of the credentials.
func idsOf(retries []Retry) (ids []string) {
	seen := map[string]bool{}
	for _, again := range retries {
		if !seen[again.CredentialID] {
			ids = append(ids, again.CredentialID)
		}
		seen[again.CredentialID] = true
	}
	return ids
}

// isOvertaken reports whether the credential has reached a nearer threshold, for which the walk has sent or stored a
// notice.
func (r *run) isOvertaken(notice Notice) bool {
	left := int(calendar.DayOf(notice.Credential.ExpiresAt) - r.today)
	for _, days := range Thresholds() {
		if days < notice.Days && left <= days {
			return true
		}
	}
	return false
}

// maxErrors is how many errors of a run are reported; further errors are only counted.
const maxErrors = 5

// failures are the notices that failed in a run.
type failures struct {
	count int
	first []error
}

func (f *failures) add(errs ...error) {
	f.count += len(errs)
	f.first = append(f.first, errs[:min(len(errs), maxErrors-len(f.first))]...)
}

func (f *failures) err() error {
	if f.count == 0 {
		return nil
	}
	return fmt.Errorf("%d notices failed, and are tried again later; the first errors: %w", f.count,
		errors.Join(f.first...))
}
