package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
)

// outbox is a domain that notes its mail, and sends what is due; it returns how many that were.
type outbox interface {
	SendDue(ctx context.Context) (int, error)
}

// sendDue returns the handler. What starts it does not matter, so it takes any event. An error fails the invocation, for
// the alarm on failed invocations to see; the mails behind it stay noted as unsent and are tried by the next run. One
// domain's errors do not stop the other's mails.
func sendDue(invitations, requests outbox) func(context.Context, json.RawMessage) error {
	return func(ctx context.Context, _ json.RawMessage) error {
		invited, invitationsErr := invitations.SendDue(ctx)
		stepped, requestsErr := requests.SendDue(ctx)
		slog.InfoContext(ctx, "mails", "invitations", invited, "credentialRequests", stepped)
		return errors.Join(invitationsErr, requestsErr)
	}
}
