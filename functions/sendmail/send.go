package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"portside/shared/users"
)

// task does the due work of a domain, as long as the context's deadline leaves time, and returns how much it has done.
type task func(ctx context.Context) (int, error)

// tasks send unsent mails, and finish other work that requests have left.
type tasks struct {
	signIns, invitations, requests, notices, revocations, closings task
}

// invitationRounds is how often a run sends users.InvitationBatch invitations.
const invitationRounds = 4

// invite sends invitations. After each batch, it sends the mails of sign-ins that became due meanwhile.
func (t tasks) invite(ctx context.Context) (invited, signedIn int, err error) {
	var failures []error
	for range invitationRounds {
		n, failure := t.invitations(ctx)
		invited, failures = invited+n, append(failures, failure)
		if n < users.InvitationBatch && failure == nil {
			break
		}
		n, failure = t.signIns(ctx)
		signedIn, failures = signedIn+n, append(failures, failure)
	}
	return invited, signedIn, errors.Join(failures...)
}

// handle returns the handler; it accepts any event. An error of one domain does not stop the mails of other domains.
// The handler then fails the invocation, which raises the alarm on failed invocations. The next run retries the mails
// that were not sent.
func handle(t tasks) func(context.Context, json.RawMessage) error {
	return func(ctx context.Context, _ json.RawMessage) error {
		closed, closingsErr := t.closings(ctx)      // first, because credentials may work that should not
		signedIn, signInsErr := t.signIns(ctx)      // next, because people wait for them
		ended, revocationsErr := t.revocations(ctx) // before the notices, which it may add to
		noticed, noticesErr := t.notices(ctx)
		requested, requestsErr := t.requests(ctx)
		invited, lateSignIns, invitationsErr := t.invite(ctx) // last, because imports leave the most mails
		signedIn += lateSignIns
		slog.InfoContext(ctx, "mails", "invitations", invited, "credentialRequests", requested, "signIns", signedIn,
			"notices", noticed,
			"revocations", ended, "closings", closed)
		return errors.Join(closingsErr, signInsErr, revocationsErr, noticesErr, invitationsErr, requestsErr)
	}
}
