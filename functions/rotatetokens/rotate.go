package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"portside/shared/lambda/metrics"
	"portside/shared/notices/expirynotices"
	"portside/shared/rotation"
)

// outcome is the result of an invocation, for people who invoke the function. Secrets Manager and the scheduler ignore
// it.
type outcome struct {
	Step       string `json:"step,omitempty"`       // step of a rotation that was completed
	Sent       int    `json:"sent,omitempty"`       // number of notices sent
	DaysBehind int    `json:"daysBehind,omitempty"` // days whose notices are not all sent; the next run continues
	Skipped    bool   `json:"skipped,omitempty"`    // another run is sending the notices
}

// handler returns the handler for steps of a rotation and for the schedule. It distinguishes them by the fields of the
// event. After an error, Secrets Manager and the scheduler retry, and every step and run resumes where the previous one
// stopped.
func handler(rotator *rotation.Rotator, sender *expirynotices.Sender) func(context.Context, json.RawMessage) (outcome, error) {
	return func(ctx context.Context, payload json.RawMessage) (outcome, error) {
		var event rotation.Event
		if err := json.Unmarshal(payload, &event); err != nil {
			return outcome{}, fmt.Errorf("event is neither a rotation step nor a schedule: %w", err)
		}
		if event != (rotation.Event{}) {
			return rotate(ctx, rotator, event)
		}
		return sendNotices(ctx, sender)
	}
}

func rotate(ctx context.Context, rotator *rotation.Rotator, event rotation.Event) (outcome, error) {
	if err := rotator.Step(ctx, event); err != nil {
		return outcome{}, err
	}
	slog.InfoContext(ctx, "rotation", "step", event.Step, "secret", event.SecretID, "version", event.Version)
	return outcome{Step: event.Step}, nil
}

func sendNotices(ctx context.Context, sender *expirynotices.Sender) (outcome, error) {
	run, err := sender.Run(ctx)
	if run.Skipped || err != nil && run == (expirynotices.Outcome{}) {
		slog.InfoContext(ctx, "expiry notices", "skipped", run.Skipped)
		return outcome{Skipped: run.Skipped}, err
	}
	slog.InfoContext(ctx, "expiry notices", metrics.Fields(sender.Now(), metrics.Count("SentNotices", run.Sent),
		metrics.Count("FailedNotices", run.Failed), metrics.Count("NoticeDaysBehind", run.DaysBehind))...)
	return outcome{Sent: run.Sent, DaysBehind: run.DaysBehind}, err
}

func days(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }
