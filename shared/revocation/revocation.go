// Package revocation ends a credential together with everything that was made with it: the keys, tokens and passwords
// that a thief may have created.
//
// The first transaction ends the credential itself and stores a job. Since a credential that has ended makes no others,
// the job then ends the credentials that it has made, level by level, in small transactions. The request does as much
// as its time permits. A schedule continues a job that is not finished, also after a crash: every step is repeatable,
// and a job is removed only once it finds nothing more to end.
package revocation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"portside/shared/core/throttle"
	"portside/shared/core/versions"
	"portside/shared/credentials"
	"portside/shared/mail"
)

// repeatedReports limits reports of a credential that has already ended. Reports above the limit change nothing,
// because an ended credential creates nothing new.
var repeatedReports = throttle.Limit{Name: "repeated-reports", Window: 10 * time.Minute, Failures: 10}

// minJobTime is the time that must be left to a run of the schedule to begin another job.
const minJobTime = 5 * time.Second

// batchSize is how many credentials one transaction ends. Each has up to 11 items, of the 100 of a transaction.
const batchSize = 8

// maxPasses bounds one run of a job if its credentials change all the time. The schedule continues the job.
const maxPasses = 100

// Job is a task: the credential Root has ended, and everything that was made with it has to end.
type Job struct {
	Root     credentials.Credential
	Reason   string
	IsLeaked bool // whether the credential was reported as leaked; its owner then gets a mail
	At       time.Time
	BaseURL  string    // of the portal, for links in mails
	Due      time.Time // when the schedule continues it
}

// Store keeps credentials and jobs. Writes are all or nothing; reads are strongly consistent.
type Store interface {
	// Get returns a credential of any kind. Errors: credentials.ErrUnknown.
	Get(ctx context.Context, id string) (credentials.Credential, error)
	// Begin revokes the root unless it is revoked already, and stores the job. If it revokes a leaked root, it also
	// stores a notice for the owner. If a leaked root was revoked already, its reason becomes credentials.ReasonLeaked,
	// so that requests that were made with it can no longer be approved or collected. Tokens and passwords keep their
	// reason, because they make no requests. Errors: versions.ErrStale if the root has changed since it was read.
	Begin(ctx context.Context, job Job) error
	// Made returns credentials that were made with the root, directly or in several steps, and that are neither expired
	// nor revoked. It returns all of them, or at least limit.
	Made(ctx context.Context, root credentials.Credential, at time.Time, limit int) ([]credentials.Credential, error)
	// End revokes credentials of one owner. It also stores a notice for that owner, unless the root has the same one.
	// Errors: versions.ErrStale if one of the credentials has changed since it was read.
	End(ctx context.Context, job Job, made []credentials.Credential, at time.Time) error
}

// Jobs keeps the unfinished jobs.
type Jobs interface {
	// DueJobs returns up to limit jobs that are due at the given time.
	DueJobs(ctx context.Context, at time.Time, limit int) ([]Job, error)
	// Finish removes a job.
	Finish(ctx context.Context, job Job) error
}

// Parts are the dependencies of a Service.
type Parts struct {
	Store    Store
	Jobs     Jobs
	Failures throttle.Counts // needed by Report
	Now      func() time.Time
	// EndTime is how long Report and End may take before they leave the rest to the schedule. Zero means no limit.
	EndTime time.Duration
}

// Service ends credentials.
type Service struct {
	Parts

	repeated *throttle.Throttle
}

// NewService returns a Service.
func NewService(parts Parts) *Service {
	return &Service{parts, throttle.New(parts.Failures, repeatedReports)}
}

// now returns the time with the precision with which it is stored.
func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// Report has the text of a secret that a client reports as leaked.
type Report struct {
	Text    string
	BaseURL string // of the portal, for the mail to the owner
}

