package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"portside/shared/users"
)

// outbox is a domain that stores its unsent mails. SendDue sends the mails that are due and returns their number.
type outbox interface {
	SendDue(ctx context.Context) (int, error)
}

// outboxes are the domains with unsent mails or other work that a request has left.
type outboxes struct {
	signIns, invitations, requests, notices, revocations, closings outbox
}

// invitationRounds is how often a run sends users.InvitationBatch invitations.
const invitationRounds = 4

// invite sends invitations. After each batch, it sends the mails of sign-ins that became due meanwhile.
func (o outboxes) invite(ctx context.Context) (invited, signedIn int, err error) {
	var failures []error
	for range invitationRounds {
		n, failure := o.invitations.SendDue(ctx)
		invited, failures = invited+n, append(failures, failure)
		if n < users.InvitationBatch && failure == nil {
			break
		}
		n, failure = o.signIns.SendDue(ctx)
		signedIn, failures = signedIn+n, append(failures, failure)
	}
	return invited, signedIn, errors.Join(failures...)
}

// sendDue returns the handler; it accepts any event. An error of one domain does not stop the mails of other domains. The handler
// then fails the invocation, which raises the alarm on failed invocations. The next run retries the mails that were not sent.
func sendDue(o outboxes) func(context.Context, json.RawMessage) error {
	return func(ctx context.Context, _ json.RawMessage) error {
		closed, closingsErr := o.closings.SendDue(ctx)      // first, because credentials may work that should not
		signedIn, signInsErr := o.signIns.SendDue(ctx)      // next, because people wait for them
		ended, revocationsErr := o.revocations.SendDue(ctx) // before the notices, which it may add to
		noticed, noticesErr := o.notices.SendDue(ctx)
		requested, requestsErr := o.requests.SendDue(ctx)
		invited, lateSignIns, invitationsErr := o.invite(ctx) // last, because imports leave the most mails
		signedIn += lateSignIns
		slog.InfoContext(ctx, "mails", "invitations", invited, "credentialRequests", requested, "signIns", signedIn, "notices", noticed,
			"revocations", ended, "closings", closed)
		return errors.Join(closingsErr, signInsErr, revocationsErr, noticesErr, invitationsErr, requestsErr)
	}
}
