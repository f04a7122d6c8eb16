package mediaprompt

import (
	"context"
	"log/slog"
	"time"
)

// Ledger notes what was asked of models. The zero value is ready for use, and knows no prices.
type Ledger struct {
	Log    *slog.Logger // nil: the default one at the time of a call
	Prices Prices
}

// Call is one call of a model, whatever came of it.
type Call struct {
	Engine   string
	Model    string
	Endpoint string
	Began    time.Time
	Status   int // of HTTP; 0 where there was no answer
	Attempt  int // from 1
	Input    int // tokens; 0 where the service does not say
	Output   int
	Audio    time.Duration // that was heard; 0 where it was none, or is not known
}

// Logger is where the lines go.
func (l Ledger) Logger() *slog.Logger {
	if l.Log != nil {
		return l.Log
	}
	return slog.Default()
}

// Note writes the line of the call that just ended. The package comment says what is in it.
func (l Ledger) Note(ctx context.Context, c Call) {
	line := []any{
		"engine", c.Engine, "model", c.Model, "endpoint", c.Endpoint, "inputTokens", c.Input, "outputTokens", c.Output,
		"ms", time.Since(c.Began).Milliseconds(), "status", c.Status, "attempt", c.Attempt,
	}
	if c.Audio > 0 {
		line = append(line, "audioSeconds", c.Audio.Seconds())
	}
	if micro, known := l.Prices.cost(c); known {
		line = append(line, "microUSD", micro)
	}
	l.Logger().InfoContext(ctx, "model call", line...)
}
