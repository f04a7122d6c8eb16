package main

import (
	"context"
	"encoding/json"
	"log/slog"

	"portside/shared/lambda/metrics"
	"portside/shared/seals"
)

// seal returns the handler of a schedule. It ignores the event. An error changes nothing of the objects that are sealed already, and Lambda
// and the next hour continue behind them.
func seal(s seals.Sealer) func(context.Context, json.RawMessage) error {
	return func(ctx context.Context, _ json.RawMessage) error {
		run, err := s.Seal(ctx)
		for _, key := range run.Differing {
			slog.ErrorContext(ctx, "a sealed object differs from the table; run portside verify-audit", "object", key)
		}
		if run.IsMoved {
			slog.InfoContext(ctx, "seal: another run sealed meanwhile")
			return err
		}
		if err != nil {
			return err
		}
		slog.InfoContext(ctx, "seal", append([]any{
			"objects", run.Objects, "events", run.Events, "newest", run.Newest.Key(), "hash", run.Newest.Hash,
		}, metrics.Fields(s.Now(),
			metrics.Seconds("SealAge", run.Age), metrics.Count("DifferingSeals", len(run.Differing)))...)...)
		return nil
	}
}
