package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"portside/shared/expirynotices"
	"portside/shared/rotation"
)

// answer is for whoever invokes the function by hand; neither Secrets Manager nor the scheduler reads it.
type answer struct {
	Step    string `json:"step,omitempty"`    // of a rotation, that was taken
	Sent    int    `json:"sent,omitempty"`    // notices
	Skipped bool   `json:"skipped,omitempty"` // another run is at work on the notices
}

// handler tells a step of a rotation from the daily schedule by the fields of the event. An error fails the invocation:
// Secrets Manager and the scheduler then try again, and every step and run does what is missing.
func handler(rotator *rotation.Rotator, sender *expirynotices.Sender) func(context.Context, json.RawMessage) (answer, error) {
	return func(ctx context.Context, payload json.RawMessage) (answer, error) {
		var event rotation.Event
		if err := json.Unmarshal(payload, &event); err != nil {
			return answer{}, fmt.Errorf("the event is neither a step of a rotation nor a schedule's: %w", err)
		}
		if event != (rotation.Event{}) {
			return rotate(ctx, rotator, event)
		}
		return tell(ctx, sender)
	}
}

func rotate(ctx context.Context, rotator *rotation.Rotator, event rotation.Event) (answer, error) {
	if err := rotator.Step(ctx, event); err != nil {
		return answer{}, err
	}
	slog.InfoContext(ctx, "rotation", "step", event.Step, "secret", event.SecretID, "version", event.Version)
	return answer{Step: event.Step}, nil
}

func tell(ctx context.Context, sender *expirynotices.Sender) (answer, error) {
	outcome, err := sender.Run(ctx)
	slog.InfoContext(ctx, "expiry notices", "sent", outcome.Sent, "skipped", outcome.Skipped)
	return answer{Sent: outcome.Sent, Skipped: outcome.Skipped}, err
}

func days(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }
