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

// sendDue returns the handler; it accepts any event. An error of one domain does not stop the mails of other domains. The handler
// then fails the invocation, which raises the alarm on failed invocations. The next run retries the mails that were not sent.
func sendDue(invitations, requests, signIns outbox) func(context.Context, json.RawMessage) error {
	return func(ctx context.Context, _ json.RawMessage) error {
		signedIn, signInsErr := signIns.SendDue(ctx) // first, because people wait for them
		invited, invitationsErr := invitations.SendDue(ctx)
		requested, requestsErr := requests.SendDue(ctx)
		slog.InfoContext(ctx, "mails", "invitations", invited, "credentialRequests", requested, "signIns", signedIn)
		return errors.Join(signInsErr, invitationsErr, requestsErr)
	}
}
