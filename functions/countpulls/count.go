package main

import (
	"context"
	"encoding/json"
	"log/slog"
)

// counter adds recorded pulls to the counts. pullsdynamo.Store implements it.
type counter interface {
	CountPending(ctx context.Context) (int, error)
}

// count returns the handler of a schedule. It ignores the event. After an error the next minute continues the work.
func count(store counter) func(context.Context, json.RawMessage) error {
	return func(ctx context.Context, _ json.RawMessage) error {
		counted, err := store.CountPending(ctx)
		if err == nil && counted > 0 {
			slog.InfoContext(ctx, "pulls counted", "pulls", counted)
		}
		return err
	}
}
