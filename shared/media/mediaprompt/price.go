package mediaprompt

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// Price is what a unit costs: a million tokens, a minute of a recording. The zero Price is not known, which is not the same as
// nothing.
type Price struct {
	micro uint64 // micro-USD
	known bool
}

// errPrice is about a text that is no price.
var errPrice = errors.New("must be a decimal number of USD such as 0.15, with at most 4 digits before the point and 6 behind")

// ParsePrice reads a decimal number of USD. An empty text is a price that is not known.
func ParsePrice(text string) (Price, error) {
	if text == "" {
		return Price{}, nil
	}
	const most, places = 4, 6
	whole, fraction, pointed := strings.Cut(text, ".")
	if !isDigits(whole, most) || pointed && !isDigits(fraction, places) {
		return Price{}, errPrice
	}
	micro, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", places-len(fraction)), 10, 64)
	if err != nil {
		return Price{}, errPrice
	}
	return Price{micro, true}, nil
}

func isDigits(text string, most int) bool {
	return text != "" && len(text) <= most && strings.Trim(text, "0123456789") == ""
}

// Prices are those of one model.
type Prices struct {
	Input, Output Price // of a million tokens
	Minute        Price // of a recording
}

// What no call exceeds: more is a mistake of the server's. With prices below 10,000 USD, nothing here overflows.
const (
	mostTokens = 100_000_000
	longest    = 100 * time.Hour
)

// cost is what a call cost in micro-USD, rounded up; false where that cannot be known.
func (p Prices) cost(c Call) (micro uint64, known bool) {
	const million = 1_000_000
	switch {
	case c.Audio > 0:
		heard := uint64(min(c.Audio, longest).Milliseconds())
		return share(p.Minute.micro*heard, uint64(time.Minute.Milliseconds())), p.Minute.known
	case c.Input <= 0 && c.Output <= 0:
		return 0, false
	}
	spent := p.Input.micro*counted(c.Input) + p.Output.micro*counted(c.Output)
	return share(spent, million), p.Input.known && p.Output.known
}

// share rounds up.
func share(n, of uint64) uint64 { return (n + of - 1) / of }

func counted(tokens int) uint64 { return uint64(min(max(tokens, 0), mostTokens)) }
