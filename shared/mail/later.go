package mail

import (
	"context"
	"time"
)

// Times of mails that could not be sent at once. They are stored together with their cause, and a
// schedule sends them later.
const (
	// SendAfter is how long the schedule waits with a new mail, so that the request that caused it
	// can send the mail itself.
	SendAfter = time.Minute
	// MaxAttempts is how often a mail is attempted before it is abandoned: for about a week, which
	// is as long as a link in it would work.
	MaxAttempts = 19
	// sendTime is the least time that must be left to begin one more mail. A run that is
	// interrupted between a new link and its mail would revoke the previous link for nothing.
	sendTime = 10 * time.Second
)

// RetryDelay returns the pause after the nth attempt: a minute, two, four, up to about a day. So
// addresses that never accept mail do not block other addresses.
func RetryDelay(tries int) time.Duration {
	const longest = 10 // 2^10 minutes are 17 hours
	return SendAfter << min(tries, longest)
}

// HasTime reports whether the context leaves time for one more mail. It uses the machine's clock,
// like the deadline.
func HasTime(ctx context.Context) bool {
	deadline, limited := ctx.Deadline()
	return ctx.Err() == nil && (!limited || time.Until(deadline) >= sendTime)
}
