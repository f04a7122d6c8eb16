package main

import (
	"context"
	"encoding/json"
	"log/slog"

	"portside/shared/users"
)

// sendDue returns the handler. What starts it does not matter, so it takes any event. An error fails the invocation, for
// the alarm on failed invocations to see; the mails behind it stay noted as unsent and are tried by the next run.
func sendDue(inviter *users.Inviter) func(context.Context, json.RawMessage) error {
	return func(ctx context.Context, _ json.RawMessage) error {
		sent, err := inviter.SendDue(ctx)
		slog.InfoContext(ctx, "activation mails", "sent", sent)
		return err
	}
}
