package main

import (
	"context"
	"encoding/json"
	"log/slog"

	"portside/shared/audit/seals"
	"portside/shared/lambda/metrics"
)

// seal returns the handler of a schedule. It ignores the event. An error changes nothing of the objects that are sealed
// already, and Lambda and the next hour continue behind them.
func seal(s seals.Sealer) func(context.Context, json.RawMessage) error {
	return func(ctx context.Context, _ json.RawMessage) error {
		run, err := s.Seal(ctx)
		for _, key := range run.Differing {
			slog.ErrorContext(ctx, "a sealed object differs from the table; run portside verify-audit", "object", key)
		}
		if count := len(run.Unrecorded); count > 0 {
			slog.ErrorContext(ctx, "sealed objects are newer than the record of the newest seal; run portside verify-audit",
				"unrecorded", count, "first", run.Unrecorded[0])
		}
		// A later run does not look at these objects again, so this one publishes their number even if it fails.
		published := []metrics.Metric{
			metrics.Count("DifferingSeals", len(run.Differing)), metrics.Count("UnrecordedSeals", len(run.Unrecorded)),
		}
		if err == nil && !run.IsMoved {
			published = append(published, metrics.Seconds("SealAge", run.Age))
		}
		slog.InfoContext(ctx, "seal", append([]any{
			"objects", run.Objects, "events", run.Events, "head", run.Newest.Head().String(), "anotherRunSealed", run.IsMoved,
		}, metrics.Fields(s.Now(), published...)...)...)
		return err
	}
}