// Report ends the credential with this text and everything that was made with it, whoever reports it. The schedule
// mails the owner. An unknown text is not an error, so the response reveals nothing. It costs one read. Reports have no
// limit: a limit for all would keep out reports of other clients, and a limit only for unknown texts would reveal which
// secrets exist. A report that ends a credential takes longer by a few writes, but only once; that reveals nothing to a
// caller who has the secret anyway.
func (s *Service) Report(ctx context.Context, report Report) error {
	secret, malformed := credentials.Parse(report.Text)
	if malformed != nil || secret.Kind() == credentials.Browser {
		return nil //nolint:nilerr // a text without a valid form never works
	}
	root, err := s.Store.Get(ctx, secret.ID())
	isUsedLink := root.Kind == credentials.Link && !root.IsOpen(s.now()) // what its use has created belongs to the owner of the mailbox
	if errors.Is(err, credentials.ErrUnknown) || err == nil && (!secret.Matches(root.Hash) || isUsedLink) {
		return nil
	}
	if err != nil {
		return err
	}
	isRepeated := !root.RevokedAt.IsZero()
	if isRepeated && s.repeated.IsFull(root.ID, s.now()) {
		return nil
	}
	err = s.endAll(ctx, root.ID, Job{Reason: credentials.ReasonLeaked, IsLeaked: true, BaseURL: report.BaseURL})
	if err == nil && isRepeated { // after it succeeded, so that failures do not use up the limit
		_, err = s.repeated.Fail(ctx, root.ID, s.now())
	}
	return err
}

// End ends a credential, which may have ended before, and everything that was made with it. If that takes longer than
// EndTime, the schedule ends the rest. Errors: credentials.ErrUnknown.
func (s *Service) End(ctx context.Context, id, reason, baseURL string) error {
	return s.endAll(ctx, id, Job{Reason: reason, BaseURL: baseURL})
}

// endAll ends a credential and, within EndTime, everything that was made with it.
func (s *Service) endAll(ctx context.Context, id string, job Job) error {
	job, err := s.begin(ctx, id, job)
	if err != nil {
		return err
	}
	limited, cancel := withTime(ctx, s.EndTime)
	defer cancel()
	s.tryRun(limited, job)
	return nil
}

// withTime returns a context that ends after d, or without a limit if d is zero.
func withTime(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}

// begin ends the root and stores the job.
func (s *Service) begin(ctx context.Context, id string, job Job) (Job, error) {
	err := versions.Retry(ctx, func() (err error) {
		if job.Root, err = s.Store.Get(ctx, id); err != nil {
			return err
		}
		job.At = s.now()
		job.Due = job.At.Add(mail.SendAfter)
		return s.Store.Begin(ctx, job)
	})
	return job, err
}

// tryRun runs a job that was just stored. If that fails, the schedule continues it.
func (s *Service) tryRun(ctx context.Context, job Job) {
	if err := s.run(ctx, job); err != nil {
		slog.WarnContext(ctx, "credentials that were made with an ended one have not all ended yet", "credential",
			job.Root.ID, "error", err)
	}
}

var errNotFinished = errors.New("revocation: there was still more to end after the last pass")

// run ends the credentials that were made with the root, until none is left, and then removes the job.
func (s *Service) run(ctx context.Context, job Job) error {
	for range maxPasses {
		made, err := s.Store.Made(ctx, job.Root, s.now(), batchSize)
		if err != nil {
			return err
		}
		if len(made) == 0 {
			return s.Jobs.Finish(ctx, job)
		}
		if err := s.end(ctx, job, made); err != nil {
			return err
		}
	}
	return errNotFinished
}

// end ends credentials in batches with one owner each. It skips batches with credentials that have changed, for the
// next pass.
func (s *Service) end(ctx context.Context, job Job, made []credentials.Credential) error {
	byOwner := map[string][]credentials.Credential{}
	for _, c := range made {
		byOwner[c.Owner.ID] = append(byOwner[c.Owner.ID], c)
	}
	for _, owner := range slices.Sorted(maps.Keys(byOwner)) {
		owned := byOwner[owner]
		for len(owned) > 0 {
			n := min(batchSize, len(owned))
			if err := s.Store.End(ctx, job, owned[:n], s.now()); err != nil && !versions.IsStale(err) {
				return err
			}
			owned = owned[n:]
		}
	}
	return nil
}

// FinishDue continues the jobs that are due, as long as the context's deadline leaves time. It returns how many are
// finished. A failure does not stop the rest; the errors are joined.
func (s *Service) FinishDue(ctx context.Context) (finished int, err error) {
	const batch = 100
	due, err := s.Jobs.DueJobs(ctx, s.now(), batch)
	if err != nil {
		return 0, err
	}
	var failures []error
	for _, job := range due {
		if deadline, hasDeadline := ctx.Deadline(); hasDeadline && time.Until(deadline) < minJobTime {
			break
		}
		if err := s.run(ctx, job); err != nil {
			failures = append(failures, fmt.Errorf("end what was made with credential %s: %w", job.Root.ID, err))
			continue
		}
		finished++
	}
	return finished, errors.Join(failures...)
}
