package mail

import (
	"context"
	"time"
)

// What could not be sent at once is noted with its cause and sent later by a schedule. These are the times of that.
const (
	// SendAfter is how long the schedule leaves a new note alone: the request that made it gets the time to send it itself.
	SendAfter = time.Minute
	// MaxTries is how often a mail is tried before it is given up: for about a week, as long as a link in it would work.
	MaxAttempts = 19
	// sendTime is the least time that must be left to take up one more mail: a run that is cut off between a new link and
	// its mail would end the old link for nothing.
	sendTime = 10 * time.Second
)

// BackOff is how long a mail rests after its nth try: a minute, two, four, up to about a day. So addresses that are refused
// for good do not crowd out the others.
func RetryDelay(tries int) time.Duration {
	const longest = 10 // 2^10 minutes are 17 hours
	return SendAfter << min(tries, longest)
}

// HasTime reports whether the context leaves time for one more mail. It compares with the machine's clock, which the
// deadline comes from, and not with one that is passed in.
func HasTime(ctx context.Context) bool {
	deadline, limited := ctx.Deadline()
	return ctx.Err() == nil && (!limited || time.Until(deadline) >= sendTime)
}
