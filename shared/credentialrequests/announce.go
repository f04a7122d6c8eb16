package credentialrequests

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"portside/shared/core/principal"
	"portside/shared/core/versions"
	"portside/shared/mail"
)

// announceDue announces pending requests, those of each customer's users together. Those of deleted users end without a
// mail, and have no effect on the mails about others. It returns how many have no step any more.
func (s *Service) announceDue(ctx context.Context, pending []Request) (done int, err error) {
	requesters, err := s.requesters(ctx, pending...)
	if err != nil {
		return 0, err
	}
	groups := map[string][]Request{}
	var orphans []Request
	for _, r := range pending {
		if person, exists := requesters[r.UserID]; exists {
			groups[person.CustomerID] = append(groups[person.CustomerID], r)
		} else {
			orphans = append(orphans, r)
		}
	}
	_, done, err = s.begin(ctx, orphans, requesters)
	failures := []error{err}
	for _, customerID := range slices.Sorted(maps.Keys(groups)) {
		if !mail.HasTime(ctx) {
			break
		}
		announced, err := s.announceGroup(ctx, customerID, groups[customerID], requesters)
		done += announced
		failures = append(failures, err)
	}
	return done, errors.Join(failures...)
}

// announceGroup announces the requests of one customer's users, and begins to collect the next ones. Another attempt
// for the approvers whose mail has failed does not prolong that.
func (s *Service) announceGroup(
	ctx context.Context, customerID string, group []Request, requesters map[string]principal.Person,
) (done int, err error) {
	if slices.ContainsFunc(group, func(r Request) bool { return r.Next.Attempts == 0 }) {
		if err := s.Store.Announce(ctx, customerID, s.now()); err != nil {
			return 0, err
		}
	}
	return s.announce(ctx, group, requesters)
}

// announceNow announces one request.
func (s *Service) announceNow(ctx context.Context, r Request) error {
	requesters, err := s.requesters(ctx, r)
	if err != nil {
		return err
	}
	_, err = s.announce(ctx, []Request{r}, requesters)
	return err
}

// announce mails everybody who may decide about all the requests at once, except a requester about the own ones and
// whoever was mailed before. It returns how many requests have no step any more.
func (s *Service) announce(ctx context.Context, requests []Request,
	requesters map[string]principal.Person) (done int, err error) {
	approvers, err := s.People.Holders(ctx, principal.CredentialsApprove, maxApprovers)
	if err != nil {
		return 0, err
	}
	open, done, err := s.begin(ctx, requests, requesters)
	failures := []error{err}
	mailed := slices.Clone(open)
	for _, approver := range approvers {
		failures = append(failures, s.mailApprover(ctx, mailed, requesters, approver))
	}
	for i, r := range open {
		err := s.finish(ctx, r, mailed[i], approvers)
		switch {
		case err == nil:
			done++
		case !versions.IsStale(err): // a stale request was decided meanwhile
			failures = append(failures, fmt.Errorf("credential request %s: %w", r.ID, err))
		}
	}
	return done, errors.Join(failures...)
}

// begin stores an attempt for each request, and returns the requests to announce. It counts those without another
// attempt: all attempts have failed, or the requester was deleted. Requests that were decided meanwhile are left out.
func (s *Service) begin(
	ctx context.Context, requests []Request, requesters map[string]principal.Person,
) (open []Request, done int, err error) {
	var failures []error
	for _, r := range requests {
		after := s.withAttempt(r)
		if _, exists := requesters[r.UserID]; !exists || hasFailed(ctx, r) {
			after = withoutStep(r)
		}
		changed, err := s.change(ctx, Change{Before: r, After: after})
		switch {
		case versions.IsStale(err):
		case err != nil:
			failures = append(failures, fmt.Errorf("credential request %s: %w", r.ID, err))
		case after.Next.Due.IsZero():
			done++
		default:
			open = append(open, changed)
		}
	}
	return open, done, errors.Join(failures...)
}

// mailApprover mails one approver about the requests of other users, unless an earlier attempt has done so. It notes in
// the requests that the approver was mailed.
func (s *Service) mailApprover(
	ctx context.Context, requests []Request, requesters map[string]principal.Person, approver principal.Person,
) error {
	var about []Request
	for _, r := range requests {
		if !r.isDone(approver) {
			about = append(about, r)
		}
	}
	if len(about) == 0 {
		return nil
	}
	if !mail.HasTime(ctx) {
		return errNoTime
	}
	if err := s.Mailer.Send(ctx, announcement(about, requesters, approver)); err != nil {
		return fmt.Errorf("approver %s: %w", approver.ID, err)
	}
	for i := range requests {
		if !requests[i].isDone(approver) {
			requests[i].Next.Notified = append(slices.Clip(requests[i].Next.Notified), approver.ID)
		}
	}
	return nil
}

// isDone reports whether an approver needs no mail about the request.
func (r Request) isDone(approver principal.Person) bool {
	return approver.ID == r.UserID || slices.Contains(r.Next.Notified, approver.ID)
}

var errNoTime = errors.New("credentialrequests: no time left for more mails; the rest is sent later")

// errNotAnnounced means that TakeDue tries again.
var errNotAnnounced = errors.New("an approver was not mailed")

// finish stores which approvers were mailed. The request needs no further step if all were. Otherwise, it returns
// errNotAnnounced.
func (s *Service) finish(ctx context.Context, before, mailed Request, approvers []principal.Person) error {
	if slices.ContainsFunc(approvers, func(a principal.Person) bool { return !mailed.isDone(a) }) {
		return errors.Join(errNotAnnounced, s.Store.Change(ctx, Change{Before: before, After: mailed}))
	}
	return s.Store.Change(ctx, Change{Before: before, After: withoutStep(mailed)})
}

// requesters returns the users who made the requests, by ID. Users who were deleted are missing.
func (s *Service) requesters(ctx context.Context, requests ...Request) (map[string]principal.Person, error) {
	ids := make([]string, len(requests))
	for i, r := range requests {
		ids[i] = r.UserID
	}
	return s.people(ctx, ids)
}
