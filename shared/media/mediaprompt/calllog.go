package mediaprompt

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"strings"
	"time"
)

// CallLog logs calls of models and transcribers. The zero value is ready for use and has no prices.
type CallLog struct {
	Out    *slog.Logger // nil: slog.Default() at the time of a call
	Prices Prices
}

// Call is a call of a model, successful or not.
type Call struct {
	Engine       string
	Model        string
	Endpoint     string
	StartedAt    time.Time
	Status       int // HTTP status; 0 if there was no response
	Attempt      int // starting at 1
	InputTokens  int // 0 if the service does not report it
	OutputTokens int
	Audio        time.Duration // length of the recording; 0 without a recording, or if it is unknown
}

// Logger returns the logger to which the lines are written.
func (l CallLog) Logger() *slog.Logger {
	if l.Out != nil {
		return l.Out
	}
	return slog.Default()
}

// Record logs a call that has just ended. The package comment describes the line.
func (l CallLog) Record(ctx context.Context, c Call) {
	line := []any{
		"engine", c.Engine, "model", c.Model, "endpoint", c.Endpoint, "inputTokens", c.InputTokens, "outputTokens", c.OutputTokens,
		"ms", time.Since(c.StartedAt).Milliseconds(), "status", c.Status, "attempt", c.Attempt,
	}
	if c.Audio > 0 {
		line = append(line, "audioSeconds", c.Audio.Seconds())
	}
	if micro, isKnown := l.Prices.costOf(c); isKnown {
		line = append(line, "microUSD", micro)
	}
	l.Logger().InfoContext(ctx, "model call", line...)
}

// Price is the price of a unit: of a million tokens, or of a minute of a recording. The zero Price is
// unknown, which is not the same as free.
type Price struct {
	micro uint64 // micro-USD
	known bool
}

// errPrice means that a text is not a price.
var errPrice = errors.New("must be a decimal number of USD such as 0.15, with at most 4 digits before the point and 6 after it")

// ParsePrice parses a decimal number of USD. An empty text is an unknown price.
func ParsePrice(text string) (Price, error) {
	if text == "" {
		return Price{}, nil
	}
	const maxWhole, maxFraction = 4, 6 // digits
	whole, fraction, hasPoint := strings.Cut(text, ".")
	if !isDigits(whole, maxWhole) || hasPoint && !isDigits(fraction, maxFraction) {
		return Price{}, errPrice
	}
	micro, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", maxFraction-len(fraction)), 10, 64)
	if err != nil {
		return Price{}, errPrice
	}
	return Price{micro, true}, nil
}

func isDigits(text string, maxDigits int) bool {
	return text != "" && len(text) <= maxDigits && strings.Trim(text, "0123456789") == ""
}

// Prices are the prices of one model.
type Prices struct {
	Input, Output Price // per million tokens
	Minute        Price // per minute of a recording
}

// Limits of one call. If a server reports more, it is wrong. With prices below 10,000 USD, the cost
// cannot overflow.
const (
	maxTokens = 100_000_000
	maxAudio  = 100 * time.Hour
)

// costOf returns the cost of a call in micro-USD, rounded up. It returns false if the cost is unknown.
func (p Prices) costOf(c Call) (micro uint64, isKnown bool) {
	const million = 1_000_000
	switch {
	case c.Audio > 0:
		milliseconds := uint64(min(c.Audio, maxAudio).Milliseconds())                                    //nolint:gosec // positive
		return divideUp(p.Minute.micro*milliseconds, uint64(time.Minute.Milliseconds())), p.Minute.known //nolint:gosec // a constant
	case c.InputTokens <= 0 && c.OutputTokens <= 0:
		return 0, false
	}
	cost := p.Input.micro*clampTokens(c.InputTokens) + p.Output.micro*clampTokens(c.OutputTokens)
	return divideUp(cost, million), p.Input.known && p.Output.known
}

// divideUp divides and rounds up.
func divideUp(n, by uint64) uint64 { return (n + by - 1) / by }

func clampTokens(tokens int) uint64 { return uint64(min(max(tokens, 0), maxTokens)) }
