package schedule

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Expression is a parsed schedule expression.
type Expression struct {
	every time.Duration
	cron  *cron
}

// Parse parses "rate(5 minutes)" or "cron(0 12 * * ? *)". Its errors are one line and say how to
// correct the expression.
func Parse(s string) (Expression, error) {
	name, rest, _ := strings.Cut(s, "(")
	body, closed := strings.CutSuffix(rest, ")")
	if !closed {
		return Expression{}, fmt.Errorf("the schedule %q must look like rate(5 minutes) or cron(0 12 * * ? *)", s)
	}
	switch name {
	case "rate":
		return parseRate(s, body)
	case "cron":
		c, err := parseCron(body)
		if err != nil {
			return Expression{}, fmt.Errorf("the schedule %q is invalid: %w", s, err)
		}
		return Expression{cron: c}, nil
	}
	return Expression{}, fmt.Errorf("the local stack does not support the schedule %q; use rate(…) or cron(…)", s)
}

// maxRate keeps durations within the range of time.Duration.
const maxRate = 100 * 365 * 24 * time.Hour

func parseRate(s, body string) (Expression, error) {
	bad := fmt.Errorf("the schedule %q must have a whole number and minutes, hours or days, singular for 1: rate(1 hour), rate(5 minutes)", s)
	fields := strings.Fields(body)
	if len(fields) != 2 {
		return Expression{}, bad
	}
	count, err := strconv.ParseUint(fields[0], 10, 31)
	unit := map[string]time.Duration{"minute": time.Minute, "hour": time.Hour,
		"day": 24 * time.Hour}[strings.TrimSuffix(fields[1], "s")]
	plural := strings.HasSuffix(fields[1], "s")
	if err != nil || count == 0 || unit == 0 || plural == (count == 1) || count > uint64(maxRate/unit) { //nolint:gosec // positive
		return Expression{}, bad
	}
	return Expression{every: time.Duration(count) * unit}, nil
}

// Next returns the first time after the given one at which the schedule is due, in UTC. For a rate,
// that is one period later, so the first run is one period after the stack's start. It returns
// false if the schedule is never due again.
func (e Expression) Next(after time.Time) (time.Time, bool) {
	if e.cron == nil {
		return after.UTC().Add(e.every), true
	}
	return e.cron.next(after.UTC())
}
