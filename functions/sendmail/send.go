package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
)

// outbox is a domain that stores its unsent mails. SendDue sends the mails that are due and returns their number.
type outbox interface {
	SendDue(ctx context.Context) (int, error)
}

// outboxes are the domains with unsent mails or other work that a request has left.
type outboxes struct {
	signIns, invitations, requests, notices, revocations, closings outbox
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
		invited, invitationsErr := o.invitations.SendDue(ctx) // last, because an import has thousands
		slog.InfoContext(ctx, "mails", "invitations", invited, "credentialRequests", requested, "signIns", signedIn, "notices", noticed,
			"revocations", ended, "closings", closed)
		return errors.Join(closingsErr, signInsErr, revocationsErr, noticesErr, invitationsErr, requestsErr)
	}
}
